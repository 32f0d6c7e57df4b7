"""From what was said to the outcome: verdicts per part, then each field by its own law (laws L4 and L6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ostiary.decision import AccessReport, Outcome, PartReport, Verdict, strictest
from ostiary.evaluate.rewrite import TemplateError, new_input, redacted
from ostiary.evaluate.walk import Stop, Walk
from ostiary.policy import Policy, Rule
from ostiary.records import replace

DOUBT = "the text does not tell whether this applies"
IN_FILE = "in a file that the call runs"


def fold(policy: Policy, result: Walk) -> Outcome:
    """The outcome of one walk."""
    verdicts = tuple(_part_verdict(result, part) for part in result.parts)
    silent = [part.beside and not verdict for part, verdict in zip(result.scene.call.parts, verdicts, strict=True)]
    verdict = strictest(tuple(verdict for verdict, skipped in zip(verdicts, silent, strict=True) if not skipped))
    reason, help = _reason(result, verdict)
    writers = _in_force(result, verdict)
    event = result.scene.event
    outcome = Outcome(
        verdict=verdict,
        reason=reason,
        help=help,
        context=_context(writers),
        updated_output=_output(result, writers),
        halt=any(rule.plan.halt for rule, sure in writers if sure),
        message=_highest([rule for rule, _ in writers], lambda rule: rule.plan.message or None),
        generation=policy.generation,
        event={
            key: value
            for key, value in (
                ("agent", event.agent),
                ("name", event.name),
                ("tool", event.tool),
                ("session", event.session),
            )
            if value
        },
        parts=tuple(_report(result, part, verdicts[part]) for part in result.parts),
        trail=result.trail,
        problems=(*policy.notes, *limits(result)),
    )
    return _rewritten(outcome, result, writers)


def limits(result: Walk) -> Iterator[str]:
    """The bounds that were hit, for the outcome's problems: where one was, another machine may answer otherwise."""
    if result.scene.call.limit:
        yield f"limit: {result.scene.call.limit}"
    if result.budget.empty:
        yield "limit: the rules take too much work for this call"


def _part_verdict(result: Walk, part: int) -> Verdict:
    stopped = max((stop.verdict for stop in result.stops if stop.part == part), default=Verdict.NONE)
    if stopped:
        return stopped
    return Verdict.NONE if result.unpaid(part) or result.scene.call.parts[part].beside else Verdict.ALLOW


def _report(result: Walk, index: int, verdict: Verdict) -> PartReport:
    part = result.scene.call.parts[index]
    return PartReport(
        text=part.text,
        program=part.program,
        source=part.source.label if part.source else None,
        cwd=part.cwd,
        verdict=verdict,
        accesses=tuple(
            AccessReport(kind=access.kind, target=str(access.target), certain=access.certain)
            for access in part.accesses
        ),
    )


def _in_force(result: Walk, verdict: Verdict) -> list[tuple[Rule, bool]]:
    """The rules whose fields count. A deny of something that has not happened drops what others wrote for it; people's
    messages and a halt stay."""
    if verdict != Verdict.DENY or not result.scene.event.kind.stops:
        return result.writers
    denying = {stop.rule for stop in result.stops if stop.verdict == Verdict.DENY}
    return [(rule if rule in denying else _without_context(rule), sure) for rule, sure in result.writers]


def _without_context(rule: Rule) -> Rule:
    return Rule(rule.plan._replace(context=""), rule.unit, rule.order)


def _context(writers: list[tuple[Rule, bool]]) -> str | None:
    texts = [rule.plan.context for rule, _ in writers if rule.plan.context]
    return "\n".join(texts) or None


def _highest(rules: Iterable[Rule], value: Callable[[Rule], Any]) -> Any:
    """The value that the highest tier wrote, the last writer's inside it; None if nobody wrote."""
    written = [(rule.unit.rank, -rule.order, found) for rule in rules if (found := value(rule)) is not None]
    return min(written, key=lambda item: item[:2])[2] if written else None


def _output(result: Walk, writers: list[tuple[Rule, bool]]) -> Any:
    """The new output: the highest tier's replacement, then every redaction. Redactions add up, so that no rule can take
    back what another one hides."""
    plans = [(rule, rule.plan.update_output) for rule, sure in writers if sure and rule.plan.update_output]
    if not plans:
        return None
    replaced = _highest(
        (rule for rule, plan in plans if plan and plan[0] == "set"), lambda rule: rule.plan.update_output
    )
    value = replaced[1] if replaced else result.scene.event.output
    for _, plan in plans:
        if plan and plan[0] == "redact":
            value = redacted(value, plan)
    return value


def _rewritten(outcome: Outcome, result: Walk, writers: list[tuple[Rule, bool]]) -> Outcome:
    """The outcome with new arguments, if a rule that is sure wrote some and nothing denies the call."""
    winner = rewriter(writers)
    if winner is None or outcome.verdict == Verdict.DENY:
        return outcome
    try:
        changed = new_input(result.scene.event, result.scene.tools, winner.plan.update_input or ())
    except TemplateError as error:
        reason = f"rule `{winner.identity}` cannot rewrite this call: {error}"
        return replace(outcome, verdict=Verdict.DENY, reason=reason, help=None, context=None)
    return replace(outcome, updated_input=changed)


def rewriter(writers: list[tuple[Rule, bool]]) -> Rule | None:
    """The rule whose rewrite counts: of the highest tier, the last one inside it."""
    sure = (rule for rule, certain in writers if certain and rule.plan.update_input is not None)
    found: Rule | None = _highest(sure, lambda rule: rule)
    return found


def _reason(result: Walk, verdict: Verdict) -> tuple[str | None, str | None]:
    """Reason and help of the winning verdict: the highest tier's first, its last writer; lower tiers' reasons follow,
    labelled."""
    by_rank = {stop.rule.unit.rank: stop for stop in _speakers(result, verdict)}
    if not by_rank:
        return None, None
    first, *others = (by_rank[rank] for rank in sorted(by_rank))
    lines = [said(first, result)]
    lines += [f"{stop.rule.unit.tier} rule `{stop.rule.identity}`: {said(stop, result)}" for stop in others]
    return "\n".join(lines), first.rule.plan.help or None


def _speakers(result: Walk, verdict: Verdict) -> list[Stop]:
    if verdict == Verdict.ALLOW:
        return [Stop(verdict, cover.rule, cover.part, True) for cover in result.covers if cover.rule.plan.reason]
    return [stop for stop in result.stops if stop.verdict == verdict]


def said(stop: Stop, result: Walk) -> str:
    """The rule's reason, or one made for it; a doubtful one says so, and one that is about files alone. Which file is
    not for the model: a repository chooses names."""
    text = stop.rule.plan.reason or f"rule `{stop.rule.identity}` says {stop.verdict}"
    text = text if stop.certain else f"{text} ({DOUBT})"
    alike = (one.part for one in result.stops if one.rule is stop.rule and one.verdict == stop.verdict)
    in_file = all(result.scene.call.parts[part].source for part in (stop.part, *alike))
    return f"{text} ({IN_FILE})" if in_file else text
