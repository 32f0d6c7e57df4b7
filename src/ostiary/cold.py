"""The decision inside a hook's own process, from cached plans (law L7: whatever goes wrong here closes the gate).

Reaches neither pydantic nor YAML, so that a hook starts quickly. Whoever can compile passes `compile`; the rest of the
way is the same.
"""

from __future__ import annotations

import time

from ostiary.decision import Outcome, Verdict
from ostiary.dialects import DIALECTS, Answer, Dialect, Unreadable, hosted, receive, unreadable, write
from ostiary.evaluate import evaluate
from ostiary.event import Event
from ostiary.perform import run
from ostiary.records import NamedTuple, replace
from ostiary.sources import approvals, store
from ostiary.sources.admit import Compile, Desk, Miss, admit, policy_of, told
from ostiary.sources.discover import discover_own, discover_projects
from ostiary.sources.machine import MachineFacts
from ostiary.sources.places import NoPlace, Places, find_places
from ostiary.sources.roots import find_roots

__all__ = ["HookCall", "Miss", "decide", "failed"]


class HookCall(NamedTuple):
    """One run of a hook: the bytes it was sent, the agent and event it was registered for (None: not said), the folder
    named by `--config-dir` (absolute, or None), and the folder it was started in (None if that is gone)."""

    raw: bytes
    agent: str
    event_name: str | None = None
    config_dir: str | None = None
    start: str | None = None


def decide(call: HookCall, compile: Compile | None = None) -> Answer:
    """The answer to what a hook was sent. Raises `Miss` if a source has to be compiled without `compile`, KeyError for
    an agent without a dialect; every other failure becomes an answer."""
    dialect = DIALECTS[call.agent]
    event = receive(dialect, call.raw, call.event_name)
    if isinstance(event, Unreadable):
        found = hosted(DIALECTS, dialect, call.raw, call.event_name)
        if found:
            return decide(call._replace(agent=found.host.name, event_name=found.event_name), compile)
        return unreadable(dialect, call.event_name, _unregistered(dialect, call.event_name) or event.reason)
    try:
        return _answer(dialect, event, call, compile)
    except Miss:
        raise
    except Exception as error:
        return failed(dialect, event.native_name or call.event_name, error)


def _unregistered(dialect: Dialect, event_name: str | None) -> str:
    """What is wrong with the event a hook was registered for, empty if nothing is."""
    if event_name and dialect.native(event_name) is None:
        return f"the hook is registered for the unknown event `{event_name}`"
    return ""


def _answer(dialect: Dialect, event: Event, call: HookCall, compile: Compile | None) -> Answer:
    """The answer, unless it is a deny only because nobody can be asked, and a person has permitted this call."""
    places = find_places(call.config_dir)
    outcome = _outcome(event, call, places, compile)
    answer = write(dialect, event, outcome)
    if not answer.waits:
        return answer
    now = time.time()
    if approvals.take(places.state, event.digest, event.name, now):
        return write(dialect, event, _permitted(outcome))
    noted = approvals.wait(places.state, _waiting(event, outcome, now))
    return write(dialect, event, outcome, approvals.short(event.digest) if noted else "")


def _permitted(outcome: Outcome) -> Outcome:
    """The outcome without its question."""
    problems = (*outcome.problems, "a person permitted this call once")
    return replace(outcome, verdict=Verdict.NONE, reason=None, model_reason=None, help=None, problems=problems)


def _waiting(event: Event, outcome: Outcome, now: float) -> approvals.Waiting:
    arguments = "\n".join(f"{name}: {value}" for name, value in event.input.items())
    tool, reason = event.native_tool or event.tool or "", outcome.reason or ""
    return approvals.Waiting(event.digest, now, event.agent, tool, arguments, reason)


def _outcome(event: Event, call: HookCall, places: Places, compile: Compile | None) -> Outcome:
    roots = find_roots(call.start, event.project, event.cwd)
    desk = Desk(places, store.load(places.state), compile)
    sources = (*discover_own(places), *discover_projects(roots.folders))
    standings = tuple(admit(source, desk) for source in sources)
    facts = MachineFacts(roots, event.workdirs)
    return told(run(evaluate(policy_of(standings, desk), event, facts.given(event.cwd)), facts), standings)


def failed(dialect: Dialect, event_name: str | None, error: BaseException) -> Answer:
    """The answer when Ostiary itself fails: at a gate that gate's deny, elsewhere silence. Of the error only what is
    ours to say: its text may hold words of a payload or of a foreign file."""
    said = str(error) if isinstance(error, NoPlace) else f"{type(error).__name__}{_origin(error)}"
    return unreadable(dialect, event_name, f"Ostiary failed: {said}")


def _origin(error: BaseException) -> str:
    """The module and line that raised it."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    module = trace and trace.tb_frame.f_globals.get("__name__")
    return f" at {module}:{trace.tb_lineno}" if trace else ""
