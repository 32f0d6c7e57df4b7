"""The decision inside a hook's own process, from cached plans (law L7: whatever goes wrong here closes the gate).

Reaches neither pydantic nor YAML, so that a hook starts quickly. Whoever can compile passes `compile`; the rest of the
way is the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from ostiary.decision import Decision, Outcome, Verdict
from ostiary.dialects import DIALECTS, Answer, Dialect, OnError, Unreadable, hosted, receive, unreadable, write
from ostiary.dialects.base import Said
from ostiary.dialects.writer import carries
from ostiary.digests import sha256
from ostiary.evaluate import HandlerRequest
from ostiary.event import Event
from ostiary.facts import FactRequest, Given
from ostiary.perform import permits
from ostiary.perform.repeats import Judge, judge
from ostiary.records import NamedTuple, replace
from ostiary.sources import account, approvals, record, results
from ostiary.sources.admit import as_reviewed, told
from ostiary.sources.desk import Compile, Miss
from ostiary.sources.entry import Answered, Unjudged
from ostiary.sources.keeping import Afresh
from ostiary.sources.machine import MachineFacts
from ostiary.sources.memory import Memory, noted
from ostiary.sources.places import NoPlace, Places, find_places
from ostiary.sources.roots import Roots
from ostiary.sources.settings import Settings
from ostiary.sources.watch import watch

if TYPE_CHECKING:
    from ostiary.perform.runtime import Finished
    from ostiary.sources.library import Permitted

__all__ = ["Elsewhere", "HookCall", "Listener", "Miss", "Unrecorded", "decide", "failed", "judged"]


class HookCall(NamedTuple):
    """One run of a hook: the bytes it was sent, the agent and event it was registered for (None: not said), the folder
    named by `--config-dir` (absolute, or None), the folder it was started in (None if that is gone), and the seconds
    that were spent before."""

    raw: bytes
    agent: str
    event_name: str | None = None
    config_dir: str | None = None
    start: str | None = None
    spent: float = 0.0


class Failing(Protocol):
    """What the settings of a `--config-dir` (None: the usual folder) say a gate answers when Ostiary fails, and where
    that is not `recorded` either."""

    def __call__(self, config_dir: str | None, recorded: bool = True, /) -> OnError:
        """The answer."""


def _strictest(_config_dir: str | None, _recorded: bool = True, /) -> OnError:
    return "deny"


def _nobody(_dialect: Dialect, _event_name: str | None) -> None:
    pass


class Listener(NamedTuple):
    """Who runs the hook. `on_error` is asked only where Ostiary failed. `hears` is told which agent's event is to be
    answered as soon as that is known. `handlers`: they run in this process, which is the hook that the agent
    started."""

    on_error: Failing = _strictest
    hears: Callable[[Dialect, str | None], None] = _nobody
    handlers: bool = True


class Keep(NamedTuple):
    """What is kept from call to call, nothing by default: what was `read`, and what calls came to."""

    read: Afresh = Afresh()
    judge: Judge = judge


# Who asks for an outcome is told all of it; what the record has for `said` knows no `defer`.
_SAID: Final[dict[Verdict, Said]] = {
    Verdict.NONE: "none",
    Verdict.ALLOW: "allow",
    Verdict.ASK: "ask",
    Verdict.DEFER: "ask",
    Verdict.DENY: "deny",
}

PATIENCE: Final = 30.0
"""Seconds for an event that is no agent's."""

_ALONE: Final = Listener()
_NOTHING: Final = Keep()


def decide(
    call: HookCall, compile: Compile | None = None, listener: Listener = _ALONE, keep: Keep = _NOTHING
) -> Answer:
    """The answer to what a hook was sent, once it is recorded (law L11). Raises `Miss` if a source has to be compiled
    without `compile`, `Elsewhere` if the answer takes handlers that do not run here, KeyError for an agent without a
    dialect; every other failure becomes an answer as `listener.on_error` says."""
    dialect = DIALECTS[call.agent]
    event = receive(dialect, call.raw, call.event_name)
    if isinstance(event, Unreadable):
        found = hosted(DIALECTS, dialect, call.raw, call.event_name)
        if found:
            return decide(call._replace(agent=found.host.name, event_name=found.event_name), compile, listener, keep)
        wrong = _unregistered(dialect, call.event_name)
        if wrong:  # nobody knows what silence would mean there
            return _unjudged(Unjudged(dialect, call.event_name, wrong, "deny", call.raw), call, _strictest)
        unread = Unjudged(dialect, call.event_name, event.reason, "deny", call.raw)
        return _unjudged(unread, call, listener.on_error)
    name = event.native_name or call.event_name
    listener.hears(dialect, name)
    try:
        return _answer(dialect, event, call, _Ground(compile, keep, listener.handlers))
    except (Miss, Elsewhere):
        raise
    except Exception as error:
        return _unjudged(Unjudged(dialect, name, failed(error), "deny", b"", event), call, listener.on_error)


class Unrecorded(Exception):
    """An event cannot be recorded, and the settings say what is not `continue` for that."""


