"""Agents, one table each: payloads to events, outcomes to answers, failures, and registrations.

A file `tests/cases/dialects/<agent>.yaml` has the keys `reading`, `answers`, `unreadable` and, where hooks are
registered in JSON, `registration`. `sample` names a payload in `tests/dialects/<agent>`; `set`, `drop` and `put`
([path, value] pairs further in) change it; `event` is the event that the hook was registered for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from matrix import judged, policy
from ostiary.decision import Outcome, Verdict
from ostiary.dialects import DIALECTS, Unreadable, read, receive, unreadable, write
from ostiary.dialects.base import ToolSpec
from ostiary.dialects.spellings import below, on_drive, with_urls, without_urls, workdir
from ostiary.event import Event
from ostiary.install import hook_command, plan_install, plan_uninstall, registered, registrable
from tables import read_table

HERE = Path(__file__).parent
ALL = tuple(DIALECTS)
TABLES: dict[str, dict[str, list[dict[str, Any]]]] = {
    agent: read_table(HERE / f"cases/dialects/{agent}.yaml")
    for agent in ALL
    if agent != "claude-code"  # has tables of its own, one for each part
}
IN_JSON = tuple(agent for agent in ALL if DIALECTS[agent].registration.shape not in ("plugin", "scripts"))
TIDES = {"sessionId": "s", "timestamp": 1, "cwd": "/work", "toolName": "tides-server-height", "toolArgs": {}}
REASON = "stopped, because policy could not judge it: the hook's input is empty"


def rows(table: str, name: str = "note") -> pytest.MarkDecorator:
    found = [(agent, row) for agent, tables in TABLES.items() for row in tables.get(table, [])]
    return pytest.mark.parametrize(
        ("agent", "row"), [pytest.param(agent, row, id=f"{agent}: {row[name]}") for agent, row in found]
    )


def payload_of(agent: str, row: dict[str, Any]) -> dict[str, Any]:
    sample = json.loads((HERE / f"dialects/{agent}/{row['sample']}.json").read_text("utf-8"))
    payload = {**sample, **row.get("set", {})}
    for (*heads, last), value in row.get("put", []):
        place = payload
        for head in heads:
            place = place[head]
        place[last] = value
    return {key: value for key, value in payload.items() if key not in row.get("drop", ())}


def plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def said(answer: Any) -> dict[str, Any]:
    whole = {
        "stdout": json.loads(answer.stdout) if answer.stdout else None,
        "stderr": answer.stderr,
        "status": answer.status,
        "degraded": [[item.wanted, item.said] for item in answer.degraded],
    }
    return {key: value for key, value in whole.items() if value not in (None, "", 0, [])}


def expected(row: dict[str, Any]) -> dict[str, Any]:
    return {key: row[key] for key in ("stdout", "stderr", "status", "degraded") if key in row}


@rows("reading")
def test_reading(agent: str, row: dict[str, Any]) -> None:
    payload = payload_of(agent, row)
    found = receive(
        DIALECTS[agent], row.get("before", "").encode("latin-1") + json.dumps(payload).encode(), row.get("event")
    )
    if "refused" in row:
        assert found == Unreadable(row["refused"])
        return
    assert isinstance(found, Event), found
    assert row["want"], "a row that expects nothing"
    assert {name: plain(getattr(found, name)) for name in row["want"]} == row["want"]
    assert found.data == payload
    assert found == read(DIALECTS[agent], payload, row.get("event"))


@rows("answers")
def test_answers(agent: str, row: dict[str, Any]) -> None:
    told = dict(row["outcome"])
    outcome = Outcome(verdict=Verdict[told.pop("verdict", "none").upper()], **told)
    answer = write(DIALECTS[agent], read(DIALECTS[agent], payload_of(agent, row), row.get("event")), outcome)
    assert said(answer) == expected(row)
    assert answer.stdout == "" or (answer.stdout.isascii() and answer.stdout.count("\n") == 1)
    assert all(item.why and not item.why[0].isupper() for item in answer.degraded)


@rows("unreadable", "event")
def test_unreadable(agent: str, row: dict[str, Any]) -> None:
    answer = unreadable(DIALECTS[agent], row["event"], "the hook's input is empty")
    filled = json.loads(json.dumps(expected(row)).replace("REASON", REASON))
    assert said(answer) == filled


@rows("registration")
def test_registration(agent: str, row: dict[str, Any]) -> None:
    dialect, before = DIALECTS[agent], row.get("before")
    place = next(place for place in dialect.registration.places if place.scope == "user")

    def install(text: str | None, program: str = row.get("program", "/opt/ostiary/bin/python")) -> str:
        return plan_install(dialect, text, hook_command(dialect, program), row["events"], fixed=place.fixed).after

    after = install(before)
    assert json.loads(after) == row["want"]
    assert install(after) == after
    assert install(install(before, "/old/python")) == after
    assert registered(dialect, after) == tuple(row["events"])
    assert registered(dialect, plan_uninstall(dialect, after).after) == ()


@pytest.mark.parametrize("agent", IN_JSON)
def test_everything_that_is_registered_is_found_again(agent: str) -> None:
    dialect, command = DIALECTS[agent], hook_command(DIALECTS[agent], "/opt/my py/python", "/etc/our policy")
    made = plan_install(dialect, None, command).after
    assert set(registered(dialect, made)) == set(registrable(dialect))
    kept = plan_uninstall(dialect, made).after
    assert registered(dialect, kept) == ()
    assert plan_install(dialect, kept, command).after == made


# Nobody has seen what their own tools send; nothing of it is read, either.
UNSAMPLED = ("afk", "copilot-cli", "grok")


@pytest.mark.parametrize("agent", TABLES)
def test_every_tool_has_a_sample(agent: str) -> None:
    dialect = DIALECTS[agent]
    sent = {
        read(dialect, json.loads(path.read_text("utf-8")), path.stem.partition("-")[0]).native_tool
        for path in (HERE / "dialects" / agent).iterdir()
    }
    own = () if agent in UNSAMPLED else dialect.own_tools
    assert {*dialect.tools, *own} <= sent


# What looks exactly like a payload of the second agent, which never runs hooks of the first.
ALIKE = {("kiro", "claude-code"), ("factory-droid", "claude-code")}


@pytest.mark.parametrize("agent", ALL)
@pytest.mark.parametrize("other", ALL)
def test_a_gate_of_one_agent_is_never_read_as_one_of_another(agent: str, other: str) -> None:
    if agent == other or (agent, other) in ALIKE:
        return
    dialect = DIALECTS[other]
    gates = [name for name, spec in dialect.events.items() if spec.gate and not spec.registered_as]
    for path in sorted((HERE / "dialects" / agent).iterdir()):
        for name in (None, *gates):
            found = receive(dialect, path.read_bytes(), name)
            assert isinstance(found, Unreadable) or not dialect.events[found.native_name].gate, (path.name, name)


@pytest.mark.parametrize(("agent", "length"), [("grok", 256), ("afk", 500), ("zcode", 4000)])
def test_reasons_fit(agent: str, length: int) -> None:
    event = Event.from_call("bash", {"command": "ls"})
    answer = write(DIALECTS[agent], event, Outcome(verdict=Verdict.DENY, reason="x" * 5000))
    assert "x" * (length - 6) + ' [cut]"' in answer.stdout


def test_a_server_that_nothing_names_may_be_any() -> None:
    event = receive(DIALECTS["copilot-cli"], json.dumps(TIDES).encode(), "preToolUse")
    assert isinstance(event, Event)
    for rule, verdict in (("deny", Verdict.ASK), ("allow", Verdict.NONE)):
        text = f"version: 1\nrules:\n  - {{id: a, when: {{mcp: {{server: north}}}}, decision: {rule}, reason: r}}\n"
        assert judged(policy(text), event).verdict is verdict


# --- folders and URLs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "folder", "want"),
    [
        ("/a/b", "c", "/a/b/c"),
        ("/a/b", "../c", "/a/c"),
        ("/a/b", "/c/./d", "/c/d"),
        ("/a", "~", "/a/~"),
        (None, "/c", "/c"),
        (None, "c", None),
        ("C:\\a", "b", "C:\\a\\b"),
        ("C:\\a", "..\\b", "C:\\b"),
        ("C:/a", "D:/b", "D:\\b"),
        (None, "D:\\b", "D:\\b"),
        ("\\\\srv\\x", "b", "\\\\srv\\x\\b"),
        ("a", "D:b", None),
    ],
)
def test_folders_of_calls(base: str | None, folder: str, want: str | None) -> None:
    assert below(base, folder) == want


@pytest.mark.parametrize(
    ("folder", "want"),
    [("/c:/x", "c:/x"), ("/C:\\x", "C:\\x"), ("/d:", "d:"), ("/cc:/x", "/cc:/x"), ("/x", "/x"), ("c:/x", "c:/x")],
)
def test_drives_of_urls(folder: str, want: str) -> None:
    assert on_drive(folder) == want


SHELL = ToolSpec(canonical="bash", workdir=("cwd", "dir"))


@pytest.mark.parametrize(
    ("arguments", "want"),
    [
        ({}, "/w"),
        ({"cwd": "", "dir": None}, "/w"),
        ({"cwd": "a"}, "/w/a"),
        ({"cwd": "/a", "dir": "/a"}, "/a"),
        ({"cwd": "/a", "dir": "/b"}, None),
        ({"cwd": 7}, None),
        ({"cwd": ["/a"]}, None),
    ],
)
def test_the_folder_of_a_call(arguments: dict[str, Any], want: str | None) -> None:
    assert workdir(SHELL, arguments, "/w") == want
    assert workdir(None, arguments, "/w") == "/w"


FETCH = ToolSpec(canonical="web_scrape", urls="prompt")


@pytest.mark.parametrize(
    ("arguments", "url"),
    [
        ({"prompt": "nothing"}, None),
        ({"prompt": 7}, None),
        ({"prompt": "see https://a.example/x."}, "https://a.example/x"),
        (
            {"prompt": "(http://a.example), HTTP://b.example/?q=1 http://a.example"},
            ("http://a.example", "HTTP://b.example/?q=1"),
        ),
        ({"prompt": "http://a.example", "url": "http://b.example"}, ("http://b.example", "http://a.example")),
        ({"prompt": "http://a.example", "url": ""}, "http://a.example"),
        ({"prompt": "http://a.example", "url": ["http://b.example"]}, ["http://b.example"]),
        ({"url": "http://b.example"}, "http://b.example"),
    ],
)
def test_urls_in_a_prompt(arguments: dict[str, Any], url: Any) -> None:
    found = with_urls(FETCH, arguments)
    assert found.get("url") == url
    assert without_urls(FETCH, arguments, found, found) == arguments
    assert with_urls(SHELL, arguments) == arguments


def test_urls_of_a_prompt_cannot_be_changed_apart_from_it() -> None:
    sent = {"prompt": "http://a.example"}
    found = with_urls(FETCH, sent)
    assert without_urls(FETCH, sent, found, {**found, "url": "http://b.example"}) is None
    assert without_urls(FETCH, sent, found, {**found, "prompt": "x"}) == {"prompt": "x"}
    assert without_urls(None, sent, found, found) == found
