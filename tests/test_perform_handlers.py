"""Handlers of every kind: their time, their company, and those that nobody waits for."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from math import inf
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from handling import BASH, open_files, request, say
from ostiary.decision import Decision, Verdict
from ostiary.event import Event
from ostiary.perform import limits
from ostiary.perform.handlers import perform
from ostiary.perform.runtime import Finished, Runtime
from processes import SOURCE, children

LATE = Decision(failure="it took too long")
HUNG = "sleep 1000"


class Flag:
    """A cancel token."""

    cancelled = False


@pytest.mark.parametrize(
    ("contract", "event", "kind", "said", "want"),
    [
        ("afk", "PreToolUse", "command", None, 30),
        ("afk", "SessionEnd", "command", None, 30),
        ("afk", "Stop", "command", None, 5),
        ("afk", "Stop", "command", 20, 20),
        ("afk", "PreToolUse", "prompt", None, 30),
        ("afk", "PreToolUse", "agent", None, 60),
        ("afk", "PreToolUse", "function", 0, None),
        ("afk", "PreToolUse", "function", -1, None),
        ("afk", "PreToolUse", "function", inf, None),
        ("claude", "PreToolUse", "command", None, 600),
        ("claude", "PreToolUse", "http", None, 600),
        ("claude", "Stop", "command", None, 600),
        ("claude", "UserPromptSubmit", "command", None, 30),
        ("claude", "SessionEnd", "command", None, 1.5),
        ("claude", "SessionEnd", "prompt", None, 30),
        ("claude", "SessionEnd", "command", 10, 10),
    ],
)
def test_the_time_of_one_handler(contract: str, event: str, kind: str, said: float | None, want: float | None) -> None:
    asked = request("command", event=Event(name=event), contract=contract, timeout=said)
    assert limits.seconds(asked._replace(plan=asked.plan._replace(kind=kind))) == want


@pytest.mark.parametrize(
    ("contract", "event", "said", "want"),
    [
        ("afk", "SubagentStop", (None, 100), 30),
        ("afk", "SessionEnd", (None,), None),
        ("claude", "SessionEnd", (None, None), 1.5),
        ("claude", "SessionEnd", (None, 20, 10), 20),
        ("claude", "SessionEnd", (100,), 60),
        ("claude", "SubagentStop", (None,), None),
    ],
)
def test_the_time_that_handlers_share(
    contract: str, event: str, said: tuple[float | None, ...], want: float | None
) -> None:
    requests = [request("command", event=Event(name=event), contract=contract, timeout=one) for one in said]
    assert limits.shared(requests) == want


def test_handlers_of_the_end_of_a_session_share_their_time() -> None:
    """The second one begins when the time of both is over."""
    ends = Event(name="SessionEnd")
    asked = tuple(request("command", event=ends, contract="claude", command=HUNG) for _ in range(2))
    assert perform(asked, Runtime(began=time.monotonic() - 1.4, together=1)) == (LATE, LATE)


def functions(**named: Any) -> dict[str, Any]:
    return named


def test_several_run_beside_each_other() -> None:
    """Each waits for the other one."""
    meeting = threading.Barrier(3)
    run = functions(meet=lambda event: {"decision": "ask", "reason": str(meeting.wait(60) * 0)})
    asked = (request("function", name="meet", contract="claude"),) * 3
    assert perform(asked, Runtime(functions=run)) == (Decision(verdict=Verdict.ASK, reason="0"),) * 3


def test_no_more_run_beside_each_other_than_may() -> None:
    running, most, lock = 0, 0, threading.Lock()

    def count(event: Event) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.01)
        with lock:
            running -= 1

    perform((request("function", name="f", contract="claude"),) * 20, Runtime(functions={"f": count}, together=3))
    assert most <= 3


def test_answers_come_back_in_the_order_of_the_questions(tmp_path: Path) -> None:
    texts = [f"echo {number} >&2; exit 2" for number in range(12)]
    asked = tuple(request("command", tmp_path, contract="claude", command=text) for text in texts)
    assert [said.reason for said in perform(asked, Runtime())] == [str(number) for number in range(12)]


def test_what_goes_wrong_inside_is_a_failure() -> None:
    said = say(request("function", name="f"), functions={"f": lambda: None})
    assert said.verdict == Verdict.DENY
    broken = request("command", command="true")
    broken = broken._replace(plan=broken.plan._replace(spec=()))
    assert say(broken) == Decision(failure="it could not be run: KeyError: 'command'")
    strange = broken._replace(plan=broken.plan._replace(kind="carrier pigeon"))
    assert say(strange) == Decision(failure="it could not be run: KeyError: 'carrier pigeon'")


def test_nothing_runs_once_the_answer_is_not_wanted() -> None:
    flag = Flag()
    flag.cancelled = True
    assert say(request("function", name="f"), functions={}, cancel=flag) == Decision(failure="it was cancelled")


def finished(asked: Any, **runtime: Any) -> Finished:
    results: SimpleQueue[Finished] = SimpleQueue()
    assert say(asked, finished=results.put, **runtime) == Decision()
    return results.get(timeout=60)


def test_nobody_waits_for_a_handler_in_the_background(tmp_path: Path) -> None:
    go = threading.Event()
    run = {"f": lambda event: go.wait(60) and {"systemMessage": "m", "hookSpecificOutput": {"additionalContext": "c"}}}
    results: SimpleQueue[Finished] = SimpleQueue()
    over = time.monotonic() + 0.1
    runtime = Runtime(functions=run, finished=results.put, deadline=over)
    assert perform((request("function", name="f", background=True),), runtime) == (Decision(),)
    while time.monotonic() < over:
        pass
    go.set()
    assert results.get(timeout=60) == Finished("user:policy/r", "PreToolUse", "s-1", "c\nm")


def test_what_a_handler_in_the_background_tells(tmp_path: Path) -> None:
    denies = {"command": "echo why >&2; exit 2", "background": True}
    asked = request("command", tmp_path, **denies)
    assert finished(asked) == Finished("user:policy/r", "PreToolUse", "s-1")
    waking = request("command", tmp_path, **denies, rewake=True)
    assert finished(waking) == Finished("user:policy/r", "PreToolUse", "s-1", "why", True)
    output = request("command", tmp_path, contract="claude", command="echo o; exit 2", background=True, rewake=True)
    assert finished(output).context == "o"
    late = request("command", tmp_path, command=HUNG, background=True, timeout=0.1)
    assert finished(late) == Finished("user:policy/r", "PreToolUse", "s-1", failure="it took too long")


def test_handlers_in_the_background_end_when_their_engine_does(tmp_path: Path) -> None:
    flag, results = Flag(), SimpleQueue[Finished]()
    runtime = Runtime(cancel=flag, finished=results.put)
    perform((request("command", tmp_path, command=HUNG, background=True, timeout=0),), runtime)
    flag.cancelled = True
    assert results.get(timeout=60).failure == "it was cancelled"


def test_a_handler_in_the_background_that_cannot_be_started_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", full)
    asked = request("command", command="exit 0", background=True)
    assert say(asked) == Decision(failure="it could not be started: can't start new thread")


HOOK = """
import os, sys
sys.path[:0] = [{source!r}, {tests!r}]
from handling import request, say
def note(finished):
    with open({note!r} + ".new", "w") as file:
        file.write(finished.context)
    os.rename({note!r} + ".new", {note!r})
