"""One policy means the same in every agent: twelve rules, twelve calls, all dialects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from matrix import CALLS, TABLE, judged, policy, sent
from ostiary.cold import HookCall, decide
from ostiary.decision import Outcome, Verdict
from ostiary.dialects import DIALECTS, Answer, Dialect, Unreadable, hosted, receive, write
from ostiary.dialects.base import EventSpec, Form, Slot, ToolSpec
from ostiary.dialects.calls import calls, gates
from ostiary.dialects.hearing import heard
from ostiary.dialects.kin import ForeignHooks
from ostiary.event import Event
from ostiary.sources.compiling import compile_source
from ostiary.tools import TOOLS

HERE = Path(__file__).parent

POLICY = policy(TABLE["policy"])
WITHOUT = {agent: set(notes) for agent, notes in TABLE["without"].items()}
ROWS = [
    pytest.param(agent, call, id=f"{agent}: {call['note']}")
    for agent in DIALECTS
    for call in CALLS
    if call["note"] not in WITHOUT.get(agent, ())
]
# What an agent may be told instead of a verdict (law L8): the same or something stricter.
INSTEAD: dict[str, set[str]] = {"allow": {"allow", "none"}, "ask": {"ask", "deny"}}


def test_the_table_is_what_it_says() -> None:
    assert TABLE["policy"].count("- id:") == len(CALLS) == 12
    assert {call["verdict"] for call in CALLS} == {"none", "allow", "ask", "deny"}


@pytest.mark.parametrize(("agent", "call"), ROWS)
def test_the_same_verdict_in_every_agent(agent: str, call: dict[str, Any]) -> None:
    dialect = DIALECTS[agent]
    ways = list(sent(dialect, call))
    assert ways, "no gate of this agent carries the call"
    for way in ways:
        event = receive(dialect, way.raw, way.native)
        assert not isinstance(event, Unreadable), (way, event)
        assert event.input_complete
        outcome = judged(POLICY, event)
        spoke = [step.rule for step in outcome.trail if step.decision == call["verdict"]]
        assert (str(outcome.verdict), way) == (call["verdict"], way)
        assert call.get("rule") is None or any(rule.endswith(f"/{call['rule']}") for rule in spoke)
        assert told(agent, way.native, event, outcome) in INSTEAD.get(call["verdict"], {call["verdict"]})


def told(agent: str, native: str, event: Event, outcome: Outcome) -> str:
    """The verdict that the answer says, which is the one that its degradations lead to."""
    answer = write(DIALECTS[agent], event, outcome)
    said = str(outcome.verdict)
    for step in answer.degraded:
        assert step.why, (native, step)
        said = step.said if step.wanted == said else said
    assert answer.said == said
    heard_there = heard(DIALECTS[agent], native, answer)
    same = write(DIALECTS[agent], event, Outcome(verdict=Verdict[said.upper()], reason=outcome.reason))
    assert heard_there == said or same[:3] == answer[:3], (native, answer)
    return said


@pytest.mark.parametrize("agent", DIALECTS)
def test_what_an_agent_does_not_send_is_said(agent: str) -> None:
    unsent = {call["note"] for call in CALLS if not list(sent(DIALECTS[agent], call))}
    assert unsent == WITHOUT.get(agent, set())


SAMPLES = {
    agent: [json.loads(path.read_text("utf-8")) for path in sorted((HERE / "dialects" / agent).glob("*.json"))]
    for agent in DIALECTS
}


@pytest.mark.parametrize("agent", DIALECTS)
def test_calls_that_are_declared_as_another_agents_are_never_misread(agent: str) -> None:
    for payload in SAMPLES[agent]:
        raw = json.dumps(payload).encode()
        for native in gates(DIALECTS[agent]):
            own = receive(DIALECTS[agent], raw, native)
            if not isinstance(own, Unreadable):
                for declared in DIALECTS.keys() - {agent}:
                    assert_not_misread(own, declared, raw)


def assert_not_misread(own: Event, declared: str, raw: bytes) -> None:
    """What another agent's hook makes of a call: nothing, a tool that it does not know, or the same call as far as it
    knows the arguments."""
    for native in (*gates(DIALECTS[declared]), None):
        found = receive(DIALECTS[declared], raw, native)
        if isinstance(found, Unreadable):
            continue
        assert found.kind.before_tool
        if found.tool == own.tool:
            known = TOOLS.tools[found.tool].roles if found.tool in TOOLS.tools else {}
            both = {name for name in known if name in found.input and name in own.input}
            assert {name: found.input[name] for name in both} == {name: own.input[name] for name in both}
        else:
            assert found.tool not in TOOLS.tools


# What answers say, and calls that lie elsewhere

GATE = EventSpec(
    canonical="PreToolUse",
    gate=True,
    tool="run",
    fields={"input": ((),), "cwd": (("info", "cwd"),)},
    answers={"deny": Form(body={"no": [Slot.REASON]}, status=2, stderr=Slot.REASON), "ask": Form(body={"ask": True})},
    unread=Form(body={"closed": True}),
)
TINY = DIALECTS["claude-code"]._replace(
    name="tiny", events={"shell": GATE}, tools={"run": ToolSpec("bash", {"line": "command"})}, always=("info", "kind")
)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer('{"no": ["why"], "more": 1}', "why", 2), "deny"),
        (Answer('{"no": ["why"]}', "", 2), None),
        (Answer('{"no": []}', "why", 2), None),
        (Answer('{"no": "why"}', "why", 2), None),
        (Answer('{"no": [null]}', "why", 2), None),
        (Answer("no", "why", 2), None),
        (Answer('{"closed": true}'), "deny"),
        (Answer('{"ask": true}'), "ask"),
        (Answer('{"ask": false}'), "none"),
        (Answer("[1]"), "none"),
        (Answer(" "), "none"),
        (Answer("[" * 100_000), None),
        (Answer("", "", 1), None),
    ],
)
def test_what_an_answer_says(answer: Answer, said: str | None) -> None:
    assert heard(TINY, "shell", answer) == said


def test_arguments_may_lie_between_the_other_keys() -> None:
    ((name, payload),) = calls(TINY, "shell", "bash", {"command": "make"}, "/work")
    assert name == "run"
    assert payload == {
        "hook_event_name": "shell",
        "session_id": "probe",
        "info": {"cwd": "/work"},
        "line": "make",
        "kind": "probe",
    }
    assert list(calls(TINY, "shell", "read_file", {}, "/work")) == []
    assert list(calls(TINY, "shell", "mcp__a__b", {}, "/work")) == []


def test_a_call_that_looks_like_another_agents_is_not_sent() -> None:
    strange = TINY._replace(fields={**TINY.fields, "session": (("cursor_version",),)})
    assert list(calls(strange, "shell", "bash", {}, "/work")) == []


# Hooks that another agent runs

CLAUDE_CODE = DIALECTS["claude-code"]
HOSTS = [
    (host, hooks)
    for host in DIALECTS.values()
    for hooks in host.runs_hooks_of
    if hooks.agent in DIALECTS and hooks.same_answers
]


@pytest.mark.parametrize(("host", "hooks"), HOSTS, ids=[f"{host.name} for {hooks.agent}" for host, hooks in HOSTS])
def test_payloads_of_a_host_are_its_own(host: Dialect, hooks: ForeignHooks) -> None:
    for foreign, native in hooks.events.items():
        if native in gates(host):
            for way in sent(host, CALLS[0]):
                found = hosted(DIALECTS, DIALECTS[hooks.agent], way.raw, foreign)
                assert found == (host, native)
                assert not isinstance(receive(host, way.raw, native), Unreadable)


def test_payloads_of_others_are_refused() -> None:
    own = json.dumps(SAMPLES["claude-code"][0]).encode()
    strange = json.dumps({**SAMPLES["claude-code"][0], "cursor_version": "3"}).encode()
    for raw in (own, strange, b"{"):
        assert hosted(DIALECTS, CLAUDE_CODE, raw, "PreToolUse") is None
    assert hosted({}, CLAUDE_CODE, strange, None) is None


def test_a_hook_answers_the_agent_that_runs_it(tmp_path: Path) -> None:
    config = tmp_path.resolve() / "config"
    config.mkdir()
    (config / "policy.yaml").write_text(TABLE["policy"])
    for host, hooks in HOSTS:
        asked = [pair for pair in hooks.events.items() if host.events[pair[1]].canonical == "PreToolUse"]
        assert asked, host.name
        for foreign, native in asked:
            payload = next(calls(host, native, CALLS[0]["tool"], CALLS[0]["input"], "/"))[1]
            call = HookCall(json.dumps(payload).encode(), hooks.agent, foreign, str(config), "/")
            answer = decide(call, compile_source)
            assert heard(host, native, answer) == "deny"
            assert "history stays" in answer.stdout
