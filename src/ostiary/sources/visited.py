"""Which rules folders each session of one engine saw."""

from __future__ import annotations

from threading import Lock
from typing import Final

from ostiary.event import Event
from ostiary.sources.snapshot import Folders

MOST: Final = 4096
"""Sessions that are remembered; the oldest go first."""


class Visited:
    """The rules folders of all events of a session so far: it never loses one by moving. Safe to use from several
    threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._sessions: dict[tuple[str, str], Folders] = {}

    def folders(self, event: Event, folders: Folders) -> Folders:
        """Those of this event, which are remembered, and of all before it in its session."""
        if event.session is None:
            return folders
        key = (event.agent, event.session)
        with self._lock:
            together = tuple(dict.fromkeys((*self._sessions.pop(key, ()), *folders)))
            while len(self._sessions) >= MOST:
                del self._sessions[next(iter(self._sessions))]
            self._sessions[key] = together
        return together
