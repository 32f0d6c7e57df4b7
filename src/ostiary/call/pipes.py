"""Neighbours in pipelines, when the parts of all scripts are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ostiary.call.model import Part
from ostiary.records import replace

MAX_PIPES: Final = 8_192
"""Pairs of neighbours in the pipelines of one call."""


def connected(parts: Sequence[Part]) -> list[Part] | None:
    """The parts, where neighbours know of each other: a script inside a part takes part in its pipeline, so that in
    `sh -c 'a; b' | c` also `a` and `b` write into `c`. None if there are too many of them."""
    if not any(part.pipes_from or part.pipes_to for part in parts):
        return list(parts)
    count = len(parts)
    pairs: dict[tuple[int, int], None] = {}
    for index, part in enumerate(parts):
        pairs.update([((source, index), None) for source in part.pipes_from if source < count])
        pairs.update([((index, target), None) for target in part.pipes_to if target < count])
    if len(pairs) > MAX_PIPES:
        return None
    sources: dict[int, list[int]] = {}
    targets: dict[int, list[int]] = {}
    for source, target in pairs:
        sources.setdefault(target, []).append(source)
        targets.setdefault(source, []).append(target)
    return [
        _with(part, tuple(sorted(sources.get(index, ()))), tuple(sorted(targets.get(index, ()))))
        for index, part in enumerate(parts)
    ]


def _with(part: Part, before: tuple[int, ...], after: tuple[int, ...]) -> Part:
    known = (part.pipes_from, part.pipes_to) == (before, after)
    return part if known or not (before or after) else replace(part, pipes_from=before, pipes_to=after)
