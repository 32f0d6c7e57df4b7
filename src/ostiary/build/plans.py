"""Rules as specified to rules as plans."""

from __future__ import annotations

from typing import Any

from ostiary.event import GATES
from ostiary.matchers.base import Plan, both
from ostiary.matchers.compact import Decision, Entry
from ostiary.policy import ExceptionPlan, RulePlan
from ostiary.rules import Exemption, Redaction, Rule


def rule_plan(rule: Rule, line: int, folder: str) -> RulePlan:
    """The plan of a rule that starts in this line, of a file in this folder."""
    return RulePlan(
        id=rule.id,
        line=line,
        on=tuple(dict.fromkeys(rule.on)),
        when=_when(rule),
        unless=rule.unless.compile() if rule.unless else None,
        decision=rule.decision or "",
        reason=rule.reason or "",
        help=rule.help or "",
        context=rule.context or "",
        message=rule.message or "",
        update_input=_new_input(rule.update_input),
        update_output=_new_output(rule.update_output),
        halt=rule.halt,
        default=rule.default,
        yields=tuple(rule.yields or ()),
        uncertain=rule.uncertain or "",
        observe=rule.mode == "observe",
        expires=rule.expires or "",
        trailing=rule.trailing is not None,
        remember=rule.remember is not None,
        handler=rule.run.plan(folder) if rule.run else None,
        on_error=rule.on_error or "",
        audit=rule.audit or False,
        notes=tuple(_notes(rule)),
    )


def _when(rule: Rule) -> Plan:
    plans = [matcher.compile() for matcher in (rule.tool, rule.when) if matcher]
    return both(plans) if plans else ("always",)


def _new_input(changes: dict[str, Any] | None) -> tuple[tuple[str, Any], ...] | None:
    return None if changes is None else tuple((name, _frozen(value)) for name, value in changes.items())


def _frozen(value: Any) -> Any:
    """A value of a rule file as the plan keeps it."""
    if isinstance(value, list):
        return ("list", tuple(_frozen(item) for item in value))
    if isinstance(value, dict):
        return ("mapping", tuple((key, _frozen(item)) for key, item in value.items()))
    return value


def _new_output(change: Redaction | None) -> Plan | None:
    if change is None:
        return None
    return ("redact", change.redact, change.with_) if change.redact else ("set", change.set)


def _notes(rule: Rule) -> list[tuple[str, str]]:
    notes = {"description": rule.description, "tags": ", ".join(rule.tags or ()), "owner": rule.owner}
    return [(key, text) for key, text in {**notes, "severity": rule.severity}.items() if text]


def entry_plan(entry: Entry, decision: Decision, line: int) -> RulePlan:
    """The plan of an entry of a compact list. Its id is its text."""
    return RulePlan(id=f"{decision}:{entry.text}", line=line, on=GATES, when=entry.plan, decision=decision)


def default_plan(decision: str, line: int) -> RulePlan:
    """The plan of the file key `default`."""
    return RulePlan(id="default", line=line, on=GATES, when=("always",), decision=decision, default=True)


def exception_plan(exemption: Exemption, line: int) -> ExceptionPlan:
    """The plan of an entry under `exceptions`."""
    when = exemption.when.compile() if exemption.when else None
    return ExceptionPlan(exemption.rule, when, exemption.reason or "", exemption.expires or "", line)
