"""`script`: the whole text given to a shell."""

from __future__ import annotations

from ostiary import patterns
from ostiary.answers import NO, YES, Answer
from ostiary.conditions.view import Condition, Plan, Stance, View


def build(plan: Plan, stance: Stance) -> Condition:
    """`("script", texts)`: the text as it was written; no shell, no match."""
    match = patterns.any_of(plan[1])
    return lambda view: NO if view.call.script is None else match(view.call.script)


def build_is(plan: Plan, stance: Stance) -> Condition:
    """`("script_is", ("unparsed",))`: a stretch of the script was not understood."""

    def condition(view: View) -> Answer:
        return YES if view.part.unparsed or view.call.limit else NO

    return condition