def judged(event: Event, call: HookCall, compile: Compile | None, keep: Keep, *, handlers: bool) -> Outcome:
    """The outcome of an event that is no agent's, once it is recorded. Raises what goes wrong, `Miss` and `Elsewhere`
    as `decide` does, and `Unrecorded`."""
    began = time.monotonic()
    places = find_places(call.config_dir)
    found = _judged(event, call, places, _Ground(compile, keep, handlers))
    seconds = time.monotonic() - began
    said = _SAID[found.outcome.verdict]
    answered = Answered(None, event, found.outcome, Answer(said=said), found.facts, seconds, found.handlers)
    if record.event(places, answered, found.settings.log) and found.settings.on_unrecordable != "continue":
        raise Unrecorded
    return found.outcome


def _unjudged(unjudged: Unjudged, call: HookCall, on_error: Failing) -> Answer:
    """The answer where an event could not be judged, once that is recorded."""
    dialect, native, problem, event = unjudged.dialect, unjudged.native, unjudged.problem, unjudged.event
    answer = unreadable(dialect, native, problem, on_error(call.config_dir), event)
    if record.unjudged(call.config_dir, unjudged._replace(said=answer.said)):
        return answer
    return unreadable(dialect, native, problem, on_error(call.config_dir, False), event)


def _unregistered(dialect: Dialect, event_name: str | None) -> str:
    """What is wrong with the event a hook was registered for, empty if nothing is."""
    if event_name and dialect.native(event_name) is None:
        return f"the hook is registered for the unknown event `{event_name}`"
    return ""


class Elsewhere(Exception):
    """The answer takes handlers, and they do not run here."""


def _elsewhere(_requests: tuple[HandlerRequest, ...]) -> tuple[Decision | None, ...]:
    raise Elsewhere


class _Ground(NamedTuple):
    """What an answer stands on: who compiles (None: nobody), what is kept, and whether handlers run here."""

    compile: Compile | None
    keep: Keep
    handlers: bool = True


def _answer(dialect: Dialect, event: Event, call: HookCall, ground: _Ground) -> Answer:
    """The answer, unless it is a deny only because nobody can be asked, and a person has permitted this call."""
    began = time.monotonic() - call.spent
    places = find_places(call.config_dir)
    judged = _judged(event, call, places, ground)
    outcome = _with_results(dialect, event, judged.outcome, places.state)
    found = Answered(dialect, event, outcome, write(dialect, event, outcome), judged.facts, handlers=judged.handlers)
    if found.answer.waits:
        found = _approved(dialect, found, places.state)
    return _recorded(dialect, found._replace(seconds=time.monotonic() - began), judged.settings, places)


def _approved(dialect: Dialect, found: Answered, state: str) -> Answered:
    """The same with what a person said of the call, or under which name one can be asked."""
    _, event, outcome, *_ = found
    waiting = _waiting(event, outcome, time.time())
    if approvals.take(state, waiting.digest, event.name, waiting.time):
        outcome = _permitted(outcome)
        return found._replace(outcome=outcome, answer=write(dialect, event, outcome), permitted=waiting.name)
    name = waiting.name if approvals.wait(state, waiting) else ""
    return found._replace(answer=write(dialect, event, outcome, name), waits=name)


def _recorded(dialect: Dialect, answered: Answered, settings: Settings, places: Places) -> Answer:
    """The answer once it is recorded; where it cannot be, what the settings say that a gate answers then, if that is
    stricter."""
    _, event, outcome, answer, *_ = answered
    why = record.event(places, answered, settings.log)
    strict, row = settings.on_unrecordable, dialect.of(event)
    if not why or strict in ("continue", answer.said) or answer.said == "deny" or not (row and row[1].gate):
        return answer
    more = outcome.halt or outcome.updated_input is not None  # a question would not say so
    return unreadable(dialect, event.native_name, f"it cannot be recorded ({why})", "deny" if more else strict, event)


def _with_results(dialect: Dialect, event: Event, outcome: Outcome, state: str) -> Outcome:
    """The outcome with what handlers of earlier events have come to since, where the agent or people can be told."""
    waiting = results.waiting(state, event)
    if waiting.tells and carries(dialect, event, outcome, "context"):
        texts = results.take(waiting.tells)
        outcome = replace(outcome, context="\n".join(filter(None, (outcome.context, *texts))) or None)
    if waiting.failed and carries(dialect, event, outcome, "message"):
        failed = results.take(waiting.failed)
        message = "\n".join(filter(None, (outcome.message, *failed))) or None
        outcome = replace(outcome, message=message, problems=(*outcome.problems, *failed))
    return outcome


def _permitted(outcome: Outcome) -> Outcome:
    """The outcome without its question."""
    problems = (*outcome.problems, "a person permitted this call once")
    return replace(outcome, verdict=Verdict.NONE, reason=None, model_reason=None, help=None, problems=problems)


