"""What vanished from a project and still stops calls in some session: what a person can let go."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from ostiary.digests import sha256
from ostiary.problems import Problem
from ostiary.records import NamedTuple
from ostiary.sources import seen
from ostiary.sources.admit import Standing
from ostiary.sources.files import Unreadable
from ostiary.sources.memory import Memory
from ostiary.sources.seen import Noted
from ostiary.sources.snapshot import Snapshot
from ostiary.sources.vanished import settle
from ostiary.sources.watch import Watch, known

_WORD: Final = 8


class Held(NamedTuple):
    """A source that vanished and still acts: how it takes part, and the files of the sessions that saw it, each with
    what is noted there (none for the managed place, which belongs to no session)."""

    standing: Standing
    sessions: tuple[tuple[str, Noted], ...]


def held(files: Snapshot) -> tuple[Held, ...]:
    """What vanished from the project of a snapshot, and from the folders of user and machine."""
    found: dict[tuple[str, str, str], Held] = {}
    for watch in _watches(files):
        standings = files.beside(watch.folders(files.roots.folders))
        for one in settle(standings, watch, files.desk, files.trust, files.settings, noting=False):
            if one.state == "vanished":
                noted = watch.noted[one.tier, one.source.path]
                key = (noted.tier, noted.path, noted.name)
                before = found[key].sessions if key in found else ()
                found[key] = Held(one, (*before, (watch.session, noted)) if watch.session else before)
    return tuple(found.values())


def flaws(files: Snapshot) -> tuple[Problem, ...]:
    """What keeps it from being told what sessions saw."""
    return tuple(dict.fromkeys(watch.flaw for watch in _watches(files) if watch.flaw))


def word(letting: tuple[Held, ...]) -> str:
    """What a person types to let these go. It belongs to what they hold."""
    return sha256("\0".join(one.standing.digest for one in letting).encode()).hexdigest()[:_WORD]


def let_go(letting: tuple[Held, ...]) -> None:
    """Lets them go in every session that saw them; acts on the next call. Raises `Unreadable` if that cannot be
    noted."""
    gone = [seen.note(file, [noted._replace(name="")], time.time()) for one in letting for file, noted in one.sessions]
    if not all(gone):
        raise Unreadable("the state folder cannot be written")


def _watches(files: Snapshot) -> Iterator[Watch]:
    """What each session saw of this project, of the user's files and of plugins; the managed place for itself."""
    places, start = files.desk.places, files.roots.start
    for session, memory in (("", ""), *seen.sessions(places.state)):
        watch = known(places, session or None, Memory.of(memory), start)
        ours = {
            key: noted
            for key, noted in watch.noted.items()
            if (noted.tier == "managed") != bool(session) and noted.root in ("", start)
        }
        yield watch._replace(noted=ours)
