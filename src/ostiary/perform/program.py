"""A program to run, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from ostiary.records import NamedTuple

CAPTURED: Final = 64_000
"""Bytes that are kept of each stream; the rest is read and dropped, so that the program can go on."""

GRACE: Final = 1.0
"""Seconds that are waited for the end of the output once the program itself has ended."""

LATE: Final = "it took too long"
CANCELLED: Final = "it was cancelled"


class Cancel(Protocol):
    """Tells whether the answer is no longer wanted. It is asked again and again while a handler runs."""

    @property
    def cancelled(self) -> bool:
        """Whether to stop now."""


class Program(NamedTuple):
    """What to run: the whole command line (on Windows it may be one text), standard input, absolute folder,
    environment; and until when, by `time.monotonic()` (None: no limit). `unbound`: the bound that a hook sets on its
    own memory is not for it."""

    command: tuple[str, ...] | str
    stdin: bytes
    cwd: str
    env: Mapping[str, str]
    deadline: float | None = None
    cancel: Cancel | None = None
    unbound: bool = False


class Ended(NamedTuple):
    """How it went. `status` is the exit status, negative for the signal that ended the program. `failure` says that it
    could not be started, or did not end by itself; then there is no status."""

    status: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    failure: str = ""
