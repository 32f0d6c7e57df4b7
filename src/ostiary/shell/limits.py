"""Bounds on what a shell text may cost to read.

Steps are counted, not timed, so the same text always comes to the same commands (law L10). A text beyond a bound is
read as far as the bound, and the rest is unparsed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ostiary.shell.syntax import Unreadable

TEXT: Final = 65_536
"""Characters of a text."""

STEPS: Final = 10_000
"""Words and parts of words while a text and everything nested in it is read; visits to nodes while it is walked."""

COMMANDS: Final = 1_000
"""Simple commands of a script, those of unrolled loops counted each time."""

DEPTH: Final = 32
"""Nested substitutions, groups, quotes and bodies: each costs a dozen frames of Python's own stack."""

BRACES: Final = 64
"""Words that one brace list becomes."""

UNROLLED: Final = 8
"""Words of a `for` loop whose body is read once for each of them; nested loops multiply up to the square."""

CHUNK: Final = 4_096
"""Bytes of one listed command that are given to the second parser, runs of masked text counted as one. Its recovery
from errors takes quadratic time in steps during which it cannot be stopped: 30 ms for this much, seconds for 60 kB."""

MASKED: Final = 64
"""Length from which plain text inside of quotes is masked for the second parser."""


@dataclass(slots=True)
class Budget:
    """Steps and depth left for a text and everything nested in it."""

    steps: int = STEPS
    depth: int = DEPTH

    def spend(self, steps: int = 1) -> None:
        """Count steps; `Unreadable` if none is left."""
        self.steps -= steps
        if self.steps < 0:
            raise Unreadable("the text has too many words", "steps")

    def enter(self) -> None:
        """Go one level down; `Unreadable` if that is too deep."""
        self.depth -= 1
        if self.depth < 0:
            raise Unreadable("the text is nested too deeply", "depth")

    def leave(self) -> None:
        """Come back up."""
        self.depth += 1
