"""Calls that a person has to confirm where the agent cannot ask: what waits, and what was permitted once.

A call is known by a digest, which holds its session (`Event.digest`) and the scripts that it runs. An approval lifts a
question, never a deny; it holds for ten minutes and for one call, which each gate may ask about once. Whatever cannot
be read or written permits nothing. Times are seconds since the epoch.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from ostiary.records import NamedTuple
from ostiary.sources.files import Unreadable
from ostiary.sources.private import read_private, write_private

LASTS: Final = 600
"""Seconds that an approval holds."""

_WAITS: Final = 3600  # seconds that a call can be approved
_MOST: Final = 64  # calls that wait; the oldest go first
_LIMIT: Final = 1 << 20
_SHOWN: Final = 64_000  # characters of a call or reason that people are shown
_SHORT: Final = 8


class Waiting(NamedTuple):
    """A call that was denied because nobody could be asked: when (seconds since the epoch), by which agent, with which
    tool, what it would do and why it was stopped."""

    digest: str
    time: float
    agent: str
    tool: str
    text: str
    reason: str

    @property
    def name(self) -> str:
        """Its short name."""
        return short(self.digest)


def short(digest: str) -> str:
    """The name under which a person approves a call."""
    return digest[:_SHORT]


def wait(state: str, call: Waiting) -> bool:
    """Notes a call that waits; False if it cannot be noted. Nobody can permit what is too long to be shown whole."""
    if len(call.text) > _SHOWN or len(call.reason) > _SHOWN:
        return False
    try:
        write_private(_path(state, call.digest, "waits"), json.dumps(call._asdict()).encode())
    except (OSError, Unreadable):
        return False
    _prune(state, call.time)
    return True


def waiting(state: str, now: float) -> list[Waiting]:
    """The calls that can be approved, the newest first."""
    calls = (_waiting(_read(path)) for path in _files(state, "waits"))
    return sorted((call for call in calls if call and _recent(call.time, now, _WAITS)), key=lambda call: -call.time)


def approve(state: str, digest: str, now: float) -> None:
    """Permits a call once, from now on. Raises `Unreadable` or OSError if that cannot be recorded."""
    approved = json.dumps({"time": now, "used": []}).encode()
    write_private(_path(state, digest, "approved"), approved, durable=True)
    with suppress(OSError):
        os.unlink(_path(state, digest, "waits"))


def take(state: str, digest: str, gate: str, now: float) -> bool:
    """Whether this call was approved and this gate (the event's name) has not asked yet; from then on it has."""
    path, taken = _path(state, digest, "approved"), _path(state, digest, f"{os.getpid()}.taken")
    try:
        os.rename(path, taken)  # of two that ask at once only one gets it
    except OSError:
        return False
    try:
        said = _read(taken)
        used = said and said.get("used")
        if not said or not _recent(said.get("time"), now, LASTS) or not isinstance(used, list) or gate in used:
            return False
        write_private(path, json.dumps({**said, "used": [*used, gate]}).encode())
    except (OSError, Unreadable):
        return False  # what was taken away stays so
    finally:
        with suppress(OSError):
            os.unlink(taken)
    return True


def _prune(state: str, now: float) -> None:
    """Takes away what is too old, or too many; what a person permitted goes last."""
    with suppress(OSError):
        paths = sorted(_files(state, ""), key=lambda path: (_is_approval(path), os.path.getmtime(path)), reverse=True)
        for number, path in enumerate(paths):
            if number >= _MOST or now - os.path.getmtime(path) > _WAITS:
                os.unlink(path)


def _is_approval(path: str) -> bool:
    return path.endswith(".approved")


def _files(state: str, kind: str) -> Iterator[str]:
    folder = _folder(state)
    with suppress(OSError):
        yield from (os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(kind))


def _read(path: str) -> dict[str, Any] | None:
    try:
        value = json.loads(read_private(path, _LIMIT) or b"null")
    except (Unreadable, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _waiting(value: dict[str, Any] | None) -> Waiting | None:
    with suppress(TypeError):
        call = Waiting(**value or {})
        texts = (call.digest, call.agent, call.tool, call.text, call.reason)
        if all(isinstance(text, str) for text in texts) and isinstance(call.time, int | float):
            return call
    return None


def _recent(then: Any, now: float, seconds: int) -> bool:
    """Whether a time is at most so long ago; one that is still to come was set by another clock."""
    return isinstance(then, int | float) and -1 <= now - then <= seconds


def _folder(state: str) -> str:
    return os.path.join(state, "approvals")


def _path(state: str, digest: str, kind: str) -> str:
    return os.path.join(_folder(state), f"{digest}.{kind}")
