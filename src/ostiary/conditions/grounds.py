"""On what grounds a condition holds: which of the things it names were what made it hold.

An allow covers only what its rule names and what matched (law L3). In `any: [{writes: a}, {deletes: b}]` one branch may
hold while the other does not; then only the first one's access is covered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ostiary.answers import YES
from ostiary.call.model import AccessKind
from ostiary.conditions import Condition, Plan, Stance, View, build, kinds

Grounds = frozenset[AccessKind | str]

RUN: Final = "run"
"""Among the grounds: the condition names a tool or command, and so what runs."""

_RUNNING: Final = frozenset({"tool", "command", "mcp", "pure"})


def build_grounds(plan: Plan, stance: Stance) -> Callable[[View], Grounds]:
    """The grounds of a condition in a view in which it answers yes."""
    if not _branches(plan):
        found = _named(plan)
        return lambda view: found
    match plan[0]:
        case "all":
            every = [build_grounds(child, stance) for child in plan[1]]
            return lambda view: frozenset().union(*(one(view) for one in every))
        case "any":
            some = [(build(child, stance), build_grounds(child, stance)) for child in plan[1]]
            return lambda view: frozenset().union(*_holding(some, view))
        case _:  # `not`: it takes accesses into account, but names nothing that may run
            negative: Grounds = frozenset(kinds(plan[1]))
            return lambda view: negative


def _holding(some: list[tuple[Condition, Callable[[View], Grounds]]], view: View) -> Iterator[Grounds]:
    return (grounds(view) for condition, grounds in some if condition(view) == YES)


def _branches(plan: Plan) -> bool:
    return plan[0] in ("any", "not") or (plan[0] == "all" and any(_branches(child) for child in plan[1]))


def _named(plan: Plan) -> Grounds:
    if plan[0] == "all":
        return frozenset().union(*(_named(child) for child in plan[1]))
    return frozenset({RUN}) if plan[0] in _RUNNING else frozenset(kinds(plan))
