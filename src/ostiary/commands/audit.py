"""`ostiary audit`: gaps in the record (law L11)."""

from __future__ import annotations

import json

import typer

from ostiary.commands.shared import console, options
from ostiary.commands.shared.exits import Exit, Refused
from ostiary.commands.shared.world import places
from ostiary.dialects import DIALECTS
from ostiary.explain import START, gap_line, gaps
from ostiary.sources import record
from ostiary.sources.files import Unreadable


def run(*, as_json: options.AsJson = False, config_dir: options.ConfigDir = None) -> None:
    """Look for gaps in the record.

    Found are tool calls that ran though Ostiary was not asked before, sessions that began without its being told,
    events that it could not judge, lines that could not be written, and changes of the record. Exits with 1 if there
    are any.
    """
    state = places(config_dir).state
    try:
        found = gaps((said.line for said in record.lines(state)), record.whole(state), starts())
    except Unreadable as error:
        raise Refused(f"the record cannot be read: {error}") from None
    flaws = record.flaws(state)
    if as_json:
        report = {"schema": 1, "flaws": list(flaws), "gaps": [gap._asdict() for gap in found]}
        console.document(json.dumps(report, indent=2))
    else:
        for flaw in flaws:
            console.say(flaw)
        console.show(gap_line(gap) for gap in found)
        total = len(flaws) + len(found)
        console.say(f"{total} {'finding' if total == 1 else 'findings'}")
    raise typer.Exit(Exit.FINDINGS if flaws or found else Exit.CLEAN)


def starts() -> frozenset[str]:
    """The agents that are known to tell when a session starts."""
    specs = {name: dialect.events.values() for name, dialect in DIALECTS.items()}
    told = {name: any(one.canonical == START and one.register == "always" for one in specs[name]) for name in specs}
    return frozenset(name for name in told if told[name])
