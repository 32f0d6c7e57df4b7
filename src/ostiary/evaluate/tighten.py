"""What sources that nobody reviewed add: they may ask or deny, and nothing else (law L6).

They are judged after everything else, and what they say is joined to a finished outcome, so that they cannot change it
in any other way. Their texts go to people, quoted; the model gets a fixed sentence.
"""

from __future__ import annotations

from ostiary.decision import Outcome, PartReport, Verdict
from ostiary.evaluate.fold import limits, said
from ostiary.evaluate.walk import Stop, Walk
from ostiary.policy import Rule
from ostiary.records import replace
from ostiary.visible import visible


def tightened(outcome: Outcome, result: Walk, same_parts: bool) -> Outcome:
    """The outcome with what unreviewed rules said in `result`. `same_parts` is False where the parts they
    judged are not those that the outcome reports: of the call as it came, and as it was rewritten, it reports one."""
    problems = dict.fromkeys((*outcome.problems, *limits(result)))
    outcome = replace(outcome, trail=outcome.trail + result.trail, problems=tuple(problems))
    verdict = max((stop.verdict for stop in result.stops), default=Verdict.NONE)
    if verdict < Verdict.ASK or verdict < outcome.verdict:
        return outcome
    by_rank = {stop.rule.unit.rank: stop for stop in result.stops if stop.verdict == verdict}
    speakers = [by_rank[rank] for rank in sorted(by_rank)]
    if same_parts:
        outcome = replace(outcome, parts=tuple(_part(outcome, result, part) for part in result.parts))
    if verdict == outcome.verdict:
        lines = [outcome.reason or "", *(f"{_label(stop.rule)}: {_quoted(stop, result)}" for stop in speakers)]
        for_model = outcome.reason if outcome.model_reason is None else outcome.model_reason
        return replace(outcome, reason="\n".join(lines), model_reason=for_model)
    first, *others = speakers
    lines = [_quoted(first, result), *(f"{_label(stop.rule)}: {_quoted(stop, result)}" for stop in others)]
    denied = verdict == Verdict.DENY and result.scene.event.kind.stops
    return replace(
        outcome,
        verdict=verdict,
        reason="\n".join(lines),
        model_reason=_fixed(first),
        help=None,
        context=None if denied else outcome.context,
        updated_input=None if denied else outcome.updated_input,
    )


def _part(outcome: Outcome, result: Walk, part: int) -> PartReport:
    report = outcome.parts[part]
    stopped = max((stop.verdict for stop in result.stops if stop.part == part), default=Verdict.NONE)
    return replace(report, verdict=max(report.verdict, stopped)) if stopped else report


def _quoted(stop: Stop, result: Walk) -> str:
    return f"“{visible(said(stop, result))}” ({visible(f'{stop.rule.unit.label}:{stop.rule.plan.line}')})"


def _fixed(stop: Stop) -> str:
    """What the model is told. The file's name is not: a repository chooses it."""
    return f"{stop.verdict} by a rule of {_owner(stop.rule)} that nobody on this machine reviewed"


def _label(rule: Rule) -> str:
    return f"from {_owner(rule)} (unreviewed)"


def _owner(rule: Rule) -> str:
    return "this repository" if rule.unit.tier == "project" else "a plugin"
