"""Bounds on what a shell text may cost to read.

Steps are counted, not timed, so the same text always comes to the same commands (law L10). A text beyond a bound is
read as far as the bound, and the rest is unparsed.
"""

from __future__ import annotations

from typing import Final

from ostiary.records import dataclass
from ostiary.shell.syntax import Unreadable

TEXT: Final = 131_072
"""Characters of a text: what Linux takes as one argument (MAX_ARG_STRLEN), so that no longer one reaches `sh -c`."""

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

VALUE: Final = 16_384
"""Characters of a variable's value that is followed; a longer one is not told."""

PIECES: Final = 256
"""Pieces of such a value, and words that one expansion becomes."""

CHARACTERS: Final = 64
"""Characters of a text that are copied or searched for one step."""

PLACE: Final = 512
"""Characters of a directory that `cd` is followed into."""

LINKS: Final = 4_096
"""Pairs of neighbours in the pipelines of a script."""

ENTRIES: Final = 16
"""Entries of a state (variables, redirections, links) that are copied or compared for one step."""

PASSED: Final = 32
"""Commands of one chain that are remembered to have succeeded before another one runs."""

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

    def handle(self, entries: int) -> None:
        """Count the steps of so many entries that are copied or compared."""
        self.spend(entries // ENTRIES)

    def enter(self) -> None:
        """Go one level down; `Unreadable` if that is too deep."""
        self.depth -= 1
        if self.depth < 0:
            raise Unreadable("the text is nested too deeply", "depth")

    def leave(self) -> None:
        """Come back up."""
        self.depth += 1
