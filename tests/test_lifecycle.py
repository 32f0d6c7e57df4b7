"""What an observer reads of payloads, for every agent and on any value."""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostiary
from ostiary import UnknownAgent, builtin_dialects, read_event
from ostiary.dialects import DIALECTS, Dialect
from ostiary.dialects.base import Form, Life, Slot, Timeouts
from ostiary.dialects.kin import ForeignHooks, Mark
from ostiary.dialects.vectors import VECTORS
from tables import read_table

HERE = Path(__file__).parent
ROWS = read_table(HERE / "cases/lifecycle/reading.yaml")["cases"]
CLAUDE_CODE = DIALECTS["claude-code"]
STOP = {"hook_event_name": "Stop", "session_id": "s"}


def samples(agent: str) -> dict[str, dict[str, Any]]:
    return {
        path.stem: json.loads(path.read_text("utf-8")) for path in sorted((HERE / "dialects" / agent).glob("*.json"))
    }


def payload_of(row: dict[str, Any]) -> Any:
    if "payload" in row:
        return row["payload"]
    agent, name = row["sample"].split("/")
    return {**samples(agent)[name], **row.get("set", {})}


@pytest.mark.parametrize("row", [pytest.param(row, id=row["note"]) for row in ROWS])
def test_reading(row: dict[str, Any]) -> None:
    event = dataclasses.asdict(read_event(row["agent"], payload_of(row), row.get("env", {})))
    assert row["want"].keys() <= event.keys()
    assert {name: event[name] for name in row["want"]} == row["want"]


def test_it_is_synchronous_and_frozen() -> None:
    assert not inspect.iscoroutinefunction(read_event)
    event = read_event("claude-code", STOP, {})
    with pytest.raises(dataclasses.FrozenInstanceError):
        event.agent = "x"  # type: ignore[misc]
    assert hash(event) == hash(read_event("claude-code", STOP, {}))


@pytest.mark.parametrize("payload", [None, {}, STOP, "x", object()])
def test_an_agent_without_a_dialect(payload: object) -> None:
    with pytest.raises(UnknownAgent) as error:
        read_event("nobody", payload, {})
    assert (error.value.agent, str(error.value)) == ("nobody", "there is no dialect for the agent `nobody`")


def test_the_package_has_what_observers_need() -> None:
    assert builtin_dialects == DIALECTS
    with pytest.raises(TypeError):
        builtin_dialects["x"] = CLAUDE_CODE  # type: ignore[index]
    for name in ("Dialect", "LifecycleEvent", "UnknownAgent", "builtin_dialects", "read_event"):
        assert name in ostiary.__all__
        assert getattr(ostiary, name) is not None


# Dialects of one's own

ACME = CLAUDE_CODE._replace(
    name="acme",
    fields={"event": (("kind",),), "session": (("who",),), "tool": (("do", "name"),)},
    events={"halt": CLAUDE_CODE.events["Stop"]._replace(aliases=("HALT",))},
    marks=(Mark("acme", ("acme_version",)),),
    runs_hooks_of=(ForeignHooks("claude-code", ("x",), {"Stop": "halt"}),),
    env_marks=("ACME",),
    env={"event": ("ACME_EVENT",)},
)


def test_a_dialect_of_ones_own() -> None:
    event = read_event("acme", {"kind": "HALT", "who": "w"}, {}, [ACME])
    assert (event.agent, event.native_event, event.phase, event.session_id) == ("acme", "HALT", "finish", "w")
    with pytest.raises(UnknownAgent):
        read_event("acme", {}, {})


def test_it_may_take_the_place_of_a_built_in_one() -> None:
    mine = CLAUDE_CODE._replace(events={"Stop": CLAUDE_CODE.events["Stop"]._replace(life=Life("activity"))})
    assert read_event("claude-code", STOP, {}, [mine]).phase == "activity"
    assert read_event("claude-code", STOP, {}).phase == "finish"


def test_it_may_host_the_hooks_of_another() -> None:
    sent = {"acme_version": "1", "kind": "Stop", "who": "w"}
    assert read_event("claude-code", sent, {}, [ACME]).agent == "acme"
    shown = read_event("claude-code", {"kind": "Stop"}, {"ACME": "1"}, [ACME])
    assert (shown.agent, shown.phase, shown.native_event) == ("acme", "finish", "Stop")
    assert read_event("claude-code", STOP, {"ACME": None}, [ACME]).agent == "claude-code"
    assert read_event("claude-code", {}, {"ACME": "1", "ACME_EVENT": "halt"}, [ACME]).phase == "finish"


