"""The policy as a value."""

from __future__ import annotations

from functools import cached_property

from ostiary.call import NOTHING, Definitions
from ostiary.policy.index import Indexes
from ostiary.policy.rule import Rule, Unit
from ostiary.records import dataclass
from ostiary.tools import ToolTable


@dataclass(frozen=True)
class Policy:
    """All admitted sources compiled, immutable. Rules are in the order of the walk: by tier, file, then place in the
    file.

    `units` are the files they come from. `generation` names this policy in outcomes and records. `notes` say which
    sources stand in for a broken file, `warnings` what their authors should know. `levels` are what the tiers define,
    as `call.analyse` takes it.
    """

    rules: tuple[Rule, ...]
    units: tuple[Unit, ...]
    tools: ToolTable
    generation: str
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    levels: tuple[Definitions, ...] = (NOTHING,)

    @cached_property
    def index(self) -> Indexes:
        """Which rules can say anything about an event."""
        return Indexes(self.rules)

    def stops_at(self, name: str) -> bool:
        """Whether some rule could stop a call at this event because of what a command in it does."""
        found = self._stopping.get(name)
        if found is None:
            acting = (rule for rule in self.rules if rule.state != "untrusted" and name in rule.plan.on)
            found = self._stopping[name] = any(rule.judges for rule in acting)
        return found

    @cached_property
    def _stopping(self) -> dict[str, bool]:
        return {}

    @property
    def inactive(self) -> tuple[Rule, ...]:
        """Rules that wait for review, or behind a gate."""
        return tuple(rule for rule in self.rules if rule.state in ("untrusted", "gated"))
