"""The syntax oracle: mvdan/sh (`shfmt --to-json`) on scripts that bash accepts (`bash -n`).

Every simple command that mvdan/sh finds, and every target of a redirection, must be found by `ostiary.shell`, or the
script must be marked unparsed. `shfmt` is needed for development only (a package of Debian and of many others).
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from ostiary.shell import Script, parse

TOOLS = ("bash", "shfmt")
_SECONDS = 10
_OPERATOR = re.compile(rb"(?:[0-9]+|\{\w+\})?(<<<|<<|[<>]&|[^\w\s$\"'`]+)")
# What positions inside of nested backticks cannot tell: which backslashes belong to the outer ones.
_UNSURE = re.compile(r"[\\\s]+")

# What this oracle (version 3.6) is known to read otherwise than bash, which was asked about each of them.
_OTHERWISE = {
    "a comment that ends with a backslash goes on in the next line": r"(?:^|[\s;&|(])#[^\n]*\\\n",
    "`#` inside of a word behind quotes, expansions and substitutions starts a comment": (
        r"(?:[^\s\w$(;&|{]|\$\$|\$\w+)(?:\\\n)*#"
    ),
    "`time` is a reserved word behind a pipe": r"\|&?(?:\s|\\\n|#[^\n]*\n)*time\b",
    "`time` takes other options": r"\btime(?:\s|\\\n)+(?:-p(?:\s|\\\n)+)?-",
    "the body of a here-document is not found behind `]]`": r"<<[^<](?s:.)*\[\[",
    "`let` reads on over the end of its line": r"\blet\b",
    "`>&-x` and `>& -x` name a file instead of closing a descriptor before `x`": (
        r"[<>]&(?:\\\n|[ \t])*-(?![\s;&|)]|$)"
    ),
    "a here-document ends at a line whose substitution the delimiter follows": (
        r"<<-?[ \t]*(\w+)[^\n]*\n(?s:.)*?\)\1\n"
    ),
    "a here-document is expanded whose delimiter only holds empty quotes": r"<<-?[ \t]*[^\s;&|()<>]*(?:\"\"|'')",
    "`!(` is a pattern where a command may begin": r"!\(",
    "`+=[` is an array": r"\+=\[",
    "`{=`, and `a]=` without a bracket before, are assignments": r"(?:^|[\s;&|(`])(?:\{|[^\s;&|()<>\[]*\])\+?=",
    "a name with a backslash is one that is assigned to": r"\\\w(?:\w|\\\w|\\\n)*(?:\[[^\]\s]*\])?\+?=",
    "backticks within backticks within backticks end at the first separator": r"\\{3}`",
    "a quote with a backslash in backticks in quotes is an escaped one": (
        r"\"(?:[^\"`\\]|\\.)*`(?:[^`\\]|\\[^\"])*\\\""
    ),
    "the first word of a simple command behind `coproc` is a name": (
        r"\bcoproc\b(?!\s*(?:\w+\s*)?(?:[({]|\[\[|\\\n|(?:if|for|case|while|until|select)\b))"
    ),
}
_UNFIT = re.compile("|".join(_OTHERWISE.values()), re.MULTILINE)


class Seen(NamedTuple):
    """A simple command as the oracle sees it: its whole text, its program and the targets of its redirections, None
    where they are not plain."""

    text: str
    program: str | None
    targets: tuple[str, ...]


class Comparison(NamedTuple):
    """What became of a script: `rejected` (bash does not take it), `unknown` (the oracle does not), `unparsed`,
    `same` or `missed`, with what was missed."""

    verdict: str
    missed: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()


def absent() -> list[str]:
    """The programs that this oracle needs and that are not here."""
    return [name for name in TOOLS if shutil.which(name) is None]


def accepted(script: str) -> bool:
    """Whether bash takes the script, and says nothing."""
    done = _run(["bash", "-n"], script)
    return done is not None and not done.returncode and not done.stderr


def _run(command: list[str], script: str) -> subprocess.CompletedProcess[bytes] | None:
    try:
        return subprocess.run(command, input=script.encode(), capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None


def tree(script: str) -> Any:
    """The oracle's tree, None if it does not take the script."""
    done = _run(["shfmt", "--to-json"], script)
    return None if done is None or done.returncode else json.loads(done.stdout)


