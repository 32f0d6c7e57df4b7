"""What one agent has of others: payloads that look like its own, and hooks that it runs for them."""

from __future__ import annotations

from collections.abc import Mapping

from ostiary.records import NamedTuple


class Mark(NamedTuple):
    """A payload that has all keys of `has` and none of `without` comes from `agent`. With `events` the event's name
    must be one of them."""

    agent: str
    has: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    events: frozenset[str] = frozenset()


class ForeignHooks(NamedTuple):
    """Hooks of another agent that this one runs too. `files` are where it finds them, as in `Place.path` of the user
    and the project, `events` their names for events with the native names here (names left out are not run).
    `same_answers`: it is known to send them its own payloads and to take of them the answers it takes of its own."""

    agent: str
    files: tuple[str, ...]
    events: Mapping[str, str]
    same_answers: bool = False
