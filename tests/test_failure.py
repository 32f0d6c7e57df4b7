"""What agents are told when Ostiary itself fails: `tests/cases/failure/on_error.yaml` (laws L7 and L8)."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ostiary import cold
from ostiary.commands import hook as verb
from ostiary.commands.shared.keeper import LIMITS, Job, Limits, Said, Tell, Told
from ostiary.dialects import DIALECTS, Dialect, OnError, unreadable
from ostiary.dialects.base import SILENCE, Slot
from ostiary.dialects.bodies import answer
from ostiary.dialects.calls import calls, gates
from ostiary.dialects.hearing import fits, heard
from ostiary.event import Event
from ostiary.sources import failing, settings
from ostiary.sources.compiling import compile_source
from ostiary.sources.desk import Desk
from ostiary.sources.places import Managed, NoPlace, Places, find_places
from ostiary.sources.roots import find_roots
from tables import read_table
from trees import plant

if sys.platform != "win32":
    from ostiary.commands.shared import children

TABLE = read_table(Path(__file__).parent / "cases/failure/on_error.yaml")
WAYS: tuple[OnError, ...] = ("deny", "ask", "continue")
ROWS = [
    pytest.param(row, setting, id=f"{row['agent']}: {row['event']}, {setting}")
    for row in TABLE["cases"]
    for setting in WAYS
]
FIRST = {row["agent"]: row for row in reversed(TABLE["cases"]) if row["event"] in gates(DIALECTS[row["agent"]])}
TEXTS = {
    "<stopped>": "stopped, because policy could not judge it: ",
    "<person>": "a person has to decide, because policy could not judge it: ",
    "<passed>": "not held up, because policy could not judge it: ",
}


def filled(value: Any, reason: str) -> Any:
    """What a row says, with the texts in it."""
    if isinstance(value, dict):
        return {key: filled(item, reason) for key, item in value.items()}
    for mark, text in TEXTS.items():
        value = value.replace(mark, text + reason) if isinstance(value, str) else value
    return value


def wanted(row: dict[str, Any], setting: str, reason: str) -> tuple[Any, str, int]:
    says = row["deny"] if row[setting] == "deny" else row[setting]
    stdout, stderr = filled(says.get("stdout"), reason), filled(says.get("stderr", ""), reason)
    return stdout, stderr, says.get("status", 0)


def shown(said: Said) -> tuple[Any, str, int]:
    assert said.stdout == "" or (said.stdout.endswith("\n") and said.stdout.count("\n") == 1)
    return json.loads(said.stdout) if said.stdout else None, said.stderr, said.status


@pytest.mark.parametrize(("row", "setting"), ROWS)
def test_what_a_failure_means(row: dict[str, Any], setting: OnError) -> None:
    answer = unreadable(DIALECTS[row["agent"]], row["event"], "it is odd", setting)
    assert shown(Said(*answer[:3])) == wanted(row, setting, "it is odd")


def test_the_table_is_complete() -> None:
    found = {(row["agent"], row["event"]) for row in TABLE["cases"]}
    closing = {
        (name, native) for name, dialect in DIALECTS.items() for native, spec in dialect.events.items() if spec.gate
    }
    assert closing | {(name, None) for name in DIALECTS} <= found
    others = found - closing - {(name, None) for name in DIALECTS}
    assert {agent for agent, _ in others} == set(DIALECTS)


@pytest.mark.parametrize("agent", DIALECTS)
def test_a_failure_is_never_an_allow(agent: str) -> None:
    dialect = DIALECTS[agent]
    for native, spec in dialect.events.items():
        silence = spec.answers.get("none", SILENCE)
        stopped, _, passed = answers = [unreadable(dialect, native, "it is odd", way) for way in WAYS]
        if spec.answers.get("allow", silence) != silence:
            assert "allow" not in [heard(dialect, native, answer) for answer in answers]
        assert fits(silence, passed)
        assert heard(dialect, native, stopped) == "deny" or (not spec.gate and fits(silence, stopped))


@pytest.mark.parametrize("agent", DIALECTS)
def test_an_answer_comes_before_the_agent_gives_up(agent: str) -> None:
    """Also one that is given instead, and also where nothing is known but the registered arguments."""
    dialect = DIALECTS[agent]
    hasty = dialect.timeouts.deadline(None)
    for native, spec in dialect.events.items():
        registered = dialect.timeouts.at(native) / (1000 if dialect.timeouts.unit == "milliseconds" else 1)
        deadline = dialect.timeouts.deadline(native)
        assert hasty <= deadline < registered
        if spec.gate:
            assert max(LIMITS.start, deadline) + LIMITS.failing + 1 < registered


@pytest.mark.parametrize("setting", WAYS)
@pytest.mark.parametrize("agent", DIALECTS)
def test_a_failure_never_keeps_an_agent_working(agent: str, setting: OnError) -> None:
    dialect = DIALECTS[agent]
    for native, spec in dialect.events.items():
        if Event(name=spec.canonical).kind.ends:
            silence = spec.answers.get("none", SILENCE)
            assert unreadable(dialect, native, "it is odd", setting) == answer(silence, {Slot.EVENT: native})


# Each kind of failure


def work(act: Callable[[Tell, Told], Said]) -> Callable[..., Said]:
    """An answer that fails after it was told what it is for."""

    def answer(options: verb.Options, tell: Tell) -> Said:
        dialect = DIALECTS[options.agent or ""]
        told = Told(dialect.name, options.event, 60)
        tell(told)
        return act(tell, told)

    return answer


def raises(_tell: Tell, _told: Told) -> Said:
    raise ValueError("words of somebody else")


def crashes(_tell: Tell, _told: Told) -> Said:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("not reached")


def leaves(_tell: Tell, _told: Told) -> Said:
    os._exit(3)


def hangs(tell: Tell, told: Told) -> Said:
    tell(told._replace(seconds=0.02))
    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))  # deaf to all but the end
    time.sleep(600)
    raise AssertionError("not reached")


KINDS: dict[str, tuple[Callable[..., Said], str]] = {
    "unreadable": (verb.answer, "the hook's input is empty"),
    "exception": (work(raises), "Ostiary failed: ValueError"),
    "crash": (work(crashes), "Ostiary was ended by signal 9"),
    "early end": (work(leaves), "Ostiary ended early with exit code 3"),
    "deadline": (work(hangs), "Ostiary took longer than 0.02 seconds"),
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no children of this kind")
@pytest.mark.parametrize("setting", WAYS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("agent", DIALECTS)
def test_each_kind_of_failure(agent: str, kind: str, setting: OnError, monkeypatch: pytest.MonkeyPatch) -> None:
    act, reason = KINDS[kind]
    monkeypatch.setattr(verb, "on_error", lambda *_: setting)
    options = verb.Options(agent, FIRST[agent]["event"], None, "")
    job = Job(
        work=lambda tell: act(options, tell),
        failing=lambda told, problem: verb.instead(options, told, problem),
        last=lambda problem: verb.last_resort(options, problem),
    )
    assert shown(children.answer(job, LIMITS)) == wanted(FIRST[agent], setting, reason)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no children of this kind")
def test_where_there_can_be_no_child(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> int:
        raise BlockingIOError

    def kept(_work: Callable[[Tell], Said], _limits: Limits) -> children.Kept:
        monkeypatch.setattr(os, "fork", refused)
        monkeypatch.setattr(children, "ask", ask)
        return children.Kept(None, None, "Ostiary failed: ValueError")

    ask = children.ask
    job = Job(
        lambda _tell: Said("", "", 0), lambda _told, _problem: Said("", "", 0), lambda problem: Said("", problem, 2)
    )
    monkeypatch.setattr(children, "ask", kept)
    assert children.answer(job, LIMITS) == Said("", "Ostiary failed: ValueError", 2)
    with pytest.raises(children.NoChild):
        children.answer(job, LIMITS)


@given(st.lists(st.tuples(st.sampled_from([b"t", b"o", b"e", b"s", b"f"]), st.text(max_size=9))), st.data())
def test_records_come_whole_however_they_are_read(records: list[tuple[bytes, str]], data: st.DataObject) -> None:
    stream = b"".join(children._record(kind, text) for kind, text in records)
    found, rest = [], b""
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        more, rest = children._records(rest + stream[:size])
        found += more
        stream = stream[size:]
    assert (found, rest) == (records, b"")


# The setting


@pytest.mark.parametrize(
    ("managed", "user", "wanted"),
    [
        (None, None, "deny"),
        (None, "ask", "ask"),
        (None, "continue", "continue"),
        ("deny", "continue", "deny"),
        ("ask", "continue", "ask"),
        ("continue", "deny", "continue"),
        ("continue", None, "continue"),
        ("allow", "continue", "deny"),
        ("[", "continue", "deny"),
        (None, "allow", "deny"),
        (None, "yes", "deny"),
        (None, "Continue", "deny"),
        (None, "continue\non_error: continue", "deny"),
        (None, "continue\nother: true", "deny"),
        ("continue", "[", "continue"),
    ],
)
def test_the_first_file_that_says_anything_counts(
    managed: str | None, user: str | None, wanted: str, base: Path
) -> None:
    said = {"managed": managed, "config": user, "project/.ostiary": "continue"}
    plant(base, {f"{folder}/settings.yaml": f"on_error: {text}\n" for folder, text in said.items() if text is not None})
    assert on_error(base, str(base / "project")) == wanted


def on_error(base: Path, start: str | None = None) -> OnError:
    return settings.load_settings(Desk(places(base), compile_source), find_roots(start)).on_error


@pytest.fixture
def base(tmp_path: Path) -> Path:
    found = tmp_path.resolve()
    plant(found, {"managed": None, "config": None, "project/.git": None})
    return found


def places(base: Path) -> Places:
    managed = Managed(
        str(base / "managed"), owners=frozenset({os.getuid() if hasattr(os, "getuid") else 0}), top=str(base)
    )
    return find_places(str(base / "config"), managed)


@pytest.mark.skipif(sys.platform == "win32", reason="owners are not looked at there")
def test_a_file_of_the_machine_that_others_can_write_counts_as_the_strictest(base: Path) -> None:
    plant(base, {"managed/settings.yaml": "on_error: continue\n"})
    (base / "managed/settings.yaml").chmod(0o666)
    assert on_error(base) == "deny"


@pytest.mark.skipif(sys.platform == "win32", reason="owners are not looked at there")
def test_a_folder_of_the_machine_that_others_can_write_counts_as_the_strictest_without_a_file(base: Path) -> None:
    plant(base, {"config/settings.yaml": "on_error: continue\n"})
    assert on_error(base) == "continue"
    (base / "managed").chmod(0o777)
    assert on_error(base) == "deny"


def test_settings_that_cannot_be_read(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(base, {"config/settings.yaml": "on_error: continue\n"})
    folder = str(base / "config")
    assert verb.on_error(folder) == failing.on_error(folder) == "continue"
    monkeypatch.setattr(failing, "find_places", raising(NoPlace("no home")))
    assert verb.on_error(folder) == failing.on_error(folder) == "deny"
    monkeypatch.setattr(failing, "on_error", raising(MemoryError()))
    assert verb.on_error(folder) == "deny"


def raising(error: Exception) -> Callable[..., Any]:
    def fail(*_: object) -> None:
        raise error

    return fail


def test_an_agent_that_nobody_knows() -> None:
    options = verb.Options("nobody", "PreToolUse", None, "")
    assert verb.instead(options, None, "it is odd") == Said("", "it is odd\n", 2)
    assert verb.instead(options._replace(event="Stop"), None, "it is odd") == Said("", "it is odd\n", 0)


@pytest.mark.parametrize("setting", WAYS)
def test_a_hook_that_is_registered_wrongly_is_no_failure(setting: OnError, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody knows what silence means to whoever runs it so: its gates are closed whatever the setting is."""
    call = cold.HookCall(b"{}", "claude-code", "Halt")
    listener = cold.Listener(on_error=lambda *_: setting)
    answer = cold.decide(call, None, listener)
    why = "stopped, because policy could not judge it: the hook is registered for the unknown event `Halt`\n"
    assert answer[:3] == ("", why, 2)
    monkeypatch.setattr(verb, "on_error", lambda *_: setting)
    options = verb.parse(["--agent", "claude-code", "--event", "PreToolUse", "--config-dir", "here"])
    for said in (verb.answer(options, lambda _told: None), verb.instead(options, None, "it is odd")):
        assert json.loads(said.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    unknown = verb.Options("claude-code", "Halt", None, "")
    why = "stopped, because policy could not judge it: it is odd\n"
    assert verb.instead(unknown, Told("claude-code", None, 9), "it is odd") == Said("", why, 2)


def test_what_another_agent_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that runs the hook of the declared agent, and was told apart before the work came to nothing."""
    monkeypatch.setattr(verb, "on_error", lambda *_: "continue")
    options = verb.Options("claude-code", "PreToolUse", None, "")
    said = verb.instead(options, Told("cursor", "preToolUse", 9), "it is odd")
    assert json.loads(said.stdout) == {"permission": "allow"}


@pytest.mark.parametrize(("mode", "wanted"), [("default", "ask"), ("bypassPermissions", "deny"), (None, "deny")])
def test_a_question_where_the_payload_tells_that_it_stops(mode: str | None, wanted: str) -> None:
    grok = DIALECTS["grok"]
    event = Event(name="PreToolUse", native_name="PreToolUse", mode=mode)
    answer = unreadable(grok, "PreToolUse", "it is odd", "ask", event)
    assert heard(grok, "PreToolUse", answer) == wanted


def test_who_is_answered_is_known_before_the_work() -> None:
    """A crash while another agent's call is judged is answered in that agent's words."""
    grok, heard_of = DIALECTS["grok"], []
    (_, payload), *_ = calls(grok, "PreToolUse", "bash", {"command": "ls"}, "/")
    call = cold.HookCall(json.dumps(payload).encode(), "claude-code", "PreToolUse")

    def hears(dialect: Dialect, name: str | None) -> None:
        heard_of.append((dialect.name, name))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cold.decide(call, None, cold.Listener(hears=hears))
    assert heard_of == [("grok", "PreToolUse")]
