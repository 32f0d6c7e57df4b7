"""The walk over the rules of one event: what each says, file by file, and which of it counts (laws L4 and L5)."""

from __future__ import annotations

from collections.abc import Callable, Generator
from itertools import groupby
from typing import TypeVar

from ostiary.answers import MAYBE, NAMES, NO, YES
from ostiary.decision import State, Step, Verdict
from ostiary.evaluate.budget import Budget, budget
from ostiary.evaluate.judge import Finding, Scene, debts, explained, judge
from ostiary.facts import FactNeeded, FactRequest
from ostiary.patterns import metered
from ostiary.policy import Policy, Rule, Unit
from ostiary.records import NamedTuple, dataclass, field

T = TypeVar("T")
Asking = Generator[FactRequest, object, T]


class Stop(NamedTuple):
    """A verdict that stops or asks, from one rule on one part. `certain` is False for what a *maybe* said."""

    verdict: Verdict
    rule: Rule
    part: int
    certain: bool


class Cover(NamedTuple):
    """What one allow pays of one part's debts."""

    rule: Rule
    part: int
    debts: frozenset[int]


@dataclass(slots=True)
class Walk:
    """What was said so far. `ended` says that a certain deny ended the walk."""

    scene: Scene
    explain: bool
    budget: Budget
    stops: list[Stop] = field(default_factory=list)
    covers: list[Cover] = field(default_factory=list)
    writers: list[tuple[Rule, bool]] = field(default_factory=list)
    steps: list[tuple[int, Step]] = field(default_factory=list)
    ended: bool = False

    @property
    def parts(self) -> range:
        """The positions of the parts of the call."""
        return range(len(self.scene.call.parts))

    def unpaid(self, part: int, accepted: Callable[[Rule], bool] | None = None) -> frozenset[int]:
        """The debts of a part that the accepted allows leave, by default all allows."""
        covers = (cover for cover in self.covers if cover.part == part)
        paid = (cover.debts for cover in covers if accepted is None or accepted(cover.rule))
        return debts(self.scene.call.parts[part]).difference(*paid)

    def step(self, finding: Finding, state: State, decision: str) -> None:
        """One line of the trail; where a rule answers no it is listed only for `explain`."""
        if finding.answer == NO and not self.explain and not finding.lifted:
            return
        step = Step(
            rule=finding.rule.identity,
            line=finding.rule.plan.line,
            part=finding.part,
            answer=NAMES[finding.answer],
            why=explained(finding, self.scene),
            decision=decision if finding.answer != NO else "",
            state="excepted" if finding.lifted else state,
        )
        self.steps.append((finding.rule.order, step))

    @property
    def trail(self) -> tuple[Step, ...]:
        """The steps in the order of rules, then parts."""
        return tuple(step for _, step in sorted(self.steps, key=lambda item: (item[0], item[1].part)))


def walk(
    scene: Scene, rules: list[Rule], explain: bool = False, *, ended: bool = False, reviewed: bool = True
) -> Asking[Walk]:
    """Judge these rules in order, within the budget of reviewed or unreviewed sources. With `explain` those behind the
    end of the walk are judged too, and listed as `not-run`."""
    result = Walk(scene, explain, budget(reviewed), ended=ended)
    reached = -1
    for unit, members in groupby((rule for rule in rules if not rule.plan.default), key=lambda rule: rule.unit):
        if result.ended and not explain:
            break
        if not result.ended:
            reached = max(reached, unit.rank)
        yield from _unit(result, unit, list(members))
    for rule in rules:
        if rule.plan.default and (not result.ended or rule.unit.rank <= reached):
            yield from _default(result, rule)
    return result


def candidates(policy: Policy, scene: Scene, explain: bool) -> list[Rule]:
    """The rules that can say anything about the event; with `explain` all that are for events of its name."""
    name = scene.event.name
    if explain:
        return [rule for rule in policy.rules if name in rule.plan.on]
    index = policy.index.get(name)
    if index is None:
        return []
    return [policy.rules[position] for position in index.candidates(scene.event, scene.call, scene.tools)]


def _unit(result: Walk, unit: Unit, rules: list[Rule]) -> Asking[None]:
    """The rules of one file, by its `combine`. Of an ordered file the first rule in its direction that is sure takes
    the slot of a part; what comes behind it says nothing there."""
    ordered = unit.combine != "strictest"
    taken: set[int] = set()
    paid: dict[int, set[int]] = {}
    writers: list[tuple[Rule, bool]] = []
    for rule in reversed(rules) if unit.combine == "last" else rules:
        if result.ended and not result.explain:
            break
        findings = yield from _findings(result, rule)
        if not any(finding.answer or finding.lifted for finding in findings) and not result.explain:
            continue
        counted = [finding for finding in findings if not _taken(result, finding.part, taken)] if ordered else findings
        state = _state(result, rule)
        if state == "active":
            for finding in counted:
                if ordered and finding.answer == YES and rule.plan.decision:
                    _take(result, finding, taken, paid)
                else:
                    _say(result, finding)
            _write(result, writers, rule, _in_force(counted, taken, ordered))
            _end(result, counted)
        for finding in findings:
            shadowed = ordered and finding not in counted
            result.step(finding, "overruled" if shadowed else state, rule.plan.decision)
    result.writers.extend(sorted(writers, key=lambda item: item[0].order))


def _state(result: Walk, rule: Rule) -> State:
    if rule.state != "active":
        return rule.state
    if rule.expired(result.scene.knowledge.given.now.date()):
        return "expired"
    return "not-run" if result.ended else "active"


