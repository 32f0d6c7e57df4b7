"""What a condition looks at, and how it is to be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ostiary.answers import Answer
from ostiary.call.model import Access, AccessKind, Call, Part
from ostiary.event import Event
from ostiary.facts import Knowledge
from ostiary.records import NamedTuple, dataclass, field
from ostiary.tools import ToolTable

Plan = tuple[Any, ...]

Said = dict[tuple[object, ...], Answer]
"""What conditions said of the parts of one call, by condition and part. It lives as long as the call."""


@dataclass(frozen=True, slots=True)
class View:
    """One part of one call with one access per kind that the rule names (binding, law L3); a kind of which the part has
    no access is bound to None. `said` are answers that need not be found again for other accesses."""

    event: Event
    call: Call
    index: int
    bound: Mapping[AccessKind, Access | None]
    knowledge: Knowledge
    tools: ToolTable
    said: Said = field(default_factory=dict)

    @property
    def part(self) -> Part:
        """The part that is looked at."""
        return self.call.parts[self.index]


Condition = Callable[[View], Answer]


class Stance(NamedTuple):
    """How a condition is read. `stops`: the rule denies, asks or defers; otherwise it allows or only writes fields.
    `negated`: the condition stands under an odd number of `not`, or in an `unless` or exception. `shells`: the rule
    speaks of commands, so that `tool: Bash` means every shell (law L1)."""

    stops: bool
    negated: bool = False
    shells: bool = False

    @property
    def wide(self) -> bool:
        """Whether doubt counts as a match: paths reach everywhere, every layer of a command is seen."""
        return self.stops != self.negated

    def turned(self) -> Stance:
        """The stance below a `not`."""
        return self._replace(negated=not self.negated)
