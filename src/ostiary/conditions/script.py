"""`script`: the whole text given to a shell."""

from __future__ import annotations

from ostiary import patterns
from ostiary.answers import NO, YES, Answer
from ostiary.conditions.view import Condition, Plan, Stance, View


def build(plan: Plan, stance: Stance) -> Condition:
    """`("script", texts)`: the text as it was written; no shell, no match. In the wide reading also the texts of the
    scripts that it runs from files."""
    match = patterns.any_of(plan[1])

    def condition(view: View) -> Answer:
        if view.call.script is None:
            return NO
        return max(map(match, (view.call.script, *(view.call.read if stance.wide else ()))))

    return condition


def build_is(plan: Plan, stance: Stance) -> Condition:
    """`("script_is", ("unparsed",))`: a stretch of the script was not understood."""

    def condition(view: View) -> Answer:
        return YES if view.part.unparsed or view.call.limit else NO

    return condition
