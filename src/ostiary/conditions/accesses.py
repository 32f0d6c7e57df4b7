"""`reads`, `writes`, `deletes`, `connects`, `executes`: what a part touches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from ostiary import paths, urls
from ostiary.answers import MAYBE, NO, Answer
from ostiary.call.model import AccessKind
from ostiary.conditions.view import Condition, Plan, Stance, View
from ostiary.facts import Knowledge
from ostiary.words import Word

KIND_OF: Final[Mapping[str, AccessKind]] = {
    "reads": "read",
    "writes": "write",
    "deletes": "delete",
    "connects": "connect",
    "executes": "execute",
}

TargetMatcher = Callable[[Word, str | None, Knowledge], Answer]


def build(plan: Plan, stance: Stance) -> Condition:
    """`(name, patterns)`: the access bound to this view has a target that one of the patterns names. A possible access
    is at most *maybe*; a kind that the part does not touch is *no*, and *maybe* where the part was not understood."""
    kind = KIND_OF[plan[0]]
    match = hosts(plan[1]) if kind == "connect" else path_matcher(plan[1], stance.wide)

    def condition(view: View) -> Answer:
        access = view.bound.get(kind)
        if access is None:
            return MAYBE if view.part.unparsed or view.call.limit else NO
        answer = match(access.target, view.part.cwd, view.knowledge)
        return answer if access.certain else min(answer, MAYBE)

    return condition


def path_matcher(plans: Plan, wide: bool) -> TargetMatcher:
    """The matcher of path patterns, or of `("outside", place)`."""
    return paths.outside(plans[1], wide) if plans[:1] == ("outside",) else paths.matcher(plans, wide)


def hosts(plans: Plan) -> TargetMatcher:
    match = urls.matcher(plans)
    return lambda target, cwd, knowledge: match(target)


def shown(plan: Plan) -> str:
    """The patterns as they were written, the first four of them."""
    if plan[1][:1] == ("outside",):
        return f"outside {plan[1][1]}"
    show = urls.shown if plan[0] == "connects" else paths.shown
    return ", ".join(show(pattern) for pattern in plan[1][:4])
