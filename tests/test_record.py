"""The record of events: what stays of a call and what never does, and what becomes of one that cannot be recorded
(law L11)."""

from __future__ import annotations

import json
import os
import string
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from matrix import CALLS, TABLE, sent
from ostiary import __version__, cold, redaction
from ostiary.commands import hook as verb
from ostiary.commands.shared.keeper import Told
from ostiary.dialects import DIALECTS, Answer
from ostiary.engine import Engine
from ostiary.event import Event
from ostiary.perform import repeats
from ostiary.sources import approvals, chain, failing, record
from ostiary.sources.account import account
from ostiary.sources.compiling import compile_source
from ostiary.sources.places import Managed, find_places
from payloads import AGENT, bash, raw, stop, tool
from tables import read_table
from trees import plant

if sys.platform == "win32":
    pytest.skip("paths of POSIX", allow_module_level=True)

HERE = Path(__file__).parent
LINES = read_table(HERE / "cases/record/lines.yaml")
SCHEMA = Draft7Validator(json.loads((HERE.parent / "schemas/record.schema.json").read_text("utf-8")))


class Machine:
    """A user's policy folder and hooks that run there."""

    def __init__(self, base: Path) -> None:
        self.base = base
        plant(base, {"project/.git": None, "config": None})

    @property
    def state(self) -> str:
        return str(self.base / "config/state")

    def plant(self, tree: Mapping[str, Any]) -> None:
        plant(self.base, tree)

    def hook(self, payload: Any, event: str | None = None, agent: str = AGENT) -> Answer:
        data = payload if isinstance(payload, bytes) else raw(payload)
        call = cold.HookCall(data, agent, event, str(self.base / "config"), str(self.base / "project"))
        listener = cold.Listener(failing.on_error)
        return cold.decide(call, compile_source, listener)

    def lines(self, *names: str) -> list[dict[str, Any]]:
        found = [dict(said.line) for said in record.lines(self.state, names or record.NAMES)]
        assert record.flaws(self.state) == ()
        for line in found:
            assert [error.message for error in SCHEMA.iter_errors(line)] == []
        return found

    def last(self) -> dict[str, Any]:
        """The only line that there is since the last time."""
        (line,) = self.lines()
        for path in (self.base / "config/state/record").iterdir():
            path.unlink()
        return line


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    base = tmp_path.resolve()
    managed = Managed(str(base / "managed"), frozenset({os.geteuid()}), top=str(base))
    monkeypatch.setattr(cold, "find_places", lambda config: find_places(config, managed))
    return Machine(base)


def home() -> str:
    user = account()
    assert user
    return user.home


def told(value: Any) -> Any:
    """A row's value, with the home in it."""
    return json.loads(json.dumps(value).replace("HOME", home()))


def shown(part: Mapping[str, Any]) -> str:
    accesses = " ".join(part.get("accesses", ()))
    return f"{part.get('runs', '')}: {accesses}" if accesses else part.get("runs", "")


@pytest.mark.parametrize("row", LINES["cases"], ids=lambda row: row.get("note") or str(row["call"])[:40])
def test_what_stays_of_a_call(row: dict[str, Any], machine: Machine) -> None:
    files = {"managed/settings.yaml": row.get("managed"), "config/settings.yaml": row.get("settings")}
    machine.plant({"config/policy.yaml": LINES["policy"], **{name: text for name, text in files.items() if text}})
    call = told(row["call"])
    machine.hook(bash(call) if isinstance(call, str) else {**bash(""), **call})
    line = machine.last()
    if "parts" in row:
        assert [shown(part) for part in line["parts"]] == row["parts"]
    if "rules" in row:
        keys = ("rule", "answer", "decision", "state")
        assert [" ".join(rule[key] for key in keys if key in rule) for rule in line["rules"]] == row["rules"]
    assert {key: line.get(key) for key in row.get("want", {})} == row.get("want", {})
    text = json.dumps({key: value for key, value in line.items() if key != "rules"})
    assert [word for word in told(row.get("never", [])) if word in text] == []


def test_what_every_line_has(machine: Machine) -> None:
    machine.plant({"config/policy.yaml": LINES["policy"]})
    machine.hook(bash("git push", permission_mode="default", agent_id="a7", agent_type="scout", tool_use_id="t1"))
    (line,) = machine.lines("stops")
    event = Event.from_call("bash", {"command": "git push"})
    assert line["version"] == __version__
    assert (line["agent"], line["event"], line["kind"]) == (AGENT, "PreToolUse", "event")
    assert (line["mode"], line["subagent"], line["call"]) == ("default", "scout", "t1")
    assert len(line["generation"]) == 16
    assert len(line["digest"]) == len(event.digest) == 64
    assert line["ms"] > 0
    machine.hook(
        {
            **bash("git push", permission_mode="default", agent_id="a7", agent_type="scout"),
            "hook_event_name": "PostToolUse",
        }
    )
    (post,) = machine.lines("events")
    assert post["digest"] == line["digest"], "the same call"


