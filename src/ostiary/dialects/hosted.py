"""Hooks that another agent runs: who really sent a payload, where the payload itself shows it.

Some agents run what was registered for another one. Their payloads are read and answered as their own where their
tables say that they take of such hooks what they take of their own; everywhere else they are refused (`receive`).
"""

from __future__ import annotations

from collections.abc import Mapping

from ostiary.dialects.base import Dialect, Unreadable
from ostiary.dialects.marks import foreign
from ostiary.dialects.payload import parse
from ostiary.records import NamedTuple


class Hosted(NamedTuple):
    """The agent that runs the hook, and its own name for the event that the hook was registered for."""

    host: Dialect
    event_name: str | None


def hosted(known: Mapping[str, Dialect], declared: Dialect, raw: bytes, event_name: str | None) -> Hosted | None:
    """Who sent a payload to a hook of the declared agent, None if it is not one that runs such hooks like its own. Only
    what the payload shows counts, never the environment."""
    payload = parse(raw, repair=True)
    found = None if isinstance(payload, Unreadable) else known.get(foreign(declared, payload) or "")
    for hooks in found.runs_hooks_of if found else ():
        if found and hooks.agent == declared.name and hooks.same_answers:
            return Hosted(found, hooks.events.get(declared.native(event_name) or ""))
    return None
