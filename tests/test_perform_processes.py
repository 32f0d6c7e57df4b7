"""Programs that do what they should not, and one answer in time whatever they do (law L7)."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ostiary.perform.processes import run
from ostiary.perform.program import CANCELLED, CAPTURED, LATE, Ended, Program
from processes import children

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="these programs are for POSIX systems")

AGES = 60.0
"""Seconds that no test here ever waits for."""


def sh(text: str, stdin: bytes = b"", seconds: float = AGES, cancel: Flag | None = None) -> Ended:
    until = time.monotonic() + seconds
    return run(Program(("/bin/sh", "-c", text), stdin, "/", {"PATH": "/usr/bin:/bin"}, until, cancel))


def python(text: str, stdin: bytes = b"", seconds: float = AGES) -> Ended:
    return run(Program((sys.executable, "-I", "-S", "-c", text), stdin, "/", {}, time.monotonic() + seconds))


class Flag:
    """A cancel token."""

    cancelled = False


def gone(pid: int) -> bool:
    """Whether a process (or a group, as a negative number) ended, perhaps without having been reaped by its new parent.
    Waits for that, not for ever."""
    end = time.monotonic() + AGES
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        stat = Path(f"/proc/{pid}/stat")
        if stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        os.sched_yield()
    return False


def test_output_errors_and_status_come_back() -> None:
    assert sh("cat; echo no >&2; exit 3", b"said") == Ended(3, b"said", b"no\n")


def test_the_environment_is_the_given_one_alone() -> None:
    assert sh("env | sort | grep -v -e ^PWD -e ^SHLVL -e ^_=").stdout == b"PATH=/usr/bin:/bin\n"


def test_a_signal_is_a_negative_status() -> None:
    assert sh("kill -TERM $$").status == -signal.SIGTERM
    assert sh("kill -KILL $$").status == -signal.SIGKILL


@pytest.mark.parametrize("reader", ["exit 0", "exec <&-; exit 0", "head -c 1 >/dev/null; exit 0"])
def test_input_that_is_not_read_harms_nothing(reader: str) -> None:
    assert sh(reader, b"x" * 1_000_000) == Ended(0)


def test_large_input_and_output_pass_at_the_same_time() -> None:
    done = sh("cat", b"0123456789" * 100_000)
    assert (done.status, done.stdout) == (0, (b"0123456789" * 100_000)[:CAPTURED])


def test_a_flood_is_cut_and_does_not_block_the_program() -> None:
    done = python("import sys; sys.stdout.write('o' * 10_000_000); sys.stderr.write('e' * 10_000_000)")
    assert done == Ended(0, b"o" * CAPTURED, b"e" * CAPTURED)


def test_a_flood_without_end_is_ended() -> None:
    done = sh("while :; do echo flood; done", seconds=0.3)
    assert (done.status, done.failure, len(done.stdout)) == (None, LATE, CAPTURED)


def test_a_program_that_hangs_is_ended_with_its_children() -> None:
    done = sh("sleep 1000 & echo $!; trap '' TERM INT HUP; wait; sleep 1000", seconds=0.3)
    assert (done.status, done.failure) == (None, LATE)
    assert gone(int(done.stdout))


def test_what_was_said_before_the_end_of_the_time_is_kept() -> None:
    assert sh("echo half; exec >&- 2>&-; exec sleep 1000", seconds=0.3) == Ended(None, b"half\n", b"", LATE)


def test_a_child_that_holds_the_output_delays_no_result() -> None:
    began = time.monotonic()
    done = sh("sleep 1000 & echo $! >&2; echo '{}'; exit 2")
    assert (done.status, done.stdout) == (2, b"{}\n")
    assert time.monotonic() - began < AGES / 4
    assert gone(int(done.stderr))


def test_a_late_line_of_a_child_is_still_read() -> None:
    assert sh("(sleep 0.1; echo late) & echo soon").stdout == b"soon\nlate\n"


def test_a_result_is_not_lost_because_a_child_holds_the_output_past_the_deadline() -> None:
    assert sh("sleep 1000 & exit 2", seconds=0.5).status == 2


def test_a_child_in_the_background_ends_with_the_program() -> None:
    done = sh("sleep 1000 >/dev/null 2>&1 & echo $!")
    assert done.status == 0
    assert gone(int(done.stdout))


def test_children_that_multiply_are_ended_together() -> None:
    """A chain in which each starts the next one and ends: at no time there is anyone to wait for."""
    chain = "import os\nfor _ in range(400):\n if os.fork(): os._exit(0)\nimport time; time.sleep(1000)"
    done = python(f"import os\nprint(os.getpgrp(), flush=True)\nif os.fork(): os.wait()\nelse:\n exec({chain!r})")
    assert done.status == 0
    assert gone(-int(done.stdout))
    many = sh("for n in 1 2 3 4 5 6 7 8 9; do (sleep 1000 & sleep 1000 & wait) & echo $!; done; wait", seconds=0.5)
    assert many.failure == LATE
    assert all(gone(int(pid)) for pid in many.stdout.split())


def test_a_child_that_left_the_group_holds_nothing_up() -> None:
    left = "import os, time\nif os.fork() == 0:\n os.setsid(); print(os.getpid(), flush=True); time.sleep(1000)"
    done = python(f"{left}\nimport time; time.sleep(0.2)")
    assert done.status == 0
    os.kill(int(done.stdout), signal.SIGKILL)


def test_an_answer_that_is_not_wanted_any_more_ends_the_program() -> None:
    flag = Flag()
    timer = threading.Timer(0.2, lambda: setattr(flag, "cancelled", True))
    timer.start()
    done = sh("echo $$; exec sleep 1000", cancel=flag)
    timer.join()
    assert done.failure == CANCELLED
    assert gone(int(done.stdout))


def test_cancelled_before_it_began() -> None:
    flag = Flag()
    flag.cancelled = True
    assert sh("exec sleep 1000", cancel=flag).failure == CANCELLED


def test_what_cannot_be_started_says_why(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("#!/bin/sh\n")
    orphan = tmp_path / "orphan"
    orphan.write_text("#!/no/such/interpreter\n")
    orphan.chmod(0o755)
    rubbish = tmp_path / "rubbish"
    rubbish.write_bytes(b"\0\1\2 nothing that runs")
    rubbish.chmod(0o755)
    cases = {
        (str(plain), "/"): f"`{plain}` cannot be started: Permission denied",
        (str(orphan), "/"): f"`{orphan}` cannot be started: No such file or directory",
        (str(rubbish), "/"): f"`{rubbish}` cannot be started: Exec format error",
        (str(tmp_path / "none"), "/"): f"`{tmp_path}/none` cannot be started: No such file or directory",
        ("/bin/sh", str(tmp_path / "gone")): f"`{tmp_path}/gone` cannot be started: No such file or directory",
        ("/bin/sh\0", "/"): "`/bin/sh\0` cannot be started: embedded null byte",
    }
    for (program, folder), why in cases.items():
        assert run(Program((program,), b"", folder, {})) == Ended(failure=why)


def test_arguments_that_are_too_long_are_a_failure() -> None:
    done = run(Program(("/bin/sh", "-c", ":", "x" * 10_000_000), b"", "/", {}))
    assert done == Ended(failure="`/bin/sh` cannot be started: Argument list too long")


def test_a_host_that_takes_statuses_away_is_not_taken_for_success() -> None:
    """With this setting the system reaps children by itself, and nobody knows how they ended."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        done = sh("exit 2")
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert done.status is None
    assert done.failure == "its exit status was taken by another part of this process"


def test_many_threads_and_nothing_left_behind() -> None:
    before = set(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else set()
    others = children()
    with ThreadPoolExecutor(8) as pool:
        ended = list(pool.map(lambda number: sh(f"cat; exit {number % 3}", b"x" * 70_000), range(100)))
    assert [one.status for one in ended] == [number % 3 for number in range(100)]
    assert not before or set(os.listdir("/proc/self/fd")) == before
    assert children() <= others