def test_the_agents_version_where_the_payload_has_it(machine: Machine) -> None:
    payload = json.loads((HERE / "dialects/cursor/beforeShellExecution.json").read_text("utf-8"))
    machine.hook(payload, None, "cursor")
    assert machine.last()["agent_version"] == payload["cursor_version"]


@pytest.mark.parametrize("agent", DIALECTS)
def test_each_verdict_in_each_agent(agent: str, machine: Machine) -> None:
    machine.plant({"config/policy.yaml": TABLE["policy"]})
    for call in CALLS:
        for way in sent(DIALECTS[agent], call):
            answer = machine.hook(way.raw, way.native, agent)
            line = machine.last()
            assert (line["verdict"], line["said"]) == (call["verdict"], answer.said), way
            assert [[one["from"], one["to"]] for one in line.get("degraded", [])] == [
                [one.wanted, one.said] for one in answer.degraded
            ]
            assert line["agent"] == agent


def test_stops_do_not_go_with_a_flood_of_events(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain, "_FULL", 2000)
    monkeypatch.setattr(record, "_EVENTS", 2)
    machine.plant({"config/policy.yaml": LINES["policy"]})
    record.verb(machine.state, {"verb": "trust", "result": "done"})
    machine.hook(bash("git push"))
    for _ in range(20):
        machine.hook(bash("ls"))
    assert [line["said"] for line in machine.lines("stops")] == ["ask"]
    assert [line["verb"] for line in machine.lines("verbs")] == ["trust"]
    assert 2 < len(machine.lines("events")) < 15
    assert record.counts(machine.state) == {"events": 20, "stops": 1, "verbs": 1, "reloads": 0}


def test_a_call_that_a_person_permits(machine: Machine) -> None:
    machine.plant({"config/policy.yaml": 'version: 1\nask: ["Bash(make *)"]\n'})
    (way, *_) = sent(DIALECTS["codex"], {**CALLS[0], "tool": "bash", "input": {"command": "make x"}})
    machine.hook(way.raw, way.native, "codex")
    first = machine.last()
    assert (first["verdict"], first["said"]) == ("ask", "deny")
    (waiting,) = approvals.waiting(machine.state, time.time())
    assert first["waits"] == waiting.name
    approvals.approve(machine.state, waiting.digest, time.time())
    machine.hook(way.raw, way.native, "codex")
    second = machine.last()
    assert (second["verdict"], second["said"], second["permitted"]) == ("none", "none", waiting.name)


# Failures


@pytest.mark.parametrize("payload", [b"", b"not json", b'{"hook_event_name": "PreToolUse"}', b"\xff", b"[" * 99_999])
def test_a_payload_that_is_not_understood(payload: bytes, machine: Machine) -> None:
    machine.hook(payload, "PreToolUse")
    line = machine.last()
    assert (line["event"], line["said"], line.get("bytes")) == ("PreToolUse", "deny", len(payload) or None)
    assert line["failure"].startswith("the hook's input ")
    machine.hook(payload, "Stop")
    assert machine.last()["said"] == "none"


