"""The walk over the rules of one event: what each says, file by file, and which of it counts (laws L4 and L5)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

from ostiary.answers import MAYBE, NAMES, NO, YES
from ostiary.decision import Decision, State, Step, Verdict
from ostiary.evaluate.budget import allowance
from ostiary.evaluate.judge import Finding, Scene, debts, explained, judge
from ostiary.evaluate.requests import AskingFacts
from ostiary.facts import FactNeeded, FactRequest
from ostiary.patterns import Meter, metered
from ostiary.policy import Policy, Rule, Unit
from ostiary.records import NamedTuple, dataclass, field
from ostiary.tiers import TIER


class Stop(NamedTuple):
    """A verdict that stops or asks, from one rule on one part. `certain` is False for what a *maybe* said, or a
    failure. `reason` and `help` are a handler's."""

    verdict: Verdict
    rule: Rule
    part: int
    certain: bool
    reason: str | None = None
    help: str | None = None


class Cover(NamedTuple):
    """What one allow pays of one part's debts. `reason` is a handler's."""

    rule: Rule
    part: int
    debts: frozenset[int]
    reason: str | None = None


class Writer(NamedTuple):
    """A rule whose fields count: its own, or what its handler `said`. `sure`: it surely holds. `cut`: a bound
    was hit before that was told, where nobody can be asked, so that what makes it stricter counts as if it held."""

    rule: Rule
    sure: bool
    said: Decision | None = None
    cut: bool = False

    @property
    def context(self) -> str | None:
        """Text for the model."""
        return self.said.context if self.said else self.rule.plan.context

    @property
    def message(self) -> str | None:
        """Text for people."""
        return (self.said.message if self.said else self.rule.plan.message) or None

    @property
    def halt(self) -> bool:
        """Whether the session is to stop."""
        return self.counts and (self.said.halt if self.said else self.rule.plan.halt)

    @property
    def counts(self) -> bool:
        """Whether what ends the session or hides output counts."""
        return self.sure or self.cut

    @property
    def rewrites(self) -> bool:
        """Whether it surely writes arguments."""
        written: Any = self.said.update_input if self.said else self.rule.plan.update_input
        return self.sure and written is not None

    @property
    def output(self) -> tuple[Any, ...] | None:
        """What it changes in the output, as the plan of a rule says it."""
        if not self.counts:
            return None
        if self.said:
            return None if self.said.update_output is None else ("set", self.said.update_output)
        return self.rule.plan.update_output


