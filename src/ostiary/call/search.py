"""What a tool's search touches: the folder, narrowed by the names it takes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from ostiary.call.gather import Gathered
from ostiary.expressions import expression
from ostiary.words import Hole, Word, joined, word

MOST: Final = 64
"""Alternatives of one pattern's braces."""

_BRACES: Final = expression(r"\{([^{}]*,[^{}]*)\}")
_SIGNS: Final = expression(r"(\*+|\?|\[[^\]]*\])")


def alternatives(patterns: tuple[str, ...]) -> Iterator[str]:
    """The patterns that braces stand for, at most `MOST` of them taken apart."""
    pending = list(patterns)
    for _ in range(MOST):
        if not pending:
            break
        item = pending.pop()
        found = _BRACES.search(item)
        if found is None:
            yield item
        else:
            pending += [item[: found.start()] + one + item[found.end() :] for one in found[1].split(",")]
    yield from pending


def narrowed(folder: Word, patterns: tuple[str, ...], out: Gathered) -> None:
    """Only files whose names fit are searched, also hidden ones that are named."""
    only: list[str] = []
    skipped: list[str] = []
    for item in alternatives(patterns):
        name = item.removeprefix("!").removeprefix("**/")
        (skipped if item.startswith("!") else only).append(name.rpartition("/")[2])
        if not item.startswith("!") and "/" not in name and set(name) - set("*?."):
            out.path(_inside(folder, _named(name)), "read")
    out.narrow(tuple(only), tuple(skipped))


def listed(folder: Word, patterns: tuple[str, ...], out: Gathered) -> None:
    """The folders that patterns of paths name before their first sign are listed."""
    for item in alternatives(patterns):
        names = item.split("/")[:-1]
        place = "/".join(takewhile(lambda name: not _SIGNS.search(name), names))
        if place:
            out.path(_inside(folder, word(place)), "read")


def _inside(folder: Word, name: Word) -> Word:
    return name if name.prefix.startswith(("/", "~")) else joined([*folder.pieces, "/", *name.pieces])


def _named(name: str) -> Word:
    pieces: list[str | Hole] = [
        Hole(piece, "glob") if place % 2 else piece for place, piece in enumerate(_SIGNS.split(name)) if piece
    ]
    return joined(pieces)
