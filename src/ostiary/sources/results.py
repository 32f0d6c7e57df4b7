"""What handlers in the background came to, until an event of their session takes it to the model.

One folder for each session, in the state folder, with a file for each result, so that nobody who writes or takes one
waits for another. What a handler has to say goes to the model, that it failed goes to people, once for each rule until
they are told. Whatever cannot be written, read or taken is not told. Nobody who does not ask for it is told: what waits
goes with the memory of its session.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Final, Literal

from ostiary.dialects.texts import clean, one_line
from ostiary.digests import sha256
from ostiary.event import Event
from ostiary.records import NamedTuple
from ostiary.sources.files import Unreadable
from ostiary.sources.memory import KEPT, named
from ostiary.sources.private import read_private, write_private
from ostiary.visible import cut, visible

TEXT: Final = 4000
"""The longest text of one result, in UTF-16 units."""

MOST: Final = 16
"""Texts for the model, and failures, of one session that can wait; what comes later is not kept."""

_LIMIT: Final = 1 << 17
_WAKES: Final = ".wakes"
_FAILED: Final = ".failed"

What = Literal["tells", "wakes", "failed"]
"""Whether a text is for the model, for the model also where an agent is about to rest, or for people: why it failed."""


class Waiting(NamedTuple):
    """The files of what waits for an event, the oldest first: `tells` for the model, `failed` for people."""

    tells: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


def keep(state: str, event: Event, rule: str, text: str, what: What) -> bool:
    """Notes what came of the handler of a rule for the session of the event that it ran for, until it is taken. False
    if it cannot be kept."""
    if event.session is None:
        return False
    folder = _folder(state, event.agent, event.session)
    if not (names := list(_names(folder))):
        _prune(os.path.dirname(folder), time.time())
    name = _name(rule, what)
    alike = [one for one in names if one.endswith(_FAILED) == (what == "failed")]
    if len(alike) >= MOST and name not in alike:
        return False
    said = {"rule": rule, "event": event.name, "text": cut(clean(text), TEXT)}
    try:
        write_private(os.path.join(folder, name), json.dumps(said).encode())
    except (OSError, Unreadable):
        return False
    return True


def _name(rule: str, what: What) -> str:
    """Of a rule whose handler fails again and again people are told the last."""
    if what == "failed":
        return f"{sha256(rule.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}{_FAILED}"
    return f"{time.time_ns():020}.{os.urandom(4).hex()}{_WAKES if what == 'wakes' else ''}"


def waiting(state: str, event: Event) -> Waiting:
    """What waits for such an event. At the end of a turn that is of what the model is told only what wakes: its text
    would make the agent go on working."""
    if event.session is None:
        return Waiting()
    folder = _folder(state, event.agent, event.session)
    names = list(_names(folder))
    tells = [name for name in names if name.endswith(_WAKES) or not (name.endswith(_FAILED) or event.kind.ends)]
    failed = [name for name in names if name.endswith(_FAILED)]
    return Waiting(*(tuple(os.path.join(folder, name) for name in found) for found in (tells, failed)))


def take(files: tuple[str, ...]) -> list[str]:
    """What these results say, with whose words they are. Each is told once: of two that take the same one at once, one
    gets it."""
    return [text for file in files if (text := _taken(file))]


def failures(state: str) -> Iterator[str]:
    """The failures that nobody was told yet, of all sessions."""
    with suppress(OSError), os.scandir(os.path.join(state, "results")) as sessions:
        for session in sessions:
            for name in _names(session.path):
                if name.endswith(_FAILED):
                    with suppress(*_DAMAGED):
                        yield _read(os.path.join(session.path, name))


_DAMAGED: Final = (OSError, Unreadable, ValueError, RecursionError, TypeError, KeyError, AttributeError)


def _taken(file: str) -> str | None:
    folder, name = os.path.split(file)
    mine = os.path.join(folder, f".{os.getpid()}.{name}")
    try:
        os.rename(file, mine)
        return _read(mine)
    except _DAMAGED:
        return None
    finally:
        with suppress(OSError):
            os.unlink(mine)


def _read(file: str) -> str:
    said = json.loads(read_private(file, _LIMIT) or b"null")
    told = _failed if file.endswith(_FAILED) else _marked
    return told(said["rule"], said["event"], said["text"])


def _failed(rule: str, event: str, text: str) -> str:
    return f"handler of `{visible(rule)}`, run in the background at {visible(event)}: {one_line(text)}"


def _marked(rule: str, event: str, text: str) -> str:
    """Every line of the text is marked, so that none can pass for the words of somebody else."""
    whose = f"the handler of rule `{visible(rule)}`, run in the background at {visible(event)}, says:"
    return "\n".join((whose, *(f"> {line}" for line in clean(text).splitlines())))


def _names(folder: str) -> Iterator[str]:
    with suppress(OSError):
        yield from (name for name in sorted(os.listdir(folder)) if not name.startswith("."))


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