@dataclass(slots=True)
class Walk:
    """What was said so far. `paid` are the covers by part, `pending` the findings of rules with a handler; `reached` is
    the rank of the lowest tier that was judged before a certain deny `ended` the walk, `problems` are what handlers
    failed in."""

    scene: Scene
    explain: bool
    budget: Meter
    stops: list[Stop] = field(default_factory=list)
    covers: list[Cover] = field(default_factory=list)
    paid: dict[int, list[Cover]] = field(default_factory=dict)
    writers: list[Writer] = field(default_factory=list)
    pending: list[list[Finding]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    reached: int = -1
    steps: list[tuple[int, Step]] = field(default_factory=list)
    ended: bool = False

    @property
    def parts(self) -> range:
        """The positions of the parts of the call."""
        return range(len(self.scene.call.parts))

    @property
    def asks(self) -> bool:
        """Whether a person can be asked before what the event announces happens."""
        return self.scene.event.kind.stops and not self.scene.event.kind.ends

    def unpaid(self, part: int, accepted: Callable[[Rule], bool] | None = None) -> frozenset[int]:
        """The debts of a part that the accepted allows leave, by default all allows."""
        covers = self.paid.get(part, ())
        paid = (cover.debts for cover in covers if accepted is None or accepted(cover.rule))
        return debts(self.scene.call.parts[part]).difference(*paid)

    def cover(self, rule: Rule, part: int, paid: frozenset[int], reason: str | None = None) -> None:
        """Note what an allow pays."""
        cover = Cover(rule, part, paid, reason)
        self.covers.append(cover)
        self.paid.setdefault(part, []).append(cover)

    def step(self, finding: Finding, state: State, decision: str, failure: str = "") -> None:
        """One line of the trail; where a rule answers no it is listed only for `explain`."""
        listed = self.explain and not TIER[finding.rule.unit.tier].apart
        if finding.answer == NO and not listed and not finding.lifted:
            return
        step = Step(
            rule=finding.rule.identity,
            line=finding.rule.plan.line,
            part=finding.part,
            answer=NAMES[finding.answer],
            why=f"the handler failed: {failure}" if failure else explained(finding, self.scene),
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
) -> AskingFacts[Walk]:
    """Judge these rules in order but for the defaults, within the budget of reviewed or unreviewed sources. With
    `explain` those behind the end of the walk are judged too, and listed as `not-run`."""
    result = Walk(scene, explain, allowance(reviewed), ended=ended)
    for unit, members in groupby((rule for rule in rules if not rule.plan.default), key=lambda rule: rule.unit):
        if result.ended and not explain:
            break
        if not result.ended:
            result.reached = max(result.reached, unit.rank)
        yield from _unit(result, unit, list(members))
    return result


def defaults(result: Walk, rules: list[Rule]) -> AskingFacts[None]:
    """Judge the default rules: all, or those of the tiers that were reached."""
    for rule in rules:
        if rule.plan.default and (not result.ended or rule.unit.rank <= result.reached):
            yield from _default(result, rule)


def candidates(policy: Policy, scene: Scene, explain: bool) -> list[Rule]:
    """The rules that can say anything about the event; with `explain` all that are for events of its name."""
    name = scene.event.name
    if explain:
        return [rule for rule in policy.rules if name in rule.plan.on]
    found = policy.index.of(name).candidates(scene.event, scene.call, scene.tools)
    return [policy.rules[position] for position in found]


def _unit(result: Walk, unit: Unit, rules: list[Rule]) -> AskingFacts[None]:
    """The rules of one file, by its `combine`. Of an ordered file the first rule in its direction that is sure takes
    the slot of a part; what comes behind it says nothing there."""
    ordered = unit.combine != "strictest"
    taken: set[int] = set()
    paid: dict[int, set[int]] = {}
    writers: list[Writer] = []
    waiting: list[list[Finding]] = []
    for rule in reversed(rules) if unit.combine == "last" else rules:
        if result.ended and not result.explain:
            break
        findings = yield from find(result, rule)
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
            if rule.plan.handler:
                waiting += [counted] if not rule.plan.audit and any(finding.answer for finding in counted) else []
                findings = [finding for finding in findings if finding not in counted or not finding.answer]
        for finding in findings:
            shadowed = ordered and finding not in counted
            result.step(finding, "overruled" if shadowed else state, rule.plan.decision)
    result.writers.extend(sorted(writers, key=lambda item: item.rule.order))
    result.pending.extend(sorted(waiting, key=lambda item: item[0].rule.order))


def _state(result: Walk, rule: Rule) -> State:
    if rule.state != "active":
        return rule.state
    if rule.expired(result.scene.knowledge.given.now.date()):
        return "expired"
    if rule.plan.remember and result.scene.permitted:
        return "remembered"
    return "not-run" if result.ended else "active"


def find(result: Walk, rule: Rule) -> AskingFacts[list[Finding]]:
    """The rule on every part; asks for the facts that are missing and judges those parts again."""
    findings: dict[int, Finding] = {}
    while True:
        missing: dict[FactRequest, None] = {}
        with metered(result.budget):
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
        result.cover(finding.rule, finding.part, frozenset(part_paid))


def _say(result: Walk, finding: Finding) -> None:
    """A rule's verdict on one part; a *maybe* says what `uncertain` tells (else ask), a doubtful allow nothing."""
    rule = finding.rule
    ends = result.scene.event.kind.ends
    if rule.stops and finding.answer == YES:
        if not ends or (rule.verdict == Verdict.DENY and not rule.unit.only_stops):
            result.stops.append(Stop(rule.verdict, rule, finding.part, certain=True))
    elif rule.stops and finding.answer == MAYBE:
        verdict = {"": Verdict.ASK, "ask": Verdict.ASK, "deny": Verdict.DENY, "none": Verdict.NONE}[rule.plan.uncertain]
        if _cut(result, finding):  # nobody becomes free of a rule by length
            verdict = max(verdict, Verdict.ASK)
        # A doubt never keeps an agent from stopping: that would make it work on for ever.
        if verdict and not ends:
            result.stops.append(Stop(verdict, rule, finding.part, certain=False))
    elif rule.changes and finding.answer == MAYBE and result.asks and _cut(result, finding):
        reason = f"there is too much to judge whether rule `{rule.identity}` is about this call"
        result.stops.append(Stop(Verdict.ASK, rule, finding.part, certain=False, reason=reason))
    elif rule.verdict == Verdict.ALLOW and finding.covered:
        result.cover(rule, finding.part, finding.covered)


def _cut(result: Walk, finding: Finding) -> bool:
    """Whether a bound was hit, so that a doubt may be one for length alone."""
    source = result.scene.call.parts[finding.part].source
    return finding.cut or bool(result.scene.call.limit) or (source is not None and source.cut)


def _in_force(counted: list[Finding], taken: set[int], ordered: bool) -> list[Finding]:
    """Where the rule's fields apply: everywhere it answered, but in an ordered file a rule with a decision speaks only
    where it took the slot."""
    said = [finding for finding in counted if finding.answer != NO]
    if ordered and said and said[0].rule.plan.decision:
        return [finding for finding in said if finding.part in taken or finding.answer == MAYBE]
    return said


def _write(result: Walk, writers: list[Writer], rule: Rule, said: list[Finding]) -> None:
    """A rule's fields, where it answered on the call as its own tier reads it: what lower tiers define neither makes it
    write nor keeps it from writing."""
    call = result.scene.call
    reading = call.read_by(rule.unit.rank)
    own = [finding for finding in said if call.at(finding.part)[0] is reading]
    if own:
        sure = any(finding.answer == YES for finding in own)
        cut = not result.asks and any(_cut(result, finding) for finding in own)
        writers.append(Writer(rule, sure, cut=cut))


def _end(result: Walk, counted: list[Finding]) -> None:
    """A certain deny ends the walk where a deny stops the event. After the event (a tool has run) it stops nothing, so
    that what follows, a redaction for one, still counts."""
    if result.ended or not result.scene.event.kind.stops:
        return
    rules = {finding.rule.order for finding in counted}
    result.ended = any(
        stop.certain and stop.verdict == Verdict.DENY and stop.rule.order in rules for stop in result.stops
    )


def _default(result: Walk, rule: Rule) -> AskingFacts[None]:
    """A default rule: it speaks for the parts on which no rule of its own or a higher tier spoke (law L5)."""
    findings = yield from find(result, rule)
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
    if rule.expired(result.scene.knowledge.given.now.date()):
        return "expired"
    return "remembered" if rule.plan.remember and result.scene.permitted else "active"


def _spoken(result: Walk, default: Rule, part: int) -> bool:
    """Whether a rule that this default yields to spoke for the part with a decision in force. Doubts never do, nor do
    allows that leave a debt of the part."""

    def yields_to(rule: Rule) -> bool:
        return not rule.plan.default and _yields(default, rule)

    stopped = any(stop.part == part and stop.certain and yields_to(stop.rule) for stop in result.stops)
    return stopped or not result.unpaid(part, yields_to)


def _yields(default: Rule, rule: Rule) -> bool:
    if TIER[rule.unit.tier].apart:
        return False
    if rule.unit.rank <= default.unit.rank:
        return True
    if default.unit.tier == "user":
        return rule.unit.tier == "project"
    return rule.unit.tier in default.plan.yields
