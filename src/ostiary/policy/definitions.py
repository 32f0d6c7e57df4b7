"""What the tiers define besides rules, and for whom it counts (law L6: names add, and never redefine)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ostiary.call import NOTHING, Definitions
from ostiary.call.defined import ToolDefinition
from ostiary.policy.plan import FilePlan, ToolPlan
from ostiary.records import NamedTuple, dataclass, field
from ostiary.tiers import TIER, TIERS, TierName
from ostiary.tools import ToolTable

_Tool = tuple[str, str, tuple[str, ...]]


class Defining(NamedTuple):
    """A file as it takes part: its tier, whether what it defines counts, and its plan."""

    tier: TierName
    counts: bool
    file: FilePlan


@dataclass(slots=True)
class Levels:
    """The definitions of all files: `levels` as `call.analyse` takes them, `warnings` about what does not count."""

    levels: tuple[Definitions, ...]
    warnings: list[str] = field(default_factory=list)


def levels(files: Iterable[Defining], tools: ToolTable) -> Levels:
    """What the files define, in the order of the walk.

    The first level has what counts for the highest tier that has rules: what it and higher ones define. Each lower tier
    that defines something adds a level, and calls are judged by all of them: what it defines is final for nobody above
    it.
    """
    found = _Found(tools)
    steps: list[Definitions] = []
    ruled = False
    ordered = list(files)
    for tier in TIERS:
        own = [item for item in ordered if item.tier == tier.name]
        added = [found.add(item) for item in own]
        if steps and ruled and any(added):
            steps.append(found.definitions(tier.rank))
        elif not ruled:
            steps = [found.definitions(tier.rank)]
        ruled = ruled or any(item.file.rules or item.file.includes for item in own)
    return Levels(tuple(steps), found.warnings)


@dataclass(slots=True)
class _Found:
    """What was defined so far."""

    known: ToolTable
    programs: dict[str, str] = field(default_factory=dict)
    tools: dict[_Tool, ToolDefinition] = field(default_factory=dict)
    by: dict[str | _Tool, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def definitions(self, rank: int) -> Definitions:
        if not self.programs and not self.tools:
            return NOTHING
        return Definitions(dict(self.programs), tuple(self.tools.values()), rank)

    def add(self, item: Defining) -> bool:
        """Whether the file added anything."""
        if not item.counts:
            if item.file.programs or item.file.tools:
                why = "waits for review" if TIER[item.tier].may_loosen else "does not count: it comes from a plugin"
                self.warnings.append(f"{item.file.label}: what it defines {why}")
            return False
        return any([*self._programs(item.file), *self._tools(item)])

    def _programs(self, file: FilePlan) -> Iterator[bool]:
        if not file.programs:
            return
        from ostiary.programs import shipped_as  # late: few files define programs

        for plan in file.programs:
            shipped = shipped_as(plan.name) is not None
            if self._free(plan.name, shipped, f"program `{plan.name}`", f"{file.label}:{plan.line}"):
                self.programs[plan.name] = plan.entry
                yield True

    def _free(self, key: str | _Tool, shipped: bool, what: str, place: str) -> bool:
        """Whether nobody defined it before; a warning if somebody did."""
        if shipped or key in self.by:
            why = "Ostiary knows it already" if shipped else f"{self.by[key]} defines it"
            self.warnings.append(f"{place}: the {what} is not defined here: {why}")
            return False
        self.by[key] = place
        return True

    def _tools(self, item: Defining) -> Iterator[bool]:
        for plan in item.file.tools:
            known = None if plan.server else self.known.tools.get(plan.tool)
            shipped = known is not None and bool(known.roles or known.listed)
            key = (plan.server, plan.tool, plan.sources)
            if self._free(key, shipped, f"tool `{plan.tool}`", f"{item.file.label}:{plan.line}"):
                self.tools[key] = _definition(plan, item.tier)
                yield True


def _definition(plan: ToolPlan, tier: TierName) -> ToolDefinition:
    return ToolDefinition(
        plan.server,
        plan.tool,
        plan.roles,
        plan.sources,
        not TIER[tier].reviewed_by_default,
        plan.complete,
    )
