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

_VARIABLE: Final = re.compile(r"(?:export\s+|override\s+)*([A-Za-z_][\w.-]*)\s*(?:::?|\?|\+|!)?=\s*(.*)", re.DOTALL)
_USES: Final = 256  # variables of one text that are put in, and the characters of a value that is
_VALUE: Final = 1_024
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
class _Rule:
    """What some targets need, and what makes them."""

    needs: list[str]
    lines: list[Recipe] = field(default_factory=list)


@dataclass(slots=True)
class _Makefile:
    """The variables with a value, and the rules of each target, in order."""

    variables: dict[str, str]
    rules: dict[str, list[_Rule]] = field(default_factory=dict)


def recipes(text: str, goals: Iterable[Word]) -> Iterator[Recipe]:
    """The recipe lines that `make` with these operands runs, as far as the text tells: those of all goals if one of the
    operands is not known."""
    given = [item.text for item in goals]
    made = _read(text, dict(_assigned(given)))
    wanted = [item for item in given if item and "=" not in item]
    if None in given:
        wanted = list(made.rules)
    elif not wanted:
        wanted = [made.variables.get(".DEFAULT_GOAL") or next((name for name in made.rules if name[0] != "."), "")]
    for name, rule in _with_needs(wanted, made):
        for line in rule.lines:
            command = _SIGNS.sub("", _expanded(line.text, made.variables, name), count=1)
            if command:
                yield Recipe(command, line.line)


def _assigned(given: Iterable[str | None]) -> Iterator[tuple[str, str]]:
    for item in given:
        name, equals, value = (item or "").partition("=")
        if equals:
            yield name.rstrip(":?+!"), value


def _with_needs(wanted: list[str], made: _Makefile) -> Iterator[tuple[str, _Rule]]:
    """The rules of the goals and of everything that they depend on, with their targets. What a rule needs is looked at
    once, whatever its targets are."""
    found: set[str] = set()
    followed: set[int] = set()
    pending = wanted[::-1]
    while pending:
        name = pending.pop()
        for rule in made.rules.get(name, ()) if name not in found else ():
            yield name, rule
            if id(rule) not in followed:
                followed.add(id(rule))
                pending.extend(reversed(rule.needs))
        found.add(name)


def _read(text: str, variables: dict[str, str]) -> _Makefile:
    made = _Makefile({**_BUILT_IN, **variables})
    rule = _Rule([])
    for line in _logical_lines(text):
        if line.text.startswith("\t"):
            rule.lines.append(line._replace(text=line.text[1:]))
        elif assigned := _VARIABLE.fullmatch(line.text.strip()):
            if assigned[1] not in variables:  # one given in the call is stronger
                made.variables[assigned[1]] = assigned[2]
        elif targets := _targets(line.text):
            rule = _rule(line, targets, made)
    return made


def _targets(line: str) -> str:
    """What stands before the colon of a rule, empty for any other line."""
    before, colon, after = line.partition(":")
    return "" if not colon or after.startswith("=") or set(before) & set("=#") else before.strip()


def _rule(line: Recipe, targets: str, made: _Makefile) -> _Rule:
    needs, semicolon, command = line.text.partition(":")[2].removeprefix(":").partition(";")
    rule = _Rule([] if "=" in needs else _expanded(needs, made.variables, "").split())
    if semicolon:
        rule.lines.append(line._replace(text=command))
    for name in _expanded(targets, made.variables, "").split():
        made.rules.setdefault(name, []).append(rule)
    return rule


def _logical_lines(text: str) -> Iterator[Recipe]:
    """Lines with what continues them. In a recipe the backslash stays, for the shell."""
    pending, first = "", 0
    for number, line in enumerate(text.splitlines(), 1):
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
        value = variables.get(name)
        return value if value is not None and len(value) <= _VALUE else f"\0{{{name}}}"

    for _ in range(_ROUNDS):
        fresh = _USED.sub(one, text, count=_USES)
        if fresh == text or len(fresh) > len(text) + 4096:
            break
        text = fresh
    return _SHELL.sub("$(", text).replace("\0", "$")
