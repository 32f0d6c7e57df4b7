"""The service's side of its watcher: starts it, starts it again where it ends, and tells it what to watch."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, NoReturn

from ostiary.service.protocol import Feed, Malformed, framing
from ostiary.service.reloads import By, Reloads
from ostiary.service.watcher import message
from ostiary.service.workers import gone
from ostiary.sources.reading import View, reading

Watch = Callable[[socket.socket], NoReturn]
"""The life of a watcher, at the other end of a socket."""

_VIEWS: Final = 32
_LINES: Final = 256
_BEHIND: Final = 1 << 20  # bytes that it has not taken: it hangs
_SOON: Final = 0.1
_PAUSE: Final = 60.0  # seconds: the most between two starts


class Minder:
    """The watcher, and what it and the workers read. For one event loop. That there is none, or that it hangs, makes
    nothing looser: it is only sooner than the next call."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._reloads = Reloads()
        self._views: dict[View, None] = {}
        self._lines: deque[dict[str, Any]] = deque(maxlen=_LINES)
        self._loop = asyncio.get_running_loop()
        self._channel: asyncio.WriteTransport | None = None
        self._ended: list[int] = []
        self._closed = False
        self._pause, self._began = _SOON, 0.0
        self.pid, self.starts, self.reads = 0, 0, 0
        self._about: dict[str, Any] = {}

    async def start(self) -> None:
        """Starts a watcher, and tells it what is to be watched."""
        if self._closed:
            return
        ours, theirs = socket.socketpair()
        self.starts, self._began = self.starts + 1, time.monotonic()
        try:
            self.pid = os.fork()
        except OSError:
            ours.close()
            theirs.close()
            self._again()
            return
        if self.pid == 0:
            self._watch(theirs)
        theirs.close()
        with suppress(OSError):  # it may have done so itself
            os.setpgid(self.pid, self.pid)
        await self._loop.create_connection(lambda: _Line(self), sock=ours)
        for view in self._views:
            self._tell("view", view.plain())
        for line in self._lines:
            self._tell("line", line)
        self._lines.clear()

    def connected(self, channel: asyncio.WriteTransport) -> None:
        """There is a way to it."""
        self._channel = channel

    def heard(self, text: str, by: By = "call") -> None:
        """Takes note of what was read."""
        found = self._reloads.heard(reading(text), by)
        self.reads += 1
        if found.view:
            while len(self._views) >= _VIEWS:
                del self._views[next(iter(self._views))]
            self._views[found.view] = None
            self._tell("view", found.view.plain())
        if found.line:
            if self._channel:
                self._tell("line", found.line)
            else:
                self._lines.append(found.line)

    def said(self, word: str, said: Any) -> None:
        """Takes note of what the watcher says."""
        if word == "read":
            self.heard(said, "watcher")
        else:
            self._about = dict(said)

    @property
    def generation(self) -> str:
        """The policy that came last, empty if there was none."""
        return str(self._reloads.recent[-1]["generation"]) if self._reloads.recent else ""

    @property
    def problems(self) -> int:
        """How many problems the last reading that changed something found."""
        return len(self._reloads.recent[-1].get("problems", ())) if self._reloads.recent else 0

    def status(self) -> dict[str, Any]:
        """What is said of it."""
        watcher = {"pid": self.pid, "starts": self.starts, **self._about} if self._channel else {"starts": self.starts}
        return {"watcher": watcher, "reloads": list(self._reloads.recent)}

    def lost(self) -> None:
        """The watcher ended, or hangs: there will be another one."""
        if not self._channel:
            return
        self._channel.abort()
        self._channel, self._about = None, {}
        with suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        self._ended.append(self.pid)
        self._again()

    def rest(self) -> None:
        """Forgets watchers that are gone."""
        self._ended = [pid for pid in self._ended if not gone(pid)]

    def close(self) -> None:
        """Ends it."""
        self._closed = True
        self.lost()

    def _again(self) -> None:
        lived = time.monotonic() - self._began > _PAUSE
        pause, self._pause = self._pause, _SOON if lived else min(2 * self._pause, _PAUSE)
        if not self._closed:
            self._loop.call_later(pause, self._restart)

    def _restart(self) -> None:
        self._starting = self._loop.create_task(self.start())

    def _tell(self, word: str, said: object) -> None:
        if self._channel:
            self._channel.write(message(word, said))
            if self._channel.get_write_buffer_size() > _BEHIND:
                self.lost()


class _Line(asyncio.Protocol):
    """What comes from a watcher."""

    def __init__(self, minder: Minder) -> None:
        self._minder = minder
        self._feed = Feed(framing)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Can be written to from now on."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._minder.connected(transport)

    def data_received(self, data: bytes) -> None:
        """Takes a piece."""
        try:
            for frame in self._feed.put(data):
                self._minder.said(*json.loads(frame.body))
        except (Malformed, ValueError, TypeError):
            self._minder.lost()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 however it went
        """It is gone."""
        self._minder.lost()