def test_a_failure_of_ours(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("text of a payload")

    monkeypatch.setattr(repeats, "evaluate", fail)
    machine.hook(bash("make"))
    line = machine.last()
    assert line["failure"].startswith("Ostiary failed: RuntimeError at test_record:")
    assert (line["said"], line["session"], line["tool"]) == ("deny", "s1", "bash")
    machine.plant({"config/settings.yaml": "on_error: continue\n"})
    machine.hook(bash("make"))
    assert machine.last()["said"] == "none"


def test_work_that_came_to_nothing(machine: Machine) -> None:
    options = verb.Options(AGENT, "PreToolUse", str(machine.base / "config"), "")
    verb.instead(options, Told(AGENT, "PreToolUse", 9.0), "Ostiary took longer than 9 seconds")
    line = machine.last()
    assert (line["failure"], line["said"]) == ("Ostiary took longer than 9 seconds", "deny")
    verb.instead(options, Told("cursor", "preToolUse", 9.0), "Ostiary was ended by signal 9")
    assert (machine.lines()[0]["agent"], machine.lines()[0]["event"]) == ("cursor", "PreToolUse")


def test_where_nobody_can_import_the_record(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ostiary.sources.record", None)
    options = verb.Options(AGENT, "PreToolUse", str(machine.base / "config"), "")
    said = verb.instead(options, None, "it is odd")
    assert json.loads(said.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


# What cannot be recorded

ANSWERS = [
    # command, setting, what is said
    ("ls", "continue", "none"),
    ("ls", "ask", "ask"),
    ("ls", "deny", "deny"),
    ("git push", "continue", "ask"),
    ("git push", "ask", "ask"),
    ("git push", "deny", "deny"),
    ("rm -rf /", "continue", "deny"),
    ("rm -rf /", "ask", "deny"),
    ("sed x", "ask", "deny"),
]
REWRITE = "  - {id: new, when: {command: {program: sed}}, update_input: {command: ls}}\n"


@pytest.fixture
def unwritable(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(chain, "append_whole", full)


@pytest.mark.parametrize(("command", "setting", "said"), ANSWERS)
def test_an_event_that_cannot_be_recorded(
    command: str, setting: str, said: str, machine: Machine, unwritable: None
) -> None:
    policy = LINES["policy"] + REWRITE
    machine.plant({"config/policy.yaml": policy, "config/settings.yaml": f"on_unrecordable: {setting}\n"})
    answer = machine.hook(bash(command))
    assert answer.said == said
    if setting == said and command == "ls":
        assert "it cannot be recorded (no space left on device)" in answer.stdout


def test_an_agent_can_always_stop(machine: Machine, unwritable: None) -> None:
    machine.plant({"config/settings.yaml": "on_unrecordable: deny\n"})
    assert machine.hook(stop()) == Answer()
    assert machine.hook({**tool("Read", {"file_path": "/a"}), "hook_event_name": "PostToolUse"}) == Answer()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("on_error: continue\n", "none"),
        ("on_error: continue\non_unrecordable: ask\n", "ask"),
        ("on_error: continue\non_unrecordable: deny\n", "deny"),
        ("on_error: ask\non_unrecordable: continue\n", "ask"),
        ("", "deny"),
    ],
)
def test_a_failure_that_cannot_be_recorded(settings: str, said: str, machine: Machine, unwritable: None) -> None:
    machine.plant({"config/settings.yaml": settings})
    payload = {**bash("ls"), "cwd": "a\0b"}
    assert machine.hook(payload, "PreToolUse").said == said


def test_state_that_is_no_folder(machine: Machine) -> None:
    machine.plant({"config/policy.yaml": LINES["policy"], "config/state": "a file"})
    assert machine.hook(bash("ls")).said == "none"
    machine.plant({"config/settings.yaml": "on_unrecordable: ask\n"})
    assert machine.hook(bash("ls")).said == "ask"


# Settings

SETTINGS = [
    ("log: {detail: full}", "expected `digest` or `redacted`, found `full`"),
    ("log: {days: 0}", "expected a number of days; write a whole number from 1 to 3650"),
    ("log: {days: '9'}", "expected a number of days; write a whole number from 1 to 3650"),
    ("log: {detail: all}", "expected `digest` or `redacted`, found `all`"),
    ("log: {details: digest}", "details"),
    ("on_unrecordable: allow", "ask"),
]


@pytest.mark.parametrize(("text", "why"), SETTINGS)
def test_settings_that_are_wrong(text: str, why: str, machine: Machine) -> None:
    machine.plant({"config/settings.yaml": f"{text}\n"})
    engine = Engine.load(machine.base / "config", machine.base / "project")
    (problem,) = engine.problems
    assert why in f"{problem.message}; {problem.help}"
    assert (engine.settings.log.detail, engine.settings.on_unrecordable) == ("digest", "deny")


def test_a_session_is_told_that_all_of_it_is_recorded(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    start = {"hook_event_name": "SessionStart", "session_id": "s1", "cwd": "/work", "source": "startup"}
    assert machine.hook(start).stdout == ""
    machine.plant({"managed/settings.yaml": "log: {detail: full}\n"})
    said = json.loads(machine.hook(start).stdout)
    assert said == {"systemMessage": "what tools are asked to do is recorded in full (managed settings)"}


# Secrets

TOKEN = st.one_of(
    st.text(string.ascii_letters + string.digits, min_size=30, max_size=36).map("ghp_".__add__),
    st.text(string.digits + "abcdef", min_size=32, max_size=64).filter(lambda text: redaction.secret(text)),
    st.sampled_from(["AKIAIOSFODNN7EXAMPLE", "sk-proj-a1b2c3d4e5f6g7h8", "xoxb-123456789012-abcdefghijkl"]),
)
PLACES = [
    "export TOKEN={}; env",
    "curl -H 'Authorization: Bearer {}' https://a.example",
    "curl -u me:{} https://a.example/{}?key={}",
    "curl https://me:{}@a.example/x",
    "git clone https://{}@github.com/a/b ./{}",
    "mysql -p{} --password={} -e x",
    "tool --{} -{} {}",
    "{} --help",
    "cat <<END > {}/out.txt\n{}\nEND",
    "echo '{}' | tee ~/.netrc",
    "cd {} && rm -rf {}/a",
    "python -c 'open(\"/tmp/{}\").read()'",
    "git commit -m 'it is {}' && git push origin {}",
    "$(cat {}) `{}` ${{X:-{}}}",
    "docker run -e KEY={} image:{}",
    "ssh me@{} 'cat {}'",
]
TOOLS_WITH: list[tuple[str, Callable[[str], dict[str, Any]]]] = [
    ("Write", lambda token: {"file_path": f"/work/{token}/a.txt", "content": token}),
    ("WebFetch", lambda token: {"url": f"https://a.example/{token}", "prompt": token}),
    ("mcp__db__query", lambda token: {"sql": f"select '{token}'", "headers": {"auth": [token]}}),
    ("Grep", lambda token: {"pattern": token, "path": f"./{token}"}),
    ("Task", lambda token: {"prompt": token, "description": token, "subagent_type": "x"}),
]


@given(
    token=TOKEN,
    payload=st.one_of(
        st.sampled_from(PLACES).map(lambda text: lambda token: bash(text.replace("{}", token))),
        st.sampled_from(TOOLS_WITH).map(lambda pair: lambda token: tool(pair[0], pair[1](token))),
    ),
    detail=st.sampled_from(["digest", "redacted", "full"]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_looks_like_a_secret_stays_nowhere(
    token: str, payload: Callable[[str], dict[str, Any]], detail: str, machine: Machine
) -> None:
    machine.plant({"config/policy.yaml": LINES["policy"], "managed/settings.yaml": f"log: {{detail: {detail}}}\n"})
    machine.hook(payload(token))
    line = machine.last()
    assert token not in json.dumps(line)


# Names and sizes


@pytest.mark.parametrize("session", ["../../x", "a\n" * 9, "x" * 1_000_000, "", "\ud800", "\0"])
def test_what_a_payload_says_names_no_file(session: str, machine: Machine) -> None:
    machine.hook(bash("ls", session_id=session))
    names = {path.name for path in (machine.base / "config/state/record").iterdir()}
    assert names <= {f"{name}.jsonl{ending}" for name in record.NAMES for ending in ("", ".lock")}
    (line,) = machine.lines()
    assert len(json.dumps(line)) < 4000


HUGE: dict[str, Callable[[], dict[str, Any]]] = {
    "command": lambda: bash("echo " + "x" * 300_000),
    "commands": lambda: bash("; ".join(f"cat /{'d' * 70}/{n}" for n in range(3000))),
    "paths": lambda: bash("cat " + " ".join(f"/é{'d' * 60}/{n}" for n in range(3000))),
    "tool": lambda: tool("mcp__" + "é" * 90_000 + "__x", {}),
    "argument": lambda: tool("Write", {"file_path": "/a/" * 90_000, "content": "x"}),
    "cwd": lambda: bash("ls", "/é" * 90_000),
}


@pytest.mark.no_cover
@pytest.mark.parametrize("detail", ["digest", "redacted", "full"])
@pytest.mark.parametrize("make", HUGE.values(), ids=HUGE)
def test_a_call_that_is_huge(
    make: Callable[[], dict[str, Any]], detail: str, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.plant({"managed/settings.yaml": f"log: {{detail: {detail}}}\non_unrecordable: deny\n"})
    answer = machine.hook(make())
    assert "cannot be recorded" not in answer.stdout
    (line,) = machine.lines()
    assert len(json.dumps(line)) < chain.LINE


def test_where_the_record_is(machine: Machine) -> None:
    found = find_places(str(machine.base / "config"))
    machine.hook(bash("ls"))
    assert sorted(path.name for path in Path(record.folder(found.state)).iterdir()) == [
        "events.jsonl",
        "events.jsonl.lock",
    ]


def test_a_named_folder_that_is_not_there_is_not_made(machine: Machine) -> None:
    (machine.base / "config").rmdir()
    machine.hook(bash("ls"))
    machine.hook(b"odd", "PreToolUse")
    assert not (machine.base / "config").exists()
