"""Where a part runs: the absolute directory, as far as the text tells."""

from __future__ import annotations

from ostiary.facts import Given
from ostiary.paths import collapsed
from ostiary.words import Word


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
