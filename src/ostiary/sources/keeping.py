"""What calls of one process read from the disk: afresh for each, or kept from call to call for as long as it is what is
there (law L9)."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from functools import partial
from typing import Final, TypeVar

from ostiary.sources import seen
from ostiary.sources.compiled import Compiled
from ostiary.sources.desk import Compile, Desk
from ostiary.sources.looks import Memo
from ostiary.sources.places import Places
from ostiary.sources.reading import Reading, read_of
from ostiary.sources.roots import Roots, find_roots
from ostiary.sources.seen import Recalled
from ostiary.sources.snapshot import Policies, Snapshot, snapshot

K = TypeVar("K")
V = TypeVar("V")

_SMALL: Final = 256  # roots of folders, and files of sessions
_LARGE: Final = 32  # snapshots, and policies
_PLANS: Final = 128


class Afresh:
    """Reads everything for each call: where a process answers one."""

    def roots(self, start: str | None, project: str | None, cwd: str | None) -> Roots:
        """As `find_roots`."""
        return find_roots(start, project, cwd)

    def recall(self, file: str) -> Recalled:
        """As `seen.recall`."""
        return seen.recall(file)

    def files(self, places: Places, start: str | None, roots: Roots, compile: Compile | None) -> Snapshot:
        """As `snapshot`, for an event with these roots."""
        return snapshot(roots, start, Desk(places, compile), {})


class Keeping(Afresh):
    """Keeps what was read, and looks before each use whether it is what is on the disk. `read` is told of each
    reading. For one thread."""

    def __init__(self) -> None:
        self.read: Callable[[Reading], None] = lambda _reading: None
        self._roots, self._seen, self._files = Memo(_SMALL), Memo(_SMALL), Memo(_LARGE)
        self._plans: dict[str, Compiled] = {}
        self._policies: Policies = {}

    def roots(self, start: str | None, project: str | None, cwd: str | None) -> Roots:
        """As `find_roots`."""
        return self._roots.get((start, project, cwd), partial(super().roots, start, project, cwd))

    def recall(self, file: str) -> Recalled:
        """As `seen.recall`."""
        return self._seen.get(file, partial(super().recall, file))

    def files(self, places: Places, start: str | None, roots: Roots, compile: Compile | None) -> Snapshot:
        """As `snapshot`. Two events with the same rules folders may get the same, with the other roots of one."""

        make = partial(self.fresh, places, start, roots, compile)
        return self._files.get((places, start, roots.start, roots.folders), make)

    def fresh(self, places: Places, start: str | None, roots: Roots, compile: Compile | None) -> Snapshot:
        """As `snapshot`, read anew; plans of sources that are what they were are used again."""
        began = time.time()
        _bound(self._plans, _PLANS)
        _bound(self._policies, _LARGE)
        with _uncollected():
            found = snapshot(roots, start, Desk(places, compile, self._plans), self._policies)
        for name, plan in found.desk.memory.items():  # what is used again goes last
            self._plans.pop(name, None)
            self._plans[name] = plan
        self.read(read_of(found, start, roots, began))
        return found


@contextmanager
def _uncollected() -> Iterator[None]:
    """Nothing is collected inside the block: of thousands of rules nearly all stays, and looking through it again and
    again took half of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _bound(memory: MutableMapping[K, V], most: int) -> None:
    """Takes away the oldest where there are more than so many."""
    while len(memory) > most:
        del memory[next(iter(memory))]
