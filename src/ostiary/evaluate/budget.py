"""What one evaluation may cost: the number of parts and accesses that rules look at is chosen by others, and the call
itself is chosen by a model. Running out is *maybe* for every rule that is not yet judged (law L7)."""

from __future__ import annotations

from typing import Final

from ostiary.patterns import Meter

BINDING: Final = 2
"""Steps of judging one combination of rule, part and accesses, besides what its conditions count."""

ACCESSES: Final = 16
"""Accesses of a part that are looked at for one step where it is told which of them an allow covers."""

REVIEWED: Final = (100_000, 5, 0.02, 500_000)
"""Searches, late searches and seconds of each, and steps, for sources that a person of this machine answers for."""
UNREVIEWED: Final = (500, 10, 0.002, 60_000)
"""The same for sources that nobody reviewed: a repository must not be able to delay calls."""


def allowance(reviewed: bool) -> Meter:
    """What a fresh evaluation may cost."""
    return Meter(*(REVIEWED if reviewed else UNREVIEWED))
