"""`agent`, `mode`, `session`, `subagent`, `interactive`: who makes the call, and how it runs.

A fact that the payload leaves out though its dialect carries it is *no*; one the dialect cannot carry is *maybe*.
"""

from __future__ import annotations

from ostiary import patterns
from ostiary.answers import MAYBE, NO, YES, Answer
from ostiary.conditions.view import Condition, Plan, Stance, View


def absent(view: View, fact: str) -> Answer:
    """The answer about a fact that this event does not carry."""
    return MAYBE if fact in view.event.lacks else NO


def build_text(plan: Plan, stance: Stance) -> Condition:
    """`(fact, texts)` for `agent`, `mode` and `session`."""
    fact = plan[0]
    match = patterns.any_of(plan[1])

    def condition(view: View) -> Answer:
        value = getattr(view.event, fact)
        return match(value) if value else absent(view, fact)

    return condition


def build_subagent(plan: Plan, stance: Stance) -> Condition:
    """`("subagent", True | False | texts)`: inside any subagent, in the main session, or in a subagent of this type."""
    if isinstance(plan[1], bool):
        wanted = plan[1]

        def inside(view: View) -> Answer:
            if view.event.subagent is None and "subagent" in view.event.lacks:
                return MAYBE
            return YES if (view.event.subagent is not None) == wanted else NO

        return inside
    match = patterns.any_of(plan[1])
    return lambda view: match(view.event.subagent) if view.event.subagent else absent(view, "subagent")


def build_interactive(plan: Plan, stance: Stance) -> Condition:
    """`("interactive", bool)`: whether a person can be asked."""
    wanted = plan[1]

    def condition(view: View) -> Answer:
        value = view.event.interactive
        if value is None:
            return absent(view, "interactive")
        return YES if value == wanted else NO

    return condition
