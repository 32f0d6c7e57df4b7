"""Rules that stop calls and whose file went away (law L7): they act until the session ends, or a person lets them go.

A source vanishes where

- its file is gone, with its folder or without, or is not read any more,
- it has no rule any more, or a file that it includes has none,
- it, or a file that it includes, was cut at its end: what it holds now is how it began before, blanks at the end aside,

and rules that stopped are missing in it. Everything else is an edit, and acts at once. The user's own files may vanish
where the session's calls did not write there. Of the managed place nothing vanishes unless its settings say so, and
what is cut there is an edit: it is about no session, so that it would never end.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Final

from ostiary.policy import lost, stand_in, stopping
from ostiary.problems import Problem
from ostiary.records import NamedTuple, replace
from ostiary.sources import seen
from ostiary.sources.admit import Standing, reviewing
from ostiary.sources.desk import Desk, compiled
from ostiary.sources.discover import Source
from ostiary.sources.files import Unreadable, exists, inside
from ostiary.sources.includes import read_include
from ostiary.sources.places import Places
from ostiary.sources.seen import Content, Noted
from ostiary.sources.settings import Settings
from ostiary.sources.store import Trust
from ostiary.sources.watch import Watch, watched
from ostiary.tiers import TIER

_GONE: Final = "it is gone"
_UNREAD: Final = "it is not read any more"
_EMPTY: Final = "it has no rule any more"
_CUT: Final = "it was cut at its end"


class _Settled(NamedTuple):
    """How one source takes part (None: not at all), and what is to be noted of it."""

    standing: Standing | None
    note: Noted | None = None


def settle(
    standings: tuple[Standing, ...], watch: Watch, desk: Desk, trust: Trust, settings: Settings, *, noting: bool
) -> tuple[Standing, ...]:
    """As `watch.settled`, where something is not as it was."""
    here = _Here(standings, watch, desk, trust, settings, noting)
    found = [*map(here.present, standings), *here.absent()]
    if noting:
        _note(watch, desk.places, [one.note for one in found if one.note])
    return tuple(one.standing for one in found if one.standing)


def _note(watch: Watch, places: Places, notes: list[Noted]) -> None:
    managed = [one for one in notes if one.tier == "managed"]
    ours = [one for one in notes if one.tier != "managed"]
    now = time.time()
    if managed:
        seen.note(watch.managed, managed, now)
        for one in managed:
            if one.key in watch.noted and watch.noted[one.key].name != one.name:
                seen.drop(places.state, watch.noted[one.key].name)
    if ours and watch.session:
        seen.note(watch.session, ours, now)


class _Here(NamedTuple):
    """An event's sources as they were admitted, and what tells how they were before."""

    standings: tuple[Standing, ...]
    watch: Watch
    desk: Desk
    trust: Trust
    settings: Settings
    noting: bool

    def present(self, standing: Standing) -> _Settled:
        """A source whose file is there."""
        noted = self.watch.noted.get((standing.tier, standing.source.path))
        if noted is None:
            return _Settled(standing, self._noted(standing) if watched(standing, self.watch) else None)
        if noted.name == seen.content_name(standing.source, standing.plan):
            return _Settled(standing)
        content = seen.kept(self.desk.places.state, noted.name)
        if content is None:
            return _Settled(standing, self._noted(standing))
        if standing.state != "current":
            return _Settled(self._broken(standing, content))
        why = _shrunk(content, standing, self.desk.places)
        if why and self._holds(noted):
            return _Settled(self._vanished(standing.source, content, why))
        return _Settled(standing, self._noted(standing))

    def absent(self) -> Iterator[_Settled]:
        """The sources that were seen and are not there."""
        found = {(standing.tier, standing.source.path) for standing in self.standings}
        for key, noted in self.watch.noted.items():
            if key not in found:
                yield self._absent(noted)

    def _absent(self, noted: Noted) -> _Settled:
        content = seen.kept(self.desk.places.state, noted.name)
        why = _UNREAD if exists(noted.path) else _GONE
        if (content and self._moved(noted, content)) or not self._holds(noted):
            return _Settled(None, noted._replace(name=""))
        source = Source(
            tier=noted.tier,
            path=noted.path,
            label=noted.label,
            folder=os.path.dirname(noted.path),
            within=(),
            limit=0,
            root=noted.root or None,
            reviewable=bool(noted.root) and noted.root == self.watch.start,
        )
        return _Settled(self._vanished(source, content, why))

    def _moved(self, noted: Noted, content: Content) -> bool:
        """Whether the same file has another name now."""
        return any(
            (one.tier, one.source.root or "", one.digest) == (noted.tier, noted.root, content.plan.digest)
            for one in self.standings
        )

    def _holds(self, noted: Noted) -> bool:
        """Whether the rules of a source go on acting although it vanished."""
        if noted.tier == "managed":
            name = os.path.relpath(noted.path, self.desk.places.managed.path).replace(os.sep, "/")
            return name not in self.settings.removed
        return noted.tier != "user" or self.watch.memory.answer(noted.path) != "no"

    def _broken(self, standing: Standing, content: Content) -> Standing:
        """A source that cannot be used. Its last good version may be what vanished from it, in another session."""
        if standing.state == "last good" and TIER[standing.tier].reviewed_by_default:
            return standing
        accepted, review = reviewing(standing.source, content.plan, self.trust)
        return replace(standing, state="last good", reviewed=accepted, plan=stopping(content.plan), review=review)

    def _vanished(self, source: Source, content: Content | None, why: str) -> Standing:
        """What of a source goes on acting. Where that is not known any more it asks."""
        problem = Problem(source.label, 0, 0, "", why, _way_out(source, self.desk.places), "warning")
        if content is None:
            plan = stand_in(source.label, 0, why, source.tier == "managed", help=problem.help)
            return Standing(source=source, state="vanished", reviewed=False, plan=plan, problems=(problem,))
        accepted, review = reviewing(source, content.plan, self.trust)
        plan = stopping(content.plan)
        return Standing(
            source=source, state="vanished", reviewed=accepted, plan=plan, review=review, problems=(problem,)
        )

    def _noted(self, standing: Standing) -> Noted | None:
        """What is to be noted of a source as it is now, once it is kept."""
        if not self.noting:
            return None
        source = standing.source
        noted = Noted(source.tier, source.path, source.label, source.root or "", "")
        if not watched(standing, self.watch):
            return noted if noted.key in self.watch.noted and standing.state == "current" else None
        name = seen.content_name(source, standing.plan)
        content = Content(standing.plan, tuple(self._files(standing)))
        return noted._replace(name=name) if seen.keep(self.desk.places.state, name, content) else None

    def _files(self, standing: Standing) -> Iterator[tuple[str, bytes]]:
        """The files of a source, by which a cut is told from an edit."""
        source = standing.source
        if source.tier == "managed" or standing.state != "current" or source.raw is None:
            return
        yield source.path, source.raw
        packs = os.path.realpath(self.desk.places.packs)
        for path, _ in compiled(source, self.desk)[1].includes:
            raw = _included(source, path, self.desk.places)
            if raw is not None and not inside(os.path.realpath(path), packs):
                yield path, raw


