"""The record: one JSON line for each thing that happened, which nobody changes later (law L11).

Each line holds its number and the SHA-256 of the line before, over all files of the record: a line that was changed,
put in or taken out shows, and so does a beginning that was cut off while a later file is there. What was cut off at the
end shows only to who knows the last number. Files are the user's alone; a full one gives way to a new one.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final

from ostiary.digests import sha256
from ostiary.sources.files import Unreadable
from ostiary.sources.private import append_whole, make_private, read_private

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

NAME: Final = "record.jsonl"
_FULL: Final = 1 << 20
_KEPT: Final = 16
_LIMIT: Final = 4 * _FULL
_LINE: Final = 64 << 10
_TRIES: Final = 50
_PAUSE: Final = 0.02  # seconds

_START: Final = "0" * 64


def append(state: str, kind: str, fields: Mapping[str, Any]) -> None:
    """Adds a line: what `kind` of thing happened, now, and what there is to say of it. Raises OSError or `Unreadable`
    where that is not possible; nothing is added then."""
    path = os.path.join(state, NAME)
    make_private(state)
    with _alone(f"{path}.lock"):
        number, previous = _last(state)
        if _size(path) > _FULL:
            _turn(state)
        said = {"n": number + 1, "time": _now(), "kind": kind, **fields, "previous": previous}
        line = json.dumps(said, ensure_ascii=True, separators=(",", ":")).encode()
        if len(line) > _LINE:
            raise Unreadable("a line of the record would be too long")
        append_whole(path, line + b"\n")


def flaws(state: str) -> tuple[str, ...]:
    """Where the record is not what was written, in words; empty if it is whole. Raises nothing."""
    found: list[str] = []
    before: tuple[int, str] | None = None
    for path in _files(state):
        name = os.path.basename(path)
        try:
            lines = _lines(path)
        except (OSError, Unreadable) as error:
            return (*found, f"{name}: {error}")
        for place, line in enumerate(lines, 1):
            number, previous = _head(line)
            if before is not None and (number, previous) != (before[0] + 1, before[1]):
                found.append(f"{name}:{place}: the lines before it are not those that were there")
            before = (number, _digest(line))
    return tuple(found)


def _last(state: str) -> tuple[int, str]:
    """Number and digest of the last line, (0, zeros) for an empty record."""
    for path in reversed(_files(state)):
        if lines := _lines(path):
            return _head(lines[-1])[0], _digest(lines[-1])
    return 0, _START


def _lines(path: str) -> list[bytes]:
    return (read_private(path, _LIMIT) or b"").splitlines()


def _head(line: bytes) -> tuple[int, str]:
    """Number and link of a line; of what is none, a number that no line has."""
    try:
        value = json.loads(line)
        return int(value["n"]), str(value["previous"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return -1, ""


def _digest(line: bytes) -> str:
    return sha256(line).hexdigest()


def _now() -> str:
    now = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03}Z"


def _files(state: str) -> list[str]:
    """The files of the record, the oldest first."""
    older = (os.path.join(state, f"record.{number}.jsonl") for number in range(_KEPT, 0, -1))
    return [path for path in (*older, os.path.join(state, NAME)) if os.path.lexists(path)]


def _turn(state: str) -> None:
    """Makes room for a new file; the oldest goes."""
    for number in range(_KEPT - 1, 0, -1):
        with suppress(FileNotFoundError):
            os.replace(os.path.join(state, f"record.{number}.jsonl"), os.path.join(state, f"record.{number + 1}.jsonl"))
    os.replace(os.path.join(state, NAME), os.path.join(state, "record.1.jsonl"))


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


@contextmanager
def _alone(path: str) -> Iterator[None]:
    """Inside the block no other process adds a line. Raises OSError where one holds on for too long."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        for left in range(_TRIES, -1, -1):
            try:
                _lock(descriptor)
                break
            except OSError:
                if not left:
                    raise
                time.sleep(_PAUSE)
        yield
    finally:
        os.close(descriptor)  # which gives it back


if sys.platform == "win32":

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
