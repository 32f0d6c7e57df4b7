"""`ostiary log`: what was recorded (law L11)."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from itertools import islice
from typing import Annotated, Final

import typer

from ostiary.commands.shared import options, recorded
from ostiary.commands.shared.console import document, say, show
from ostiary.commands.shared.exits import Exit, Refused
from ostiary.commands.shared.recorded import News, OfAgent, OfRule, OfSession, OfTool, WithVerdict
from ostiary.commands.shared.world import places
from ostiary.explain import Entry, Wanted, entry_line, headline, span
from ostiary.sources import record
from ostiary.sources.files import Unreadable

VERIFY: Final = "verify"
"""The word that looks for changes instead."""

_NEWEST: Final = 30
_UNITS: Final = {"m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}


def run(
    what: Annotated[
        str | None,
        typer.Argument(metavar=f"[{VERIFY}]", help=f"`{VERIFY}` says whether the record is as it was written."),
    ] = None,
    *,
    agent: OfAgent = None,
    session: OfSession = None,
    tool: OfTool = None,
    verdict: WithVerdict = None,
    rule: OfRule = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="From then on: `2h`, `7d`, or `2026-11-30`.")
    ] = None,
    newest: Annotated[
        int | None,
        typer.Option("--last", metavar="N", min=1, help=f"How many; {_NEWEST} if absent, or all."),
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with what is recorded from now on.")] = False,
    mine: Annotated[bool, typer.Option("--mine", help="Where all that is kept about you lies, and how much.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the lines as they are kept, one each.")] = False,
    config_dir: options.ConfigDir = None,
) -> None:
    """Show what was asked, what was answered and which rules spoke, the newest last.

    `--json` prints whole lines, for programs and to keep them elsewhere (`ostiary schema record` says what they hold).
    `ostiary audit` looks for gaps.
    """
    if what not in (None, VERIFY):
        raise Refused(f"`{what}` is no word for this verb; `{VERIFY}` is", Exit.USAGE)
    state = places(config_dir).state
    if what == VERIFY:
        raise typer.Exit(_verified(state))
    if mine:
        _mine(state)
        return
    wanted = Wanted(agent, session, tool, verdict, rule, _since(since, time.time()))
    try:
        _shown(state, wanted, newest, as_json)
        if follow:
            _followed(state, wanted, as_json)
    except Unreadable as error:
        raise Refused(f"the record cannot be read: {error}") from None


def _since(text: str | None, now: float) -> str | None:
    """The time from which on lines are wanted, as they have it."""
    if text is None:
        return None
    if found := re.fullmatch(r"([1-9][0-9]{0,5})([mhdw])", text):
        return datetime.fromtimestamp(now - int(found[1]) * _UNITS[found[2]], UTC).strftime("%Y-%m-%dT%H:%M:%S")
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise Refused(f"`{text}` is no time; write it as `90m`, `2h`, `7d` or `2026-11-30`", Exit.USAGE) from None


def _verified(state: str) -> Exit:
    flaws = record.flaws(state)
    for flaw in flaws:
        say(flaw)
    counts = ", ".join(f"{count} {name}" for name, count in record.counts(state).items())
    many = f"{len(flaws)} {'flaw' if len(flaws) == 1 else 'flaws'}"
    say(f"{counts} were written; {many if flaws else 'what is kept of them is as it was written'}")
    return Exit.FINDINGS if flaws else Exit.CLEAN


def _shown(state: str, wanted: Wanted, newest: int | None, as_json: bool) -> None:
    """Prints the newest lines that are wanted, in their order."""
    most = newest if newest is not None or as_json else _NEWEST
    if most is None:
        _print((said.line for said in record.lines(state) if wanted.has(said.line)), as_json)
        return
    recent = recorded.newest(state, wanted, most)
    if not as_json:
        show([headline()] if recent else [(span("nothing is recorded that is wanted here", "quiet"),)])
    _print(recent, as_json)


def _print(lines: Iterable[Entry], as_json: bool) -> None:
    for line in lines:
        if as_json:
            document(json.dumps(line, separators=(",", ":")))
        else:
            show([entry_line(line)])


def _followed(state: str, wanted: Wanted, as_json: bool) -> None:
    """Prints what is added, until a person ends it."""
    news = News(state)
    while True:
        time.sleep(recorded.LOOK)
        _print(filter(wanted.has, news.take()), as_json)


def _mine(state: str) -> None:
    """Prints where everything about this user lies: the record, and what else the state folder holds."""
    say(f"everything is kept in {state}, and nothing is sent anywhere; `ostiary log --json` prints the record")
    for name, what in _KEPT.items():
        path = os.path.join(state, name)
        files = [found for found in _files(path) if os.path.isfile(found)]
        if files:
            size = sum(os.path.getsize(found) for found in files)
            show([(span(f"  {path}  ", "title"), span(f"files: {len(files)}, bytes: {size}  ", "quiet"), span(what))])
    counts = record.counts(state)
    lines = ((name, list(islice(record.lines(state, (name,)), 1))) for name in record.NAMES)
    for name, first in lines:
        since = f", those since {first[0].line.get('time')} are kept" if first else ""
        say(f"  {counts[name]} {name} were recorded{since}")


_KEPT: Final = {
    "record": "the record: what agents asked for and what was answered, and uses of verbs for people",
    "sessions": "what sessions wrote, by path, and questions that were answered",
    "seen": "which rule files sessions saw",
    "results": "what handlers in the background have to say",
    "approvals": "calls that wait for a person, with their arguments",
    "reviews": "what was accepted of projects' rules",
    "trust.json": "which rules of projects were accepted",
    "good": "the last good version of rule files",
}


def _files(path: str) -> Iterator[str]:
    if os.path.isfile(path):
        yield path
    for folder, _, names in os.walk(path):
        yield from (os.path.join(folder, name) for name in names)
