"""Scripts made by changing others: characters and tokens are deleted, doubled, swapped, put in or taken from another.

The seeds are the bash texts of `tests/cases/shell`, which hold every form that was once misread.
"""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

from ruamel.yaml import YAML

CASES = Path(__file__).parents[2] / "tests" / "cases" / "shell"
_TOKENS = re.compile(r"\s+|\w+|\$\(\(|\$[({'\"]|<<-?|&&|\|\||.", re.DOTALL)
ODD = (
    *(
        "'",
        '"',
        "`",
        "\\",
        "$",
        "$(",
        ")",
        "((",
        "))",
        "{",
        "}",
        "[[",
        "]]",
        "<<E\n",
        "\nE\n",
        "<<<",
        "<(",
        ">",
        "|",
        "&",
        ";",
        ";;",
    ),
    *(
        "\n",
        "\\\n",
        " ",
        "\t",
        "#",
        " #",
        "!",
        "~",
        "*",
        "${",
        "$'",
        '$"',
        "=",
        "+=",
        "=(",
        "\r",
        "\r\n",
        "\x0b",
        "\x0c",
        "\xa0",
        "\u3000",
    ),
    *(
        "if ",
        "then ",
        "fi",
        "do ",
        "done",
        "case ",
        " in ",
        "esac",
        "for ",
        "while ",
        "function ",
        "time ",
        "coproc ",
        "c1",
        "\u202e",
        "é",
        "\x7f",
    ),
    *(
        "2>&1",
        "{fd}>",
        "&>",
        "<&-",
        "()",
        "$((",
        "`c1`",
        "$(c2)",
        "<(c3)",
        "\x01",
        "$[",
        "^",
        "!!",
        "%",
        "@(",
        "-",
        "--",
        "1",
    ),
)


def seeds() -> list[str]:
    """The texts that are mutated."""
    texts: list[str] = []
    for path in sorted(CASES.glob("*.yaml")):
        if path.stem not in ("powershell", "cmd"):
            table = YAML(typ="safe", pure=True).load(path.read_text("utf-8"))
            texts += [row["text"] for row in table["cases"]]
    return texts


def joined(text: str, random: Random) -> str:
    """The text with one to three line joins, wherever they stand."""
    for _ in range(random.choice((1, 1, 2, 3))):
        at = random.randrange(len(text) + 1)
        text = text[:at] + "\\\n" + text[at:]
    return text


def mutated(text: str, other: str, random: Random) -> str:
    """The text with one to five changes; pieces may come from the other text."""
    tokens = _TOKENS.findall(text) if random.random() < 0.7 else list(text)
    for _ in range(random.choice((1, 1, 1, 2, 3, 5))):
        at = random.randrange(len(tokens) + 1)
        change = random.randrange(6)
        if change == 0:
            del tokens[at : at + random.choice((1, 1, 2, 4))]
        elif change == 1:
            tokens.insert(at, random.choice(ODD))
        elif change == 2 and len(tokens) > 1:
            here, there = random.randrange(len(tokens)), random.randrange(len(tokens))
            tokens[here], tokens[there] = tokens[there], tokens[here]
        elif change == 3:
            tokens[at:at] = tokens[at : at + random.choice((1, 2, 5))]
        elif change == 4:
            pieces = _TOKENS.findall(other)
            start = random.randrange(len(pieces) + 1)
            tokens[at:at] = pieces[start : start + random.choice((1, 3, 8))]
        else:
            tokens[at : at + 1] = [random.choice(ODD)]
    return "".join(tokens)
