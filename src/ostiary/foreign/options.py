"""The options of one entry: what each must be, and what becomes of an entry in which one is not."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, Final
from urllib.parse import urlsplit

from ostiary.foreign.cursor import Cursor
from ostiary.foreign.formats import Pairs
from ostiary.records import NamedTuple
from ostiary.spelling import shown


class Option(NamedTuple):
    """One option: its `key`, the handler's `name` for it, how its value is read (None for one that is not `what` it
    must be), whether it `must` be there, and whether an entry with a wrong one is `skipped`, for what it does without
    the option would be something else."""

    key: str
    name: str
    read: Callable[[Any], Any]
    what: str
    must: bool = False
    skips: bool = True


def read(entry: Cursor, options: tuple[Option, ...]) -> Pairs | None:
    """The options of an entry that are there, as the handler knows them; None for an entry that has to be skipped."""
    found: list[tuple[str, Any]] = []
    for option in options:
        cursor = entry.member(option.key)
        if cursor.value is None:
            if option.must:
                entry.warn(f"the hook is skipped: it has no `{option.key}`")
                return None
            continue
        value = option.read(cursor.value)
        if value is not None:
            found.append((option.name, value))
        elif option.skips:
            cursor.warn(f"the hook is skipped: `{option.key}` must be {option.what}")
            return None
        else:
            cursor.warn(f"it is not read: `{option.key}` must be {option.what}")
    return tuple(found)


def unread(entry: Cursor, known: frozenset[str]) -> None:
    """Say which keys of an entry mean nothing."""
    for key in entry.value:
        if key not in known and not entry.full:
            entry.warn(f"`{shown(key)}` means nothing here")


def flag(entry: Cursor, key: str) -> bool:
    """Whether a switch of an entry is on: exactly `true`."""
    cursor = entry.member(key)
    if cursor.value is not None and not isinstance(cursor.value, bool):
        cursor.warn(f"it is off: `{key}` must be `true` or `false`")
    return cursor.value is True


def seconds(value: Any) -> float | None:
    """A positive number, None for anything else."""
    number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value > 0
    return float(value) if number else None


def text(value: Any) -> str | None:
    """A text that is not blank and can be passed to a program."""
    return value if isinstance(value, str) and value.strip() and "\0" not in value else None


def texts(value: Any) -> tuple[str, ...] | None:
    """A list of texts that can be passed to a program."""
    fits = isinstance(value, list) and all(isinstance(item, str) and "\0" not in item for item in value)
    return tuple(value) if fits else None


def names(value: Any) -> tuple[tuple[str, str], ...] | None:
    """An object of texts, as pairs."""
    fits = isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
    return tuple(value.items()) if fits else None


def url(value: Any) -> str | None:
    """The address of a web server. What is sent elsewhere must not be readable on the way."""
    try:
        parts = urlsplit(text(value) or "")
        host, _ = parts.hostname, parts.port
    except ValueError:
        return None
    fits = parts.scheme == "https" or (parts.scheme == "http" and host in _HERE)
    return value if fits and host and "@" not in parts.netloc and value.isprintable() else None


_HERE: Final = ("localhost", "127.0.0.1", "::1")


def switch(value: Any) -> bool | None:
    """A boolean."""
    return value if isinstance(value, bool) else None


A_TEXT: Final = "a text that is not blank"
TEXTS: Final = "a list of texts"
