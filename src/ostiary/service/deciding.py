"""A canonical event as JSON: what `POST /v1/decide` takes. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from ostiary.dialects import DIALECTS
from ostiary.event import EVENTS, Event, unknown_event
from ostiary.records import NamedTuple, replace

TEXTS: Final = ("agent", "tool", "cwd", "project", "session", "mode", "subagent", "prompt", "mcp_source")
"""Keys with a text, by the names that `Event` has for them."""

KEYS: Final = frozenset((*TEXTS, "event", "start", "input", "output", "workdirs", "interactive"))


class Unfit(Exception):
    """It is no such event; the text says why, without what stands in it."""


class Asked(NamedTuple):
    """An event, and the folder its agent was started in (None: not said)."""

    event: Event
    start: str | None


def asked(raw: bytes) -> Asked:
    """What was sent. Raises `Unfit`."""
    try:
        said = json.loads(raw)
    except (ValueError, RecursionError):
        raise Unfit("it is not JSON") from None
    if not isinstance(said, dict):
        raise Unfit("it is no object")
    _insist(said)
    fields = {key: said[key] for key in TEXTS if key != "tool" and key in said}
    fields |= {"name": said.get("event", "PreToolUse"), "output": said.get("output")}
    fields |= {"workdirs": tuple(said.get("workdirs", ())), "interactive": said.get("interactive")}
    called = Event.from_call(said.get("tool", "-"), said.get("input", {}), **fields)
    return Asked(called if "tool" in said else replace(called, tool=None, native_tool=None), said.get("start"))


def _insist(said: Mapping[str, Any]) -> None:
    """Raises `Unfit` unless every value is of its kind."""
    if not said.keys() <= KEYS:
        raise Unfit(f"it has a key that is none of: {', '.join(sorted(KEYS))}")
    for key in (*TEXTS, "event", "start"):
        if key in said and not (isinstance(said[key], str) and said[key]):
            raise Unfit(f"`{key}` is no text, or an empty one")
    _kind(said, "input", isinstance(said.get("input", {}), dict), "object")
    folders = said.get("workdirs", [])
    _kind(said, "workdirs", isinstance(folders, list) and all(isinstance(one, str) for one in folders), "list of texts")
    _kind(said, "interactive", isinstance(said.get("interactive", False), bool), "true or false")
    event = said.get("event", "PreToolUse")
    if event not in EVENTS:
        raise Unfit("; ".join(unknown_event(event)))
    if EVENTS[event].tool and "tool" not in said:
        raise Unfit("`tool` is missing")
    if said.get("agent") in DIALECTS:
        raise Unfit("`agent` is an agent that has hooks; its events go to `/hook/`, and its sessions are its own")


def _kind(said: Mapping[str, Any], key: str, fits: bool, kind: str) -> None:
    if key in said and not fits:
        raise Unfit(f"`{key}` is no {kind}")
