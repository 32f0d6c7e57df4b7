"""Plan to condition: closures over a `View` that answer no, maybe or yes (laws L2 and L3).

One module per kind of condition; `KINDS` is the registry. A condition is built from its plan when it is first needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final

from ostiary.answers import MAYBE, NAMES, YES, Answer, every, negated, some
from ostiary.call.model import AccessKind
from ostiary.conditions.accesses import KIND_OF
from ostiary.conditions.view import Condition, Plan, Stance, View
from ostiary.facts import FactNeeded

__all__ = ["KIND_OF", "Condition", "Plan", "Stance", "View", "build", "kinds", "leaves", "looks", "why"]

# Items of one list that an explanation shows.
_SHORT: Final = 6

KINDS: Final[Mapping[str, str]] = {
    "tool": "tool.build",
    "mcp": "mcp.build",
    "reads": "accesses.build",
    "writes": "accesses.build",
    "deletes": "accesses.build",
    "connects": "accesses.build",
    "executes": "accesses.build",
    "command": "named.build",
    "script": "script.build",
    "script_is": "script.build_is",
    "input": "input.build",
    "content": "texts.build_content",
    "output": "texts.build_output",
    "prompt": "texts.build_prompt",
    "agent": "session.build_text",
    "mode": "session.build_text",
    "session": "session.build_text",
    "subagent": "session.build_subagent",
    "interactive": "session.build_interactive",
    "cwd": "place.build_cwd",
    "branch": "place.build_branch",
    "field": "field.build",
    "pure": "state.build_pure",
    "acts": "state.build_acts",
    "always": "state.build_always",
}
"""By its name in plans, the function that builds a condition. Its module is imported when it is asked for."""


def build(plan: Plan, stance: Stance) -> Condition:
    """The condition of a plan, read in this stance."""
    match plan[0]:
        case "all":
            return every([build(child, stance) for child in plan[1]])
        case "any":
            return some([build(child, stance) for child in plan[1]])
        case "not":
            inner = build(plan[1], stance.turned())
            return lambda view: negated(inner(view))
        case kind:
            module, _, function = KINDS[kind].partition(".")
            condition: Condition = getattr(import_module(f"{__name__}.{module}"), function)(plan, stance)
            return condition


def leaves(plan: Plan) -> Iterator[Plan]:
    """The plans below `all`, `any` and `not`."""
    if plan[0] in ("all", "any"):
        for child in plan[1]:
            yield from leaves(child)
    elif plan[0] == "not":
        yield from leaves(plan[1])
    else:
        yield plan


def looks(plan: Plan, stance: Stance) -> Iterator[tuple[AccessKind, Condition]]:
    """The conditions on accesses anywhere in a plan, each read as it stands there, with its kind."""
    if plan[0] in ("all", "any"):
        for child in plan[1]:
            yield from looks(child, stance)
    elif plan[0] == "not":
        yield from looks(plan[1], stance.turned())
    elif plan[0] in KIND_OF:
        yield KIND_OF[plan[0]], build(plan, stance)


def kinds(*plans: Plan | None) -> tuple[AccessKind, ...]:
    """The kinds of access that conditions name, in a fixed order."""
    named = {leaf[0] for plan in plans if plan for leaf in leaves(plan)}
    return tuple(kind for name, kind in KIND_OF.items() if name in named)


def why(plan: Plan, stance: Stance, view: View) -> str:
    """The shortest reason for a condition's answer, for people: the condition that decided, and what it said."""
    if plan[0] == "not":
        return f"not ({why(plan[1], stance.turned(), view)})"
    if plan[0] in ("all", "any"):
        answers = [(_probe(child, stance, view), child) for child in plan[1]]
        choose = min if plan[0] == "all" else max
        answer, decisive = choose(answers, key=lambda pair: pair[0], default=(MAYBE, ("always",)))
        if plan[0] == "all" and answer == YES:
            decisive = answers[-1][1]  # all hold: the last condition is the most specific one
        return why(decisive, stance, view)
    from ostiary.conditions.rendering import rendered  # late: for people alone

    return f"{rendered(plan, _SHORT)}: {NAMES[_probe(plan, stance, view)]}"


def _probe(plan: Plan, stance: Stance, view: View) -> Answer:
    """The answer of one condition for an explanation, which asks for no fact that the judgement did not need."""
    try:
        return build(plan, stance)(view)
    except FactNeeded:
        return MAYBE
