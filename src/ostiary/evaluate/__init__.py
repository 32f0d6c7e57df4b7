"""Evaluation: a policy and an event to an outcome, without IO.

`evaluate` is a generator. It yields requests, for facts and for handler runs, and is sent their answers; a driver
(`perform`) gives them, at once or asynchronously. Same policy, event, facts and handler answers give the same outcome
(law L10).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, TypeVar

from ostiary.answers import MAYBE, NO, YES, Answer
from ostiary.call import NOTHING, Definitions, analyse
from ostiary.call.model import Call
from ostiary.conditions.written import written
from ostiary.decision import Outcome, Verdict
from ostiary.digests import sha256
from ostiary.evaluate.budget import allowance
from ostiary.evaluate.fold import fold, rewriter, speaks, tells
from ostiary.evaluate.handling import audit, judged
from ostiary.evaluate.judge import Scene, debts, judge
from ostiary.evaluate.requests import AskingFacts, HandlerRequest, HandlerRequests, Request
from ostiary.evaluate.walk import Walk, candidates, defaults, walk
from ostiary.event import Event
from ostiary.facts import FactNeeded, FactRequest, Facts, Given, Knowledge
from ostiary.paths import ANYTHING
from ostiary.patterns import metered
from ostiary.policy import Policy, Rule, RulePlan, Unit
from ostiary.records import replace
from ostiary.tools import TOOLS, ToolTable

__all__ = ["HandlerRequest", "HandlerRequests", "Request", "evaluate", "judge_alone", "taken_apart"]


T = TypeVar("T")


def evaluate(policy: Policy, event: Event, given: Given, explain: bool = False) -> Generator[Request, object, Outcome]:
    """The outcome of an event. With `explain` the trail lists every rule, also those that answer no and those behind
    the end of the walk; nothing else changes."""
    knowledge = Knowledge(given)
    scene = yield from _scene(policy, event, knowledge)
    rules = candidates(policy, scene, explain)
    remembered = ""
    if _remembers(rules, event):
        remembered = sha256(f"{event.digest}{_digest(scene.call.read)}".encode()).hexdigest()
        permitted = yield FactRequest("permitted", remembered)
        scene = replace(scene, permitted=permitted is True)
    first = yield from judged(scene, rules, explain)
    outcome = fold(policy, first)
    scenes = [(scene, rules)]
    reported = scene
    if outcome.updated_input is not None:
        scene = yield from _scene(policy, replace(event, input=outcome.updated_input), knowledge)
        rules = candidates(policy, scene, explain)
        second = yield from judged(scene, rules, explain, again=True)
        outcome, again = _judged_again(outcome, fold(policy, second), first, second)
        reported = scene if outcome.parts is again.parts else reported
        scenes.append((scene, rules))
    for scene, rules in scenes:
        unreviewed = [rule for rule in rules if rule.only_stops]
        denied = outcome.verdict == Verdict.DENY and event.kind.stops
        if unreviewed and (explain or not denied):
            result = yield from walk(scene, unreviewed, explain, ended=denied, reviewed=False)
            yield from defaults(result, unreviewed)
            from ostiary.evaluate.tighten import tightened  # late: only where sources wait for review

            outcome = tightened(outcome, result, same_parts=scene is reported)
    problems = yield from audit(scenes[0][0], scenes[0][1], outcome)
    return replace(
        outcome,
        problems=(*outcome.problems, *problems),
        writes=_writes(scenes[-1][0], outcome),
        scripts=_digest(scenes[0][0].call.read),
        remember=remembered if outcome.verdict == Verdict.ASK else "",
    )


def _remembers(rules: list[Rule], event: Event) -> bool:
    """Whether some rule does not ask twice about the call."""
    return event.kind.before_tool and any(rule.plan.remember and rule.state == "active" for rule in rules)


def _digest(texts: tuple[str, ...]) -> str:
    """SHA-256 (hex) of texts, empty where there are none."""
    return sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest() if texts else ""


def _writes(scene: Scene, outcome: Outcome) -> tuple[tuple[str, bool], ...]:
    """What the call could write if it runs as it was judged last; nothing where it does not run."""
    kind = scene.event.kind
    if not kind.tool or kind.undone or (outcome.verdict == Verdict.DENY and kind.stops):
        return ()
    found = (one for part in scene.call.parts for one in written(part, scene.knowledge))
    unread = scene.call.limit or any(part.unparsed and not part.beside for part in scene.call.parts)
    everything = ((ANYTHING.text, False),) if unread else ()
    return tuple(dict.fromkeys((*everything, *((one.path.text, one.certain) for one in found))))


def _scene(policy: Policy, event: Event, knowledge: Knowledge) -> AskingFacts[Scene]:
    """What the rules see of an event. Scripts in files are asked for only where a rule could stop what runs there."""
    call = analyse(event, knowledge.given, policy.tools, levels=policy.levels)
    if policy.stops_at(event.name):
        call = yield from _with_files(call, event, knowledge, policy.tools, policy.levels)
    return Scene(event, call, knowledge, policy.tools)


def _with_files(
    call: Call, event: Event, knowledge: Knowledge, tools: ToolTable, levels: tuple[Definitions, ...] = (NOTHING,)
) -> AskingFacts[Call]:
    """The call with what runs in files. A script may run further ones, so it may take several rounds."""
    texts: dict[str, str | None] = {}
    while call.unread:
        for path in call.unread:
            request = FactRequest("script", path)
            if request not in knowledge.answers:
                knowledge.answers[request] = yield request
            text = knowledge.answers[request]
            texts[path] = text if isinstance(text, str) else None
        call = analyse(event, knowledge.given, tools, texts, levels)
    return call


def taken_apart(event: Event, facts: Facts, tools: ToolTable, levels: tuple[Definitions, ...] = (NOTHING,)) -> Call:
    """The call of an event with everything that runs in files, as rules that stop see it."""
    given = facts.given(event.cwd)
    call = analyse(event, given, tools, levels=levels)
    return answered(_with_files(call, event, Knowledge(given), tools, levels), facts)


def _judged_again(outcome: Outcome, again: Outcome, first: Walk, second: Walk) -> tuple[Outcome, Outcome]:
    """The stricter of the call as it came and as it was rewritten, and the latter. Of two that are as strict, that of
    the higher tier speaks. A second, different rewrite by the same or a higher tier would not end: it is a deny."""
    once, twice = rewriter(first.writers), rewriter(second.writers)
    assert once
    again, speaker = _unheard(again, once.rule, second)
    higher = tells(second) < tells(first)
    outcome = replace(
        outcome,
        halt=outcome.halt or again.halt,
        message=again.message if higher else outcome.message,
        problems=tuple(dict.fromkeys((*outcome.problems, *again.problems))),
    )
    endless = twice and twice.rule.unit.rank <= once.rule.unit.rank
    if twice and endless and _differs(again.updated_input, outcome.updated_input):
        reason = f"rule `{twice.rule.identity}` rewrites what rule `{once.rule.identity}` wrote"
        return _denied(outcome, reason), again
    looser = again.verdict.over_parts < outcome.verdict.over_parts
    if looser or (again.verdict == outcome.verdict and speaker >= speaks(first, outcome.verdict)):
        return outcome, again
    stopped = again.verdict == Verdict.DENY
    joined = replace(
        outcome,
        verdict=again.verdict,
        reason=again.reason,
        model_reason=again.model_reason,
        help=again.help,
        parts=again.parts,
        trail=outcome.trail + again.trail,
        updated_input=None if stopped else outcome.updated_input,
        context=again.context if stopped else outcome.context,
    )
    return joined, again


def _denied(outcome: Outcome, reason: str) -> Outcome:
    return replace(outcome, verdict=Verdict.DENY, updated_input=None, reason=reason, model_reason=None, help=None)


def _unheard(again: Outcome, writer: Rule, second: Walk) -> tuple[Outcome, float]:
    """The outcome for a rewritten call, and the rank of who speaks in it. A person has to confirm it where a handler of
    a higher tier than who wrote it would have had a say, and runs only once: a lower tier must not write what a higher
    one would have denied."""
    above = (findings[0].rule for findings in second.pending if findings[0].rule.unit.rank < writer.unit.rank)
    unheard = next((rule for rule in above if rule.plan.handler and rule.plan.handler.once), None)
    if unheard is None or again.verdict >= Verdict.ASK:
        return again, speaks(second, again.verdict)
    reason = f"rule `{writer.identity}` rewrote this call, and the handler of `{unheard.identity}` has not judged it"
    help = "a handler that says `pure: true` judges rewritten calls, too"
    return replace(again, verdict=Verdict.ASK, reason=reason, model_reason=None, help=help), unheard.unit.rank


def _differs(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> bool:
    return one is not None and one != other


def judge_alone(plan: RulePlan, event: Event, facts: Facts, tools: ToolTable = TOOLS) -> Answer:
    """What one rule says about an event if there were no other: its best answer over the parts; for an allow whether it
    allows the whole call by itself. This is what `examples` are checked against."""
    rule = Rule(plan, Unit(0, "user", "user:example", "", "strictest"), 0)
    given = facts.given(event.cwd)
    knowledge = Knowledge(given)
    call = analyse(event, given, tools)
    if rule.judges:
        call = answered(_with_files(call, event, knowledge, tools), facts)
    scene = Scene(event, call, knowledge, tools)
    left = allowance(reviewed=True)
    while True:
        try:
            with metered(left):
                findings = [judge(rule, scene, part, left) for part in range(len(scene.call.parts))]
            break
        except FactNeeded as needed:
            for request in needed.requests:
                scene.knowledge.answers[request] = facts.answer(request)
    if event.name not in plan.on:
        return NO
    if plan.decision != "allow":
        return max(finding.answer for finding in findings)
    if all(finding.covered >= debts(scene.call.parts[finding.part]) for finding in findings):
        return YES
    certain = [finding for finding in findings if not scene.call.parts[finding.part].beside]
    return MAYBE if all(finding.answer != NO for finding in certain) and _doubtful(certain) else NO


def answered(asking: AskingFacts[T], facts: Facts) -> T:
    """What comes of a generator that asks for facts, answered one by one."""
    try:
        request = next(asking)
        while True:
            request = asking.send(facts.answer(request))
    except StopIteration as end:
        found: T = end.value
        return found


def _doubtful(findings: list[Any]) -> bool:
    return any(finding.answer == MAYBE for finding in findings)
