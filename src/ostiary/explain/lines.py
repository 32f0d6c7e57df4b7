"""Lines of text for people: spans that say what their text *is*; how that looks is decided where they are printed.

Every text of a policy or a call passes `visible` on its way into a span, and no span is ever read as markup.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Literal

from ostiary.records import NamedTuple
from ostiary.visible import visible

Role = Literal["text", "title", "label", "quiet", "none", "allow", "ask", "defer", "deny", "yes", "maybe", "no"]


class Span(NamedTuple):
    """A stretch of one line, and what it is. Made by `span`, which keeps foreign text harmless."""

    text: str
    role: Role


Line = tuple[Span, ...]


class Branch(NamedTuple):
    """A line, and those that belong below it."""

    line: Line
    below: tuple[Branch, ...] = ()


def span(text: object, role: Role = "text") -> Span:
    """A stretch of text, made fit for showing."""
    return Span(visible(str(text)), role)


def plain(lines: Iterable[Line]) -> str:
    """The lines as text without any decoration."""
    return "\n".join("".join(piece.text for piece in line).rstrip() for line in lines)


def day(time: float) -> str:
    """The day (UTC) of a time in seconds since the epoch."""
    return datetime.fromtimestamp(time, UTC).date().isoformat()
