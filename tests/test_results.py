"""What handlers in the background say to a later event of their session, with real hooks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ostiary.decision import Outcome, Verdict
from ostiary.dialects import DIALECTS
from ostiary.dialects.writer import carries, write
from ostiary.event import Event
from ostiary.records import replace
from ostiary.sources import results
from ostiary.sources.memory import KEPT
from payloads import AGENT, bash, raw, stop
from processes import PROGRAM, hook
from trees import plant

if sys.platform == "win32":
    pytest.skip("hooks there run no handlers in the background", allow_module_level=True)

BASH = Event.from_call("bash", {"command": "ls"}, agent="some", session="s")
STOP = replace(BASH, name="Stop", tool=None)
POLICY = """\
version: 1
deny: ["Bash(rm *)"]
rules:
  - {id: static, when: {tool: Bash}, context: at once}
  - id: lint
    when: {command: {program: make}}
    run: {command: "until [ -e %(go)s ]; do sleep 0.01; done; cat; {printed}", async: true}
"""
SAYS = '{"hookSpecificOutput": {"additionalContext": "two\\nlines\\u001b[31m"}, "decision": "block", "reason": "no"}'


@pytest.fixture
def state(tmp_path: Path) -> str:
    return str(tmp_path.resolve() / "state")


def took(state: str, event: Event = BASH) -> list[str]:
    return results.take(results.waiting(state, event).tells)


def took_failures(state: str, event: Event = BASH) -> list[str]:
    return results.take(results.waiting(state, event).failed)


def marked(text: str, rule: str = "r", event: str = "PreToolUse") -> str:
    lines = "\n".join(f"> {line}" for line in text.split("\n"))
    return f"the handler of rule `{rule}`, run in the background at {event}, says:\n{lines}"


def files(state: str) -> list[str]:
    return [os.path.join(folder, name) for folder, _, names in os.walk(f"{state}/results") for name in names]


def test_what_was_kept_is_told_once_in_order(state: str) -> None:
    assert all(results.keep(state, BASH, "r", text, "tells") for text in ("first", "second\n\nhandler `x`, says:"))
    assert took(state, replace(BASH, session="other")) == took(state, replace(BASH, agent="other")) == []
    assert took(state, replace(BASH, session=None)) == []
    assert took(state) == [marked("first"), marked("second\n\nhandler `x`, says:")]
    assert took(state) == files(state) == []


def test_of_two_that_take_the_same_one_gets_it(state: str) -> None:
    results.keep(state, BASH, "r", "text", "tells")
    both = results.waiting(state, BASH).tells, results.waiting(state, BASH).tells
    assert [results.take(found) for found in both] == [[marked("text")], []]


def test_without_a_session_nothing_is_kept(state: str) -> None:
    assert not results.keep(state, replace(BASH, session=None), "r", "text", "tells")
    assert not os.path.exists(state)


def test_texts_are_cleaned_and_cut(state: str) -> None:
    results.keep(state, BASH, "r\n> x", "a\x1b[31m\u202eb\r\n" + "c" * results.TEXT, "tells")
    (text,) = took(state)
    head, first, second = text.split("\n")
    assert head == "the handler of rule `r > x`, run in the background at PreToolUse, says:"
    assert first == "> a[31mb"
    assert second.endswith("c [cut]")
    assert len(first + second) == results.TEXT + 3


def test_only_so_many_wait(state: str) -> None:
    kept = [results.keep(state, BASH, "r", str(number), "tells") for number in range(results.MOST + 2)]
    assert kept == [True] * results.MOST + [False] * 2
    assert took(state) == [marked(str(number)) for number in range(results.MOST)]
    assert results.keep(state, BASH, "r", "again", "tells")


def test_the_end_of_a_turn_takes_only_what_wakes(state: str) -> None:
    results.keep(state, BASH, "r", "waits", "tells")
    results.keep(state, BASH, "r", "wakes", "wakes")
    assert took(state, STOP) == [marked("wakes")]
    assert took(state, STOP) == []
    assert took(state) == [marked("waits")]


@pytest.mark.parametrize("data", [b"", b"x", b"[]", b"{}", b'{"rule": 1, "event": "e", "text": "t"}', b"[" * 99999])
def test_a_damaged_result_is_not_told(data: bytes, state: str) -> None:
    results.keep(state, BASH, "r", "text", "tells")
    results.keep(state, BASH, "r", "whole", "tells")
    Path(results.waiting(state, BASH).tells[0]).write_bytes(data)
    assert took(state) == [marked("whole")]
    assert files(state) == []


def test_a_result_that_others_may_write_is_not_told(state: str) -> None:
    results.keep(state, BASH, "r", "text", "tells")
    Path(results.waiting(state, BASH).tells[0]).chmod(0o666)
    assert took(state) == files(state) == []


def test_what_cannot_be_written_is_not_kept(state: str) -> None:
    Path(state).write_text("no folder", "utf-8")
    assert not results.keep(state, BASH, "r", "text", "tells")


def test_results_go_with_their_session(state: str) -> None:
    ages = {"old": KEPT + 9, "young": KEPT - 999}
    for session in ages:
        results.keep(state, replace(BASH, session=session), "r", session, "tells")
    for session, age in ages.items():
        (file,) = results.waiting(state, replace(BASH, session=session)).tells
        os.utime(os.path.dirname(file), (time.time() - age,) * 2)
    results.keep(state, BASH, "r", "new", "tells")
    assert took(state, replace(BASH, session="old")) == []
    assert took(state, replace(BASH, session="young")) == [marked("young")]
    assert len(os.listdir(f"{state}/results")) == 2


def test_that_a_handler_failed_is_told_once_for_each_rule(state: str) -> None:
    for rule, text in (("a", "first"), ("b", "it ended\nwith\x1b[31m status 1"), ("a", "last")):
        assert results.keep(state, BASH, rule, text, "failed")
    want = [
        "handler of `a`, run in the background at PreToolUse: last",
        "handler of `b`, run in the background at PreToolUse: it ended with[31m status 1",
    ]
    assert took(state) == took(state, STOP) == took_failures(state, replace(BASH, session="other")) == []
    assert sorted(results.failures(state)) == want
    assert sorted(took_failures(state, STOP)) == want
    assert took_failures(state) == files(state) == list(results.failures(state)) == []


def test_failures_and_texts_take_no_room_from_each_other(state: str) -> None:
    failed = [results.keep(state, BASH, str(number), "late", "failed") for number in range(results.MOST + 1)]
    assert failed == [True] * results.MOST + [False]
    assert results.keep(state, BASH, "0", "late again", "failed")
    assert all(results.keep(state, BASH, "r", "text", "tells") for _ in range(results.MOST))


def test_a_damaged_failure_is_told_to_nobody(state: str) -> None:
    results.keep(state, BASH, "r", "late", "failed")
    Path(results.waiting(state, BASH).failed[0]).write_bytes(b"[]")
    assert list(results.failures(state)) == []


@pytest.mark.parametrize("extra", ["context", "message"])
@pytest.mark.parametrize("agent", sorted(DIALECTS))
def test_texts_are_told_where_they_are_said_to_be(agent: str, extra: Any) -> None:
    """For every event of every agent: a text is taken only where the answer holds it, and not as a reason."""
    dialect = DIALECTS[agent]
    for native, spec in dialect.events.items():
        event = Event(agent=agent, name=spec.canonical, native_name=native)
        for verdict in Verdict:
            outcome = Outcome(verdict=verdict, reason="why")
            told = write(dialect, event, replace(outcome, **{extra: "late words"}))
            carried = carries(dialect, event, outcome, extra)
            assert carried <= ("late words" in told.stdout)
            assert carried or verdict > Verdict.ALLOW or "late words" not in told.stdout
            assert not carried or json.loads(told.stdout)


# With hooks


@pytest.fixture
def base(tmp_path: Path) -> Path:
    found = tmp_path.resolve()
    (found / "says.json").write_text(SAYS)
    policy = POLICY % {"go": found / "go"}
    plant(found, {"config/policy.yaml": policy.replace("cat; {printed}", f"cat {found}/says.json")})
    plant(found, {"config/settings.yaml": "enable_shell_hooks: true\n", "project/.git": None})
    return found


def arguments(base: Path, event: str) -> list[str]:
    return ["--agent", AGENT, "--event", event, "--config-dir", str(base / "config")]


def context(base: Path, payload: Mapping[str, Any]) -> str:
    done = hook(payload, *arguments(base, payload["hook_event_name"]), cwd=base / "project")
    assert (done.returncode, done.stderr) == (0, b"")
    said = json.loads(done.stdout or "{}")
    return str(said.get("hookSpecificOutput", {}).get("additionalContext", ""))


def until_kept(base: Path) -> None:
    end = time.monotonic() + 60
    while not any("/." not in file for file in files(str(base / "config/state"))) and time.monotonic() < end:
        time.sleep(0.01)


LATE = marked("two\nlines[31m", "user:policy/lint")


def test_what_a_handler_came_to_reaches_a_later_event_of_its_session(base: Path) -> None:
    where = str(base / "project")
    assert context(base, bash("make", where)) == "at once"
    assert context(base, bash("ls", where)) == "at once"
    (base / "go").touch()
    until_kept(base)
    assert context(base, bash("ls", where, session_id="other")) == "at once"
    assert context(base, stop(where)) == ""
    assert context(base, bash("ls", where)) == f"at once\n{LATE}"
    assert context(base, bash("ls", where)) == "at once"


def test_a_deny_that_wakes_reaches_the_end_of_the_turn(base: Path) -> None:
    file, where = base / "config/policy.yaml", str(base / "project")
    file.write_text(file.read_text().replace("async: true", "async: true, rewake: true"))
    context(base, bash("make", where))
    (base / "go").touch()
    until_kept(base)
    assert context(base, stop(where)) == marked("two\nlines[31m\nno", "user:policy/lint")
    assert context(base, stop(where)) == ""


def test_that_a_handler_failed_reaches_people_with_a_later_event(base: Path) -> None:
    file, where = base / "config/policy.yaml", str(base / "project")
    file.write_text(file.read_text().replace(f"cat {base}/says.json", "echo broken >&2; exit 3"))
    context(base, bash("make", where))
    (base / "go").touch()
    until_kept(base)
    arguments_of_hook = arguments(base, "PreToolUse")
    said = json.loads(hook(bash("ls", where), *arguments_of_hook, cwd=base / "project").stdout)
    failure = "handler of `user:policy/lint`, run in the background at PreToolUse: it ended with status 3: broken"
    assert said["systemMessage"] == failure
    assert said["hookSpecificOutput"]["additionalContext"] == "at once"
    assert "systemMessage" not in json.loads(hook(bash("ls", where), *arguments_of_hook, cwd=base / "project").stdout)


def test_of_many_hooks_at_once_one_is_told(base: Path) -> None:
    where = str(base / "project")
    context(base, bash("make", where))
    (base / "go").touch()
    until_kept(base)
    command = [*PROGRAM, "hook", *arguments(base, "PreToolUse")]
    started = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=base / "project") for _ in range(6)
    ]
    said = [process.communicate(raw(bash("ls", where)), timeout=60)[0].decode() for process in started]
    assert sum("in the background" in text for text in said) == 1
    assert sum("at once" in text for text in said) == 6
