"""`ostiary watch`: decisions, reloads and problems as they happen."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lines import Line
from ostiary import cold
from ostiary.commands import watch
from ostiary.explain import Broken, ServiceStatus, plain, screen
from ostiary.sources import record
from ostiary.sources.compiling import compile_source
from ostiary.sources.places import find_places
from payloads import AGENT, bash, raw
from processes import PROGRAM

SERVICE = ServiceStatus(
    7,
    61.0,
    {"answered": 3},
    {"p50": 1.5},
    {"address": "http://127.0.0.1:7", "problem": ""},
    {"pid": 8, "starts": 2, "folders": 3, "problem": "changes are looked for every 2 seconds alone: OSError"},
    (),
)
QUIET = SERVICE._replace(http={"address": "", "problem": ""}, watcher={"starts": 4})


def reload(
    root: str = "/work", problems: tuple[str, ...] = (), time: str = "2027-01-15T08:00:00.000Z"
) -> dict[str, Any]:
    found = {"kind": "reload", "read": time, "generation": "g" * 16, "by": "watcher", "root": root, "ms": 2.0}
    return {**found, **({"problems": list(problems)} if problems else {})}


EVENT = {"kind": "event", "time": "2027-01-15T08:00:01.000Z", "agent": "codex", "event": "PreToolUse", "said": "deny"}

SCREEN = """\
service     process 7, for 1 min; calls: 3 answered; p50 1.5 ms
http        http://127.0.0.1:7
watcher     process 8, folders: 3, started 2 times; changes are looked for every 2 seconds alone: OSError
problem     a.yaml:1: no

time (UTC)           agent        session   tool or event     said  what, and which rules
2027-01-15 08:00:00  (reload)               /work             gggggggggggg, 2 ms  a.yaml:1: no
2027-01-15 08:00:01  codex                  PreToolUse        deny"""


def test_a_screen() -> None:
    broken = [reload(problems=("a.yaml:1: no",)), reload("/other", ("b.yaml:1: no",)), reload("/other")]
    lines = screen(SERVICE, Broken(broken), [reload(problems=("a.yaml:1: no",)), EVENT], 40)
    assert plain(lines).replace("…", "g").replace("gggggggggggg, 2.0", "gggggggggggg, 2") == SCREEN


@pytest.mark.parametrize("rows", [1, 2, 5, 12])
def test_a_screen_is_not_longer_than_it_is(rows: int) -> None:
    problems = Broken([reload(problems=tuple(f"{number}.yaml:1: no" for number in range(20)))])
    assert len(screen(SERVICE, problems, [EVENT] * 50, rows)) <= rows
    assert len(screen(None, Broken(), [EVENT] * 50, rows)) <= rows


def test_a_service_without_a_watcher() -> None:
    lines = plain(screen(QUIET, Broken(), [], 20)).splitlines()
    assert lines[1] == "watcher     none runs, started 4 times: each call looks for itself"
    assert plain(screen(None, Broken(), [], 20)).splitlines()[0] == "service     none runs"


def hook(line: Line, payload: Any) -> None:
    call = cold.HookCall(raw(payload), AGENT, "PreToolUse", str(line.config), str(line.project))
    cold.decide(call, compile_source)


def test_one_line_for_each_thing(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reloads are always shown, of events those that are wanted; the service when it is another one."""
    (line.config / "policy.yaml").write_text('version: 1\nname: mine\ndeny: ["Bash(rm *)"]\n')
    hook(line, bash("rm before"))
    services = iter([None, SERVICE, SERVICE, QUIET])

    def looks() -> Iterator[None]:
        hook(line, bash("rm x"))
        hook(line, bash("ls"))
        yield
        record.reload(find_places(str(line.config)), {"generation": "g" * 16, "by": "call", "ms": 2.0})
        yield
        yield

    steps = looks()

    def sleep(_seconds: float) -> None:
        if next(steps, "over") == "over":
            raise KeyboardInterrupt

    monkeypatch.setattr(watch.time, "sleep", sleep)
    monkeypatch.setattr(watch.resident, "status", lambda _config: next(services))
    ran = line.at("watch", "--verdict", "deny")
    assert ran.status == 130
    found = [text[21:].rstrip() if text.startswith("20") else text for text in ran.shown.splitlines()]
    deny = "claude-code  s1        bash              deny  rm (delete {})  user:mine/deny:Bash(rm *)"
    assert found == [
        "time (UTC)           agent        session   tool or event     said  what, and which rules",
        deny.format("before"),
        "service     none runs",
        *SCREEN.splitlines()[:3],
        deny.format("x"),
        "(reload)                                 ggggggggggg…, 2.0 ms",
        "service     process 7, for 1 min; calls: 3 answered; p50 1.5 ms",
        "watcher     none runs, started 4 times: each call looks for itself",
    ]


def test_a_record_that_others_can_write(line: Line) -> None:
    if os.name == "posix":
        (line.config / "policy.yaml").write_text("version: 1\n")
        hook(line, bash("ls"))
        Path(line.config, "state/record/events.jsonl").chmod(0o666)
        ran = line.at("watch")
        assert ran.status == 1
        assert "the record cannot be read: " in ran.err


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
def test_at_a_terminal_it_paints_until_a_person_ends_it(line: Line) -> None:
    import pty  # not on every system

    (line.config / "policy.yaml").write_text('version: 1\nname: mine\ndeny: ["Bash(rm *)"]\n')
    hook(line, bash("rm x"))
    pid, screen = pty.fork()
    if pid == 0:
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "160", "LINES": "24"}
        os.execve(PROGRAM[0], [*PROGRAM, "watch", "--config-dir", str(line.config)], environment)
    shown, told, status = b"", False, None
    while status is None:
        ready, _, _ = select.select([screen], [], [], 30)
        assert ready, shown
        try:
            shown += os.read(screen, 4096)
        except OSError:  # nobody has the other end any more
            status = os.waitpid(pid, 0)[1]
        if not told and b"rm (delete x)" in shown and b"none runs" in shown:
            os.kill(pid, signal.SIGINT)
            told = True
    assert os.waitstatus_to_exitcode(status) == 130
    os.close(screen)