def _included(source: Source, path: str, places: Places) -> bytes | None:
    try:
        return read_include(source, path, places)
    except (FileNotFoundError, Unreadable):
        return None


def _way_out(source: Source, places: Places) -> str:
    if source.tier == "managed":
        return f"put it back, or name it under `removed` in {os.path.join(places.managed.path, 'settings.yaml')}"
    return "put it back, or run `ostiary trust` to let its rules go"


def _shrunk(before: Content, standing: Standing, places: Places) -> str:
    """How a source that can be used has vanished nevertheless, empty if it was edited."""
    if not lost(before.plan, standing.plan):
        return ""
    if not standing.plan.rule_count:
        return _EMPTY
    now = {file.label: file.rule_count for file in standing.plan.whole}
    for file in before.plan.whole:
        if file.rule_count and now.get(file.label) == 0:
            return f"`{file.label}`, which it includes, has no rule any more"
    return _cut(before, standing.source, places)


def _cut(before: Content, source: Source, places: Places) -> str:
    for path, was in before.files:
        raw = source.raw if path == source.path else _included(source, path, places)
        if raw is not None and raw.rstrip() != was.rstrip() and was.startswith(raw.rstrip()):
            return _CUT if path == source.path else f"`{os.path.basename(path)}`, which it includes, was cut at its end"
    return ""
