"""All files that a policy is made of, as they were at one time."""

from __future__ import annotations

import time
from collections import ChainMap
from collections.abc import Iterable, MutableMapping
from typing import TYPE_CHECKING, Final

from ostiary.guard import Ours
from ostiary.policy import Admitted, Policy
from ostiary.problems import Problem
from ostiary.records import NamedTuple, dataclass, field, replace
from ostiary.sources import store
from ostiary.sources.admit import Standing, admit, policy_of
from ostiary.sources.compiled import Compiled
from ostiary.sources.desk import Desk
from ostiary.sources.discover import Source, discover_own, discover_plugins, discover_projects
from ostiary.sources.looks import Looks, lasts, looking
from ostiary.sources.ours import find_ours
from ostiary.sources.places import Places
from ostiary.sources.roots import Roots, RulesFolder
from ostiary.sources.settings import Settings, load_settings
from ostiary.sources.store import Trust
from ostiary.sources.watch import Watch, settled

if TYPE_CHECKING:
    from ostiary.foreign import AgentName
    from ostiary.sources.foreign import Found

Folders = tuple[RulesFolder, ...]
Standings = tuple[Standing, ...]

Policies = MutableMapping[tuple[object, ...], Policy]
"""Policies by what they are made of."""

_KEPT: Final = 64


class Wanted(NamedTuple):
    """What an embedder adds: `agents` whose settings hold hooks (None: those that Ostiary's settings name), and the
    handlers of the `host`."""

    agents: tuple[AgentName, ...] | None = None
    host: tuple[Admitted, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All files as they were at one time: `standings` are how those of the start folder (and of further rules folders
    it was taken with) take part, `further` what events in other projects added. `marks` are the looks at the files that
    say whom to trust, `strays` tells of files that only look like another agent's settings. An event that is being
    judged keeps the snapshot it began with."""

    desk: Desk
    settings: Settings
    trust: Trust
    marks: Looks
    roots: Roots
    ours: Ours
    standings: Standings
    strays: tuple[Problem, ...]
    host: tuple[Admitted, ...]
    policies: Policies
    further: dict[Folders, Standings] = field(default_factory=dict)

    def policy(self, standings: Standings) -> Policy:
        """The policy that sources make which take part like this."""
        settings, trust = self.settings, self.trust
        how = tuple((one.tier, one.source.path, one.reviewed, one.digest, one.note) for one in standings)
        key = (how, settings.gates, trust.problems, tuple(self.ours.values()))
        found = self.policies.get(key)
        if found is None:
            found = policy_of(standings, self.ours, trust, settings.gates, self.host)
            if len(self.policies) < _KEPT:
                self.policies[key] = found
        return found

    def settled(self, standings: Standings, watch: Watch, *, noting: bool) -> Standings:
        """The same with what vanished under a session."""
        return settled(standings, watch, self.desk, self.trust, self.settings, noting=noting)

    def beside(self, folders: Folders) -> Standings:
        """How the sources of the start folder take part, and those of these rules folders."""
        more = tuple(folder for folder in folders if folder not in self.roots.folders)
        if not more:
            return self.standings
        found = self.further.get(more)
        if found is None:
            found = (*self.standings, *_admitted(discover_projects(more), self.desk, self.trust))
            if len(self.further) < _KEPT:
                self.further[more] = found
        return found

    def accepted(self) -> Policy:
        """The policy as it would be if a person had accepted everything."""
        return self.policy(tuple(replace(standing, reviewed=True) for standing in self.standings))

    def hosted(self, host: tuple[Admitted, ...]) -> Snapshot:
        """The same files with other handlers of the host."""
        return replace(self, host=host, policies={})


_NOTHING: Final = Wanted()


def snapshot(roots: Roots, start: str | None, desk: Desk, policies: Policies, wanted: Wanted = _NOTHING) -> Snapshot:
    """Everything as it is on the disk now, for an agent that was started in the folder `start`, with the rules folders
    of these roots. Plans that the desk has in memory are used again where their sources are what they were. Raises
    `Miss` as `desk.compiled` does."""
    places, fresh = desk.places, dict[str, Compiled]()
    desk = replace(desk, memory=ChainMap(fresh, desk.memory))
    with looking() as marks:
        settings = load_settings(desk, roots)
        trust = store.load(places.state, time.time()).under(settings)
        lasts(trust.now, trust.lapses)
    # what managed settings say goes before what an embedder wants
    agents = settings.hooks_from if wanted.agents is None or "hooks_from" in settings.managed else wanted.agents
    foreign = _foreign(agents, places, roots, start)
    projects = discover_projects(roots.folders)
    sources = (*discover_own(places), *projects, *discover_plugins(places), *(foreign.sources if foreign else ()))
    standings = _admitted(sources, desk, trust)
    strays = foreign.problems if foreign else ()
    desk = replace(desk, memory=fresh)
    ours = find_ours(places)
    return Snapshot(desk, settings, trust, marks, roots, ours, standings, strays, wanted.host, policies)


def _foreign(agents: tuple[AgentName, ...], places: Places, roots: Roots, start: str | None) -> Found | None:
    """Other agents' settings files, as far as these agents are named."""
    if not agents:
        return None
    from ostiary.sources.foreign import discover_foreign, where  # late: most hooks are done without it

    return discover_foreign(agents, where(places, roots, start))


def _admitted(sources: Iterable[Source], desk: Desk, trust: Trust) -> Standings:
    return tuple(admit(source, desk, trust) for source in sources)
