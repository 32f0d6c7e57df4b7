"""The engine: policy of this machine and project, loaded, kept and asked. What embedders import.

    engine = Engine.load(project="/work/app")
    outcome = engine.decide(Event.from_call("bash", {"command": "git push --force"}, cwd="/work/app"))

An engine starts no process, no thread and no network connection, and any number of them live side by side.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import ChainMap
from collections.abc import Iterable, Mapping, MutableMapping
from threading import Lock
from typing import Any, Final, TypeVar

from ostiary.call.model import Call
from ostiary.decision import Outcome
from ostiary.dialects import DIALECTS, Unreadable, receive
from ostiary.evaluate import evaluate, taken_apart
from ostiary.event import Event
from ostiary.explain import Status
from ostiary.facts import Facts
from ostiary.foreign import AgentName
from ostiary.perform import Evaluation, arun, run
from ostiary.policy import FilePlan, Gates, Policy
from ostiary.problems import Problem
from ostiary.records import NamedTuple, dataclass, field, replace
from ostiary.sources import permits, store
from ostiary.sources.admit import Standing, admit, policy_of, told
from ostiary.sources.compiled import Compiled
from ostiary.sources.compiling import compile_source
from ostiary.sources.desk import Desk
from ostiary.sources.discover import Source, discover_own, discover_plugins, discover_projects
from ostiary.sources.foreign import discover_foreign, where
from ostiary.sources.machine import MachineFacts
from ostiary.sources.memory import Memory, noted
from ostiary.sources.places import Managed, Places, find_places
from ostiary.sources.report import report
from ostiary.sources.roots import Roots, RulesFolder, find_roots
from ostiary.sources.settings import NAME, Settings, load_settings
from ostiary.sources.store import Reviewed, Trust
from ostiary.sources.worktrees import repository
from ostiary.trust import Earlier, Review, review
from ostiary.visible import visible

K = TypeVar("K")
V = TypeVar("V")

Payload = Mapping[str, Any] | bytes

_Folders = tuple[RulesFolder, ...]
_Agents = tuple[AgentName, ...]
_Marks = tuple[tuple[int, int, int] | None, ...]

# Sessions and combinations of projects that are remembered; the oldest go first.
_SESSIONS: Final = 4096
_POLICIES: Final = 256


@dataclass(frozen=True, slots=True)
class _Loaded:
    """How each source takes part, and the policy that makes."""

    standings: tuple[Standing, ...]
    policy: Policy


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """All files as they were at one time: `base` holds those of the start folder, `further` what events in other
    projects added. `marks` are those of the files that say whom to trust, `strays` tells of files that only look like
    another agent's settings. An event that is being judged keeps the snapshot it began with."""

    desk: Desk
    settings: Settings
    trust: Trust
    marks: _Marks
    roots: Roots
    base: _Loaded
    strays: tuple[Problem, ...]
    further: dict[_Folders, _Loaded] = field(default_factory=dict)


class _Prepared(NamedTuple):
    """An evaluation that is about to run: of which event, who answers it, and the sources it is about."""

    event: Event
    evaluation: Evaluation
    facts: Facts
    standings: tuple[Standing, ...]


def _load(
    sources: Iterable[Source], desk: Desk, trust: Trust, gates: Gates, before: tuple[Standing, ...] = ()
) -> _Loaded:
    standings = (*before, *(admit(source, desk, trust) for source in sources))
    return _Loaded(standings, policy_of(standings, desk.places, trust, gates))


def _marks(places: Places) -> _Marks:
    """What tells whether trust or settings are other ones now."""
    files = (store.place(places.state), *(os.path.join(folder, NAME) for folder in (places.managed.path, places.user)))
    return tuple(map(_mark, files))


