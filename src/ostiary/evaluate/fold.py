"""From what was said to the outcome: verdicts per part, then each field by its own law (laws L4 and L6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import Any

from ostiary.decision import AccessReport, Outcome, PartReport, Verdict, strictest
from ostiary.evaluate.walk import Stop, Walk, Writer
from ostiary.policy import Policy, Rule
from ostiary.records import replace

DOUBT = "the text does not tell whether this applies"
IN_FILE = "in a file that the call runs"


def fold(policy: Policy, result: Walk) -> Outcome:
    """The outcome of one walk."""
    stopped = _stopped(result)
    verdicts = tuple(stopped.get(part) or _unstopped(result, part) for part in result.parts)
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
        halt=any(writer.halt for writer in writers),
        message=_highest(writers, lambda writer: writer.message),
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
    """What went wrong, for the outcome's problems: the bounds that were hit (where one was, another machine may answer
    otherwise), and failures of handlers."""
    if result.scene.call.limit:
        yield f"limit: {result.scene.call.limit}"
    if result.budget.cut:
        yield "limit: the rules take too much work for this call"
    yield from result.problems


def _stopped(result: Walk) -> dict[int, Verdict]:
    """The strictest stop of each part that has one."""
    found: dict[int, Verdict] = {}
    for stop in result.stops:
        found[stop.part] = max(found.get(stop.part, Verdict.NONE), stop.verdict)
    return found


def _unstopped(result: Walk, part: int) -> Verdict:
    return Verdict.NONE if result.unpaid(part) or result.scene.call.parts[part].beside else Verdict.ALLOW


def _report(result: Walk, index: int, verdict: Verdict) -> PartReport:
    part = result.scene.call.parts[index]
    return PartReport(
        text=part.text,
        program=part.program,
        source=part.source.label if part.source else None,
        shape=part.shape,
        cwd=part.cwd,
        verdict=verdict,
        accesses=tuple(
            AccessReport(kind=access.kind, target=str(access.target), certain=access.certain)
            for access in part.accesses
        ),
    )


def _in_force(result: Walk, verdict: Verdict) -> list[Writer]:
    """The rules whose fields count. A deny of something that has not happened drops what others wrote for it; people's
    messages and a halt stay."""
    if verdict != Verdict.DENY or not result.scene.event.kind.stops:
        return result.writers
    denying = {stop.rule for stop in result.stops if stop.verdict == Verdict.DENY}
    return [writer if writer.rule in denying else _muted(writer) for writer in result.writers]


def _muted(writer: Writer) -> Writer:
    """The same without context for the model."""
    if writer.said:
        return writer._replace(said=replace(writer.said, context=None))
    rule = writer.rule
    return writer._replace(rule=Rule(rule.plan._replace(context=""), rule.unit, rule.order))


def _context(writers: list[Writer]) -> str | None:
    return "\n".join(writer.context for writer in writers if writer.context) or None


def _highest(writers: Iterable[Writer], value: Callable[[Writer], Any]) -> Any:
    """The value that the highest tier wrote, the last writer's inside it; None if nobody wrote."""
    written = [(writer.rule, found) for writer in writers if (found := value(writer)) is not None]
    return min(written, key=lambda item: (item[0].unit.rank, -item[0].order))[1] if written else None


def _output(result: Walk, writers: list[Writer]) -> Any:
    """The new output: the highest tier's replacement, then every redaction. Redactions add up, so that no rule can take
    back what another one hides."""
    plans = [plan for writer in writers if (plan := writer.output)]
    if not plans:
        return None
    replaced = _highest(writers, lambda writer: writer.output if writer.output and writer.output[0] == "set" else None)
    value = replaced[1] if replaced else result.scene.event.output
    from ostiary.evaluate.rewrite import redacted  # late: few rules write outputs

    for plan in plans:
        if plan[0] == "redact":
            value = redacted(value, plan)
    return value


def _rewritten(outcome: Outcome, result: Walk, writers: list[Writer]) -> Outcome:
    """The outcome with new arguments, if a rule that is sure wrote some and nothing denies the call."""
    winner = rewriter(writers)
    if winner is None or outcome.verdict == Verdict.DENY:
        return outcome
    if winner.said:
        return replace(outcome, updated_input=winner.said.update_input)
    from ostiary.evaluate.rewrite import TemplateError, new_input  # late: few rules rewrite calls

    rule = winner.rule
    try:
        changed = new_input(result.scene.event, result.scene.tools, rule.plan.update_input or ())
    except TemplateError as error:
        reason = f"rule `{rule.identity}` cannot rewrite this call: {error}"
        return replace(outcome, verdict=Verdict.DENY, reason=reason, help=None, context=None)
    return replace(outcome, updated_input=changed)


def rewriter(writers: list[Writer]) -> Writer | None:
    """Whose rewrite counts: of the highest tier, the last one inside it."""
    found: Writer | None = _highest(writers, lambda writer: writer if writer.rewrites else None)
    return found


def speaks(result: Walk, verdict: Verdict) -> float:
    """The rank of the tier whose reason stands first for a verdict, infinite where nobody gave it."""
    return min((stop.rule.unit.rank for stop in _speakers(result, verdict)), default=inf)


def tells(result: Walk) -> float:
    """The rank of the tier whose message counts, infinite if there is none."""
    return min((writer.rule.unit.rank for writer in result.writers if writer.message is not None), default=inf)


def _reason(result: Walk, verdict: Verdict) -> tuple[str | None, str | None]:
    """Reason and help of the winning verdict: the highest tier's first, its last writer; lower tiers' reasons follow,
    labelled."""
    by_rank = {stop.rule.unit.rank: stop for stop in _speakers(result, verdict)}
    if not by_rank:
        return None, None
    first, *others = (by_rank[rank] for rank in sorted(by_rank))
    lines = [said(first, result)]
    lines += [f"{stop.rule.unit.tier} rule `{stop.rule.identity}`: {said(stop, result)}" for stop in others]
    return "\n".join(lines), first.help or first.rule.plan.help or None


def _speakers(result: Walk, verdict: Verdict) -> list[Stop]:
    if verdict == Verdict.ALLOW:
        return [
            Stop(verdict, cover.rule, cover.part, True, cover.reason)
            for cover in result.covers
            if cover.reason or cover.rule.plan.reason
        ]
    return [stop for stop in result.stops if stop.verdict == verdict]


def said(stop: Stop, result: Walk) -> str:
    """The rule's reason, or one made for it; a doubtful one says so, and one that is about files alone. Which file is
    not for the model: a repository chooses names."""
    text = stop.reason or stop.rule.plan.reason or f"rule `{stop.rule.identity}` says {stop.verdict}"
    text = text if stop.certain or stop.reason else f"{text} ({DOUBT})"
    alike = (one.part for one in result.stops if one.rule is stop.rule and one.verdict == stop.verdict)
    in_file = all(result.scene.call.parts[part].source for part in (stop.part, *alike))
    return f"{text} ({IN_FILE})" if in_file else text
