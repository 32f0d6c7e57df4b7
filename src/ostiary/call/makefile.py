"""Makefiles: the recipes of the goals that a call asks for, and of what those depend on.

What is read are explicit rules, variables with a plain value, and continued lines. Pattern rules, conditions,
functions and included files are not followed; an unknown variable is left as one of the shell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from ostiary.records import NamedTuple, dataclass, field
from ostiary.words import Word

MAX_LINES: Final = 5_000
"""Lines of a makefile that are looked at."""

_VARIABLE: Final = re.compile(r"(?:export\s+|override\s+)*([A-Za-z_][\w.-]*)\s*(?:::?|\?|\+|!)?=\s*(.*)", re.DOTALL)
_RULE: Final = re.compile(r"([^:=#\t][^:=#]*?)\s*:{1,2}(?![=])([^;=]*)(?:;(.*))?", re.DOTALL)
_USED: Final = re.compile(r"\$(?:\$|\((\w[\w.-]*)\)|\{(\w[\w.-]*)\}|([@<^?*%+|]))")
_SHELL: Final = re.compile(r"\$\(shell\s+")
_BUILT_IN: Final = {"RM": "rm -f", "MAKE": "make", "CURDIR": "."}
_SIGNS: Final = re.compile(r"[@+\s-]*")
_ROUNDS: Final = 4


class Recipe(NamedTuple):
    """A line of a recipe as the shell gets it, and its number in the makefile."""

    text: str
    line: int


@dataclass(slots=True)
class _Makefile:
    variables: dict[str, str] = field(default_factory=dict)
    needs: dict[str, list[str]] = field(default_factory=dict)
    lines: dict[str, list[Recipe]] = field(default_factory=dict)


def recipes(text: str, goals: Iterable[Word]) -> Iterator[Recipe]:
    """The recipe lines that `make` with these operands runs, as far as the text tells: those of all goals if one of the
    operands is not known."""
    given = [item.text for item in goals]
    made = _read(text, dict(_assigned(given)))
    wanted = [item for item in given if item and "=" not in item]
    if None in given:
        wanted = list(made.lines)
    elif not wanted:
        wanted = [made.variables.get(".DEFAULT_GOAL") or next((name for name in made.needs if name[0] != "."), "")]
    for name in _with_needs(wanted, made):
        for line in made.lines.get(name, ()):
            command = _SIGNS.sub("", _expanded(line.text, made.variables, name), count=1)
            if command:
                yield Recipe(command, line.line)


def _assigned(given: Iterable[str | None]) -> Iterator[tuple[str, str]]:
    for item in given:
        name, equals, value = (item or "").partition("=")
        if equals:
            yield name.rstrip(":?+!"), value


def _with_needs(wanted: list[str], made: _Makefile) -> dict[str, None]:
    """The goals and everything that they depend on, each once."""
    found: dict[str, None] = {}
    pending = wanted[::-1]
    while pending:
        name = pending.pop()
        if name not in found:
            found[name] = None
            pending.extend(reversed(made.needs.get(name, ())))
    return found


def _read(text: str, variables: dict[str, str]) -> _Makefile:
    made = _Makefile({**_BUILT_IN, **variables})
    current: list[str] = []
    for line in _logical_lines(text):
        if line.text.startswith("\t"):
            for name in current:
                made.lines.setdefault(name, []).append(Recipe(line.text[1:], line.line))
            continue
        plain = line.text.strip()
        if assigned := _VARIABLE.fullmatch(plain):
            if assigned[1] not in variables:  # one given in the call is stronger
                made.variables[assigned[1]] = assigned[2]
        elif rule := _RULE.fullmatch(plain):
            current = _expanded(rule[1], made.variables, "").split()
            for name in current:
                made.needs.setdefault(name, []).extend(_expanded(rule[2], made.variables, name).split())
                if rule[3]:
                    made.lines.setdefault(name, []).append(Recipe(rule[3], line.line))
    return made


def _logical_lines(text: str) -> Iterator[Recipe]:
    """Lines with what continues them. In a recipe the backslash stays, for the shell."""
    pending, first = "", 0
    for number, line in enumerate(text.splitlines()[:MAX_LINES], 1):
        pending, first = pending + line, first or number
        if line.endswith("\\") and not line.endswith("\\\\"):
            pending = f"{pending}\n" if pending.startswith("\t") else f"{pending[:-1]} "
            continue
        yield Recipe(pending, first)
        pending, first = "", 0
    if pending:
        yield Recipe(pending, first)


def _expanded(text: str, variables: dict[str, str], target: str) -> str:
    """A text with the variables that are known put in, a few rounds deep; `$$` is the shell's dollar."""

    def one(match: re.Match[str]) -> str:
        if match[0] == "$$":
            return "\0"
        if match[3]:
            return target if match[3] == "@" and target else f"${{MAKE_{ord(match[3])}}}".replace("$", "\0")
        name = match[1] or match[2]
        return variables.get(name, f"\0{{{name}}}")

    for _ in range(_ROUNDS):
        fresh = _USED.sub(one, text)
        if fresh == text or len(fresh) > len(text) + 4096:
            break
        text = fresh
    return _SHELL.sub("$(", text).replace("\0", "$")