# On any value


class Raising(dict[str, Any]):
    """An object that raises wherever it is touched."""

    def get(self, *_: Any) -> NoReturn:
        raise RuntimeError

    __getitem__ = __iter__ = __contains__ = get


class Shy:
    """An object that does not say what it is."""

    @property
    def __class__(self) -> NoReturn:  # type: ignore[override]
        raise RuntimeError


class Sly(str):
    """A text that raises where it is compared."""

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> NoReturn:
        raise RuntimeError

    __len__ = __bool__ = __eq__  # type: ignore[assignment]


ODD: dict[str, Any] = {
    "raising": lambda: Raising(STOP),
    "shy": Shy,
    "a shy item": lambda: [Shy()],
    "a shy name": lambda: {"hook_event_name": Shy()},
    "a sly key": lambda: {Sly("hook_event_name"): "Stop", "x": Sly("x")},
}


@pytest.mark.parametrize("name", ODD)
def test_objects_that_raise_are_absent(name: str) -> None:
    assert read_event("claude-code", ODD[name](), {}).agent == "claude-code"
    assert read_event("claude-code", STOP, Raising(CURSOR_VERSION="1")).phase == "finish"


def test_a_text_of_a_kind_of_its_own_is_read() -> None:
    assert read_event("claude-code", {"hook_event_name": Sly("Stop")}, {}).native_event == "Stop"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8) | st.integers(), inner, max_size=3),
    max_leaves=8,
)


@given(
    json_values,
    st.sampled_from(sorted(DIALECTS)),
    st.dictionaries(st.sampled_from(["CURSOR_VERSION", "TMUX_PANE"]), st.none() | st.text(max_size=3)),
)
def test_nothing_raises(payload: Any, agent: str, env: Mapping[str, str | None]) -> None:
    names = {"hook_event_name": "PreToolUse", "hookEventName": "Stop", "type": "tool_call"}
    for value in (payload, {**names, "tool_name": payload, "tool_input": payload}):
        event = read_event(agent, value, env)
        assert event.phase in ("start", "activity", "blocked", "finish", "unknown")
        assert (event.outcome is None) or (event.phase, event.scope) == ("finish", "turn")
        assert (event.blocker is not None) == (event.phase == "blocked")


# The vectors find what is wrong

SAMPLE = {"Stop": STOP}
TOOL = {"PreToolUse": {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "x"}}}


def changed(**fields: Any) -> Dialect:
    return CLAUDE_CODE._replace(**fields)


def event(name: str, **fields: Any) -> Dialect:
    return changed(events={**CLAUDE_CODE.events, name: CLAUDE_CODE.events[name]._replace(**fields)})


