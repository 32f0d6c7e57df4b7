"""`field`: a text in the payload, which settings files of other agents compare matchers with (the source of a session,
the type of a notice). Rule files have no word for it."""

from __future__ import annotations

from ostiary import patterns
from ostiary.answers import MAYBE, Answer
from ostiary.conditions.view import Condition, Plan, Stance, View
from ostiary.event import Event

SUBAGENT = "<subagent>"
"""Among the names of fields: what the event knows of its subagent."""


def build(plan: Plan, stance: Stance) -> Condition:
    """`("field", texts, names)`: the first of these fields that holds a text fits; maybe where none does."""
    match = patterns.any_of(plan[1])

    def condition(view: View) -> Answer:
        found = (_value(view.event, name) for name in plan[2])
        value = next((value for value in found if isinstance(value, str) and value), None)
        return MAYBE if value is None else match(value)

    return condition


def _value(event: Event, name: str) -> object:
    return event.subagent if name == SUBAGENT else event.data.get(name)
