"""`pure`, and the conditions that only the engine writes: `acts` and `always`."""

from __future__ import annotations

from ostiary.answers import NO, YES
from ostiary.conditions.view import Condition, Plan, Stance


def build_pure(plan: Plan, stance: Stance) -> Condition:
    """`("pure", bool)`: whether the part does nothing but read."""
    return lambda view: YES if (view.part.pure and not view.part.openings) is plan[1] else NO


def build_acts(plan: Plan, stance: Stance) -> Condition:
    """The part does something besides reading, or may: it stands in for the rules of a broken file (law L7)."""
    return lambda view: NO if view.part.pure else YES


def build_always(plan: Plan, stance: Stance) -> Condition:
    """Every part of every event."""
    return lambda view: YES
