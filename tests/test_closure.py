"""Closure (law L3): an allow of a program never covers what the data says can execute, write, configure or load code.

Generated from the data: every option with such a role, of every program and subcommand, behind `Bash(PROGRAM *)`; a
hostile assignment before each program; a function and an alias of its name.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import pytest

from ostiary.build import compile_file
from ostiary.decision import Verdict
from ostiary.evaluate import evaluate
from ostiary.event import Event
from ostiary.facts import FixedFacts, Given
from ostiary.perform import run
from ostiary.policy import Admitted, Policy, assemble
from ostiary.programs import lookup, table
from ostiary.programs.model import CLOSING_ROLES, OptionData, Program

pytestmark = pytest.mark.no_cover

FACTS = FixedFacts(Given(home="/home/dev", start="/w", roots=("/w",), workdirs=("/w",)))
OTHERS = ("alias", "true")
# Entries of other shells are looked up there.
ENTRIES = sorted(name for name in table.PROGRAMS if re.fullmatch(r"[a-z0-9+_.-]+", name) and name not in OTHERS)


def policy(name: str) -> Policy:
    allowed = "".join(f'  - "Bash({item} *)"\n' for item in (name, *OTHERS))
    file, _ = compile_file(f"version: 1\nallow:\n{allowed}".encode(), "p.yaml")
    return assemble([Admitted("user", True, file)])


def verdict(rules: Policy, text: str) -> Verdict:
    event = Event.from_call("bash", {"command": text}, "/w")
    return run(evaluate(rules, event, FACTS.known), FACTS).verdict


def spelled(option: OptionData, name: str) -> str:
    """The option with a value of the kind that it takes."""
    value = {"": "", "=": " x", "2": " x y", ";": " x ';'", "$": " x y"}.get(option.kind)
    if value is not None:
        return f"{shlex.quote(name)}{value}"
    sign = ":" if name.startswith("/") else "=" if len(name) > 2 else ""
    return f"{shlex.quote(name)}{sign}x"


def options(data: Program) -> Iterator[tuple[str, str]]:
    """The subcommand and one spelling of each option with a closing role, of a program and all below it."""
    words = " ".join(shlex.quote(word) for word in data.path[1:])
    for name in sorted(data.options):
        option = data.options[name]
        if option.role in CLOSING_ROLES and name == min(option.names):
            yield words, spelled(option, name)
    for name in sorted(set(data.subcommands.values())):
        below = lookup.subprogram(data, name)
        assert below is not None
        yield from options(below)


def lines(name: str) -> list[str]:
    data = lookup.program(name)
    assert data is not None
    program = shlex.quote(name)
    found = [f"{program} {words} {option}" for words, option in options(data)]
    found += [f"LD_PRELOAD=./x.so {program} a", f"PATH=./bin:$PATH {program} a", f"export BASH_ENV=x; {program} a"]
    return [*found, f"{name}() {{ true; }}; {program} a", f"alias {name}=true; {program} a"]


@pytest.mark.parametrize("name", ENTRIES)
def test_an_allow_of_the_program_covers_none_of_them(name: str) -> None:
    rules = policy(name)
    assert [text for text in lines(name) if verdict(rules, text) == Verdict.ALLOW] == []


def test_there_are_many_of_them() -> None:
    assert len(ENTRIES) > 400
    assert sum(map(len, map(lines, ENTRIES))) > 5000


def test_without_them_the_allow_covers_the_program() -> None:
    alone = [name for name in ENTRIES if not {"argv", "shell", "command"} & set(slots(name))]
    plain = [name for name in alone if verdict(policy(name), f"zz() {{ true; }}; {name} a") == Verdict.ALLOW]
    assert len(plain) > 0.95 * len(alone)


def slots(name: str) -> tuple[str, ...]:
    """The roles of a program's operands."""
    data = lookup.program(name)
    operands = data and data.operands
    return (*operands.first, operands.rest, *operands.last) if operands else ()
