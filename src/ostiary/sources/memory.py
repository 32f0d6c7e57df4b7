"""What the calls of a session wrote: one file for each session, in the state folder, that only ever grows.

A line is one path: `=` before one that was written for certain, `?` before one that perhaps was, as a JSON text. A path
may have unknown stretches (`paths.spelled`). `*` stands for anything. Whatever cannot be read, or is no such line,
means that it cannot be told what was written; so does an empty file: a disk was full.

Beside it lies a file of the calls that a person was asked about: `?` with the digest of the call and what it is to be
remembered by, and once it ran `=` with that. Whatever cannot be read there permits nothing.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from ostiary.answers import NAMES, NO, YES
from ostiary.decision import Outcome
from ostiary.digests import sha256
from ostiary.event import Event
from ostiary.paths import ANYTHING, Spelling, Written, is_known, wrote
from ostiary.records import replace
from ostiary.sources.files import Unreadable
from ostiary.sources.private import append_private, read_private

LIMIT: Final = 1 << 18
"""Bytes from which on a session is no longer remembered in detail: then it may have written anything."""

MOST: Final = 64
"""Paths of one call; more of them may be any."""

KEPT: Final = 30 * 86_400
"""Seconds that the memory of a session is kept after its last write."""

_ANYTHING: Final = "*"
_ASKED: Final = ".asked"
_RECENT: Final = 64  # questions that a call that ran may be the answer to
_SCANNED: Final = 256  # old files that are looked for at once


class Memory:
    """What one session wrote, read when it is first asked for. `session` None: the agent did not say which."""

    __slots__ = ("_path", "_written")

    def __init__(self, state: str, agent: str, session: str | None) -> None:
        self._path = None if session is None else place(state, agent, session)
        self._written: tuple[Written, ...] | None = None

    @classmethod
    def of(cls, path: str) -> Memory:
        """The memory that is kept in a file, whichever session it is of."""
        found = cls("", "", None)
        found._path = path
        return found

    def permitted(self, digest: str) -> bool:
        """Whether a person was asked about the call of this digest, and it then ran."""
        return self._path is not None and f"={digest}" in _lines(f"{self._path}{_ASKED}")

    def answer(self, path: str) -> str | None:
        """`yes`, `maybe` or `no` for a spelled path, None if it cannot be told."""
        if self._path is None:
            return None
        if self._written is None:
            self._written = _read(self._path)
        asked = Spelling(path, is_known(path))
        best = NO
        for one in self._written:
            best = max(best, wrote(one, asked))
            if best == YES:
                break
        return NAMES[best]


def place(state: str, agent: str, session: str) -> str:
    """The file of a session."""
    return os.path.join(folder(state), named(agent, session))


def named(agent: str, session: str) -> str:
    """The name of what belongs to a session. It holds no text of a payload."""
    return sha256(json.dumps([agent, session]).encode()).hexdigest()[:40]


def noted(state: str, event: Event, outcome: Outcome) -> Outcome:
    """The outcome, once what the call may write is noted, and that it is asked about or ran. Where the first cannot be
    done it says so."""
    _note_asked(state, event, outcome)
    if not outcome.writes or event.session is None:
        return outcome
    if remember(state, event.agent, event.session, outcome.writes, time.time()):
        return outcome
    return replace(outcome, problems=(*outcome.problems, "what this call writes cannot be remembered"))


def remember(state: str, agent: str, session: str, paths: Iterable[tuple[str, bool]], now: float) -> bool:
    """Notes what a call may write: spelled paths, and whether it is certain. False if that cannot be done."""
    file = place(state, agent, session)
    lines = dict.fromkeys(_line(path, certain) for name, certain in paths for path in _both(name))
    text = "".join(lines) if len(lines) <= 2 * MOST else f"{_ANYTHING}\n"
    try:
        if append_private(file, text.encode(), LIMIT):
            _prune(state, now)
    except (OSError, Unreadable):
        return False
    return True


def _note_asked(state: str, event: Event, outcome: Outcome) -> None:
    """Notes that a person is asked about a call that is to be remembered, or that one that was asked about ran."""
    kind = event.kind
    if event.session is None or not kind.tool or kind.undone:
        return
    file = place(state, event.agent, event.session) + _ASKED
    text = f"?{event.digest} {outcome.remember}\n" if outcome.remember else ""
    if not kind.before_tool:
        asked = f"?{event.digest} "
        text = "".join(f"={line.removeprefix(asked)}\n" for line in _lines(file)[-_RECENT:] if line.startswith(asked))
    if text:
        with suppress(OSError, Unreadable):  # then the person is asked again
            append_private(file, text.encode(), LIMIT)


def _lines(file: str) -> list[str]:
    """The whole lines of a file, none if it cannot be read."""
    try:
        data = read_private(file, 2 * LIMIT)
    except Unreadable:
        return []
    return data.decode("ascii", "replace").split("\n")[:-1] if data else []


def _both(path: str) -> tuple[str, ...]:
    """A path as it was written, and where it leads."""
    if not is_known(path):
        return (path,)
    with suppress(OSError, ValueError):
        real = os.path.realpath(path).replace("\\", "/") if os.name == "nt" else os.path.realpath(path)
        return (path, real)
    return (path,)


def _line(path: str, certain: bool) -> str:
    return f"{'=' if certain else '?'}{json.dumps(path)}\n"


def _read(file: str) -> tuple[Written, ...]:
    try:
        data = read_private(file, LIMIT)
    except Unreadable:
        return (Written(ANYTHING, False),)
    if data is None:
        return () if _can_be_made(os.path.dirname(file)) else (Written(ANYTHING, False),)
    if not data:
        return (Written(ANYTHING, False),)
    lines = data.decode("utf-8", "replace").split("\n")
    # What is behind the last line end was not written to its end.
    return tuple(map(_written, (*lines[:-1], *filter(None, lines[-1:]))))


def _can_be_made(folder: str) -> bool:
    """Whether files can be made in a folder, or in the one above where it would be made: where none can, that there is
    none says nothing."""
    while not os.path.lexists(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return os.access(folder, os.W_OK | os.X_OK)


def _written(line: str) -> Written:
    try:
        path = json.loads(line[1:]) if line[:1] in ("=", "?") else None
    except (ValueError, RecursionError):
        path = None
    if not isinstance(path, str):
        return Written(ANYTHING, False)
    return Written(Spelling(path, is_known(path)), line[0] == "=")


def _prune(state: str, now: float) -> None:
    """Takes away sessions that ended long ago: first what they hold, so that of one that goes on after all, or of all
    where a clock jumped, it cannot be told what they wrote."""
    with suppress(OSError), os.scandir(folder(state)) as entries:
        for number, entry in enumerate(entries):
            if number >= _SCANNED:
                break
            status = entry.stat(follow_symlinks=False)
            if now - status.st_mtime > KEPT and status.st_size:
                os.truncate(entry.path, 0)
            elif now - status.st_mtime > KEPT:
                os.unlink(entry.path)


def folder(state: str) -> str:
    """The folder of all sessions."""
    return os.path.join(state, "sessions")
