"""Rule files of all tiers to one policy: who may do what (law L6), in which order, and which exceptions reach whom."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ostiary.event import GATES
from ostiary.policy.plan import ExceptionPlan, FilePlan, RulePlan
from ostiary.policy.rule import Rule, RuleState, Unit
from ostiary.policy.value import Policy
from ostiary.tiers import TIER, TierName
from ostiary.tools import TOOLS, ToolTable

SEMANTICS: Final = "2027.1"
"""Version of what rules mean. It is part of the generation: a new meaning is a new policy."""


class Admitted(NamedTuple):
    """One source as it takes part. `reviewed` matters for tiers that need a review. `note` says why its last good or a
    stand-in plan is used instead of what the file holds now, empty if it is current."""

    tier: TierName
    reviewed: bool
    file: FilePlan
    note: str = ""


class _Placed(NamedTuple):
    """A unit with its file, the rule ids its include leaves out, and whether the include makes it observe."""

    unit: Unit
    file: FilePlan
    source: FilePlan
    excluded: frozenset[str]
    observe: bool


def assemble(admitted: Iterable[Admitted], tools: ToolTable = TOOLS) -> Policy:
    """The policy of these sources. Sources are walked by tier, then in the order given."""
    ordered = sorted(admitted, key=lambda source: TIER[source.tier].rank)
    placed = list(_place(ordered))
    warnings: list[str] = []
    reaching = _exceptions(placed, warnings)
    rules: list[Rule] = []
    for item in placed:
        for plan in item.file.rules:
            if plan.id in item.excluded:
                continue
            state, effective = _admit(plan, item)
            lifts = tuple(
                exception for key, exception in reaching if _refers(key, item, plan) and _reaches(key.placed, item)
            )
            rules.append(Rule(effective, item.unit, len(rules), state, lifts))
    return Policy(
        rules=tuple(rules),
        units=tuple(item.unit for item in placed),
        tools=_named_tools(ordered, tools),
        generation=_generation(ordered),
        notes=tuple(source.note for source in ordered if source.note),
        warnings=tuple(warnings),
    )


def _place(ordered: list[Admitted]) -> Iterator[_Placed]:
    order = 0
    for source in ordered:
        only_stops = not (TIER[source.tier].may_loosen and (source.reviewed or TIER[source.tier].reviewed_by_default))
        for file, pack, excluded, observe in _files(source.file, frozenset(), False, ""):
            identity = f"pack:{pack}" if pack else f"{source.tier}:{file.name}"
            unit = Unit(
                order,
                source.tier,
                identity,
                file.label,
                "strictest" if only_stops else file.combine,
                only_stops,
                source.reviewed,
            )
            yield _Placed(unit, file, source.file, frozenset() if only_stops else excluded, observe)
            order += 1


def _files(
    file: FilePlan, excluded: frozenset[str], observe: bool, pack: str
) -> Iterator[tuple[FilePlan, str, frozenset[str], bool]]:
    """A file's includes as they are written, each before the file itself; what is included twice comes once, and its
    `except` and `observe` count only where every include says so."""
    found: dict[str, tuple[FilePlan, str, frozenset[str], bool]] = {}
    for include in file.includes:
        for inner in _files(include.file, frozenset(include.excluded), include.observe or observe, include.pack):
            inner_file, inner_pack, inner_excluded, inner_observe = inner
            if earlier := found.get(inner_file.digest):
                inner_excluded &= earlier[2]
                inner_observe = inner_observe and earlier[3]
            found[inner_file.digest] = (inner_file, inner_pack or include.pack, inner_excluded, inner_observe)
    yield from found.values()
    yield file, pack, excluded, observe


def _admit(plan: RulePlan, item: _Placed) -> tuple[RuleState, RulePlan]:
    """What of a rule acts. Of a source nobody reviewed only deny and ask do, as if alone under `strictest`."""
    observes = plan.observe or item.observe
    if not item.unit.only_stops:
        return ("observe" if observes else "active"), plan
    if observes or plan.default or plan.decision not in ("deny", "ask"):
        return "untrusted", plan
    return "active", plan._replace(
        context="",
        message="",
        update_input=None,
        update_output=None,
        halt=False,
        uncertain="deny" if plan.uncertain == "deny" else "",
        handler=None,
    )


class _Key(NamedTuple):
    """An exception's target as written, and where the exception stands."""

    rule: str
    placed: _Placed


def _exceptions(placed: list[_Placed], warnings: list[str]) -> list[tuple[_Key, ExceptionPlan]]:
    reaching: list[tuple[_Key, ExceptionPlan]] = []
    for item in placed:
        for exception in item.file.exceptions:
            key = _Key(exception.rule, item)
            targets = _targets(key, placed)
            place = f"{item.unit.label}:{exception.line}"
            if not targets:
                warnings.append(f"{place}: exception for `{exception.rule}` reaches no rule")
            elif len(targets) > 1:
                names = ", ".join(sorted(targets))
                warnings.append(f"{place}: exception for `{exception.rule}` is ambiguous and lifts nothing: {names}")
            elif item.unit.only_stops:
                warnings.append(f"{place}: exception for `{exception.rule}` waits for review")
            else:
                reaching.append((key, exception))
    return reaching


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
    if source.source is target.source and source.unit.tier == target.unit.tier:
        return True
    return TIER[source.unit.tier].reaches_down and target.unit.rank > source.unit.rank


def _named_tools(ordered: list[Admitted], tools: ToolTable) -> ToolTable:
    for source in ordered:
        if source.reviewed or TIER[source.tier].reviewed_by_default:
            for file, *_ in _files(source.file, frozenset(), False, ""):
                tools = tools.with_aliases(dict(file.aliases))
    return tools


def _generation(ordered: list[Admitted]) -> str:
    digest = hashlib.sha256(SEMANTICS.encode())
    for source in ordered:
        digest.update(f"\0{source.tier}\0{source.reviewed}\0{source.file.digest}\0{source.note}".encode())
    return digest.hexdigest()[:16]


def stand_in(label: str, line: int, message: str, managed: bool) -> FilePlan:
    """What acts for a source that is broken and was never good (law L7): ask, for whatever writes, executes or
    connects; for a managed source for everything at the tool gates. `line` is 0 where the whole file cannot be read."""
    place = f"{label}:{line}" if line else label
    rule = RulePlan(
        id="broken",
        line=line,
        on=GATES,
        when=("always",) if managed else ("acts",),
        decision="ask",
        reason=f"{place} cannot be used: {message}",
        help="mend the file; `ostiary check` shows everything that is wrong with it",
    )
    digest = hashlib.sha256(f"{label}\0{line}\0{message}".encode()).hexdigest()
    return FilePlan(name="broken", label=label, digest=digest, combine="strictest", rules=(rule,))
