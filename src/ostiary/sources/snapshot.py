"""All files that an engine goes by, as they were at one time."""

from __future__ import annotations

import os
import time
from collections import ChainMap
from collections.abc import Iterable, MutableMapping
from typing import Final

from ostiary.foreign import AgentName
from ostiary.policy import Admitted, Gates, Policy
from ostiary.problems import Problem
from ostiary.records import NamedTuple, dataclass, field, replace
from ostiary.sources import store
from ostiary.sources.admit import Standing, admit, policy_of
from ostiary.sources.compiled import Compiled
from ostiary.sources.compiling import compile_source
from ostiary.sources.desk import Desk
from ostiary.sources.discover import Source, discover_own, discover_plugins, discover_projects
from ostiary.sources.foreign import discover_foreign, where
from ostiary.sources.places import Places
from ostiary.sources.roots import Roots, RulesFolder, find_roots
from ostiary.sources.settings import NAME, Settings, load_settings
from ostiary.sources.store import Trust
from ostiary.sources.watch import Watch, settled

Folders = tuple[RulesFolder, ...]
Marks = tuple[tuple[int, int, int] | None, ...]


_KEPT: Final = 64  # combinations of sources that vanished


class Wanted(NamedTuple):
    """What an embedder adds: `agents` whose settings hold hooks (None: those that Ostiary's settings name), and the
    handlers of the `host`."""

    agents: tuple[AgentName, ...] | None = None
    host: tuple[Admitted, ...] = ()


@dataclass(frozen=True, slots=True)
class Loaded:
    """How each source takes part, and the policy that makes."""

    standings: tuple[Standing, ...]
    policy: Policy


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All files as they were at one time: `base` holds those of the start folder, `further` what events in other
    projects added, `kept` what is in force where sources vanished under a session. `marks` are those of the files that
    say whom to trust, `strays` tells of files that only look like another agent's settings. An event that is being
    judged keeps the snapshot it began with."""

    desk: Desk
    settings: Settings
    trust: Trust
    marks: Marks
    roots: Roots
    base: Loaded
    strays: tuple[Problem, ...]
    host: tuple[Admitted, ...]
    further: dict[Folders, Loaded] = field(default_factory=dict)
    kept: dict[tuple[str, ...], Loaded] = field(default_factory=dict)

    def settled(self, loaded: Loaded, watch: Watch, *, noting: bool) -> Loaded:
        """The same with what vanished under a session."""
        standings = settled(loaded.standings, watch, self.desk, self.trust, self.settings, noting=noting)
        if standings is loaded.standings:
            return loaded
        key = tuple(f"{one.tier} {one.source.path} {one.reviewed} {one.digest} {one.note}" for one in standings)
        found = self.kept.get(key)
        if found is None:
            policy = policy_of(standings, self.desk.places, self.trust, self.settings.gates, self.host)
            found = Loaded(standings, policy)
            if len(self.kept) < _KEPT:
                self.kept[key] = found
        return found

    def beside(self, folders: Folders) -> Loaded:
        """What the start folder and these rules folders hold."""
        return _load(discover_projects(folders), self.desk, self.trust, self.settings.gates, self.host, self.base)

    def accepted(self) -> Policy:
        """The policy as it would be if a person had accepted everything."""
        standings = (replace(standing, reviewed=True) for standing in self.base.standings)
        return policy_of(standings, self.desk.places, self.trust, self.settings.gates, self.host)

    def hosted(self, host: tuple[Admitted, ...]) -> Snapshot:
        """The same files with other handlers of the host."""
        policy = policy_of(self.base.standings, self.desk.places, self.trust, self.settings.gates, host)
        return replace(self, base=Loaded(self.base.standings, policy), host=host, further={}, kept={})


def snapshot(places: Places, start: str, wanted: Wanted, memory: MutableMapping[str, Compiled]) -> Snapshot:
    """Everything as it is on the disk now. Plans in `memory` whose sources are what they were are used again."""
    seen = marks(places)  # first: what changes while it is read is read again
    fresh: dict[str, Compiled] = {}
    desk = Desk(places, compile_source, ChainMap(fresh, memory))
    roots = find_roots(start)
    settings = load_settings(desk, roots)
    trust = store.load(places.state, time.time()).under(settings)
    # what managed settings say goes before what an embedder wants
    agents = settings.hooks_from if wanted.agents is None or "hooks_from" in settings.managed else wanted.agents
    foreign = discover_foreign(agents, where(places, roots, start))
    ours = (*discover_own(places), *discover_projects(roots.folders), *discover_plugins(places))
    base = _load((*ours, *foreign.sources), desk, trust, settings.gates, wanted.host)
    desk = replace(desk, memory=fresh)
    return Snapshot(desk, settings, trust, seen, roots, base, foreign.problems, wanted.host)


def marks(places: Places) -> Marks:
    """What tells whether trust or settings are other ones now."""
    files = (store.place(places.state), *(os.path.join(folder, NAME) for folder in (places.managed.path, places.user)))
    return tuple(map(_mark, files))


def _mark(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _load(
    sources: Iterable[Source],
    desk: Desk,
    trust: Trust,
    gates: Gates,
    host: tuple[Admitted, ...],
    above: Loaded | None = None,
) -> Loaded:
    standings = (*(above.standings if above else ()), *(admit(source, desk, trust) for source in sources))
    return Loaded(standings, policy_of(standings, desk.places, trust, gates, host))
