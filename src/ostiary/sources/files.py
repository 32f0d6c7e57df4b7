"""Reading one file that others may have prepared: regular files only, bounded, inside a folder, at once (law L9)."""

from __future__ import annotations

import os
import stat
from typing import Final

from ostiary.sources import looks

_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a FIFO without a writer must not hold up a decision
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)


class Unreadable(Exception):
    """A file that exists but is not read. The text says why, in words for people, without its content."""


def read(path: str, limit: int, within: tuple[str, ...] = ()) -> bytes:
    """All bytes of a regular file of at most `limit` bytes. Links are followed, but with `within` only to places inside
    one of those folders (resolved ones). Raises FileNotFoundError if there is no such file, else `Unreadable`."""
    return _guarded(path, limit, within, whole=True)


def read_start(path: str, most: int, within: tuple[str, ...] = ()) -> bytes:
    """The first bytes of a regular file, at most so many. Otherwise as `read`."""
    return _guarded(path, most, within, whole=False)


def _guarded(path: str, limit: int, within: tuple[str, ...], *, whole: bool) -> bytes:
    looks.way(path)
    try:
        return _read(path, limit, within, whole=whole)
    except (FileNotFoundError, NotADirectoryError):
        if os.path.islink(path):
            raise Unreadable("it is a link to nothing") from None
        raise FileNotFoundError(path) from None
    except (OSError, ValueError) as error:
        looks.unsure()
        raise Unreadable(_why(error)) from None


def _read(path: str, limit: int, within: tuple[str, ...], *, whole: bool) -> bytes:
    target = os.path.realpath(path, strict=True)
    if within and not any(inside(target, folder) for folder in within):
        raise Unreadable("it is a link out of its folder")
    if not stat.S_ISREG(os.lstat(target).st_mode):
        raise Unreadable("it is not a regular file")
    descriptor = os.open(target, _FLAGS)
    try:
        # Asked again of what was opened: between the two calls the name may have come to mean something else.
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Unreadable("it is not a regular file")
        return _drain(descriptor, limit) if whole else _first(descriptor, limit)
    finally:
        os.close(descriptor)


def _drain(descriptor: int, limit: int) -> bytes:
    data = _first(descriptor, limit + 1)
    if len(data) > limit:
        raise Unreadable(f"it is larger than the {limit} bytes it may have")
    return data


def _first(descriptor: int, most: int) -> bytes:
    chunks, left = [], most
    while left > 0 and (chunk := os.read(descriptor, left)):
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


def _why(error: OSError | ValueError) -> str:
    reason = error.strerror if isinstance(error, OSError) else None
    return f"it cannot be read ({(reason or type(error).__name__).lower()})"


def inside(path: str, folder: str) -> bool:
    """Whether a resolved path is a resolved folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def exists(path: str) -> bool:
    """Whether something has this name; also where that cannot be told, so that what cannot be looked at is not taken
    for absent."""
    looks.looked(path)
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError:
        pass
    return True