asked = request("command", {folder!r}, command={text!r}, background=True, rewake=True)
print(say(asked, finished=note, ends=True).failure or "answered", flush=True)
os._exit(0)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="hooks there run none in the background")
def test_a_hook_that_ends_leaves_it_a_process_of_its_own(tmp_path: Path) -> None:
    """Who reads the hook's output sees its end at once; what the handler comes to is told later."""
    note, go = tmp_path / "note", tmp_path / "go"
    text = f"until [ -e {go} ]; do sleep 0.01; done; echo done >&2; exit 2"
    values = {"source": SOURCE, "tests": str(Path(__file__).parent), "note": str(note), "folder": str(tmp_path)}
    code = HOOK.format(**values, text=text)
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == (b"answered\n", b"")
    assert not note.exists()
    go.touch()
    end = time.monotonic() + 60
    while not note.exists() and time.monotonic() < end:
        time.sleep(0.01)
    assert note.read_text() == "done"


@pytest.mark.skipif(sys.platform == "win32", reason="these programs are for POSIX systems")
def test_many_dispatches_leave_nothing_behind(tmp_path: Path) -> None:
    """No process, thread, open file or temporary file; `bench/handlers.py` does ten thousand."""
    texts = ("exit 0", "echo x >&2; exit 2", "sleep 1000 >/dev/null 2>&1 & exit 0", "kill -9 $$", "exec nosuchprogram")
    asked = [request("command", tmp_path, contract="claude", command=text) for text in texts]
    asked.append(request("function", name="f", contract="claude"))
    asked.append(request("command", tmp_path, contract="claude", command="./none", args=()))
    runtime = Runtime(functions={"f": lambda event: None}, environ={"TMPDIR": str(tmp_path)})
    say(request("command", tmp_path, command="exit 0"))
    files, threads, others = open_files(), threading.active_count(), children()
    for _ in range(30):
        perform(tuple(asked), runtime)
    assert (open_files(), threading.active_count()) == (files, threads)
    assert list(tmp_path.iterdir()) == []
    assert children() <= others


def test_the_event_is_what_functions_get() -> None:
    seen: list[object] = []
    say(request("function", name="f"), functions={"f": seen.append})
    assert seen == [BASH]