def _findings(result: Walk, rule: Rule) -> Asking[list[Finding]]:
    """The rule on every part; asks for the facts that are missing and judges those parts again."""
    findings: dict[int, Finding] = {}
    while True:
        missing: dict[FactRequest, None] = {}
        with metered(result.budget.meter):
            for part in result.parts:
                try:
                    findings[part] = findings.get(part) or judge(rule, result.scene, part, result.budget)
                except FactNeeded as needed:
                    missing |= dict.fromkeys(needed.requests)
        if not missing:
            return [findings[part] for part in result.parts]
        for request in missing:
            result.scene.knowledge.answers[request] = yield request


def _taken(result: Walk, part: int, taken: set[int]) -> bool:
    """Whether the slot of a part is taken, or that of the part which runs the file it comes from: who allowed or
    stopped that in an ordered file has spoken for what is in the file."""
    call, position = result.scene.call.at(part)
    source = call.parts[position].source
    return part in taken or (source is not None and part - position + source.carrier in taken)


def _take(result: Walk, finding: Finding, taken: set[int], paid: dict[int, set[int]]) -> None:
    """A certain answer of an ordered file: a stop takes the slot, an allow only once the part owes nothing more."""
    if finding.rule.stops:
        taken.add(finding.part)
        _say(result, finding)
        return
    part_paid = paid.setdefault(finding.part, set())
    part_paid |= finding.covered
    if not debts(result.scene.call.parts[finding.part]) - part_paid:
        taken.add(finding.part)
        result.covers.append(Cover(finding.rule, finding.part, frozenset(part_paid)))


def _say(result: Walk, finding: Finding) -> None:
    """A rule's verdict on one part; a *maybe* says what `uncertain` tells (else ask), a doubtful allow nothing."""
    rule = finding.rule
    ends = result.scene.event.kind.ends
    if rule.stops and finding.answer == YES:
        if not ends or (rule.verdict == Verdict.DENY and not rule.unit.only_stops):
            result.stops.append(Stop(rule.verdict, rule, finding.part, certain=True))
    elif rule.stops and finding.answer == MAYBE:
        verdict = {"": Verdict.ASK, "ask": Verdict.ASK, "deny": Verdict.DENY, "none": Verdict.NONE}[rule.plan.uncertain]
        # A doubt never keeps an agent from stopping: that would make it work on for ever.
        if verdict and not ends:
            result.stops.append(Stop(verdict, rule, finding.part, certain=False))
    elif rule.verdict == Verdict.ALLOW and finding.covered:
        result.covers.append(Cover(rule, finding.part, finding.covered))


def _in_force(counted: list[Finding], taken: set[int], ordered: bool) -> list[Finding]:
    """Where the rule's fields apply: everywhere it answered, but in an ordered file a rule with a decision speaks only
    where it took the slot."""
    said = [finding for finding in counted if finding.answer != NO]
    if ordered and said and said[0].rule.plan.decision:
        return [finding for finding in said if finding.part in taken or finding.answer == MAYBE]
    return said


def _write(result: Walk, writers: list[tuple[Rule, bool]], rule: Rule, said: list[Finding]) -> None:
    """A rule's fields, where it answered on the call as its own tier reads it: what lower tiers define neither makes it
    write nor keeps it from writing."""
    call = result.scene.call
    reading = call.read_by(rule.unit.rank)
    own = [finding for finding in said if call.at(finding.part)[0] is reading]
    if own:
        writers.append((rule, any(finding.answer == YES for finding in own)))


def _end(result: Walk, counted: list[Finding]) -> None:
    """A certain deny ends the walk where a deny stops the event. After the event (a tool has run) it stops nothing, so
    that what follows, a redaction for one, still counts."""
    if result.ended or not result.scene.event.kind.stops:
        return
    rules = {finding.rule.order for finding in counted}
    result.ended = any(
        stop.certain and stop.verdict == Verdict.DENY and stop.rule.order in rules for stop in result.stops
    )


def _default(result: Walk, rule: Rule) -> Asking[None]:
    """A default rule: it speaks for the parts on which no rule of its own or a higher tier spoke (law L5)."""
    findings = yield from _findings(result, rule)
    state = rule.state if rule.state != "active" else _default_state(result, rule)
    for finding in findings:
        silent = state == "active" and _spoken(result, rule, finding.part)
        if state == "active" and not silent:
            _say(result, finding)
        result.step(finding, "overruled" if silent else state, rule.plan.decision)
    if state == "active":
        _write(
            result, result.writers, rule, [f for f in findings if f.answer != NO and not _spoken(result, rule, f.part)]
        )


def _default_state(result: Walk, rule: Rule) -> State:
    return "expired" if rule.expired(result.scene.knowledge.given.now.date()) else "active"


def _spoken(result: Walk, default: Rule, part: int) -> bool:
    """Whether a rule that this default yields to spoke for the part with a decision in force. Doubts never do, nor do
    allows that leave a debt of the part."""

    def yields_to(rule: Rule) -> bool:
        return not rule.plan.default and _yields(default, rule)

    stopped = any(stop.part == part and stop.certain and yields_to(stop.rule) for stop in result.stops)
    return stopped or not result.unpaid(part, yields_to)


def _yields(default: Rule, rule: Rule) -> bool:
    if rule.unit.rank <= default.unit.rank:
        return True
    if default.unit.tier == "user":
        return rule.unit.tier == "project"
    return rule.unit.tier in default.plan.yields
