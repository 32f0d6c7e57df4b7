"""The record: one JSON line for each thing that happened, in chains that nobody changes later (law L11).

Four chains, so that none pushes out another: `verbs` are uses of verbs that are for people, `stops` are events of
which a call was stopped or asked about, or could not be judged, `events` are all others, and `reloads` tell when the
service read policy that was not what it had been. Events and reloads go when there are too many; stops and events go
when they are older than the settings say, and verbs are kept longest. Nothing is marked as exported:
whoever could mark it could make room for it to go.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from ostiary.records import NamedTuple
from ostiary.sources import chain
from ostiary.sources.account import account
from ostiary.sources.chain import Chain, Said
from ostiary.sources.discover import missing
from ostiary.sources.entry import SPARE, Answered, Unjudged, entry, failure
from ostiary.sources.files import Unreadable
from ostiary.sources.places import NoPlace, Places, find_places

FOLDER: Final = "record"
NAMES: Final = ("events", "stops", "verbs", "reloads")
"""The chains."""

_VERBS: Final = 16
_EVENTS: Final = 128
_RELOADS: Final = 8

_CALM: Final = ("none", "allow")


class Log(NamedTuple):
    """What the settings say of the record: how much of a call is kept (its `digest`, or `redacted`, or in `full`), and
    for how many days."""

    detail: str = "redacted"
    days: int = 90


def verb(state: str, fields: Mapping[str, Any]) -> None:
    """Adds a use of a verb that is for people. Raises OSError or `Unreadable` where that is not possible."""
    chain.append(_chain(state, "verbs"), "verb", fields)


def reload(places: Places, fields: Mapping[str, Any]) -> None:
    """Adds that policy was read that is not what it was. Where that is not possible, the next line tells of it."""
    with suppress(OSError, Unreadable):
        if not missing(places):
            chain.append(_chain(places.state, "reloads"), "reload", fields, ("changed", "problems"))


def event(places: Places, answered: Answered, log: Log) -> str:
    """Adds an event that is about to be answered. Why that is not possible, empty if it was."""
    user = account()
    try:
        _event(places, entry(answered, log.detail, user.home if user else None), log.days)
    except (OSError, Unreadable) as error:
        return chain.why(error)
    return ""


def unjudged(config_dir: str | None, failed: Unjudged) -> bool:
    """Adds an event that could not be judged. False where that is not possible."""
    with suppress(OSError, Unreadable, NoPlace):
        _event(find_places(config_dir), failure(failed), 0)
        return True
    return False


def _event(places: Places, said: Mapping[str, Any], days: int) -> None:
    if missing(places):  # the folder of the state would be in it, and then it would be there
        raise Unreadable("the folder that `--config-dir` names is not there")
    calm = said["said"] in _CALM and said.get("verdict", "") in _CALM and not said.get("halt")
    chain.append(_chain(places.state, "events" if calm else "stops", days), "event", said, SPARE)


def lines(state: str, names: tuple[str, ...] = NAMES, newest_first: bool = False) -> Iterator[Said]:
    """The lines of these chains by their time. Raises `Unreadable` where others may write there."""
    from heapq import merge  # late: hooks write and never read

    found = (chain.lines(_chain(state, name), newest_first) for name in names)
    return merge(*found, key=lambda said: str(said.line.get("time")), reverse=newest_first)


def counts(state: str) -> dict[str, int]:
    """How many lines were ever written, by chain."""
    return {name: chain.count(_chain(state, name)) for name in NAMES}


def whole(state: str) -> bool:
    """Whether no event that was ever recorded has gone by age or number."""
    return not any(chain.dropped(_chain(state, name)) for name in ("events", "stops"))


def flaws(state: str, names: tuple[str, ...] = NAMES) -> tuple[str, ...]:
    """Where the record is not what was written, in words; empty if it is whole. Raises nothing."""
    return tuple(flaw for name in names for flaw in chain.flaws(_chain(state, name)))


def folder(state: str) -> str:
    """Where the record is."""
    return os.path.join(state, FOLDER)


def _chain(state: str, name: str, days: int = 0) -> Chain:
    most = {"verbs": _VERBS, "events": _EVENTS, "reloads": _RELOADS}.get(name, 0)
    return Chain(folder(state), name, most, days)
