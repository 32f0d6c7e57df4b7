"""What was read of a policy, in words that the processes of the service tell each other."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ostiary.digests import sha256
from ostiary.problems import Problem
from ostiary.records import NamedTuple
from ostiary.sources.roots import Roots, RulesFolder
from ostiary.sources.snapshot import Snapshot

_PROBLEMS: Final = 16
_TEXT: Final = 300  # characters of a problem


class View(NamedTuple):
    """For whom files are read: the folder that the agent was started in (None: it is gone), the root of its project
    (None: it has none), and the rules folders of projects."""

    start: str | None
    root: str | None
    folders: tuple[RulesFolder, ...]

    def plain(self) -> list[Any]:
        """As plain values."""
        return [self.start, self.root, [(one.path, one.root, one.reviewable) for one in self.folders]]


class Reading(NamedTuple):
    """What came of reading everything for a view once: when that began (seconds since the epoch), how many milliseconds
    it took, the generation, each source with what tells how it takes part, and what is wrong with them."""

    view: View
    time: float
    ms: float
    generation: str
    sources: Mapping[str, str]
    problems: tuple[str, ...]

    def text(self) -> str:
        """As text."""
        return json.dumps((self.view.plain(), *self[1:]))


def view(plain: Any) -> View:
    """The view of plain values. Raises ValueError and TypeError for anything else."""
    start, root, folders = plain
    return View(start, root, tuple(RulesFolder(*folder) for folder in folders))


def reading(text: str) -> Reading:
    """The reading of a text. Raises what `view` does."""
    seen, began, ms, generation, sources, problems = json.loads(text)
    return Reading(view(seen), began, ms, generation, sources, tuple(problems))


def read_of(found: Snapshot, start: str | None, roots: Roots, began: float) -> Reading:
    """The reading that gave a snapshot for an agent that was started in the folder `start`, with these roots."""
    generation = found.policy(found.standings).generation
    problems = tuple(_told(problem) for problem in _problems(found) if problem.severity == "error")
    ms = round((time.time() - began) * 1000, 3)
    return Reading(
        View(start, roots.start, roots.folders), began, ms, generation, dict(_sources(found)), problems[:_PROBLEMS]
    )


def _sources(found: Snapshot) -> Iterator[tuple[str, str]]:
    for one in found.standings:
        yield f"{one.tier}:{one.label}", f"{one.digest} {one.state} {one.reviewed} {one.source.raw is None}"
    said = (sorted(found.settings.managed.items()), sorted(found.settings.user.items()))
    yield "settings", sha256(repr(said).encode("utf-8", "surrogatepass")).hexdigest()


def _problems(found: Snapshot) -> Iterator[Problem]:
    for one in found.standings:
        yield from one.problems
    yield from (*found.strays, *found.settings.problems, *found.trust.problems)


def _told(problem: Problem) -> str:
    place = ":".join([problem.file, *(str(number) for number in (problem.line, problem.column) if number)])
    return ": ".join(filter(None, (place, problem.where, problem.message)))[:_TEXT]
