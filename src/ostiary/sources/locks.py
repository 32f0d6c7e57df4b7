"""Locks between processes, for files that are read, changed and written back."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from ostiary.sources.files import Unreadable
from ostiary.sources.private import make_private

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_FLAGS: Final = (
    os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
)
_FIRST_LOOK: Final = 0.0005
_LOOK: Final = 0.05
_FAR: Final = 1 << 30  # Windows lets nobody read the byte that is locked


@contextmanager
def locked(path: str, patience: float = 10.0) -> Iterator[int]:
    """Nobody else, in this process or another one, does anything under the lock of this file meanwhile; gives the
    descriptor of the lock, a small file that the holder may read and write. Raises OSError, and `Unreadable` where it
    cannot be had in so many seconds."""
    make_private(os.path.dirname(path))
    descriptor = os.open(f"{path}.lock", _FLAGS, 0o600)
    try:
        until = time.monotonic() + patience
        pause = _FIRST_LOOK
        while not _taken(descriptor):
            if time.monotonic() >= until:
                raise Unreadable(f"{path}: another process is at work on it")
            time.sleep(pause)
            pause = min(2 * pause, _LOOK)
        yield descriptor
    finally:
        os.close(descriptor)


def _taken(descriptor: int) -> bool:
    """Take the lock, which ends with the descriptor; False where somebody has it."""
    try:
        if sys.platform == "win32":
            os.lseek(descriptor, _FAR, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
