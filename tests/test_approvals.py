"""Calls that a person has to confirm where the agent cannot ask: what is said, what waits, what an approval permits."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ostiary.cold import HookCall, decide
from ostiary.commands import main
from ostiary.decision import Outcome, Verdict
from ostiary.dialects import DIALECTS, Dialect, receive, write
from ostiary.dialects.calls import calls, gates
from ostiary.event import Event
from ostiary.sources import approvals
from ostiary.sources.approvals import LASTS, Waiting
from ostiary.sources.compiling import compile_source

if sys.platform == "win32":
    pytest.skip("paths of POSIX", allow_module_level=True)

POLICY = """\
version: 1
ask: ["Bash(make *)"]
deny: ["Bash(rm *)"]
rules:
  - {id: changed, when: {command: {program: touch}}, decision: ask, update_input: {command: touch y}}
  - {id: prompts, on: UserPromptSubmit, when: {prompt: "*x*"}, decision: ask}
"""
START = "/"
NOTE = "A person has to confirm this, and this agent cannot ask one here. Do not look for another way."
WAITS = Waiting("d" * 64, 1000.0, "codex", "shell", "command: make", "why")


class Desk:
    """A user's policy, hooks of an agent that cannot ask (Codex) and the command line."""

    def __init__(self, root: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.config, self.capture = root / "config", capture
        self.config.mkdir(mode=0o700)
        (self.config / "policy.yaml").write_text(POLICY)

    def answer(self, command: str, event: str = "PreToolUse", session: str = "s") -> Any:
        payload = {
            "session_id": session,
            "transcript_path": None,
            "turn_id": "t",
            "hook_event_name": event,
            "cwd": "/",
            "model": "m",
            "permission_mode": "default",
            "tool_name": "Bash",
            "tool_use_id": "u",
            "tool_input": {"command": command},
            "prompt": command,
        }
        call = HookCall(json.dumps(payload).encode(), "codex", event, str(self.config), START)
        answer = decide(call, compile_source)
        assert (answer.status, answer.stderr) == (0, "")
        return json.loads(answer.stdout or "{}")

    def reason(self, command: str, **more: str) -> str:
        """Why a call was denied, empty if it was not."""
        output = self.answer(command, **more).get("hookSpecificOutput", {})
        return str(output.get("permissionDecisionReason") or output.get("decision", {}).get("message", ""))

    def approve(self, *arguments: str) -> tuple[int, str, str]:
        status = main.run(["approve", "--config-dir", str(self.config), *arguments])
        out, err = self.capture.readouterr()
        return status, out, err

    def name(self, command: str) -> str:
        """The name under which a call that was denied waits."""
        reason = self.reason(command)
        assert NOTE in reason
        return reason.rpartition("(call ")[2].rstrip(")")


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path.resolve(), capsys)


def types(monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    """Puts somebody at the terminal who types a word."""
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: word)


def test_a_question_that_nobody_can_be_asked_names_the_call(desk: Desk) -> None:
    name = desk.name("make all")
    assert len(name) == 8
    status, out, err = desk.approve()
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        f"{name}  codex Bash",
        "  call    in /",
        "          command: make all",
        "  reason  rule `user:policy/ask:Bash(make *)` says ask",
    ]


def texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a document, with its key."""
    if isinstance(value, dict):
        for name, below in value.items():
            yield from texts(below, name)
    elif isinstance(value, str):
        yield key, value


ASKED = Outcome(verdict=Verdict.ASK, reason="sure?", help="look first")
GATES = [(dialect, native) for dialect in DIALECTS.values() for native in gates(dialect)]


@pytest.mark.parametrize(("dialect", "native"), GATES, ids=[f"{dialect.name}-{native}" for dialect, native in GATES])
def test_every_agent_names_the_call_and_the_model_never_hears_how_to_permit_it(dialect: Dialect, native: str) -> None:
    for _, payload in calls(dialect, native, "bash", {"command": "make"}, "/work"):
        event = receive(dialect, json.dumps(payload).encode(), native)
        assert isinstance(event, Event)
        answer = write(dialect, event, ASKED, "0a1b2c3d")
        document = json.loads(answer.stdout or "{}") if answer.stdout.startswith("{") else {"": answer.stdout}
        said = [*texts(document), ("", answer.stderr)]
        assert any("(call 0a1b2c3d)" in text for _, text in said) == answer.waits
        how = {key for key, text in said if "ostiary approve 0a1b2c3d" in text}
        assert how <= {"user_message", "systemMessage"}
        assert not how or answer.waits


def test_an_approval_permits_this_call_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    name = desk.name("make all")
    desk.name("make other")
    types(monkeypatch, "permit")
    status, out, err = desk.approve(name)
    assert (status, err) == (0, "")
    assert out.endswith("permitted once, for 10 minutes; tell the agent to try again\n")
    assert desk.reason("make all", session="another")
    assert desk.reason("make other")
    assert desk.answer("make all") == {}
    assert desk.reason("make all", event="PermissionRequest") == ""
    assert desk.name("make all") == name


def test_what_is_no_question_gets_no_name(desk: Desk) -> None:
    assert "(call" not in desk.reason("rm x")
    assert "(call" not in desk.reason("touch x")
    assert "(call" not in json.dumps(desk.answer("x", event="UserPromptSubmit"))
    assert desk.approve() == (0, "no call waits for a person\n", "")


def test_a_deny_beside_the_question_stays(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    name = desk.name("make all")
    types(monkeypatch, "permit")
    assert desk.approve(name)[0] == 0
    (desk.config / "policy.yaml").write_text('version: 1\ndeny: ["Bash(make *)"]\n')
    assert desk.reason("make all")


@pytest.mark.parametrize("word", ["yes", "", "PERMIT"])
def test_any_other_word_permits_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    name = desk.name("make all")
    types(monkeypatch, word)
    assert desk.approve(name)[::2] == (1, "ostiary: nothing was permitted\n")
    assert desk.name("make all") == name


def test_nobody_at_a_terminal_permits_nothing(desk: Desk) -> None:
    status, _, err = desk.approve(desk.name("make all"))
    assert (status, err) == (1, "ostiary: only a person at a terminal can permit this; nothing was permitted\n")


def test_a_call_that_does_not_wait(desk: Desk) -> None:
    assert desk.approve("0a1b2c3d") == (
        2,
        "",
        "ostiary: no call `0a1b2c3d` waits; `ostiary approve` shows those that do\n",
    )


def test_an_approval_that_cannot_be_recorded(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    name = desk.name("make all")
    types(monkeypatch, "permit")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(approvals, "approve", full)
    assert desk.approve(name)[::2] == (
        1,
        "ostiary: the approval cannot be recorded: [Errno 28] No space left on device\n",
    )


def test_what_cannot_be_noted_is_not_offered(desk: Desk) -> None:
    (desk.config / "state").mkdir(exist_ok=True)
    (desk.config / "state" / "approvals").write_text("in the way")
    assert desk.reason("make all").endswith(NOTE)


# the store


@pytest.fixture
def state(tmp_path: Path) -> str:
    return str(tmp_path.resolve())


@pytest.mark.parametrize(
    ("later", "permitted"), [(0, True), (-1, True), (LASTS, True), (LASTS + 1, False), (-2, False)]
)
def test_an_approval_ends(state: str, later: int, permitted: bool) -> None:
    approvals.approve(state, WAITS.digest, 1000.0)
    assert approvals.take(state, WAITS.digest, "PreToolUse", 1000.0 + later) is permitted


def test_each_gate_asks_once(state: str) -> None:
    approvals.approve(state, WAITS.digest, 0)
    gates = ("PreToolUse", "PermissionRequest", "PreToolUse", "PermissionRequest")
    assert [approvals.take(state, WAITS.digest, gate, 0) for gate in gates] == [True, True, False, False]
    assert not os.listdir(Path(state) / "approvals")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        "null",
        "[" * 10_000,
        '{"time": 0}',
        '{"time": "0", "used": []}',
        '{"time": 0, "used": 1}',
        '{"time": 0, "used": {}}',
    ],
)
def test_a_damaged_approval_permits_nothing(state: str, text: str) -> None:
    approvals.approve(state, WAITS.digest, 0)
    (Path(state) / "approvals" / f"{WAITS.digest}.approved").write_text(text)
    assert not approvals.take(state, WAITS.digest, "PreToolUse", 0)


def test_an_approval_that_others_can_write_permits_nothing(state: str) -> None:
    approvals.approve(state, WAITS.digest, 0)
    (Path(state) / "approvals" / f"{WAITS.digest}.approved").chmod(0o666)
    assert not approvals.take(state, WAITS.digest, "PreToolUse", 0)


def test_what_waits_is_listed_for_an_hour(state: str) -> None:
    second = replace_digest("e", time=1001.0)
    assert approvals.wait(state, WAITS)
    assert approvals.wait(state, second)
    assert approvals.waiting(state, 1002.0) == [second, WAITS]
    assert approvals.waiting(state, 4601.0) == [second]
    approvals.approve(state, second.digest, 1002.0)
    assert approvals.waiting(state, 1002.0) == [WAITS]


def replace_digest(sign: str, time: float) -> Waiting:
    return WAITS._replace(digest=sign * 64, time=time)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"digest": 1}', json.dumps({**WAITS._asdict(), "time": "x"})])
def test_a_damaged_note_is_passed_over(state: str, text: str) -> None:
    approvals.wait(state, WAITS)
    (Path(state) / "approvals" / f"{WAITS.digest}.waits").write_text(text)
    assert approvals.waiting(state, 1000.0) == []


def test_the_oldest_notes_go(state: str) -> None:
    for number in range(70):
        call = WAITS._replace(digest=f"{number:064}")
        approvals.wait(state, call)
        os.utime(Path(state) / "approvals" / f"{call.digest}.waits", (number, number))
    approvals.wait(state, WAITS)
    left = approvals.waiting(state, 1000.0)
    assert len(left) == 64
    assert WAITS in left
    assert f"{0:064}" not in {call.digest for call in left}


def test_calls_that_wait_take_no_approval_away(state: str) -> None:
    approvals.approve(state, WAITS.digest, 1000.0)
    os.utime(Path(state) / "approvals" / f"{WAITS.digest}.approved", (0, 0))
    for number in range(70):
        approvals.wait(state, WAITS._replace(digest=f"{number:064}"))
    assert approvals.take(state, WAITS.digest, "PreToolUse", 1000.0)


def test_old_files_go(state: str) -> None:
    approvals.wait(state, WAITS)
    os.utime(Path(state) / "approvals" / f"{WAITS.digest}.waits", (0, 0))
    approvals.wait(state, replace_digest("e", time=5000.0))
    assert [call.digest for call in approvals.waiting(state, 1000.0)] == []
    assert len(os.listdir(Path(state) / "approvals")) == 1


@pytest.mark.parametrize("field", ["text", "reason"])
def test_what_cannot_be_shown_whole_cannot_be_permitted(state: str, field: str) -> None:
    longest = WAITS._replace(**{field: "\U0001f600" * 64_000})
    assert approvals.wait(state, longest)
    assert approvals.waiting(state, 1000.0) == [longest]
    assert not approvals.wait(state, replace_digest("e", 1000.0)._replace(**{field: "x" * 64_001}))
    assert approvals.waiting(state, 1000.0) == [longest]


def test_an_approval_is_of_the_scripts_as_they_are(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    (desk.config / "policy.yaml").write_text('version: 1\nask: ["Bash(bash *)"]\n')
    monkeypatch.chdir(desk.config)
    (desk.config / "x.sh").write_text("ls\n")
    call = f"bash {desk.config}/x.sh"
    monkeypatch.setattr("test_approvals.START", str(desk.config))
    name = desk.name(call)
    types(monkeypatch, "permit")
    assert desk.approve(name)[0] == 0
    (desk.config / "x.sh").write_text("rm x\n")
    assert desk.name(call) != name
    (desk.config / "x.sh").write_text("ls\n")
    assert desk.answer(call) == {}


# the digest


def test_a_digest_is_of_everything_that_makes_the_call() -> None:
    call = Event.from_call("bash", {"command": "make"}, cwd="/a", session="s", agent="a")
    others = [
        replace(call, session="t"),
        replace(call, cwd="/b"),
        replace(call, agent="b"),
        replace(call, subagent="x"),
        replace(call, tool="cmd"),
        replace(call, mcp=("a", "b")),
        replace(call, input={"command": "make "}),
        replace(call, input={"command": ["make"]}),
    ]
    assert len({one.digest for one in (call, *others)}) == len(others) + 1
    assert replace(call, name="PermissionRequest").digest == call.digest
