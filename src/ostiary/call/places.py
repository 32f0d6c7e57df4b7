"""Where a part runs: the absolute directory, as far as the text tells."""

from __future__ import annotations

from collections.abc import Iterator

from ostiary.call.model import Access
from ostiary.call.shapes import share_host
from ostiary.facts import Given
from ostiary.paths import collapsed
from ostiary.records import replace
from ostiary.words import Hole, Word, joined, word


def directory(moved: Word, base: str | None, given: Given) -> str | None:
    """The absolute directory that `cd` moved a command to, from where the script starts; None if it is not known."""
    text = moved.text
    if text is None:
        return None
    if given.windows:
        text = text.replace("\\", "/")
    if not text:
        return base
    if text.startswith("/") or (given.windows and text[1:2] == ":"):
        return collapsed(text)
    if text == "~" or text.startswith("~/"):
        return None if given.home is None else collapsed(given.home + text[1:])
    if text.startswith("~") or base is None:
        return None
    return collapsed(f"{base}/{text}")


def near(given: Given) -> frozenset[str]:
    """The machine whose share holds the folder that the agent was started in: it is connected to anyway. Folders that a
    call can bring about do not count."""
    host = share_host(word(given.start)) if given.windows and given.start else ""
    return frozenset({host} - {""})


def in_fallbacks(accesses: tuple[Access, ...], fallbacks: tuple[str | None, ...]) -> Iterator[Access]:
    """The accesses of a part as they would be in the directories it runs in if a `cd` failed: possible ones."""
    for folder in fallbacks:
        for access in accesses:
            if access.kind != "connect" and not access.target.prefix.startswith(("/", "~")):
                base: str | Hole = Hole("cd", "computed") if folder is None else folder
                target = joined([base, "/", *access.target.pieces])
                yield replace(access, target=target, certain=False)
