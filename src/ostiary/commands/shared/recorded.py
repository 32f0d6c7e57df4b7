"""Lines of the record, for verbs that show them: which are wanted, the newest, and those that are added."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Final

import typer

from ostiary.explain import Entry, Wanted
from ostiary.sources import record

LOOK: Final = 0.5
"""Seconds between two looks for lines that were added."""

OfAgent = Annotated[str | None, typer.Option("--agent", metavar="AGENT", help="Events of this agent.")]
OfSession = Annotated[str | None, typer.Option("--session", metavar="ID", help="Of sessions that begin so.")]
OfTool = Annotated[str | None, typer.Option("--tool", metavar="TOOL", help="Of this tool.")]
WithVerdict = Annotated[
    str | None, typer.Option("--verdict", metavar="VERDICT", help="With this verdict, of the policy or as told.")
]
OfRule = Annotated[
    str | None, typer.Option("--rule", metavar="TEXT", help="On which a rule spoke with this in its name.")
]


def newest(state: str, wanted: Wanted, most: int) -> list[Entry]:
    """The newest lines that are wanted, in their order. Raises `Unreadable`."""
    found = (said.line for said in record.lines(state, newest_first=True))
    recent = islice((line for line in _until(found, wanted.since) if wanted.has(line)), most)
    return list(recent)[::-1]


def _until(newest_first: Iterator[Entry], since: str | None) -> Iterator[Entry]:
    """Lines back to a time."""
    for line in newest_first:
        if since is not None and str(line.get("time")) < since:
            return
        yield line


class News:
    """What is added to the record from now on."""

    def __init__(self, state: str) -> None:
        self._state = state
        self._before = record.counts(state)

    def take(self) -> list[Entry]:
        """The lines that were added since this was asked last, by their time. Raises `Unreadable`."""
        now = record.counts(self._state)
        found = [line for name in record.NAMES for line in self._fresh(name, now[name] - self._before[name])]
        self._before = now
        return sorted(found, key=lambda line: str(line.get("time")))

    def _fresh(self, name: str, count: int) -> list[Entry]:
        if count <= 0:
            return []
        lines = record.lines(self._state, (name,), newest_first=True)
        return [said.line for said in islice(lines, count)][::-1]
