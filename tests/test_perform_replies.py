"""What answers of handlers mean: `tests/cases/replies/*.yaml`, an answer a row.

A row has how a program ended (`status`, `stdout`, `stderr`, or `failure`) or what a server answered (`http`, `body`),
and in `want` every field of the decision that is not as in an empty one. `on` is the event, `PreToolUse` if absent.
"""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ostiary.decision import Decision, Verdict
from ostiary.perform import replies
from ostiary.perform.program import CAPTURED, Ended
from tables import read_table

CASES = Path(__file__).parent / "cases" / "replies"


def rows() -> list[Any]:
    found = []
    for path in sorted(CASES.glob("*.yaml")):
        table = read_table(path)
        found += [pytest.param(table["contract"], row, id=f"{path.stem}: {row['note']}") for row in table["cases"]]
    return found


def ended(row: dict[str, Any]) -> Ended:
    text = row.get("stdout", row["repeat"]["text"] * row["repeat"]["times"] if "repeat" in row else "")
    return Ended(row.get("status"), text.encode(), row.get("stderr", "").encode(), row.get("failure", ""))


def shown(decision: Decision) -> dict[str, Any]:
    """The fields that are not as in an empty decision."""
    empty = Decision()
    said = {field.name: getattr(decision, field.name) for field in fields(Decision)}  # type: ignore[arg-type]
    return {
        name: str(value) if name == "verdict" else value
        for name, value in said.items()
        if value != getattr(empty, name)
    }


@pytest.mark.parametrize(("contract", "row"), rows())
def test_answers(contract: str, row: dict[str, Any]) -> None:
    event = row.get("on", "PreToolUse")
    if "http" in row:
        decision = replies.of_response(row["http"], row["body"].encode(), contract)
    else:
        decision = replies.of_command(ended(row), contract, event)
    assert shown(decision) == row["want"]


def test_a_reason_has_at_most_500_characters() -> None:
    for contract in ("afk", "claude"):
        decision = replies.of_command(Ended(2, b"", b"x" * 600), contract, "PreToolUse")
        assert decision.reason == "x" * 500
    assert replies.of_command(Ended(2, b"y" * 600), "claude", "PreToolUse").reason == "y" * 500
    assert len(replies.of_command(Ended(1, b"", b"x" * 60_000), "afk", "PreToolUse").failure) < 600


def test_what_a_tool_of_another_kind_says_is_read_like_output() -> None:
    assert replies.of_text('{"decision":"ask"}', "claude", "PreToolUse") == Decision(verdict=Verdict.ASK)
    assert replies.of_text("plain", "claude", "SessionStart") == Decision(context="plain")


def test_an_answer_that_was_cut_asks() -> None:
    text = json.dumps({"decision": "approve", "padding": "x" * 80_000}).encode()[:CAPTURED]
    for contract in ("afk", "claude"):
        assert replies.of_command(Ended(0, text), contract, "PreToolUse") == replies.TOO_LONG
        assert replies.of_result("x" * (CAPTURED + 1), contract, "PreToolUse") == replies.TOO_LONG
    assert replies.of_command(Ended(0, b"x" * CAPTURED), "afk", "PreToolUse") == Decision()


def test_a_character_that_was_cut_leaves_nothing() -> None:
    assert replies.of_command(Ended(2, b"", "né".encode()[:-1]), "afk", "PreToolUse").reason == "n"
    assert replies.of_command(Ended(2, b"", b"n\xff"), "afk", "PreToolUse").reason == "n�"


def test_what_a_python_handler_returns() -> None:
    own = Decision(verdict=Verdict.ASK)
    assert replies.of_value(None, "afk") == Decision()
    assert replies.of_value(own, "afk") is own
    assert replies.of_value({"decision": "block", "reason": "r"}, "afk") == Decision(verdict=Verdict.DENY, reason="r")
    told = "it returned bool, which is neither a decision nor a mapping nor None"
    assert replies.of_value(True, "afk") == Decision(failure=told)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(("deny", "allow", "ask")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ("decision", "continue", "hookSpecificOutput", "permissionDecision", "updatedInput", "reason")
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def test_a_number_that_no_agent_can_be_told_is_no_answer() -> None:
    text = b'{"decision":"allow","hookSpecificOutput":{"updatedInput":{"timeout":1e999}}}'
    failure = "its answer begins like a JSON object and is none"
    assert replies.of_command(Ended(0, text), "claude", "PreToolUse") == Decision(failure=failure)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("verdict", "deny"),
        ("reason", 3),
        ("help", ["x"]),
        ("context", b"x"),
        ("message", False),
        ("halt", "yes"),
        ("failure", None),
        ("update_input", ["command"]),
        ("update_input", {"command": {1, 2}}),
        ("update_input", {"timeout": float("inf")}),
        ("update_output", object()),
    ],
)
def test_a_decision_that_cannot_be_used_blocks(field: str, value: Any) -> None:
    said = replies.of_value(Decision(**{field: value}), "afk")
    assert said == Decision(verdict=Verdict.DENY, failure=f"it returned a decision whose `{field}` cannot be used")


@given(JSON, st.binary(max_size=20), st.sampled_from((0, 1, 2, -9)), st.sampled_from(("afk", "claude")))
def test_every_answer_means_something(said: Any, errors: bytes, status: int, contract: str) -> None:
    """Exit code 2 always denies, a deny always has its reason, and a failure says nothing else."""
    decision = replies.of_command(Ended(status, json.dumps(said).encode(), errors), contract, "PreToolUse")
    if status == 2:
        assert decision.verdict == Verdict.DENY
        assert not decision.failure
    if decision.verdict == Verdict.DENY:
        assert decision.reason
    if decision.failure:
        assert decision == Decision(failure=decision.failure)


@given(st.binary(max_size=60), st.sampled_from((0, 1, 2)), st.sampled_from(("afk", "claude")))
def test_no_bytes_break_it(output: bytes, status: int, contract: str) -> None:
    replies.of_command(Ended(status, output, output), contract, "SessionStart")
    replies.of_response(200, output, contract)