def compare(script: str) -> Comparison:
    """Compare the two readings of a script."""
    if not accepted(script):
        return Comparison("rejected")
    root = None if _UNFIT.search(script) else tree(script)
    if root is None:
        return Comparison("unknown")
    found = parse(script)
    if any(command.unparsed for command in found.commands):
        return Comparison("unparsed")
    seen = list(statements(root, script.encode()))
    missed = tuple(_missed(seen, found))
    return Comparison("missed" if missed else "same", missed, tuple(_extra(seen, found)))


def _missed(seen: list[Seen], found: Script) -> Iterator[str]:
    ours = Counter(_key(command.text) for command in found.commands)
    programs: dict[str, set[str]] = {}
    for command in found.commands:
        programs.setdefault(_key(command.text), set()).update(_key(str(word)) for word in command.words[:1])
    targets = {str(redirect.target) for command in found.commands for redirect in command.redirects}
    for item in seen:
        key = _key(item.text)
        ours[key] -= 1
        if key and ours[key] < 0:
            yield f"command: {item.text}"
        elif key and item.program is not None and _key(item.program) not in programs[key]:
            yield f"program: {item.program}"
        for target in item.targets:
            if target not in targets:
                yield f"target: {target}"


def _extra(seen: list[Seen], found: Script) -> Iterator[str]:
    theirs = {_key(item.text) for item in seen}
    for command in found.commands:
        if command.words and _key(command.text) not in theirs:
            yield command.text


def _key(text: str) -> str:
    return _UNSURE.sub("", text)


def statements(node: Any, source: bytes) -> Iterator[Seen]:
    """The simple commands of a tree, and the redirections that stand alone or behind compound commands."""
    if isinstance(node, list):
        for item in node:
            yield from statements(item, source)
        return
    if not isinstance(node, dict):
        return
    if "Cmd" in node or "Redirs" in node:
        seen = _statement(node, source)
        if seen is not None:
            yield seen
    for value in node.values():
        if isinstance(value, list | dict):
            yield from statements(value, source)


def _statement(node: Any, source: bytes) -> Seen | None:
    command, redirections = node.get("Cmd") or {}, node.get("Redirs") or []
    targets = tuple(text for item in redirections if (text := _target(item, source)) is not None)
    kind = command.get("Type", "CallExpr")
    if kind not in ("CallExpr", "DeclClause", "LetClause"):
        return Seen("", None, targets) if targets else None
    words = command.get("Args") or []
    if kind == "CallExpr" and not words and not redirections:
        return None
    ends = [
        (item["Pos"]["Offset"], item.get("Word", item)["End"]["Offset"])
        for item in [*redirections, *[command] * bool(command)]
    ]
    text = source[min(start for start, _ in ends) : max(end for _, end in ends)].decode(errors="replace")
    return Seen(text, _plain(words[0], source) if words and kind == "CallExpr" else None, targets)


def _plain(word: Any, source: bytes) -> str | None:
    """The text of a word in which nothing is special."""
    text = source[word["Pos"]["Offset"] : word["End"]["Offset"]].decode(errors="replace")
    return text if re.fullmatch(r"[A-Za-z0-9_./-]+", text) else None


def _target(item: Any, source: bytes) -> str | None:
    """The file that a redirection names plainly."""
    operator = _OPERATOR.match(source, item["Pos"]["Offset"])
    text = _plain(item["Word"], source)
    if operator is None or text is None or operator[1] in (b"<<", b"<<-", b"<<<", b"<&"):
        return None
    return None if operator[1] == b">&" and re.fullmatch("[0-9]*-?", text) else text
