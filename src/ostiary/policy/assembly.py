"""Rule files of all tiers to one policy: who may do what (law L6), in which order, and which exceptions reach whom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from ostiary.digests import sha256
from ostiary.event import GATES
from ostiary.policy.definitions import Defining, levels
from ostiary.policy.gates import Gates
from ostiary.policy.plan import ExceptionPlan, FilePlan, RulePlan
from ostiary.policy.rule import Rule, RuleState, Unit
from ostiary.policy.value import Policy
from ostiary.records import NamedTuple
from ostiary.tiers import TIER, TierName
from ostiary.tools import TOOLS, ToolTable

SEMANTICS: Final = "2027.1"
"""Version of what rules mean. It is part of the generation: a new meaning is a new policy."""


SHUT: Final = Gates()
"""Every gate is closed."""


class Admitted(NamedTuple):
    """One source as it takes part. `reviewed` matters for tiers that need a review. `note` says why its last good or a
    stand-in plan is used instead of what the file holds now, empty if it is current."""

    tier: TierName
    reviewed: bool
    file: FilePlan
    note: str = ""


class _Found(NamedTuple):
    """A file of a source: itself, or one that it includes. `sources` are the sources that hold it. An include's
    `except` and `observe` count only where every include of the file in its tier says so."""

    file: FilePlan
    sources: tuple[FilePlan, ...]
    pack: str = ""
    excluded: frozenset[str] = frozenset()
    observe: bool = False

    def joined(self, other: _Found) -> _Found:
        """The same file, included once more."""
        return self._replace(
            sources=(*self.sources, *other.sources),
            excluded=self.excluded & other.excluded,
            observe=self.observe and other.observe,
        )


class _Placed(NamedTuple):
    """A found file with its place in the walk."""

    unit: Unit
    found: _Found

    @property
    def file(self) -> FilePlan:
        return self.found.file


def assemble(admitted: Iterable[Admitted], tools: ToolTable = TOOLS, gates: Gates = SHUT) -> Policy:
    """The policy of these sources. Sources are walked by tier, then in the order given. Handlers run only where the
    gates are open."""
    ordered = sorted(admitted, key=lambda source: TIER[source.tier].rank)
    placed = list(_place(ordered))
    warnings: list[str] = []
    reaching = _exceptions(placed, warnings)
    rules: list[Rule] = []
    for item in placed:
        for plan in item.file.rules:
            if plan.id in item.found.excluded and not item.unit.only_stops:
                continue
            state, effective = _admit(plan, item, gates)
            lifts = tuple(
                exception for key, exception in reaching if _refers(key, item, plan) and _reaches(key.placed, item)
            )
            rules.append(Rule(effective, item.unit, len(rules), state, lifts))
    defined = levels((Defining(_reader(source.tier), _loosens(source), source.file) for source in ordered), tools)
    return Policy(
        rules=tuple(rules),
        units=tuple(item.unit for item in placed),
        tools=_named_tools(ordered, tools),
        generation=_generation(ordered, gates),
        notes=tuple(source.note for source in ordered if source.note),
        warnings=(*warnings, *defined.warnings),
        levels=defined.levels,
    )


def _reader(tier: TierName) -> TierName:
    """The tier with whose definitions a tier's rules read calls: a rule of ours as the people of the machine do."""
    return "user" if TIER[tier].apart else tier


def _loosens(source: Admitted) -> bool:
    """Whether everything in the source acts, not only what stops."""
    tier = TIER[source.tier]
    return tier.may_loosen and (source.reviewed or tier.reviewed_by_default)


def _place(ordered: list[Admitted]) -> Iterator[_Placed]:
    """The files of all sources in the order of the walk; a file that a tier includes twice comes once."""
    found: dict[tuple[TierName, bool, str], _Found] = {}
    reviewed: dict[tuple[TierName, bool, str], bool] = {}
    for position, source in enumerate(ordered):
        only_stops = not _loosens(source)
        for item in _files(_Found(source.file, (source.file,))):
            own = item.file is source.file
            key = (source.tier, only_stops, f"{position}" if own else item.file.digest)
            found[key] = found[key].joined(item) if key in found else item
            reviewed[key] = source.reviewed
    for order, (key, item) in enumerate(found.items()):
        tier, only_stops, _ = key
        identity = _identity(tier, item)
        combine = "strictest" if only_stops else item.file.combine
        contract = item.file.contract
        unit = Unit(order, tier, identity, item.file.label, combine, only_stops, reviewed[key], contract)
        yield _Placed(unit, item)


def _identity(tier: TierName, item: _Found) -> str:
    """What the ids of a file's rules begin with."""
    if TIER[tier].apart:
        return tier
    return f"pack:{item.pack}" if item.pack else f"{tier}:{item.file.name}"


def _files(above: _Found) -> Iterator[_Found]:
    """A file's includes as they are written, each with its own before it, then the file itself."""
    for include in above.file.includes:
        yield from _files(
            above._replace(
                file=include.file,
                pack=include.pack,
                excluded=frozenset(include.excluded),
                observe=include.observe or above.observe,
            )
        )
    yield above


