"""A suite judged: what came out of each case, and where it is not what was expected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ostiary.decision import Outcome
from ostiary.evaluate import evaluate
from ostiary.perform import run as perform
from ostiary.policy import Policy
from ostiary.records import NamedTuple
from ostiary.suites.facts import facts_of
from ostiary.suites.moments import event_of
from ostiary.suites.spec import CaseSpec, ExpectSpec, FactsSpec, MomentSpec


class Difference(NamedTuple):
    """One key of `expect` that is not met: what was wanted and what came out, as JSON-able values."""

    key: str
    wanted: Any
    got: Any


class Result(NamedTuple):
    """One judged case. It holds if there are no differences; `line` is where it stands in `file`."""

    file: str
    line: int
    name: str
    differences: tuple[Difference, ...]
    outcome: Outcome

    @property
    def holds(self) -> bool:
        """Whether everything that was expected came out."""
        return not self.differences


def outcome_of(case: CaseSpec, shared: FactsSpec | None, policy: Policy) -> Outcome:
    """What the policy makes of a case."""
    call = case.call if case.call is not None else case.event
    assert call is not None  # the format has exactly one of them
    branch = call.branch if isinstance(call, MomentSpec) else None
    facts = facts_of(case.facts, shared, branch=branch)
    event = event_of(call, facts.known.start, policy.tools)
    return perform(evaluate(policy, event, facts.given(event.cwd)), facts)


def differences(expect: ExpectSpec | None, outcome: Outcome) -> tuple[Difference, ...]:
    """Where an outcome is not what was expected. A case that expects nothing shows nothing, so it fails."""
    if expect is None or not expect.model_fields_set:
        return (Difference("expect", "at least one key", None),)
    return tuple(_different(expect, outcome))


def _different(expect: ExpectSpec, outcome: Outcome) -> Iterator[Difference]:
    for key in ("verdict", "context", "message", "updated_input", "updated_output", "halt"):
        wanted, got = getattr(expect, key), _came(outcome, key)
        if key in expect.model_fields_set and (wanted or None) != (got or None):
            yield Difference(key, wanted, got)
    for key in ("reason", "help"):
        text, came = getattr(expect, key), getattr(outcome, key)
        if text is not None and text not in (came or ""):
            yield Difference(f"{key}~", text, came)
    if expect.rules is not None:
        spoke = spoken(outcome)
        if not _same_rules(expect.rules, spoke):
            yield Difference("rules", expect.rules, spoke)


def _came(outcome: Outcome, key: str) -> Any:
    value = getattr(outcome, key)
    return str(value) if key == "verdict" else value


def spoken(outcome: Outcome) -> list[str]:
    """The rules that said something in force, in the order of the walk, each once."""
    said = (step.rule for step in outcome.trail if step.answer != "no" and step.state == "active")
    return list(dict.fromkeys(said))


def _same_rules(wanted: list[str], spoke: list[str]) -> bool:
    unmet = [name for name in wanted if not any(_means(name, rule) for rule in spoke)]
    more = [rule for rule in spoke if not any(_means(name, rule) for name in wanted)]
    return not unmet and not more


def _means(name: str, rule: str) -> bool:
    return rule == name or rule.endswith((f"/{name}", f":{name}"))
