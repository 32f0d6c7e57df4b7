"""What an outcome does on an event in a harness."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ostiary.decision import Outcome, Verdict
from ostiary.effects import EFFECTS, Contract, Delivery, Effective, effective
from ostiary.event import EVENTS
from tables import read_table

CASES = read_table(Path(__file__).parent / "cases" / "handlers" / "effects.yaml")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['contract']} {case['event']} {case['outcome']}")
def test_case(case: dict[str, Any]) -> None:
    given = case["outcome"]
    outcome = Outcome(**{**given, "verdict": Verdict[given.get("verdict", "none").upper()]})
    found = effective(outcome, case["event"], case["contract"], case.get("may_continue", True))
    deliveries = tuple(tuple(item) for item in case["want"].get("deliveries", ()))
    assert found == Effective(**{**case["want"], "deliveries": deliveries})


@pytest.mark.parametrize("contract", ["afk", "claude"])
@pytest.mark.parametrize(("length", "told"), [(4000, "x" * 4000), (5000, "x" * 4000 + " [cut]")])
def test_a_reason_that_makes_an_agent_go_on_is_cut(contract: Contract, length: int, told: str) -> None:
    outcome = Outcome(verdict=Verdict.DENY, reason="x" * length)
    assert effective(outcome, "Stop", contract).deliveries == (Delivery("next turn", told),)
    assert effective(outcome, "PreToolUse", contract).deliveries == (Delivery("result", "x" * length),)


def test_the_table_knows_no_other_events() -> None:
    assert {event for table in EFFECTS.values() for event in table} <= set(EVENTS)
