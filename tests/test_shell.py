"""Shell text to commands: `tests/cases/shell/*.yaml`, a text a row; those of `powershell.yaml` and `cmd.yaml` are in
these languages.

A row says what it expects of the understood commands, in their order: `commands` (their words), `names` (their first
words, sorted), `count` (how many there are), `directories`, `redirects`, `pipes`, `defined`, `exported`, `assignments`,
`texts`; `only` is the position of the one that is looked at. `unparsed` are the reasons of the others, none where it
is absent; `limit` the bound that was hit. In words, a hole is written `«kind source»`, and `…` ends a word that may
become none or several.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ostiary.shell import Command, Script, parse, second
from ostiary.shell.limits import COMMANDS, DEPTH, STEPS, TEXT
from ostiary.shell.powershell import second as powershell_second
from ostiary.words import Word
from tables import read_table

CASES = Path(__file__).parent / "cases" / "shell"
ABOUT = {"note", "text", "language", "only", "unparsed", "limit"}


def rows() -> Iterator[Any]:
    for path in sorted(CASES.glob("*.yaml")):
        language = path.stem if path.stem in ("powershell", "cmd") else "bash"
        for row in read_table(path)["cases"]:
            row["language"] = language
            yield pytest.param(row, id=f"{path.stem}: {row['note']}")


def shown(word: Word) -> str:
    pieces = (piece if isinstance(piece, str) else f"«{piece.kind} {piece.source}»" for piece in word.pieces)
    return "".join(pieces) + "…" * word.many


def name(command: Command) -> str:
    return shown(command.words[0]) if command.words else ""


def redirects(command: Command) -> list[Any]:
    return [[item.kind, shown(item.target), *[True] * item.expands] for item in command.redirects]


ASPECTS: dict[str, Callable[[list[Command]], Any]] = {
    "commands": lambda found: [[shown(word) for word in item.words] for item in found],
    "names": lambda found: sorted(name(item) for item in found if item.words),
    "count": len,
    "directories": lambda found: [[name(item), shown(item.cwd)] for item in found],
    "fallbacks": lambda found: [[name(item), [shown(one) for one in item.fallbacks]] for item in found],
    "redirects": lambda found: [[name(item), redirects(item)] for item in found],
    "pipes": lambda found: [[name(item), list(item.reads_from), list(item.feeds)] for item in found],
    "defined": lambda found: [[name(item), sorted(item.defined)] for item in found],
    "exported": lambda found: [{a.name: shown(a.value) for a in item.exported} for item in found],
    "assignments": lambda found: [{a.name: shown(a.value) for a in item.assignments} for item in found],
    "texts": lambda found: [item.text for item in found],
}


@pytest.mark.parametrize("row", list(rows()))
def test_texts(row: dict[str, Any]) -> None:
    script = parse(row["text"], row["language"])
    understood = [item for item in script.commands if not item.unparsed]
    wanted = {key: value for key, value in row.items() if key not in ABOUT}
    assert wanted or "unparsed" in row, "a row expects something"
    found = [understood[row["only"]]] if "only" in row else understood
    assert {key: ASPECTS[key](found) for key in wanted} == wanted
    assert [item.unparsed for item in script.commands if item.unparsed] == row.get("unparsed", [])
    assert script.limit == row.get("limit", "")


def test_the_text_of_a_command_is_what_was_written() -> None:
    script = parse("A=1  rm 'x'  >f \\\n 2>&1 | tee $(date) ; (ls)")
    assert [item.text for item in script.commands] == ["A=1  rm 'x'  >f \\\n 2>&1", "tee $(date)", "date", "ls"]


def test_the_rest_after_a_break_is_one_stretch() -> None:
    assert parse("ls; rm 'x\ny").commands[-1].text == "rm 'x\ny"


def limits() -> Iterator[Any]:
    yield pytest.param("ls " * TEXT, "size", "the text is too long", id="size")
    yield pytest.param("ls\n" + "x " * STEPS, "steps", "the text has too many words", id="words")
    yield pytest.param("ls\n" + "$(" * (DEPTH + 1), "depth", "the text is nested too deeply", id="depth")
    yield pytest.param("ls\n" * (COMMANDS + 1), "commands", "the script has too many commands", id="commands")
    yield pytest.param("((x))\n" * 4_000, "steps", "the text has too many words", id="arithmetic")
    yield pytest.param("a\n`" + "(" * (DEPTH + 1) + "`", "depth", "the text is nested too deeply", id="inner text")


@pytest.mark.parametrize(("text", "limit", "reason"), list(limits()))
def test_a_text_beyond_a_bound_says_so(text: str, limit: str, reason: str) -> None:
    script = parse(text)
    assert (script.limit, reason in [item.unparsed for item in script.commands]) == (limit, True)
    assert limit == "size" or len(script.commands) > 1 or text.startswith("((")


HOSTILE = (
    "a|" * 10_000,
    "((" * 3_000,
    "$(" * 2_000,
    "$((" * 2_000,
    "&&" * 2_000,
    "((" + "a;" * 30_000 + "))",
    "((|))\n" * 2_000,
    "[[ a b ]]\n" * 2_000,
    "echo " + "{" * 50_000,
    "echo " + "{a,b}" * 5_000,
    "ls " + "[a" * 20_000,
    "ls " + '["' * 5_000,
    "`" * 60_000,
    "\\" * 60_000,
    "x() { a; }\n" * 900,
    "".join(f"A{n}=1\nx\n" for n in range(2_000)),
    "x() { :; }\n" + "".join(f"A{n}=1\nx\n" for n in range(2_000)),
    "cat <<E\n" + "$x " * 15_000 + "\nE",
    " <<E" * 10_000,
    "echo ${a:-" + "b|" * 20_000 + "}",
)


@pytest.mark.no_cover
@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", HOSTILE, ids=[str(n) for n in range(len(HOSTILE))])
def test_hostile_texts_are_bounded(text: str) -> None:
    # Any of these takes seconds to minutes where something is quadratic or exponential.
    assert parse(text).commands


def test_a_command_that_is_too_long_to_be_read_twice() -> None:
    assert [item.unparsed for item in parse("(echo " + "a-b " * 2_000 + ")").commands] == [
        "",
        "a command is too long to be read twice",
    ]


def test_a_caller_deep_in_its_stack_gets_an_answer() -> None:
    def descend(depth: int) -> Script:
        return descend(depth - 1) if depth else parse("$(" * 30 + "x" + ")" * 30)

    # Deep enough that the text does not fit on what is left of the stack, whatever the test runner uses.
    results = []
    for depth in range(0, 1_000, 20):
        try:
            results.append(descend(depth))
        except RecursionError:
            break
    assert results[0].limit == ""
    assert results[-1].limit == "depth"


def test_plain_texts_need_no_second_parser() -> None:
    code = (
        "import sys; from ostiary.shell import parse; parse('A=1 git push \"$X\" | tee f && cd a; rm *.c')\n"
        "assert 'tree_sitter' not in sys.modules; parse('(a)'); assert 'tree_sitter' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_second_parser_is_made_once() -> None:
    parse("(a)")
    first = second._parser()
    parse("(b)")
    assert second._parser() is first


TOKENS = st.sampled_from(
    [
        *"aX$\"'`(){};&|<>#\\!*?[]~=+-1\n\t ",
        *(
            "rm",
            "$x",
            "$(",
            "$((",
            "((",
            "))",
            "&&",
            "||",
            "<<E",
            "\nE\n",
            "<<<",
            "[[",
            "]]",
            "=~",
            "if ",
            "then ",
            "fi",
        ),
        *(
            "for x in ",
            "do ",
            "done",
            "case ",
            " in ",
            "esac",
            ";;",
            "f()",
            "A=",
            "a[",
            "${",
            ":-",
            "@P}",
            "$'",
            "{a,b}",
        ),
        *(
            "cd ",
            "export ",
            "alias ",
            "eval ",
            "time ",
            "coproc ",
            "trap ",
            "read ",
            "unset ",
            "exit ",
            "@(",
            "2>&1",
            "\x00",
        ),
        *(
            "{1..3}",
            "<(",
            ">(",
            "&>",
            "{fd}>",
            "local ",
            "declare -n ",
            '"${a[@]}"',
            "a=(",
            "select ",
            "while ",
            "\ud800",
            "é",
        ),
    ]
)


@given(st.lists(TOKENS, max_size=40).map("".join) | st.text(max_size=60))
def test_every_text_has_commands(text: str) -> None:
    script = parse(text)
    assert script.commands
    assert script == parse(text)
    for position, command in enumerate(script.commands):
        assert all(position in script.commands[other].reads_from for other in command.feeds)
        assert all(position in script.commands[other].feeds for other in command.reads_from)


WINDOWS_TOKENS = st.sampled_from(
    [
        *"aX$\"'`(){};&|<>#\\!*?[]~=+-1\n\t ,.%^@:/",
        *(
            "ri ",
            "$x",
            "$x = ",
            "$(",
            "@(",
            "@{",
            "@'\n",
            "\n'@",
            '@"\n',
            '\n"@',
            "&&",
            "||",
            "2>&1",
            "$env:A",
            "-Path ",
        ),
        *(
            "if (",
            "else {",
            "foreach ($i in ",
            "switch (",
            "try {",
            "catch {",
            "function f ",
            "param(",
            "return ",
            "do {",
        ),
        *(
            "[int]",
            "[IO.File]::Delete(",
            ".Delete()",
            " -eq ",
            "..",
            "--%",
            "sal q ",
            "cd ",
            "% {",
            "class ",
            "\u201c",
            "\u2013",
        ),
        *(
            "%X%",
            "%i",
            "if exist ",
            " do ",
            "for %i in (",
            "set X=",
            "nul",
            "^\n",
            "del/s",
            "echo.",
            "goto ",
            "\u202e",
            "é",
        ),
    ]
)


@pytest.mark.parametrize("language", ["powershell", "cmd"])
@given(text=st.lists(WINDOWS_TOKENS, max_size=40).map("".join) | st.text(max_size=60))
def test_every_text_of_windows_has_commands(language: str, text: str) -> None:
    script = parse(text, language)
    assert script.commands
    assert script == parse(text, language)
    for position, command in enumerate(script.commands):
        assert command.language == language
        assert all(position in script.commands[other].reads_from for other in command.feeds)
        assert all(position in script.commands[other].feeds for other in command.reads_from)


WINDOWS_HOSTILE = (
    "(" * 5_000,
    "$(" * 2_000,
    "{" * 2_000,
    "a|" * 10_000,
    "$x[" * 5_000,
    "@{a=" * 5_000,
    '"$(' * 5_000,
    "% " * 9_000,
)


@pytest.mark.no_cover
@pytest.mark.timeout(20)
@pytest.mark.parametrize("language", ["powershell", "cmd"])
@pytest.mark.parametrize(
    "text", [*WINDOWS_HOSTILE, "^" * 60_000, "`" * 60_000, "'" * 60_000, "[a" * 20_000, "if 1==1 " * 5_000]
)
def test_hostile_texts_of_windows_are_bounded(language: str, text: str) -> None:
    assert parse(text, language).commands


@pytest.mark.parametrize("language", ["powershell", "cmd"])
def test_a_text_of_windows_beyond_a_bound_says_so(language: str) -> None:
    assert parse("ls " * TEXT, language).limit == "size"
    assert parse("ls\n" * (COMMANDS + 1), language).limit == "commands"
    assert parse("(" * (DEPTH + 1) + "ls" + ")" * (DEPTH + 1), language).limit == "depth"
    assert parse("ls " * STEPS, language).limit == "steps"


def test_plain_texts_of_powershell_need_no_second_parser() -> None:
    code = (
        "import sys; from ostiary.shell import parse; parse('gci a | ri -Force; cd b', 'powershell')\n"
        "assert 'tree_sitter' not in sys.modules; parse('(a)', 'powershell'); assert 'tree_sitter' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_two_readings_of_powershell_must_find_the_same_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(powershell_second, "_starts", lambda _: [])
    found = parse("(a)", "powershell").commands
    assert [item.unparsed for item in found] == ["", "two readings of the text find different commands"]


def test_a_text_of_powershell_that_is_too_long_to_be_read_twice() -> None:
    found = parse("$a + " * 1_500 + "1", "powershell")
    assert found.commands[-1].unparsed == "a command is too long to be read twice"


@given(st.text(max_size=30).filter(lambda text: "\0" not in text))
def test_single_quotes_hold_any_text(text: str) -> None:
    quoted = "'" + text.replace("'", "'\\''") + "'"
    (command, *strange) = parse(f"echo x{quoted}").commands
    assert command.words[1].text == "x" + text
    assert all(item.unparsed == "a control character in the text" for item in strange)


@given(st.lists(st.sampled_from(["git status", "A=1 b", "cd x", "(c d)", "x | y", "if a; then b; fi"]), min_size=1))
def test_lists_hold_the_commands_of_their_items(items: list[str]) -> None:
    apart = [name(command) for item in items for command in parse(item).commands]
    assert [name(command) for command in parse("\n".join(items)).commands] == apart
    assert [name(command) for command in parse("; ".join(items)).commands] == apart