def _waiting(event: Event, outcome: Outcome, now: float) -> approvals.Waiting:
    """What a person is asked to permit: this call, with the scripts that it runs as they are now."""
    digest = sha256(f"{event.digest}{outcome.scripts}".encode()).hexdigest()
    arguments = "\n".join((f"in {event.cwd}", *(f"{name}: {value}" for name, value in event.input.items())))
    tool, reason = event.native_tool or event.tool or "", outcome.reason or ""
    return approvals.Waiting(digest, now, event.agent, tool, arguments, reason)


class _Judged(NamedTuple):
    """The outcome of an event, the settings that act, what was asked of the machine, and the seconds that handlers
    took."""

    outcome: Outcome
    settings: Settings
    facts: tuple[tuple[FactRequest, object], ...]
    handlers: float


class _Asked:
    """The facts of a machine, and what was asked of them."""

    __slots__ = ("_facts", "asked")

    def __init__(self, facts: MachineFacts) -> None:
        self._facts = facts
        self.asked: list[tuple[FactRequest, object]] = []

    def given(self, cwd: str | None) -> Given:
        """What is known beforehand."""
        return self._facts.given(cwd)

    def answer(self, request: FactRequest) -> object:
        """The answer to one request."""
        found = self._facts.answer(request)
        self.asked.append((request, found))
        return found


def _judged(event: Event, call: HookCall, places: Places, ground: _Ground) -> _Judged:
    began = time.monotonic() - call.spent
    reading = ground.keep.read
    roots = reading.roots(call.start, event.project, event.cwd)
    memory = Memory(places.state, event.agent, event.session)
    known = watch(places, event, memory, roots.start, reading.recall)
    around = replace(roots, folders=known.folders(roots.folders))
    files = reading.files(places, call.start, around, ground.compile)
    standings = files.settled(files.standings, known, noting=True)
    machine, policy = MachineFacts(roots, event.workdirs, memory), files.policy(standings)
    facts = _Asked(machine)
    may = permits(policy, event, machine)
    handlers = _Handlers(event, call, roots, files.settings, places.state, began, may, _Took())
    perform = handlers.perform if ground.handlers else _elsewhere
    outcome = ground.keep.judge(policy, event, facts, as_reviewed(perform, standings))
    outcome = _announced(told(noted(places.state, event, outcome), standings), event, files.settings)
    return _Judged(outcome, files.settings, tuple(facts.asked), handlers.took.seconds)


_IN_FULL: Final = "what tools are asked to do is recorded in full (managed settings)"


def _announced(outcome: Outcome, event: Event, settings: Settings) -> Outcome:
    """The outcome with word for people, at the start of a session, that all of it is recorded."""
    if event.name != "SessionStart" or settings.log.detail != "full":
        return outcome
    return replace(outcome, message="\n".join(filter(None, (outcome.message, _IN_FULL))))


# What is kept of a hook's time, in seconds and as a part of it, for the answer when the last handler is over.
_KEPT: Final = 1.0
_PART: Final = 0.25


class _Took:
    """How long something took in all."""

    __slots__ = ("seconds",)

    def __init__(self) -> None:
        self.seconds = 0.0


class _Handlers(NamedTuple):
    """Who runs the handlers of one event: for a call of the hook that began at a time of `time.monotonic()`. `may`
    tells what the agent may read, `took` is what they took so far."""

    event: Event
    call: HookCall
    roots: Roots
    settings: Settings
    state: str
    began: float
    may: Permitted
    took: _Took

    def perform(self, requests: tuple[HandlerRequest, ...]) -> tuple[Decision | None, ...]:
        """What they say in the time that the agent gives its hooks."""
        from ostiary.perform.handlers import perform  # late: few events have any
        from ostiary.perform.runtime import Runtime
        from ostiary.sources.library import Library

        event, call = self.event, self.call
        agent = DIALECTS.get(call.agent)
        seconds = agent.timeouts.deadline(event.native_name or call.event_name) if agent else PATIENCE
        user = account.account()
        project, home = event.project or self.roots.start or call.start or "", user.home if user else ""
        runtime = Runtime(
            began=self.began,
            deadline=self.began + seconds - min(_KEPT, seconds * _PART),
            models=self.settings.models,
            library=Library(project, home, self.may),
            project=project,
            root=self.roots.start or "",
            home=home,
            finished=partial(_keep, self.state, event),
            ends=True,
        )
        started = time.monotonic()
        said = perform(requests, runtime)
        self.took.seconds += time.monotonic() - started
        return said


def _keep(state: str, event: Event, result: Finished) -> None:
    """Keeps what a handler in the background came to until a later event of the session."""
    if result.context:
        results.keep(state, event, result.rule, result.context, "wakes" if result.rewake else "tells")
    if result.failure:
        results.keep(state, event, result.rule, result.failure, "failed")


def failed(error: BaseException) -> str:
    """How Ostiary itself failed. Of the error only what is ours to say: its text may hold words of a payload or of a
    foreign file."""
    return f"Ostiary failed: {error if isinstance(error, NoPlace) else f'{type(error).__name__}{_origin(error)}'}"


def _origin(error: BaseException) -> str:
    """The module and line that raised it."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    module = trace and trace.tb_frame.f_globals.get("__name__")
    return f" at {module}:{trace.tb_lineno}" if trace else ""
