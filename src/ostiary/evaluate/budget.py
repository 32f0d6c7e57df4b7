"""What judging one event may cost. A policy's author may be careless, and a repository's may be hostile; the call
itself is chosen by a model. Running out is *maybe* for every rule that is not yet judged (law L7)."""

from __future__ import annotations

from typing import Final

from ostiary.patterns import Meter
from ostiary.records import dataclass


@dataclass(slots=True)
class Budget:
    """`bindings` are the combinations of rule, part and accesses that may still be judged; `meter` counts searches of
    explicit regular expressions."""

    bindings: int
    meter: Meter

    @property
    def empty(self) -> bool:
        """Whether nothing more may be tried."""
        return self.bindings <= 0 or self.meter.empty

    def spend(self, bindings: int) -> bool:
        """Take this many combinations; whether there were as many."""
        self.bindings -= bindings
        return self.bindings >= 0


REVIEWED: Final = (50_000, 100_000, 5, 0.02)
"""Combinations, searches, late searches and seconds of each, for sources that a person of this machine answers for."""
UNREVIEWED: Final = (10_000, 500, 10, 0.002)
"""The same for sources that nobody reviewed: a repository must not be able to delay calls."""


def budget(reviewed: bool) -> Budget:
    """A fresh budget."""
    bindings, searches, late, seconds = REVIEWED if reviewed else UNREVIEWED
    return Budget(bindings, Meter(searches, late, seconds))