def _mark(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _snapshot(places: Places, start: str, wanted: _Agents | None, memory: MutableMapping[str, Compiled]) -> _Snapshot:
    """Everything as it is on the disk now. Plans in `memory` whose sources are what they were are used again. `wanted`
    are the agents whose hooks an embedder wants, None for those that the settings name."""
    marks = _marks(places)  # first: what changes while it is read is read again
    fresh: dict[str, Compiled] = {}
    desk = Desk(places, compile_source, ChainMap(fresh, memory))
    roots = find_roots(start)
    settings = load_settings(desk, roots)
    trust = store.load(places.state, time.time()).under(settings)
    # what managed settings say goes before what an embedder wants
    agents = settings.hooks_from if wanted is None or "hooks_from" in settings.managed else wanted
    foreign = discover_foreign(agents, where(places, roots, start))
    ours = (*discover_own(places), *discover_projects(roots.folders), *discover_plugins(places))
    base = _load((*ours, *foreign.sources), desk, trust, settings.gates)
    return _Snapshot(replace(desk, memory=fresh), settings, trust, marks, roots, base, foreign.problems)


def _bounded(memory: dict[K, V], most: int) -> dict[K, V]:
    """The same dictionary with room for one more."""
    while len(memory) >= most:
        memory.pop(next(iter(memory)), None)
    return memory


class Engine:
    """The policy of one user in one project, ready to judge events; safe to use from several threads.

    Bad rule files do not keep an engine from loading: their last good version acts, or a rule that asks (law L7).
    `problems` has everything that is wrong.
    """

    def __init__(self, places: Places, start: str, facts: Facts | None, hooks_from: _Agents | None = None) -> None:
        """Use `load`. `start` is the absolute folder the agent was started in."""
        self._places = places
        self._start = start
        self._hooks_from = hooks_from
        self._facts = facts
        self._reloading = Lock()
        self._remembering = Lock()
        self._sessions: dict[tuple[str, str], _Folders] = {}
        self._snapshot = _snapshot(places, start, hooks_from, {})

    @classmethod
    def load(
        cls,
        config_dir: str | os.PathLike[str] | None = None,
        project: str | os.PathLike[str] | None = None,
        facts: Facts | None = None,
        managed: str | os.PathLike[str] | Managed | None = None,
        hooks_from: Iterable[AgentName] | None = None,
    ) -> Engine:
        """An engine with the policy that is on the disk now.

        `config_dir` holds the user's policy and state instead of the user's own folders. `project` is the folder the
        agent was started in (default: the current one). `facts` answers questions about the machine (default: the
        machine). `managed` is another managed place; files in it must belong to root or this user, and only they may
        write there. `hooks_from` are the agents in whose settings files hooks are looked for (default: those that the
        settings name; managed settings go before it). Raises `NoPlace` for a user without a home and without
        `config_dir`.
        """
        config = os.path.abspath(config_dir) if config_dir is not None else None
        places, start = find_places(config, _managed(managed)), os.path.abspath(project or os.getcwd())
        return cls(places, start, facts, None if hooks_from is None else tuple(hooks_from))

    def decide(self, event: Event | Payload, agent: str | None = None) -> Outcome:
        """The outcome of an event, or of a payload as `agent` sends it. Raises ValueError for a payload that cannot be
        read (at a gate, that has to mean deny) or without a known agent."""
        call = self._prepared(_event(event, agent))
        return told(noted(self._places.state, call.event, run(call.evaluation, call.facts)), call.standings)

    def judge(self, event: Event | Payload, agent: str | None = None) -> Outcome:
        """The same outcome of a call that is not about to run: what it would write is not remembered. Raises what
        `decide` does."""
        call = self._prepared(_event(event, agent))
        return told(run(call.evaluation, call.facts), call.standings)

    def explain(self, event: Event | Payload, agent: str | None = None) -> Outcome:
        """The same outcome with every rule in its trail, those that say nothing too. Raises what `decide` does."""
        call = self._prepared(_event(event, agent), explain=True)
        return told(run(call.evaluation, call.facts), call.standings)

    def analyse(self, event: Event | Payload, agent: str | None = None) -> Call:
        """The call of an event taken apart, as rules that stop see it, by all that is defined. Raises what `decide`
        does."""
        event = _event(event, agent)
        facts = self._facts or MachineFacts(find_roots(self._start, event.project, event.cwd), event.workdirs)
        return taken_apart(event, facts, self.policy.tools, self.policy.levels[-1:])

    async def adecide(self, event: Event | Payload, agent: str | None = None) -> Outcome:
        """`decide` for an event loop: files and facts are read in another thread."""
        import asyncio  # only here, as in `perform`

        call = await asyncio.to_thread(self._prepared, _event(event, agent))
        outcome = await arun(call.evaluation, call.facts)
        return told(await asyncio.to_thread(noted, self._places.state, call.event, outcome), call.standings)

    def reload(self) -> bool:
        """Reads everything again; True if the policy of the start folder is another one now. Sources that are what they
        were keep their plans, and events that are being judged keep their policy. If anything raises, all stays."""
        with self._reloading:
            before = self._snapshot
            fresh = _snapshot(self._places, self._start, self._hooks_from, before.desk.memory)
            self._snapshot = fresh
        return fresh.base.policy.generation != before.base.policy.generation

    @property
    def policy(self) -> Policy:
        """The policy of the start folder."""
        return self._snapshot.base.policy

    @property
    def reviewed(self) -> Policy:
        """The policy of the start folder as it would be if a person had accepted all of it."""
        snapshot = self._snapshot
        standings = (replace(standing, reviewed=True) for standing in snapshot.base.standings)
        return policy_of(standings, self._places, snapshot.trust, snapshot.settings.gates)

    @property
    def generation(self) -> str:
        """The name of that policy."""
        return self.policy.generation

    @property
    def settings(self) -> Settings:
        """The settings that act."""
        return self._snapshot.settings

    @property
    def gates(self) -> Gates:
        """Which gates they open."""
        return self.settings.gates

    @property
    def sources(self) -> tuple[Standing, ...]:
        """How each source takes part, in the order of the walk."""
        return self._snapshot.base.standings

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with rule files, settings and the trust store, warnings too."""
        snapshot = self._snapshot
        files = (problem for standing in snapshot.base.standings for problem in standing.problems)
        return (*files, *snapshot.strays, *snapshot.settings.problems, *snapshot.trust.problems)

    def status(self) -> Status:
        """What is in force in the project, and what does not act with its reason."""
        snapshot = self._current()
        return report(
            snapshot.base.standings,
            snapshot.base.policy,
            snapshot.settings,
            self._places,
            root=snapshot.roots.start or "",
            problems=self.problems,
            now=time.time(),
        )

    @property
    def pending(self) -> tuple[Review, ...]:
        """What rule files of the project would be permitted if a person accepted them."""
        waiting = (standing for standing in self.sources if standing.waits)
        return tuple(self._review(standing.plan, standing.source.root or "") for standing in waiting)

    def _review(self, plan: FilePlan, root: str) -> Review:
        last = self._snapshot.trust.last(root, visible(plan.label))
        if last is None:
            return review(plan, root)
        known, stops = permits.recall(self._places.state, last.digest) or (None, 0)
        return review(plan, root, Earlier(last.time, last.until, last.digest == plan.digest, known, stops))

    def accept(self, accepted: Review, typed: str | None, lasts: int = 0) -> bool:
        """Records a review if a person typed its word; without a person there (None) nothing is, nor where managed
        settings count no reviews of users. It holds for so many seconds (0: until it is taken back), and acts from the
        next event on. Raises OSError or `Unreadable` if the store cannot be written."""
        if not accepted.accepted(typed) or self.settings.trust != "user":
            return False
        now, root, state = int(time.time()), accepted.root, self._places.state
        until = now + lasts if lasts else 0
        store.add(state, Reviewed(root, accepted.digest, accepted.file, now, until, repository(root)))
        self.reload()
        permits.keep(state, accepted, (held.digest for held in self._snapshot.trust.reviews))
        return True

    def revoke(self, file: str = "") -> bool:
        """Takes back every review that counts in the project, or those of one file; False if there was none. Acts from
        the next event on. Raises as `accept` does."""
        found = store.remove(self._places.state, self._snapshot.roots.start or "", file)
        self.reload()
        return found

    def _prepared(self, event: Event, explain: bool = False) -> _Prepared:
        snapshot = self._current()
        roots = find_roots(self._start, event.project, event.cwd)
        loaded = self._loaded(snapshot, self._remembered(event, roots.folders))
        memory = Memory(self._places.state, event.agent, event.session)
        facts = self._facts or MachineFacts(roots, event.workdirs, memory)
        evaluation = evaluate(loaded.policy, event, facts.given(event.cwd), explain)
        return _Prepared(event, evaluation, facts, loaded.standings)

    def _current(self) -> _Snapshot:
        """The snapshot that acts now: what is taken back, has expired, or is set otherwise counts from the next event
        on, without anybody reloading (law L9)."""
        snapshot = self._snapshot
        if time.time() >= snapshot.trust.lapses or _marks(self._places) != snapshot.marks:
            self.reload()
        return self._snapshot

    def _loaded(self, snapshot: _Snapshot, folders: _Folders) -> _Loaded:
        """What the start folder and these rules folders besides hold."""
        more = tuple(folder for folder in folders if folder not in snapshot.roots.folders)
        if not more:
            return snapshot.base
        found = snapshot.further.get(more)
        if found is None:
            sources, gates = discover_projects(more), snapshot.settings.gates
            found = _load(sources, snapshot.desk, snapshot.trust, gates, snapshot.base.standings)
            with self._remembering:
                _bounded(snapshot.further, _POLICIES)[more] = found
        return found

    def _remembered(self, event: Event, folders: _Folders) -> _Folders:
        """The rules folders of this event and of all before it in its session: a session never loses one by moving."""
        if event.session is None:
            return folders
        key = (event.agent, event.session)
        with self._remembering:
            known = self._sessions.pop(key, ())
            together = tuple(dict.fromkeys((*known, *folders)))
            _bounded(self._sessions, _SESSIONS)[key] = together
        return together


def _managed(managed: str | os.PathLike[str] | Managed | None) -> Managed | None:
    """A managed place named in code: who names it vouches for the folders above it."""
    if managed is None or isinstance(managed, Managed):
        return managed
    path = os.path.abspath(managed)
    return Managed(path, owners=frozenset({0, _user()}), top=path)


def _user() -> int:
    if sys.platform == "win32":
        return 0
    return os.geteuid()


def _event(event: Event | Payload, agent: str | None) -> Event:
    if isinstance(event, Event):
        return event
    dialect = DIALECTS.get(agent or "")
    if dialect is None:
        raise ValueError(f"a payload needs the agent that sent it, one of: {', '.join(DIALECTS)}")
    found = receive(dialect, event if isinstance(event, bytes) else json.dumps(event).encode())
    if isinstance(found, Unreadable):
        raise ValueError(found.reason)
    return found
