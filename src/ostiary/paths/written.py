"""Whether what was written is, or may be, what is at another path."""

from __future__ import annotations

from typing import Final

from ostiary.answers import MAYBE, NO, YES, Answer
from ostiary.paths.glob import can_match
from ostiary.paths.spelling import BASE, Spelling
from ostiary.records import NamedTuple

ANYTHING: Final = Spelling(f"/{BASE}", False)
"""A path of which nothing is known."""

_ESCAPED: Final = str.maketrans({sign: f"\\{sign}" for sign in "*?[\\"})


class Written(NamedTuple):
    """A path that was written, `certain` if the text tells so. Below a folder that was written anything may be new."""

    path: Spelling
    certain: bool = True


def wrote(written: Written, path: Spelling) -> Answer:
    """Whether this made what is at a path. Names that differ in case alone may be one."""
    if not written.path.known or not path.known:
        return _perhaps(written.path, path)
    if path.text == written.path.text:
        return YES if written.certain else MAYBE
    made, asked = written.path.text.casefold(), path.text.casefold()
    return MAYBE if asked == made or asked.startswith(f"{made.rstrip('/')}/") else NO


def _perhaps(written: Spelling, path: Spelling) -> Answer:
    if written.known:
        return MAYBE if can_match(_literal(written.text), path.text) else NO
    return MAYBE if not path.known or can_match(_literal(path.text), written.text) else NO


def _literal(path: str) -> tuple[str, ...]:
    """A known path as a pattern that covers it alone."""
    return tuple(segment.translate(_ESCAPED) for segment in path.split("/") if segment)
