"""What was looked at on the disk while something was made from it, so that it can be told whether it is as it was.

Whoever reads files for a policy looks at them through here: each look is noted as what `lstat` said of one path, links
and the folders above among them, also of what was not there. Where nobody takes notes that costs next to nothing.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeVar

T = TypeVar("T")

_Sign = tuple[int, ...] | None
"""What tells a state of a path from another one; None where nothing is there."""

# A file that is written twice within one tick of the clock that stamps it looks the same after both. So what was
# changed shortly before it was looked at, in nanoseconds, is not relied on. Some file systems stamp whole seconds.
_TICK: Final = 100_000_000
_COARSE: Final = 2_000_000_000
_SECOND: Final = 1_000_000_000

_LINKS: Final = 40  # that a system follows on one way


class Looks:
    """Looks that were taken from one moment on."""

    __slots__ = ("_began", "_from", "_signs", "_sure", "_until", "_whole")

    def __init__(self) -> None:
        self._began = time.time_ns()
        self._signs: dict[str, _Sign] = {}
        self._whole: set[str] = set()
        self._sure = True
        self._from, self._until = float("-inf"), float("inf")

    @property
    def paths(self) -> tuple[str, ...]:
        """What was looked at."""
        return tuple(self._signs)

    @property
    def parents(self) -> frozenset[str]:
        """The folders in which it shows that something is not as it was; some of them may not be there."""
        return frozenset((*map(os.path.dirname, self._signs), *self._whole))

    @property
    def settled(self) -> bool:
        """Whether every later change shows: nothing was just being changed, and everything could be looked at."""
        return self._sure and all(sign is None or _old(sign, self._began) for sign in self._signs.values())

    def same(self) -> bool:
        """Whether all of it is as it was, and it is the time that it is for."""
        if not self._from <= time.time() < self._until:
            return False
        whole, look = self._whole, os.lstat
        try:
            for path, known in self._signs.items():
                try:
                    found = _sign(look(path), path in whole)
                except (FileNotFoundError, NotADirectoryError):
                    found = None
                if found != known:
                    return False
        except (OSError, ValueError):
            return False
        return True

    def note(self, path: str, whole: bool = False) -> None:
        """Takes a look at a path, at all that a folder holds only with `whole`."""
        self._put(path, self._look(path), whole)

    def _look(self, path: str) -> os.stat_result | None:
        """What the system says of a path, None if nothing is there or that cannot be told."""
        try:
            return os.lstat(path)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return None
        except OSError:
            self._sure = False
            return None

    def _put(self, path: str, status: os.stat_result | None, whole: bool = False) -> None:
        known = self._signs.get(path, _NEVER)
        if known is not _NEVER and known != (status and _sign(status, path in self._whole)):
            self._sure = False
        if whole:
            self._whole.add(path)
        self._signs[path] = status and _sign(status, path in self._whole)

    def way(self, path: str, *, named: bool = False) -> None:
        """Looks at everything on the way to where a path leads. Where it ends early only that matters, with `named`
        also where: what is made there may be a link."""
        self._sure = self._sure and os.path.isabs(path)
        drive, rest = os.path.splitdrive(path)
        here, left, links = drive + os.sep, [part for part in rest.split(os.sep)[::-1] if part], _LINKS
        while left:
            part = left.pop()
            if part in (os.curdir, os.pardir):
                here = os.path.dirname(here) if part == os.pardir else here
                continue
            step = os.path.join(here, part)
            status = self._look(step)
            if status is None:
                self.note(step if named else os.path.join(step, *left[::-1]))
                return
            self._put(step, status)
            if not stat.S_ISLNK(status.st_mode):
                here = step
                continue
            links -= 1
            target = _target(step)
            if target is None or not links:
                self._sure = False
                return
            if os.path.isabs(target):
                here = os.path.splitdrive(target)[0] + os.sep
            left += [name for name in os.path.splitdrive(target)[1].split(os.sep)[::-1] if name]

    def add(self, other: Looks) -> None:
        """Takes over what others looked at meanwhile."""
        for path, sign in other._signs.items():
            known, whole = self._signs.get(path, _NEVER), path in other._whole
            if known is _NEVER or (whole and path not in self._whole):
                self._signs[path] = sign
                self._whole |= {path} if whole else set()
            elif known != sign and whole == (path in self._whole):
                self._sure = False
        self._sure = self._sure and other._sure
        self.lasts(other._from, other._until)

    def unsure(self) -> None:
        """Something could not be told: it may be otherwise at once."""
        self._sure = False

    def lasts(self, begin: float, end: float) -> None:
        """What is made from this holds from one time to another (seconds since the epoch)."""
        self._from, self._until = max(self._from, begin), min(self._until, end)


_NEVER: Final = (-1,)

_noting: ContextVar[Looks | None] = ContextVar("noting", default=None)


@contextmanager
def looking() -> Iterator[Looks]:
    """Takes notes of what is looked at inside the block, in this thread."""
    looks, outer = Looks(), _noting.get()
    token = _noting.set(looks)
    try:
        yield looks
    finally:
        _noting.reset(token)
        if outer:
            outer.add(looks)


def looked(path: str) -> None:
    """Notes that somebody looks at a path itself."""
    if looks := _noting.get():
        looks.note(path)


def way(path: str) -> None:
    """Notes that somebody looks at where a path leads."""
    if looks := _noting.get():
        looks.way(path)


def unsure() -> None:
    """Notes that something could not be told."""
    if looks := _noting.get():
        looks.unsure()


def lasts(begin: float, end: float) -> None:
    """Notes from when to when what is being made holds."""
    if looks := _noting.get():
        looks.lasts(begin, end)


def realpath(path: str) -> str:
    """Where a path leads, as `os.path.realpath`."""
    if looks := _noting.get():
        looks.way(path, named=True)
    return os.path.realpath(path)


def isdir(path: str) -> bool:
    """Whether a path leads to a folder."""
    way(path)
    return os.path.isdir(path)


def lexists(path: str) -> bool:
    """Whether something has this name."""
    looked(path)
    return os.path.lexists(path)


def lstat(path: str) -> os.stat_result:
    """What the system says of a path. Raises OSError."""
    looked(path)
    return os.lstat(path)


def listing(folder: str) -> None:
    """Notes that somebody looks at all that a folder holds."""
    if looks := _noting.get():
        looks.way(folder)
        looks.note(os.path.realpath(folder), whole=True)


def listdir(folder: str) -> list[str]:
    """The names in a folder. Raises OSError."""
    listing(folder)
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError:
        unsure()
        raise


class Memo:
    """Values that were made from what is on the disk, each kept for as long as all that was looked at for it is as it
    was; at most so many, the least used go first. For one thread."""

    __slots__ = ("_kept", "_most")

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[Hashable, tuple[Looks, Any]] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of this key, made if it is not there. Raises what `make` does."""
        found = self._kept.pop(key, None)
        if found is None or not found[0].same():
            with looking() as looks:
                made = make()
            found = (looks, made)
            if not looks.settled:
                return made
            while len(self._kept) >= self._most:
                del self._kept[next(iter(self._kept))]
        self._kept[key] = found
        value: T = found[1]
        return value


def _sign(status: os.stat_result, whole: bool) -> tuple[int, ...]:
    """Of a folder on the way only what it is and whose: what is made and removed in it changes its times."""
    if stat.S_ISDIR(status.st_mode) and not whole:
        return (status.st_dev, status.st_ino, status.st_mode, status.st_uid, status.st_gid)
    return (
        status.st_dev,
        status.st_ino,
        status.st_mode,
        status.st_uid,
        status.st_gid,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


_SHORT: Final = 5


def _old(sign: tuple[int, ...], began: int) -> bool:
    if len(sign) == _SHORT:
        return True
    *_, modified, changed = sign
    # Windows has the time of creation in the last place; elsewhere nobody can set that one.
    stamp = modified if sys.platform == "win32" else changed
    return began - stamp > (_TICK if stamp % _SECOND else _COARSE)


def _target(link: str) -> str | None:
    try:
        return os.readlink(link)
    except OSError:
        return None