PATHS = CLAUDE_CODE.fields
WRONG: list[tuple[str, Dialect, dict[str, dict[str, Any]], str]] = [
    ("own payloads", CLAUDE_CODE, {"x": {**STOP, "cursor_version": "3"}}, "x: is read as `Stop` of cursor"),
    (
        "hosts",
        changed(marks=(Mark("claude-code", ("session_id",)),)),
        SAMPLE,
        "Stop: is still read as claude-code with cursor_version",
    ),
    (
        "environment",
        changed(name="codex", fields={**PATHS}),
        {"x": {**STOP, "cursor_version": "3"}},
        "x: `CURSOR_VERSION` makes it one of cursor",
    ),
    (
        "inherited variables",
        changed(env={"event": ("E",)}, fields={**PATHS, "event": (("e",),)}, events={"x": CLAUDE_CODE.events["Stop"]}),
        SAMPLE,
        "Stop: the environment changes what it means",
    ),
    (
        "foreign hooks",
        changed(runs_hooks_of=(ForeignHooks("codex", (), {"Stop": "halt"}),)),
        SAMPLE,
        "codex: `Stop` means `halt`, which is no event here",
    ),
    (
        "foreign hooks",
        changed(runs_hooks_of=(ForeignHooks("codex", (), {"Stop": "Stop"}),)),
        SAMPLE,
        "codex: its hooks have no files or no events",
    ),
    (
        "foreign hooks",
        changed(env_marks=("X",)),
        SAMPLE,
        "the environment marks it as a host, but it runs no other agent's hooks",
    ),
    (
        "event names",
        changed(events={"constructor": CLAUDE_CODE.events["Stop"]}),
        SAMPLE,
        "Stop: the event `'constructor'` is of the phase finish",
    ),
    (
        "arguments",
        changed(fields={**PATHS, "cwd": (("tool_input", "x"),)}),
        TOOL,
        "PreToolUse: arguments show in what an observer reads",
    ),
    (
        "strangers",
        changed(runs_hooks_of=()),
        {"Stop": STOP},
        "",
    ),
    ("phases", event("SubagentStop", subagent=False), {"x": {"hook_event_name": "SubagentStop"}}, ""),
    ("silence", event("Stop", answers={"none": Form(status=1)}), SAMPLE, "Stop: silence is an exit code of 1"),
    (
        "silence",
        event("Stop", exits=CLAUDE_CODE.exits._replace(empty="block")),
        SAMPLE,
        "Stop: silence blocks",
    ),
    (
        "silence",
        event("Stop", answers={"none": Form(body={"reason": Slot.REASON})}),
        SAMPLE,
        "Stop: silence says something",
    ),
    ("waits", changed(timeouts=Timeouts("seconds", 1, 7200)), SAMPLE, "7200 seconds are registered"),
    (
        "remembered sessions",
        changed(delivery="plugin", fields={**PATHS, "session": ((),)}),
        SAMPLE,
        "Stop: a session that is put in is not read",
    ),
    (
        "reachable",
        changed(events={"Stop": CLAUDE_CODE.events["Stop"]}),
        SAMPLE,
        "no gate before tool calls is registered by default",
    ),
]


@pytest.mark.parametrize(("check", "dialect", "found", "message"), WRONG, ids=[f"{row[0]}: {row[3]}" for row in WRONG])
def test_the_vectors_find_what_is_wrong(
    check: str, dialect: Dialect, found: dict[str, dict[str, Any]], message: str
) -> None:
    said = list(VECTORS[check](dialect, found))
    assert message in said if message else said == []


def broken(**wrong: Any) -> Any:
    """A reader that gets something wrong."""
    return lambda *given: dataclasses.replace(read_event(*given), **wrong)


def raising(*_: Any) -> NoReturn:
    raise ValueError


def loose(agent: str, *given: Any) -> Any:
    return read_event(agent.removesuffix("-without-dialect"), *given)


BROKEN: list[tuple[str, Any, str]] = [
    ("inherited variables", broken(session_id=None), ""),
    ("shapes", broken(native_event="x"), "None is read as `x` of claude-code"),
    ("types", broken(session_id="42"), "Stop: a number is a session"),
    ("hostile objects", raising, "Stop: raises ValueError"),
    ("undeclared agents", loose, "an agent without a dialect is read"),
    ("shadowing", broken(phase="activity"), "Stop: another table than the one passed along is used"),
    ("terminals", broken(terminal=None), "Stop: herdr is not the terminal"),
    ("strangers", broken(phase="activity"), "Stop: `stop` is of the phase activity"),
    ("phases", broken(phase="activity"), "Stop: is of the phase activity"),
]


@pytest.mark.parametrize(("check", "reader", "message"), BROKEN, ids=[row[0] for row in BROKEN])
def test_the_vectors_find_a_broken_reader(
    check: str, reader: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ostiary.dialects.vectors.read_event", reader)
    said = list(VECTORS[check](CLAUDE_CODE, SAMPLE))
    assert message in said if message else said == []


def test_the_vectors_find_a_missing_subagent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ostiary.dialects.vectors.read_event", broken(subagent=None))
    sample = {"x": {"hook_event_name": "SubagentStop"}}
    assert list(VECTORS["phases"](CLAUDE_CODE, sample)) == ["x: is of no subagent"]


def test_the_vectors_find_a_replaced_session(monkeypatch: pytest.MonkeyPatch) -> None:
    def replaced(agent: str, payload: Any, env: Mapping[str, str], dialects: Any) -> Any:
        found = read_event(agent, payload, env, dialects)
        return dataclasses.replace(found, session_id=env.get("CLAUDE_CODE_SESSION_ID", found.session_id))

    monkeypatch.setattr("ostiary.dialects.vectors.read_event", replaced)
    assert list(VECTORS["inherited variables"](CLAUDE_CODE, SAMPLE)) == ["Stop: the environment replaces the session"]
