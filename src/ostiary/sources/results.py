"""What handlers in the background came to, until an event of their session takes it to the model.

One folder for each session, in the state folder, with a file for each result, so that nobody who writes or takes one
waits for another. Whatever cannot be written, read or taken is not told. Nobody who does not ask for it is told: what
waits goes with the memory of its session.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from ostiary.dialects.texts import clean, cut
from ostiary.event import Event
from ostiary.sources.files import Unreadable
from ostiary.sources.memory import KEPT, named
from ostiary.sources.private import read_private, write_private
from ostiary.visible import visible

TEXT: Final = 4000
"""The longest text of one result, in UTF-16 units."""

MOST: Final = 16
"""Results of one session that can wait; what comes later is not kept."""

_LIMIT: Final = 1 << 17
_WAKES: Final = ".wakes"


def keep(state: str, event: Event, rule: str, text: str, wakes: bool) -> bool:
    """Notes what the handler of a rule has to say to the session of the event that it ran for, until it is taken.
    `wakes`: an agent that is about to rest is told. False if it cannot be kept."""
    if event.session is None:
        return False
    folder = _folder(state, event.agent, event.session)
    waiting = list(_names(folder))
    if not waiting:
        _prune(os.path.dirname(folder), time.time())
    if len(waiting) >= MOST:
        return False
    name = f"{time.time_ns():020}.{os.urandom(4).hex()}{_WAKES if wakes else ''}"
    said = {"rule": rule, "event": event.name, "text": cut(clean(text), TEXT)}
    try:
        write_private(os.path.join(folder, name), json.dumps(said).encode())
    except (OSError, Unreadable):
        return False
    return True


def waiting(state: str, event: Event) -> list[str]:
    """The files of what waits for such an event, the oldest first. At the end of a turn that is only what wakes: text
    for the model would make the agent go on working."""
    if event.session is None:
        return []
    folder = _folder(state, event.agent, event.session)
    names = sorted(name for name in _names(folder) if name.endswith(_WAKES) or not event.kind.ends)
    return [os.path.join(folder, name) for name in names]


def take(files: list[str]) -> list[str]:
    """What these results say, marked as the words of their handlers. Each is told once: of two that take the same one
    at once, one gets it."""
    return [text for file in files if (text := _taken(file))]


def _taken(file: str) -> str | None:
    folder, name = os.path.split(file)
    mine = os.path.join(folder, f".{os.getpid()}.{name}")
    try:
        os.rename(file, mine)
        said = json.loads(read_private(mine, _LIMIT) or b"null")
        return _marked(said["rule"], said["event"], said["text"])
    except (OSError, Unreadable, ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return None
    finally:
        with suppress(OSError):
            os.unlink(mine)


def _marked(rule: str, event: str, text: str) -> str:
    """Every line of the text is marked, so that none can pass for the words of somebody else."""
    whose = f"the handler of rule `{visible(rule)}`, run in the background at {visible(event)}, says:"
    return "\n".join((whose, *(f"> {line}" for line in clean(text).splitlines())))


def _names(folder: str) -> Iterator[str]:
    with suppress(OSError):
        yield from (name for name in os.listdir(folder) if not name.startswith("."))


def _prune(folder: str, now: float) -> None:
    """Takes away the results of sessions that ended long ago."""
    with suppress(OSError), os.scandir(folder) as sessions:
        for session in sessions:
            if now - session.stat(follow_symlinks=False).st_mtime > KEPT:
                for name in os.listdir(session.path):
                    os.unlink(os.path.join(session.path, name))
                os.rmdir(session.path)


def _folder(state: str, agent: str, session: str) -> str:
    return os.path.join(state, "results", named(agent, session))
