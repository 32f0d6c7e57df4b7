"""Following a program on Windows: a job object holds its descendants, and a thread each carries a stream.

Pipes cannot be waited for together there. The threads end with the pipes, which end with the job.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import inf
from threading import Thread
from typing import IO, Final

from ostiary.perform.program import CANCELLED, CAPTURED, GRACE, LATE, Ended, Program

_CHUNK: Final = 1 << 16
_LOOK: Final = 0.05

# https://learn.microsoft.com/windows/win32/procthread/process-creation-flags
FLAGS: Final = 0x00000200 | 0x08000000  # CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW

# https://learn.microsoft.com/windows/win32/api/winnt/ns-winnt-jobobject_extended_limit_information
_EXTENDED_LIMITS: Final = 9
_KILL_ON_CLOSE: Final = 0x2000

_PATH_LENGTH: Final = 261


class _Basic(ctypes.Structure):
    _fields_ = (
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
        ("least", ctypes.c_size_t),
        ("most", ctypes.c_size_t),
        ("processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("priority", ctypes.c_uint32),
        ("scheduling", ctypes.c_uint32),
    )


class _Extended(ctypes.Structure):
    _fields_ = (
        ("basic", _Basic),
        ("counters", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("process_peak", ctypes.c_size_t),
        ("job_peak", ctypes.c_size_t),
    )


if sys.platform == "win32":

    class _Job:
        """All descendants of a program. Closing it ends them."""

        def __init__(self, process: subprocess.Popen[bytes]) -> None:
            kernel = ctypes.WinDLL("kernel32", use_last_error=True)
            kernel.CreateJobObjectW.restype = ctypes.c_void_p
            self._close = kernel.CloseHandle
            self._job = ctypes.c_void_p(kernel.CreateJobObjectW(None, None))
            limits = _Extended(basic=_Basic(flags=_KILL_ON_CLOSE))
            size = ctypes.sizeof(limits)
            kernel.SetInformationJobObject(self._job, _EXTENDED_LIMITS, ctypes.byref(limits), size)
            handle = ctypes.c_void_p(int(process._handle))  # type: ignore[attr-defined]  # there is no other way to it
            self.holds = bool(kernel.AssignProcessToJobObject(self._job, handle))

        def close(self) -> None:
            self._close(self._job)

    def system_folder() -> str:
        """The absolute path of `System32`, from the system and not from the environment."""
        buffer = ctypes.create_unicode_buffer(_PATH_LENGTH)
        ctypes.windll.kernel32.GetSystemDirectoryW(buffer, _PATH_LENGTH)
        return buffer.value

    def followed(process: subprocess.Popen[bytes], program: Program) -> Ended:
        """The end of a program that was started."""
        job = _Job(process)
        assert process.stdin
        assert process.stdout
        assert process.stderr
        output, errors = _Reader(process.stdout), _Reader(process.stderr)
        threads = (
            Thread(target=_write, args=(process.stdin, program.stdin), daemon=True),
            Thread(target=output.read, daemon=True),
            Thread(target=errors.read, daemon=True),
        )
        for thread in threads:
            thread.start()
        try:
            failure = _until_ended(process, program, threads[1:])
        finally:
            job.close()
            if not job.holds:  # a system that lets no job hold it: the program alone can be ended
                process.kill()
            with suppress(subprocess.TimeoutExpired):
                process.wait(GRACE)
            for thread in threads:
                thread.join(GRACE)
        status = None if failure else process.returncode
        return Ended(status, bytes(output.kept), bytes(errors.kept), failure)

    def _until_ended(process: subprocess.Popen[bytes], program: Program, readers: tuple[Thread, ...]) -> str:
        """Why the program did not end by itself, empty if it did. Returns as soon as its output ended, too, or had some
        time to."""
        until = inf if program.deadline is None else program.deadline
        running = True
        while True:
            if running and process.poll() is not None:
                running, until = False, min(until, time.monotonic() + GRACE)
            if not running and not any(reader.is_alive() for reader in readers):
                return ""
            left = until - time.monotonic()
            if left <= 0:
                return LATE if running else ""
            if program.cancel and program.cancel.cancelled:
                return CANCELLED
            if running:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(min(_LOOK, left))
            else:
                next(reader for reader in readers if reader.is_alive()).join(min(_LOOK, left))


@contextmanager
def unbound() -> Iterator[None]:
    """Windows has no such bound."""
    yield


def _write(pipe: IO[bytes], data: bytes) -> None:
    """Send it all, as far as the program reads."""
    left = memoryview(data)
    with suppress(OSError), pipe:
        while left:
            left = left[pipe.write(left[:_CHUNK]) :]


class _Reader:
    """The beginning of what a program writes. The rest is read and dropped."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self.kept = bytearray()
        self._pipe = pipe

    def read(self) -> None:
        """To the end."""
        with suppress(OSError, ValueError), self._pipe as pipe:
            while data := pipe.read(_CHUNK):
                self.kept += data[: CAPTURED - len(self.kept)]
