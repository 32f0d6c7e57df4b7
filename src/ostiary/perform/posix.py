"""Following a program on POSIX systems, in this thread: its streams through a selector, its end without reaping it.

Until the program is reaped its number names its process group and nothing else. So the group is ended first.
"""

from __future__ import annotations

import os
import resource
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from math import inf
from typing import Final

from ostiary.perform.program import CANCELLED, CAPTURED, GRACE, LATE, Ended, Program

assert sys.platform != "win32"  # `windows` takes its place there

FLAGS: Final = 0

_CHUNK: Final = 1 << 16

# Seconds between two looks at what no file tells: whether the program ended, whether its answer is still wanted. Once
# its output is closed it is about to end.
_LOOK: Final = 0.05
_SOON: Final = 0.0005

RUNNING: Final = "running"
_LOST: Final = "its exit status was taken by another part of this process"


def followed(process: subprocess.Popen[bytes], program: Program) -> Ended:
    """The end of a program that was started. Raises OSError where this process can open no more files."""
    try:
        with closing(_Streams(process, program.stdin)) as streams:
            state = _until_ended(process, program, streams)
    finally:
        end_group(process)
    output, errors = streams.read
    return Ended(state, output, errors) if isinstance(state, int) else Ended(None, output, errors, state)


@contextmanager
def unbound() -> Iterator[None]:
    """The bound on the memory is lifted meanwhile, as far as this process may."""
    usual, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (usual, most))


def _until_ended(process: subprocess.Popen[bytes], program: Program, streams: _Streams) -> int | str:
    """The exit status, or why there is none. Returns as soon as the program ended and its output did, too, or had some
    time to."""
    deadline = inf if program.deadline is None else program.deadline
    state: int | str = RUNNING
    until, pause = deadline, _SOON
    while True:
        if state == RUNNING:
            state = status(process)
            until = deadline if state == RUNNING else min(deadline, time.monotonic() + GRACE)
        if state != RUNNING and not streams.talking:
            return state
        if time.monotonic() >= until:
            return LATE if state == RUNNING else state
        if program.cancel and program.cancel.cancelled:
            return CANCELLED
        pause = _LOOK if streams.talking else min(2 * pause, _LOOK)
        streams.move(min(pause, max(until - time.monotonic(), 0)), writing=state == RUNNING)


def status(process: subprocess.Popen[bytes]) -> int | str:
    """The exit status, negative for a signal, or why there is none. The program stays to be reaped."""
    if not hasattr(os, "waitid"):  # macOS before Python 3.13
        status = process.poll()
        return RUNNING if status is None else status
    try:
        found = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return _LOST
    if found is None:
        return RUNNING
    code: int = found.si_status
    return code if found.si_code == os.CLD_EXITED else -code


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End every process of the group, reap the program and let go of its pipes. One that not even a kill ends, because
    it waits for a disk or runs as another user, is left to itself."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            pipe.close()


class _Streams:
    """The three pipes of a program."""

    def __init__(self, process: subprocess.Popen[bytes], data: bytes) -> None:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        self._stdin = process.stdin
        self._input, self._output, self._errors = (
            pipe.fileno() for pipe in (process.stdin, process.stdout, process.stderr)
        )
        self._left = memoryview(data)
        self._kept = {self._output: bytearray(), self._errors: bytearray()}
        self._selector = selectors.DefaultSelector()
        for pipe in (self._output, self._errors):
            self._selector.register(pipe, selectors.EVENT_READ)
        self._selector.register(self._input, selectors.EVENT_WRITE)
        for pipe in (self._input, self._output, self._errors):
            os.set_blocking(pipe, False)

    @property
    def talking(self) -> bool:
        """Whether somebody still holds the output or the errors open."""
        watched = self._selector.get_map()
        return self._output in watched or self._errors in watched

    @property
    def read(self) -> tuple[bytes, bytes]:
        """The beginning of the output and of the errors."""
        return bytes(self._kept[self._output]), bytes(self._kept[self._errors])

    def move(self, seconds: float, *, writing: bool) -> None:
        """Pass on what can be, waiting for the first of it."""
        if not (writing and self._left) and self._input in self._selector.get_map():
            self._finish_input()
        for key, _ in self._selector.select(seconds):
            if key.fd == self._input:
                self._write()
            else:
                self._read(key.fd)

    def _write(self) -> None:
        try:
            self._left = self._left[os.write(self._input, self._left[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:  # the program does not read on, as it may
            self._left = self._left[:0]
        if not self._left:
            self._finish_input()

    def _read(self, pipe: int) -> None:
        try:
            data = os.read(pipe, _CHUNK)
        except BlockingIOError:
            return
        kept = self._kept[pipe]
        kept += data[: CAPTURED - len(kept)]
        if not data:
            self._selector.unregister(pipe)

    def _finish_input(self) -> None:
        self._selector.unregister(self._input)
        self._stdin.close()

    def close(self) -> None:
        """Watch no longer."""
        self._selector.close()
