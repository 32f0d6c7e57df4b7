"""The process that watches what policies were read from, and reads it again as soon as it changes (law L9).

It is a child of the service and none of its workers: what the system tells of changes comes by a thread, and a process
with threads cannot be forked. What it compiles lies in the cache when the next call comes. It decides nothing: each
call looks for itself whether a file has changed.
"""

from __future__ import annotations

import json
import os
import select
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, NoReturn, Protocol

from ostiary.records import replace
from ostiary.service.protocol import READ, Feed, Frame, framing
from ostiary.service.working import Limits, alone
from ostiary.sources import record
from ostiary.sources.compiling import compile_source
from ostiary.sources.keeping import Keeping
from ostiary.sources.looks import Looks, looking
from ostiary.sources.places import Places
from ostiary.sources.reading import Reading, View, view
from ostiary.sources.roots import Roots, find_roots

assert sys.platform != "win32"  # where there is no service

_VIEWS: Final = 32
_CHUNK: Final = 1 << 16
_LOOK: Final = 2.0
"""Seconds between two looks where nothing tells of a change: a network's folders do not."""
_SOON: Final = 0.15  # what was only just written may be written again within the same tick of the clock
_STEP: Final = 30  # milliseconds without a further change, after which changes are acted on
_GROUP: Final = 250  # and at most so many

Identity = tuple[int, int]
Folders = Mapping[str, Identity]
"""Folders that are watched, not with what lies in folders below, each with what tells it from another one of its
name."""


class Changes(Protocol):
    """Who tells of changes. The folders are watched when `watch` returns."""

    def watch(self, folders: Folders) -> str:
        """Watches these folders and no others; why that is not possible, empty if it is."""

    def wait(self, seconds: float, stop: select.poll) -> None:
        """Waits for a change, for so many seconds, or until something comes that is polled for."""


class Watcher:
    """What is watched, and what it was when it was read last."""

    def __init__(self, places: Places, tell: Callable[[str, Any], None]) -> None:
        self._places = places
        self._tell = tell
        self._keeping = Keeping()
        self._views: dict[View, Looks | None] = {}
        self._pause = _SOON

    def told(self, word: str, said: Any) -> None:
        """Takes what the service says: a view that is to be watched, or a line for the record."""
        if word == "line":
            record.reload(self._places, said)
            return
        while len(self._views) >= _VIEWS:
            del self._views[next(iter(self._views))]
        self._views[view(said)] = None

    def folders(self) -> Folders:
        """Where it shows that something is not as it was when it was read."""
        wanted = {path for looks in self._views.values() if looks for path in looks.parents}
        found: dict[str, Identity] = {}
        for path in wanted:
            with suppress(OSError, ValueError):
                here, status = _there(path)
                found[here] = (status.st_dev, status.st_ino)
        return found

    def look(self) -> float:
        """Reads again what is not as it was; after how many seconds to look again."""
        for one, looks in tuple(self._views.items()):
            if looks is None or not looks.settled or not looks.same():
                self._views[one] = self._read(one)
        settled = all(looks and looks.settled for looks in self._views.values())
        self._pause = _SOON if settled else min(2 * self._pause, _LOOK)
        return _LOOK if settled else self._pause

    def same(self) -> bool:
        """Whether all of it is as it was."""
        return all(looks and looks.same() for looks in self._views.values())

    def _read(self, one: View) -> Looks:
        def read(reading: Reading) -> None:
            self._tell("read", reading._replace(view=one).text())

        self._keeping.read = read
        with looking() as looks:
            self._keeping.fresh(self._places, one.start, _roots(one), compile_source)
        return looks


def _roots(one: View) -> Roots:
    """The roots of a view: rules folders that were made since come behind those it was told with."""
    found = find_roots(one.start)
    return replace(found, folders=tuple(dict.fromkeys((*one.folders, *found.folders))))


def _there(path: str) -> tuple[str, os.stat_result]:
    """The folder, or the nearest above it that is there. Raises OSError."""
    while True:
        try:
            if os.path.isdir(path):
                return path, os.stat(path)
        except FileNotFoundError:
            pass  # it went away meanwhile
        if path == os.path.dirname(path):
            raise FileNotFoundError(path)
        path = os.path.dirname(path)


class Notified:
    """Changes as the system tells of them; where it cannot, time alone passes."""

    def __init__(self) -> None:
        self._folders: Folders | None = None
        self._notify: Any = None

    def watch(self, folders: Folders) -> str:
        """As `Changes` says."""
        if folders == self._folders:
            return ""
        self._folders = self._notify = None
        try:
            from watchfiles._rust_notify import RustNotify  # late: with its threads this process alone may have it

            self._notify = RustNotify(list(folders), False, False, 0, False, True)
        except Exception as error:  # whatever it is, looks at intervals take its place
            return f"changes are looked for every {_LOOK:g} seconds alone: {type(error).__name__}"
        self._folders = folders
        return ""

    def wait(self, seconds: float, stop: select.poll) -> None:
        """As `Changes` says."""
        if self._notify is None:
            stop.poll(seconds * 1000)
        else:
            self._notify.watch(_GROUP, _STEP, int(seconds * 1000), _Stop(stop))


class _Stop:
    """An event that is there once something comes."""

    def __init__(self, stop: select.poll) -> None:
        self._stop = stop

    def is_set(self) -> bool:
        """Whether it is."""
        return bool(self._stop.poll(0))


def run(places: Places, channel: socket.socket) -> NoReturn:
    """Watches until the service ends."""
    status = 1
    try:
        alone(channel.fileno(), Limits())
        _watch(places, channel, Notified())
    except EOFError:
        status = 0
    finally:
        os._exit(status)


def _watch(places: Places, channel: socket.socket, changes: Changes) -> None:
    """Raises EOFError once the service is gone."""

    def tell(word: str, said: Any) -> None:
        channel.sendall(message(word, said))

    feed, watcher, stop = Feed(framing), Watcher(places, tell), select.poll()
    stop.register(channel, select.POLLIN)
    told: object = None
    while True:
        while stop.poll(0):
            data = channel.recv(_CHUNK)
            if not data:
                raise EOFError
            for frame in feed.put(data):
                watcher.told(*json.loads(frame.body))
        seconds = watcher.look()
        folders = watcher.folders()
        about = {"folders": len(folders), "problem": changes.watch(folders)}
        if about != told:
            told = about
            tell("watching", about)
        # What changed between the look and the watch is read soon, and not at once: more may come.
        changes.wait(seconds if watcher.same() else _SOON, stop)


def message(word: str, said: Any) -> bytes:
    """What the service and its watcher say to each other."""
    return Frame(READ, json.dumps((word, said)).encode()).pack()
