"""The decision inside a hook's own process, from cached plans (law L7: whatever goes wrong here closes the gate).

Reaches neither pydantic nor YAML, so that a hook starts quickly. Whoever can compile passes `compile`; the rest of the
way is the same.
"""

from __future__ import annotations

from typing import NamedTuple

from ostiary.decision import Outcome
from ostiary.dialects import DIALECTS, Answer, Dialect, Unreadable, hosted, receive, unreadable, write
from ostiary.evaluate import evaluate
from ostiary.event import Event
from ostiary.perform import run
from ostiary.sources import store
from ostiary.sources.admit import Compile, Desk, Miss, admit, policy_of, told
from ostiary.sources.discover import discover_own, discover_projects
from ostiary.sources.machine import MachineFacts
from ostiary.sources.places import NoPlace, find_places
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
        return write(dialect, event, _outcome(event, call, compile))
    except Miss:
        raise
    except Exception as error:
        return failed(dialect, event.native_name or call.event_name, error)


def _unregistered(dialect: Dialect, event_name: str | None) -> str:
    """What is wrong with the event a hook was registered for, empty if nothing is."""
    if event_name and dialect.native(event_name) is None:
        return f"the hook is registered for the unknown event `{event_name}`"
    return ""


def _outcome(event: Event, call: HookCall, compile: Compile | None) -> Outcome:
    places = find_places(call.config_dir)
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
