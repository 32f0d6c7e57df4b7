"""Variables from outside that are put into the text of a nested script."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ostiary.call.model import Part
from ostiary.words import Word


def takes_over(code: Word, parts: Sequence[Part]) -> bool:
    """Whether such a variable is a command among the parts of the code, or has another value inside."""
    sources = {hole.source for hole in code.holes}
    return _set_inside(code, sources) or any(
        hole.source in sources for part in parts for layer in part.invocations for hole in layer.words[0].holes
    )


def _set_inside(code: Word, sources: set[str]) -> bool:
    names = sorted({re.escape(name) for source in sources if (name := source.strip('${}"'))})
    mentioned = re.compile(rf"(?<![$\w{{])(?:{'|'.join(names)})\b")
    return bool(names) and any(mentioned.search(piece) for piece in code.pieces if isinstance(piece, str))
