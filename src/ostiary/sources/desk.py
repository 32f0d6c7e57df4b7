"""The plan of a source: from memory, from the cache, or from somebody who compiles it."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping

from ostiary.problems import Problem
from ostiary.records import dataclass, field
from ostiary.sources import cache, looks
from ostiary.sources.compiled import Compiled
from ostiary.sources.discover import Source, missing
from ostiary.sources.includes import unchanged
from ostiary.sources.places import Places

Compile = Callable[[Source, Places], Compiled]


class Miss(Exception):
    """A source has to be compiled, and nobody here can."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What it takes to come by plans: the places, somebody who compiles (None: nobody does), and the plans that are in
    memory by their key."""

    places: Places
    compile: Compile | None = None
    memory: MutableMapping[str, Compiled] = field(default_factory=dict)


def compiled(source: Source, desk: Desk) -> tuple[str, Compiled]:
    """The key of a source that was read, and what it compiles to, good or not. Raises `Miss` if it has to be compiled
    and nobody does."""
    name = cache.key(source)
    found = _known(source, desk, name)
    if found is None:
        if desk.compile is None:
            raise Miss(source.label)
        try:
            found = desk.compile(source, desk.places)
        except Exception as error:
            # A failure of ours is one of this source alone, and is not kept: it may not happen again.
            looks.unsure()
            problem = Problem(source.label, 0, 0, "", f"compiling it failed with a {type(error).__name__}")
            return name, Compiled(None, (problem,), ())
        if not missing(desk.places):
            cache.keep(desk.places.cache, name, found)
    desk.memory[name] = found
    return name, found


def _known(source: Source, desk: Desk, name: str) -> Compiled | None:
    """The plan from memory or the cache, if all that the source includes is still what it was."""
    for found in (desk.memory.get(name), cache.fetch(desk.places.cache, name) if name not in desk.memory else None):
        if found and unchanged(source, found, desk.places):
            return found
    return None