def _admit(plan: RulePlan, item: _Placed, gates: Gates) -> tuple[RuleState, RulePlan]:
    """What of a rule acts. Of a source nobody reviewed only deny and ask do, as if alone under `strictest`; handlers of
    plugins have their own gate in place of a review."""
    observes = plan.observe or item.found.observe
    if plan.handler and (item.unit.tier == "plugin" or not item.unit.only_stops):
        state: RuleState = (
            "observe" if observes else "gated" if gates.shut(item.unit.tier, plan.handler.kind) else "active"
        )
        return state, _alone(plan) if item.unit.only_stops else plan
    if not item.unit.only_stops:
        return ("observe" if observes else "active"), plan
    if observes or plan.default or plan.decision not in ("deny", "ask"):
        return "untrusted", plan
    return "active", _alone(plan)._replace(uncertain="deny" if plan.uncertain == "deny" else "", handler=None)


def _alone(plan: RulePlan) -> RulePlan:
    """The rule without what it says besides."""
    return plan._replace(context="", message="", update_input=None, update_output=None, halt=False, remember=False)


class _Key(NamedTuple):
    """An exception's target as written, and where the exception stands."""

    rule: str
    placed: _Placed


def _exceptions(placed: list[_Placed], warnings: list[str]) -> list[tuple[_Key, ExceptionPlan]]:
    reaching: list[tuple[_Key, ExceptionPlan]] = []
    for item in placed:
        for exception in item.file.exceptions:
            key = _Key(exception.rule, item)
            flaw = _missed(_targets(key, placed)) or ("waits for review" if item.unit.only_stops else "")
            if flaw:
                warnings.append(f"{item.unit.label}:{exception.line}: exception for `{exception.rule}` {flaw}")
            else:
                reaching.append((key, exception))
    return reaching


class Unreached(NamedTuple):
    """An exception that lifts nothing: the file it stands in (its label), and why."""

    label: str
    exception: ExceptionPlan
    why: str


def unreached(file: FilePlan, tier: TierName) -> tuple[Unreached, ...]:
    """The exceptions of a file, and of what it includes, that reach none of its rules. Those that name another tier are
    passed over: its files are not known here."""
    placed = list(_place([Admitted(tier, True, file)]))
    found = (
        Unreached(item.unit.label, exception, _missed(_targets(_Key(exception.rule, item), placed)))
        for item in placed
        for exception in item.file.exceptions
    )
    return tuple(item for item in found if item.why and not _elsewhere(item.exception.rule, tier))


def _elsewhere(rule: str, tier: TierName) -> bool:
    head, _, _ = rule.partition(":" if ":" in rule else "/")
    return head in TIER and head != tier and (":" in rule or TIER[head].apart)


def _missed(targets: set[str]) -> str:
    """Why an exception with these targets lifts nothing, empty if it has one."""
    if not targets:
        return "reaches no rule"
    return f"is ambiguous and lifts nothing: {', '.join(sorted(targets))}" if len(targets) > 1 else ""


def _targets(key: _Key, placed: list[_Placed]) -> set[str]:
    return {
        f"{item.unit.identity}/{plan.id}"
        for item in placed
        if _reaches(key.placed, item)
        for plan in item.file.rules
        if _refers(key, item, plan)
    }


def _refers(key: _Key, item: _Placed, plan: RulePlan) -> bool:
    """Whether an exception means this rule: by its whole identity, by `source/id`, or by its id alone inside the
    exception's own file."""
    if key.rule == plan.id:
        return key.placed.unit == item.unit
    identity = f"{item.unit.identity}/{plan.id}"
    return key.rule in (identity, identity.partition(":")[2])


def _reaches(source: _Placed, target: _Placed) -> bool:
    """Exceptions reach rules of their own source and of packs it includes; managed and user files also lower tiers."""
    if source.unit.tier == target.unit.tier and any(
        one is other for one in source.found.sources for other in target.found.sources
    ):
        return True
    return TIER[source.unit.tier].reaches_down and target.unit.rank > source.unit.rank


def _named_tools(ordered: list[Admitted], tools: ToolTable) -> ToolTable:
    for source in ordered:
        if source.reviewed or TIER[source.tier].reviewed_by_default:
            for item in _files(_Found(source.file, (source.file,))):
                tools = tools.with_aliases(dict(item.file.aliases))
    return tools


def _generation(ordered: list[Admitted], gates: Gates) -> str:
    digest = sha256(f"{SEMANTICS}\0{gates}".encode())
    for source in ordered:
        digest.update(f"\0{source.tier}\0{source.reviewed}\0{source.file.digest}\0{source.note}".encode())
    return digest.hexdigest()[:16]


def undefined(label: str) -> FilePlan:
    """What acts for a file of definitions that is broken and was never good: nothing, so that its programs and tools
    stay unknown."""
    digest = sha256(f"{label}\0undefined".encode()).hexdigest()
    return FilePlan(name="broken", label=label, digest=digest, combine="strictest", rules=())


def stand_in(label: str, line: int, message: str, managed: bool, *, help: str = "") -> FilePlan:
    """What acts for a source that is broken and was never good (law L7): ask, for whatever writes, executes or
    connects; for a managed source for everything at the tool gates. `line` is 0 where the whole file cannot be read.
    `help` is another way out than mending the file."""
    place = f"{label}:{line}" if line else label
    rule = RulePlan(
        id="broken",
        line=line,
        on=GATES,
        when=("always",) if managed else ("acts",),
        decision="ask",
        reason=f"{place} cannot be used: {message}",
        help=help or "mend the file; `ostiary check` shows everything that is wrong with it",
    )
    digest = sha256(f"{label}\0{line}\0{message}".encode()).hexdigest()
    return FilePlan(name="broken", label=label, digest=digest, combine="strictest", rules=(rule,))
