"""Gaps in a record: what happened without Ostiary being asked, or without its answer being policy's. Pure.

Found are failures, lines that were lost, tool calls that ran though no gate was asked, and sessions that began without
Ostiary being told. Where old lines are gone by age or number, nothing is said of sessions that may have begun there.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Final

from ostiary.event import EVENTS, EventKind
from ostiary.explain.entries import Entry
from ostiary.explain.lines import Line, span
from ostiary.records import NamedTuple

START: Final = "SessionStart"
"""The event that tells when a session starts."""

_SHOWN: Final = 40  # characters of a session's name

Session = tuple[str, str]
"""The agent, and its name for the session."""


class Gap(NamedTuple):
    """One finding: what kind it is, what was found in words, how often, and when it was first and last."""

    kind: str
    what: str
    times: int
    first: str
    last: str


class _Call(NamedTuple):
    """What a tool call is known by again: its digest or the agent's name for it, in its session."""

    session: Session
    key: str


def gaps(entries: Iterable[Entry], whole: bool, starts: Container[str]) -> tuple[Gap, ...]:
    """What is found in these lines, the oldest first. `whole`: the record goes back to its beginning; `starts` are the
    agents that tell when a session starts."""
    found: dict[tuple[str, str], Gap] = {}
    for kind, what, time in _found(entries, whole, starts):
        before = found.get((kind, what), Gap(kind, what, 0, time, time))
        found[kind, what] = before._replace(times=before.times + 1, last=time)
    return tuple(found.values())


def gap_line(gap: Gap) -> Line:
    """A finding for people."""
    when = gap.first if gap.first == gap.last else f"{gap.first} to {gap.last}"
    often = (span(f"  {gap.times} times", "label"),) if gap.times > 1 else ()
    return (span(f"{gap.kind:<8}", "maybe"), span(gap.what), *often, span(f"  {when}", "quiet"))


def _found(entries: Iterable[Entry], whole: bool, starts: Container[str]) -> Iterator[tuple[str, str, str]]:
    asked: set[_Call] = set()
    started: set[Session] = set()
    seen: set[Session] = set()
    for entry in entries:
        time, agent, event = (str(entry.get(key, "")) for key in ("time", "agent", "event"))
        if "lost" in entry:
            yield "lost", f"{entry['lost']} lines could not be written before this", time
        if "flaw" in entry:
            yield "flaw", f"when a line was added, {entry['flaw']}", time
        if "failure" in entry:
            answered = f"{event or 'an event'} was answered `{entry.get('said')}`"
            yield "failure", f"{agent}: {answered}: {entry['failure']}", time
        session = (agent, str(entry.get("session", "")))
        if not session[1] or entry.get("kind") != "event":
            continue
        kind = EVENTS.get(event)
        new = session not in seen
        seen.add(session)
        if event == START:
            started.add(session)
        elif new and whole and agent in starts:
            yield "start", f"{agent}: session {_named(session)} began without Ostiary being told", time
        if kind and kind.before_tool:
            asked |= set(_calls(session, entry))
        elif _ran(kind) and (whole or session in started) and asked.isdisjoint(_calls(session, entry)):
            yield "gate", f"{agent}: {entry.get('tool')} ran without a gate in session {_named(session)}", time


def _ran(kind: EventKind | None) -> bool:
    """Whether an event tells of a tool call that ran."""
    return kind is not None and kind.tool and not kind.before_tool and not kind.undone


def _calls(session: Session, entry: Entry) -> Iterator[_Call]:
    yield from (_Call(session, str(entry[key])) for key in ("digest", "rewritten", "call") if key in entry)


def _named(session: Session) -> str:
    return session[1] if len(session[1]) <= _SHOWN else f"{session[1][:_SHOWN]}..."
