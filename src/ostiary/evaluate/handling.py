"""The handlers of one event: which run, in which order, and what of their say counts (laws L4, L6 and L7).

Under the contract `afk` they run one after the other, and one that blocks is the last. Under `claude` all of a file run
beside each other, and the strictest verdict wins. Each is given the event as it was sent.
"""

from __future__ import annotations

from itertools import groupby
from typing import Final

from ostiary.answers import NO, YES
from ostiary.decision import Decision, Outcome, Verdict
from ostiary.evaluate.budget import allowance
from ostiary.evaluate.judge import Finding, Scene, debts
from ostiary.evaluate.requests import Asking, HandlerRequest, HandlerRequests
from ostiary.evaluate.walk import Stop, Walk, Writer, defaults, find, walk
from ostiary.event import Event
from ostiary.policy import HandlerPlan, Rule

MODELS: Final = frozenset({"prompt", "agent"})
"""Kinds of handlers whose answer a model gives."""


def judged(scene: Scene, rules: list[Rule], explain: bool, again: bool = False) -> Asking[Walk]:
    """What these rules say: the static ones, then handlers, then defaults. `again`: of a call that a rule rewrote, for
    which only handlers without effects run."""
    result = yield from walk(scene, [rule for rule in rules if not rule.only_stops], explain)
    ran: set[object] = set()
    for _, members in groupby(result.pending, key=lambda item: item[0].rule.unit):
        waiting = [item for item in members if not again or _handler(item[0].rule).pure]
        repeated = [item for item in waiting if _repeats(item[0].rule, ran)]
        _skip(result, repeated)
        if waiting := [item for item in waiting if item not in repeated]:
            yield from _all(result, waiting)
    yield from defaults(result, rules)
    result.writers.sort(key=lambda writer: writer.rule.order)
    return result


def audit(scene: Scene, rules: list[Rule], outcome: Outcome) -> Asking[tuple[str, ...]]:
    """Run the handlers that only watch; gives what went wrong."""
    result = Walk(scene, False, allowance(reviewed=True))
    problems: list[str] = []
    for rule in rules:
        if not rule.plan.audit or rule.state != "active" or rule.expired(scene.knowledge.given.now.date()):
            continue
        findings = yield from find(result, rule)
        if any(finding.answer != NO for finding in findings):
            said = yield from _run(scene.event, [rule], outcome)
            problems += _failures(rule, said[0])
    return tuple(problems)


def _all(result: Walk, waiting: list[list[Finding]]) -> Asking[None]:
    """The handlers of one file."""
    together = waiting[0][0].rule.unit.contract == "claude"
    for batch in [waiting] if together else [[item] for item in waiting]:
        if result.ended:
            _skip(result, batch)
            continue
        said = yield from _run(result.scene.event, [findings[0].rule for findings in batch])
        verdicts = [_count(result, findings, one) for findings, one in zip(batch, said, strict=True)]
        result.ended = Verdict.DENY in verdicts and result.scene.event.kind.stops


def _repeats(rule: Rule, ran: set[object]) -> bool:
    """Whether a rule of the same tier ran the same, and says the same: under `claude` that is one. Each plugin has its
    own."""
    if rule.unit.contract != "claude" or rule.unit.tier == "plugin":
        return False
    same = (rule.unit.tier, rule.plan._replace(id="", line=0, on=(), when=(), unless=None, notes=()))
    repeated = same in ran
    ran.add(same)
    return repeated


def _run(event: Event, rules: list[Rule], outcome: Outcome | None = None) -> Asking[list[Decision | None]]:
    asked = HandlerRequests(
        tuple(
            HandlerRequest(rule.identity, rule.unit.tier, rule.plan.handler, event, rule.unit.contract, outcome)
            for rule in rules
            if rule.plan.handler
        )
    )
    answer = yield asked
    given = list(answer) if isinstance(answer, tuple) else []
    known = [item if isinstance(item, Decision) else None for item in given]
    return known if len(known) == len(rules) else [Decision(failure="it was not answered")] * len(rules)


def _skip(result: Walk, batch: list[list[Finding]]) -> None:
    for findings in batch:
        for finding in findings:
            result.step(finding, "not-run", "")


def _count(result: Walk, findings: list[Finding], decision: Decision | None) -> Verdict:
    """Take what a handler said, None where it did not run; gives the verdict that counts."""
    rule = findings[0].rule
    if decision is None:
        _skip(result, [findings])
        return Verdict.NONE
    if decision.failure:
        result.problems += _failures(rule, decision)
        decision = _failed(rule, decision, result.scene.event)
    verdict = _verdict(rule, decision, result)
    for finding in findings:
        if finding.answer != NO:
            _say(result, finding, verdict, decision)
        result.step(finding, "active", str(verdict) if verdict else "", decision.failure)
    if not decision.failure:
        result.writers.append(Writer(rule, sure=True, said=decision))
    return verdict


def _failed(rule: Rule, decision: Decision, event: Event) -> Decision:
    """What the failure of a handler means: what its rule says, and no less than the failure itself does. It never keeps
    an agent from stopping."""
    told = rule.plan.on_error or ("deny" if rule.unit.tier == "managed" else "continue")
    least = decision.verdict if decision.verdict > Verdict.ALLOW else Verdict.NONE
    verdict = max({"deny": Verdict.DENY, "ask": Verdict.ASK}.get(told, Verdict.NONE), least)
    verdict = Verdict.NONE if event.kind.ends else verdict
    reason = f"rule `{rule.identity}` cannot tell: its handler failed" if verdict else None
    return Decision(verdict=verdict, reason=reason, help=decision.failure, failure=decision.failure)


def _failures(rule: Rule, decision: Decision | None) -> list[str]:
    failed = decision is not None and decision.failure
    return [f"handler of `{rule.identity}`: {decision.failure}"] if decision and failed else []


def _verdict(rule: Rule, decision: Decision, result: Walk) -> Verdict:
    """The verdict as far as it counts: an agent is kept from stopping by a deny alone."""
    if result.scene.event.kind.ends and decision.verdict != Verdict.DENY:
        return Verdict.NONE
    if decision.verdict == Verdict.ALLOW and not _may_allow(rule):
        return Verdict.NONE
    return decision.verdict


def _may_allow(rule: Rule) -> bool:
    """Whether an allow of the rule's handler counts: never a plugin's, and of a model's only where managed rules say
    so."""
    if rule.unit.only_stops or rule.plan.handler is None:
        return False
    if rule.plan.handler.kind in MODELS:
        return rule.plan.handler.may_allow and rule.unit.tier == "managed"
    return True


def _say(result: Walk, finding: Finding, verdict: Verdict, decision: Decision) -> None:
    """A handler that saw the whole call allows all of a part; where the rule is only perhaps about it, nothing."""
    part = result.scene.call.parts[finding.part]
    if verdict > Verdict.ALLOW:
        certain = finding.answer == YES and not decision.failure  # else it silences no default
        result.stops.append(Stop(verdict, finding.rule, finding.part, certain, decision.reason, decision.help))
    elif verdict == Verdict.ALLOW and finding.answer == YES and not part.beside:
        result.cover(finding.rule, finding.part, debts(part), decision.reason)


def _handler(rule: Rule) -> HandlerPlan:
    assert rule.plan.handler
    return rule.plan.handler
