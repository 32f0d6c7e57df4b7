"""What handlers are told of an event."""

from __future__ import annotations

import json
import math
from types import MappingProxyType
from typing import Any

import pytest

from ostiary.decision import Outcome, Verdict
from ostiary.dialects import DIALECTS
from ostiary.dialects.reader import read
from ostiary.evaluate import HandlerRequest
from ostiary.event import EVENTS, Event
from ostiary.perform.payload import encoded, payload
from ostiary.policy import HandlerPlan


def told(event: Event, contract: str = "claude", outcome: Outcome | None = None) -> dict[str, Any]:
    request = HandlerRequest("user:policy/r", "user", HandlerPlan("command"), event, contract, outcome)
    found: dict[str, Any] = json.loads(encoded(payload(request)))
    return found


def claude(**fields: Any) -> Event:
    return read(DIALECTS["claude-code"], {"session_id": "s", "transcript_path": "/t", "cwd": "/w", **fields})


BASH = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1"}


def test_an_agent_that_speaks_the_format_is_passed_on_with_all_it_said() -> None:
    event = claude(hook_event_name="PreToolUse", permission_mode="plan", effort={"level": "high"}, **BASH)
    assert told(event) == {
        "session_id": "s",
        "transcript_path": "/t",
        "cwd": "/w",
        "hook_event_name": "PreToolUse",
        "permission_mode": "plan",
        "effort": {"level": "high"},
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "tool_use_id": "toolu_1",
        "agent": "claude-code",
    }


def test_the_name_of_the_tool_is_the_contracts() -> None:
    event = claude(hook_event_name="PreToolUse", tool_name="MultiEdit", tool_input={"file_path": "/a"})
    assert told(event)["tool_name"] == "MultiEdit"
    assert told(event, "afk")["tool_name"] == "edit_file"
    assert told(Event.from_call("bash", {"command": "ls"}))["tool_name"] == "Bash"
    assert told(Event.from_call("delete_file", {}))["tool_name"] == "delete_file"
    assert told(Event.from_call("mcp__a__b", {}))["tool_name"] == "mcp__a__b"
    gemini = read(DIALECTS["gemini-cli"], {"hook_event_name": "BeforeTool", "tool_name": "run_shell_command"})
    assert (told(gemini)["tool_name"], told(gemini)["hook_event_name"]) == ("Bash", "PreToolUse")


def test_what_nobody_knows_is_empty_or_absent_as_the_contract_says() -> None:
    event = Event.from_call("bash", {"command": "ls"})
    common = {"hook_event_name": "PreToolUse", "cwd": "", "permission_mode": "default", "agent": ""}
    call = {"tool_input": {"command": "ls"}}
    assert told(event) == {**common, **call, "session_id": "", "transcript_path": "", "tool_name": "Bash"}
    assert told(event, "afk") == {**common, **call, "transcript_path": None, "tool_name": "bash"}


def test_what_an_embedder_adds_stands_under_data() -> None:
    data = MappingProxyType({"run_id": "r", "turn": 3, "color": "red", "tool_name": "no"})
    found = told(Event.from_call("bash", {}, data=data))
    assert (found["run_id"], found["turn"], found["tool_name"]) == ("r", 3, "Bash")
    assert found["data"] == dict(data)
    assert "color" not in found


@pytest.mark.parametrize(
    ("name", "sent", "want"),
    [
        ("UserPromptSubmit", {"prompt": "hi"}, {"prompt": "hi"}),
        ("SessionStart", {"source": "resume"}, {"source": "resume"}),
        ("SessionStart", {"source": 1}, {"source": "startup"}),
        ("SessionEnd", {}, {"reason": "other"}),
        ("PreCompact", {"trigger": "auto"}, {"trigger": "auto", "custom_instructions": None}),
        ("PreCompact", {}, {"trigger": None, "custom_instructions": None}),
        ("PostCompact", {"compact_summary": "c"}, {"trigger": None, "compact_summary": "c"}),
        ("Notification", {"message": "m"}, {"message": "m", "title": "", "notification_type": ""}),
        ("Stop", {}, {"stop_hook_active": False, "continuation": 0, "last_assistant_message": ""}),
        ("Stop", {"stop_hook_active": True, "continuation": 2}, {"stop_hook_active": True, "continuation": 2}),
        ("SubagentStart", {"agent_id": "a", "agent_type": "Explore"}, {"agent_id": "a", "agent_type": "Explore"}),
        (
            "SubagentStop",
            {"agent_id": "a", "agent_type": "Explore"},
            {"stop_hook_active": False, "agent_id": "a", "agent_type": "Explore", "agent_transcript_path": ""},
        ),
    ],
)
def test_keys_of_one_event(name: str, sent: dict[str, Any], want: dict[str, Any]) -> None:
    for event in (claude(hook_event_name=name, **sent), Event(name=name, prompt=sent.get("prompt"), data=sent)):
        found = told(event)
        assert {key: found[key] for key in want} == want


def test_after_a_tool() -> None:
    native = claude(hook_event_name="PostToolUse", tool_response={"stdout": "o"}, **BASH)
    assert told(native)["tool_response"] == {"stdout": "o"}
    own = Event(name="PostToolUse", tool="bash", output={"lines": ["é"]})
    text = '{"lines": ["é"]}'
    assert told(own)["tool_response"] == {"content": text, "is_error": False}
    assert told(own, "afk")["tool_output"] == text
    assert told(Event(name="PostToolUse", tool="bash", output="o"), "afk")["tool_output"] == "o"
    assert "tool_output" not in told(Event(name="PostToolUse", tool="bash"), "afk")
    failed = told(Event(name="PostToolUseFailure", tool="bash", output="broken"))
    assert (failed["error"], failed["is_interrupt"]) == ("broken", False)


def test_arguments_that_were_cut_are_said_to_be() -> None:
    assert told(Event(tool="bash", input_complete=False))["tool_input_complete"] is False
    assert "tool_input_complete" not in told(Event(tool="bash"))


def test_who_watches_is_told_the_outcome() -> None:
    outcome = Outcome(verdict=Verdict.DENY, reason="r")
    assert told(Event(tool="bash"), outcome=outcome)["outcome"] == {"verdict": "deny", "reason": "r"}


def test_every_event_can_be_told() -> None:
    for name in EVENTS:
        for contract in ("afk", "claude"):
            assert told(Event(name=name), contract)["hook_event_name"] == name


def test_odd_values() -> None:
    assert told(Event.from_call("bash", {"command": "\ud800é"}))["tool_input"] == {"command": "\ud800é"}
    assert told(Event.from_call("bash", {"path": MappingProxyType({"a": {1}})}))["tool_input"] == {"path": {"a": "{1}"}}
    with pytest.raises(ValueError, match="Out of range float values are not JSON compliant"):
        told(Event.from_call("bash", {"number": math.inf}))
