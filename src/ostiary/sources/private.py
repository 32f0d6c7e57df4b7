"""Files that only their user may write: trust store, last good plans, cache."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from typing import Final

from ostiary.sources import looks
from ostiary.sources.files import Unreadable, read

_APPENDING: Final = (
    os.O_WRONLY
    | os.O_APPEND
    | os.O_CREAT
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)

_END: Final = 2  # bytes whose loss damages a line: its end, and what comes before


def read_private(path: str, limit: int) -> bytes | None:
    """The bytes of a file in a private folder, None if there is none. Raises `Unreadable` where folder or file belong
    to someone else, or others may write them."""
    folder = os.path.dirname(path)
    looks.way(path)
    try:
        _insist(folder)
        _insist(path)
        return read(path, limit, (os.path.realpath(folder),))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        looks.unsure()
        raise Unreadable(f"it cannot be looked at ({(error.strerror or 'unknown').lower()})") from None


def write_private(path: str, data: bytes, durable: bool = False) -> None:
    """Replaces a file as a whole, mode 0600, making its folder (0700) if there is none. `durable`: it is on the disk
    when this returns. Raises OSError or `Unreadable` if that cannot be done; the file is then what it was."""
    folder = os.path.dirname(path)
    _make(folder)
    _insist(folder)
    fresh = os.path.join(folder, f".{os.getpid()}.{os.urandom(4).hex()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(fresh, path)
    except BaseException:
        os.unlink(fresh)
        raise


def append_private(path: str, data: bytes, most: int) -> bool:
    """Adds to a file in one write, so that others that add at the same time do not come in between; True if the file is
    new. A file with more than `most` bytes is left as it is. Raises as `write_private` does, also where the bytes could
    not all be written: then the file is empty, or its end is damaged, so that nobody takes it for whole."""
    folder = os.path.dirname(path)
    _make(folder)
    _insist(folder)
    descriptor = os.open(path, _APPENDING, 0o600)
    try:
        size = os.fstat(descriptor).st_size
        if size > most:
            return False
        _whole(descriptor, data, size)
        return size == 0
    finally:
        os.close(descriptor)


def _whole(descriptor: int, data: bytes, size: int) -> None:
    """Writes all of it behind the `size` bytes that are there, or raises OSError."""
    written = 0
    try:
        written = os.write(descriptor, data)
    finally:
        if not written:
            with suppress(OSError):  # takes no space; a part of the data is damage enough
                os.ftruncate(descriptor, max(size - _END, 0))
    if written < len(data):
        raise OSError


def append_whole(path: str, data: bytes) -> None:
    """Adds to a private file, making it (0600) if there is none, in one write. Raises OSError or `Unreadable` if not
    all could be written, or others may write the file; it is then what it was. Only for who is alone with the file."""
    descriptor = os.open(path, _APPENDING, 0o600)
    try:
        _insist(path)
        size = os.fstat(descriptor).st_size
        if os.write(descriptor, data) < len(data):
            os.ftruncate(descriptor, size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(descriptor)


def make_private(folder: str) -> None:
    """Makes a folder (0700) if there is none. Raises OSError or `Unreadable` where that cannot be done, or others may
    write there."""
    _make(folder)
    _insist(folder)


def _make(folder: str) -> None:
    """Makes a folder and those above it that are missing, all of them private."""
    if not os.path.isdir(folder):
        _make(os.path.dirname(folder))
        with suppress(FileExistsError):  # another process was faster
            os.mkdir(folder, 0o700)


def _insist(path: str) -> None:
    """Raises `Unreadable` unless only this user can write here. Windows keeps users' folders apart by itself."""
    status = os.stat(path)
    if sys.platform == "win32":
        return
    if status.st_uid != os.geteuid():
        raise Unreadable(f"`{path}` belongs to user {status.st_uid}")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise Unreadable(f"`{path}` can be written by other users")
