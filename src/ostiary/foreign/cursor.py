"""A place in a settings file: the value there, and what is said about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ostiary.document.node import where
from ostiary.foreign.text import Place, Text
from ostiary.problems import Problem
from ostiary.records import dataclass, replace

MOST: Final = 100
"""Warnings about one file: a repository's may be made to cause no end of them."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """One value. All cursors of a file share its `warnings`. `value` is None where there is nothing, or `null`."""

    label: str
    text: Text
    warnings: list[Problem]
    place: Place
    value: Any

    @property
    def line(self) -> int:
        """The line on which the value begins; that of what it is missing in, if there is none."""
        place = self.place
        while place not in self.text.lines:
            place = place[:-1]
        return self.text.lines[place]

    @property
    def full(self) -> bool:
        """Whether as much is said about the file as people read."""
        return len(self.warnings) >= MOST

    def warn(self, message: str, help: str = "") -> None:
        """Say what is wrong here, and how to mend it."""
        if not self.full:
            self.warnings.append(Problem(self.label, self.line, 0, where(self.place), message, help, "warning"))

    def member(self, key: str) -> Cursor:
        """The value of a key; nothing where this is no object or has no such key."""
        value = self.value.get(key) if isinstance(self.value, dict) else None
        return replace(self, place=(*self.place, key), value=value)

    def items(self) -> Iterator[Cursor]:
        """The items of a list."""
        for index, value in enumerate(self.value):
            yield replace(self, place=(*self.place, index), value=value)


def top(label: str, text: Text) -> Cursor:
    """The document itself, with no warning yet."""
    return Cursor(label, text, [], (), text.value)
