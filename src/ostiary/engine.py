"""The engine: policy of this machine and project, loaded, kept and asked. What embedders import.

    engine = Engine.load(project="/work/app")
    outcome = engine.decide(Event.from_call("bash", {"command": "git push --force"}, cwd="/work/app"))

A harness of its own registers handlers and dispatches its events:

    engine.on("PreToolUse", check, tool="Edit|Write")
    found = engine.dispatch(event)

An engine starts a process or a connection only where a handler is one, and a thread only if it may; any number of them
live side by side.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from threading import Lock
from typing import Any

from ostiary.call.model import Call
from ostiary.decision import Outcome
from ostiary.dialects import DIALECTS, Unreadable, receive
from ostiary.effects import Contract, Effective
from ostiary.evaluate import evaluate, taken_apart
from ostiary.event import Event
from ostiary.explain import Status
from ostiary.facts import Facts
from ostiary.foreign import AgentName
from ostiary.host import Handler, Host, Means, Registration
from ostiary.perform import Evaluation, Perform, arun, nothing, permits, run
from ostiary.perform.adapters import missing
from ostiary.perform.adapters.base import Model, Verifier
from ostiary.perform.program import Cancel
from ostiary.perform.runtime import Finished
from ostiary.policy import Gates, Policy
from ostiary.problems import Problem
from ostiary.records import NamedTuple
from ostiary.sources import reviews
from ostiary.sources.admit import Standing, as_reviewed, told
from ostiary.sources.compiled import Compiled
from ostiary.sources.compiling import compile_source
from ostiary.sources.desk import Desk
from ostiary.sources.held import Held, flaws, held, let_go, word
from ostiary.sources.library import Permitted
from ostiary.sources.machine import MachineFacts
from ostiary.sources.memory import Memory, noted
from ostiary.sources.places import Managed, Places, find_places, vouched
from ostiary.sources.report import report
from ostiary.sources.roots import find_roots
from ostiary.sources.settings import Settings
from ostiary.sources.snapshot import Snapshot, snapshot
from ostiary.sources.visited import Visited
from ostiary.sources.watch import watch
from ostiary.trust import Review

Payload = Mapping[str, Any] | bytes


class _Prepared(NamedTuple):
    """An evaluation that is about to run: of which event, who answers it, what the agent may read, and the sources it
    is about."""

    event: Event
    evaluation: Evaluation
    facts: Facts
    may: Permitted
    standings: tuple[Standing, ...]


class Dispatched(NamedTuple):
    """What came of an event: the outcome, and what the harness is to do about it."""

    outcome: Outcome
    done: Effective


class Cancelled(Exception):
    """The event was cancelled. Whatever handlers said until then counts nothing."""


class Engine:
    """The policy of one user in one project, ready to judge events; safe to use from several threads.

    Bad rule files do not keep an engine from loading: their last good version acts, or a rule that asks (law L7).
    `problems` has everything that is wrong.
    """

    def __init__(self, places: Places, start: str, facts: Facts | None, host: Host) -> None:
        """Use `load`. `start` is the absolute folder the agent was started in."""
        self._places = places
        self._start = start
        self._facts = facts
        self._host = host
        self._reloading = Lock()
        self._visited = Visited()
        self._snapshot = self._read({})

    @classmethod
    def load(
        cls,
        config_dir: str | os.PathLike[str] | None = None,
        project: str | os.PathLike[str] | None = None,
        facts: Facts | None = None,
        managed: str | os.PathLike[str] | Managed | None = None,
        hooks_from: Iterable[AgentName] | None = None,
        *,
        contract: Contract = "afk",
        continuations: int | None = None,
        threads: int = 0,
        model: Model | None = None,
        verifier: Verifier | None = None,
        on_result: Callable[[Finished], None] | None = None,
    ) -> Engine:
        """An engine with the policy that is on the disk now.

        `config_dir` holds the user's policy and state instead of the user's own folders. `project` is the folder the
        agent was started in (default: the current one). `facts` answers questions about the machine (default: the
        machine). `managed` is another managed place; files in it must belong to root or this user, and only they may
        write there. `hooks_from` are the agents in whose settings files hooks are looked for (default: those that the
        settings name; managed settings go before it).

        The rest is for a harness that dispatches its events. `contract` says how handlers registered with `on` run, and
        what an answer does to each event; `continuations` is how often in a row an agent is made to go on working
        (None: what the contract says). `threads` is how many threads the engine may start at a time, for handlers that
        run beside each other and for those in the background. `model` answers `prompt` handlers (None: one that the
        settings name), `verifier` answers `agent` ones (None: that model, which may look at files). `on_result` is told
        what handlers in the background came to, in their thread; without it `results` holds it. Raises `NoPlace` for a
        user without a home and without `config_dir`.
        """
        config = os.path.abspath(config_dir) if config_dir is not None else None
        managed = managed if managed is None or isinstance(managed, Managed) else vouched(managed)
        places, start = find_places(config, managed), os.path.abspath(project or os.getcwd())
        agents = None if hooks_from is None else tuple(hooks_from)
        host = Host(contract, continuations, on_result, Means(threads, model, verifier), agents)
        return cls(places, start, facts, host)

    def on(
        self,
        event: str,
        handler: Handler,
        tool: str | None = None,
        *,
        name: str | None = None,
        timeout: float | None = None,
        background: bool = False,
        rewake: bool = False,
        pure: bool = False,
    ) -> Registration:
        """Registers a handler of the harness's own for a canonical event, behind those that are there and in front of
        all that files name.

        `tool` is a pattern as under `tool:` in a rule. `timeout` are seconds (None: what the event allows, zero or
        less: as long as it likes, which is for handlers that wait for a person). `background`, `rewake` and `pure` are
        what `async`, `rewake` and `pure` are in a rule. Raises ValueError for an unknown event, a tool pattern that is
        none, and a name that is taken.
        """
        options = {"timeout": timeout, "background": background, "rewake": rewake, "pure": pure}
        made = self._host.add(event, handler, tool, name, **options)
        self._renew()
        return Registration(made, event, self._remove)

    def dispatch(self, event: Event, cancel: Cancel | None = None) -> Dispatched:
        """The outcome of an event of the harness's agent, and what to do about it. Raises `Cancelled` once `cancel`
        says so."""
        event = self._host.told(event)
        _still(cancel)
        outcome = self._decided(event, cancel)
        _still(cancel)
        return Dispatched(outcome, self._host.took(event, outcome))

    async def adispatch(self, event: Event, cancel: Cancel | None = None) -> Dispatched:
        """`dispatch` for an event loop: handlers that are asynchronous run in it, everything else in another thread."""
        event = self._host.told(event)
        _still(cancel)
        outcome = await self._adecided(event, cancel)
        _still(cancel)
        return Dispatched(outcome, self._host.took(event, outcome))

    def results(self) -> tuple[Finished, ...]:
        """What handlers in the background came to since this was asked last."""
        return self._host.results()

    def decide(self, event: Event | Payload, agent: str | None = None) -> Outcome:
        """The outcome of an event, or of a payload as `agent` sends it. Raises ValueError for a payload that cannot be
        read (at a gate, that has to mean deny) or without a known agent."""
        return self._decided(_event(event, agent))

    def judge(self, event: Event | Payload, agent: str | None = None, *, perform: bool = False) -> Outcome:
        """The same outcome of a call that is not about to run: what it would write is not remembered, and handlers run
        only with `perform`. Raises what `decide` does."""
        return self._judged(_event(event, agent), explain=False, perform=perform)

    def explain(self, event: Event | Payload, agent: str | None = None, *, perform: bool = False) -> Outcome:
        """The same outcome with every rule in its trail, those that say nothing too. Raises what `decide` does."""
        return self._judged(_event(event, agent), explain=True, perform=perform)

    def analyse(self, event: Event | Payload, agent: str | None = None) -> Call:
        """The call of an event taken apart, as rules that stop see it, by all that is defined. Raises what `decide`
        does."""
        event = _event(event, agent)
        facts = self._facts or MachineFacts(find_roots(self._start, event.project, event.cwd), event.workdirs)
        return taken_apart(event, facts, self.policy.tools, self.policy.levels[-1:])

    async def adecide(self, event: Event | Payload, agent: str | None = None) -> Outcome:
        """`decide` for an event loop: files and facts are read in another thread."""
        return await self._adecided(_event(event, agent))

    def reload(self) -> bool:
        """Reads everything again; True if the policy of the start folder is another one now. Sources that are what they
        were keep their plans, and events that are being judged keep their policy. If anything raises, all stays."""
        with self._reloading:
            before = self._snapshot
            fresh = self._read(before.desk.memory)
            self._snapshot = fresh
        return _generation(fresh) != _generation(before)

    def _read(self, memory: MutableMapping[str, Compiled]) -> Snapshot:
        """Everything as it is on the disk now."""
        desk = Desk(self._places, compile_source, memory)
        return snapshot(find_roots(self._start), self._start, desk, {}, self._host.wanted)

    @property
    def policy(self) -> Policy:
        """The policy of the start folder."""
        return self._snapshot.policy(self._snapshot.standings)

    @property
    def reviewed(self) -> Policy:
        """The policy of the start folder as it would be if a person had accepted all of it."""
        return self._snapshot.accepted()

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
        return self._snapshot.standings

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with rule files, settings and the trust store, warnings too."""
        found = self._snapshot
        files = (problem for standing in found.standings for problem in standing.problems)
        return (*files, *found.strays, *found.settings.problems, *found.trust.problems)

    def status(self) -> Status:
        """What is in force in the project, and what does not act with its reason."""
        found = self._current()
        vanished = tuple(one.standing for one in held(found))
        return report(
            (*found.standings, *vanished),
            found.policy(found.standings),
            found.settings,
            self._places,
            root=found.roots.start or "",
            models=tuple((plan, missing(plan, os.environ)) for plan in found.settings.models),
            problems=(*self.problems, *flaws(found), *(problem for one in vanished for problem in one.problems)),
            now=time.time(),
        )

    @property
    def vanished(self) -> tuple[Held, ...]:
        """What went away from the project and still stops calls in some session."""
        return held(self._snapshot)

    def let_go(self, letting: tuple[Held, ...], typed: str | None) -> bool:
        """Lets go what vanished, in all sessions, if a person typed its `word`; acts on the next call. False if nobody
        did. Raises `Unreadable` if it cannot be noted."""
        if typed is None or typed.strip() != word(letting):
            return False
        let_go(letting)
        return True

    @property
    def pending(self) -> tuple[Review, ...]:
        """What rule files of the project would be permitted if a person accepted them."""
        return reviews.pending(self._snapshot)

    def accept(self, accepted: Review, typed: str | None, lasts: int = 0) -> bool:
        """Records a review if a person typed its word; without a person there (None) nothing is, nor where managed
        settings count no reviews of users. It holds for so many seconds (0: until it is taken back), and acts from the
        next event on. Raises OSError or `Unreadable` if the store cannot be written."""
        done = reviews.accept(self._snapshot, accepted, typed, lasts)
        if done:
            self.reload()
        return done

    def revoke(self, file: str = "") -> bool:
        """Takes back every review that counts in the project, or those of one file; False if there was none. Acts from
        the next event on. Raises as `accept` does."""
        found = reviews.revoke(self._snapshot, file)
        self.reload()
        return found

    def _decided(self, event: Event, cancel: Cancel | None = None) -> Outcome:
        call = self._prepared(event, noting=True)
        outcome = run(call.evaluation, call.facts, self._performing(call, cancel))
        return told(noted(self._places.state, call.event, outcome), call.standings)

    async def _adecided(self, event: Event, cancel: Cancel | None = None) -> Outcome:
        import asyncio  # only here, as in `perform`

        call = await asyncio.to_thread(self._prepared, event, noting=True)
        performing = self._performing(call, cancel, asyncio.get_running_loop())
        outcome = await arun(call.evaluation, call.facts, performing)
        return told(await asyncio.to_thread(noted, self._places.state, call.event, outcome), call.standings)

    def _judged(self, event: Event, *, explain: bool, perform: bool) -> Outcome:
        call = self._prepared(event, explain)
        return told(run(call.evaluation, call.facts, self._performing(call) if perform else nothing), call.standings)

    def _performing(self, call: _Prepared, cancel: Cancel | None = None, loop: Any = None) -> Perform:
        """Who runs the handlers of an event."""
        files = self._snapshot
        root = files.roots.start or ""
        project = call.event.project or root or self._start
        performing = self._host.performing((project, root), files.settings.models, call.may, cancel, loop)
        return as_reviewed(performing, call.standings)

    def _remove(self, name: str) -> None:
        if self._host.remove(name):
            self._renew()

    def _renew(self) -> None:
        """Puts the handlers of the harness, as they are now, into the policy."""
        with self._reloading:
            self._snapshot = self._snapshot.hosted(self._host.wanted.host)

    def _prepared(self, event: Event, explain: bool = False, *, noting: bool = False) -> _Prepared:
        snapshot = self._current()
        roots = find_roots(self._start, event.project, event.cwd)
        memory = Memory(self._places.state, event.agent, event.session)
        known = watch(self._places, event, memory, roots.start)
        folders = self._visited.folders(event, known.folders(roots.folders))
        standings = snapshot.settled(snapshot.beside(folders), known, noting=noting)
        facts = self._facts or MachineFacts(roots, event.workdirs, memory)
        policy = snapshot.policy(standings)
        evaluation = evaluate(policy, event, facts.given(event.cwd), explain)
        return _Prepared(event, evaluation, facts, permits(policy, event, facts), standings)

    def _current(self) -> Snapshot:
        """The snapshot that acts now: what is taken back, has expired, or is set otherwise counts from the next event
        on, without anybody reloading (law L9)."""
        files = self._snapshot
        if not files.marks.same():
            self.reload()
        return self._snapshot


def _generation(files: Snapshot) -> str:
    return files.policy(files.standings).generation


def _still(cancel: Cancel | None) -> None:
    """Raises `Cancelled` if the answer is not wanted any more."""
    if cancel is not None and cancel.cancelled:
        raise Cancelled


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
