"""`ostiary approve`: permit one call that a person has to confirm, where the agent cannot ask (law L8)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Annotated, Final

import typer

from ostiary.commands.shared import options
from ostiary.commands.shared.console import say, show
from ostiary.commands.shared.exits import Exit, Refused
from ostiary.commands.shared.world import asked, at_terminal, places
from ostiary.explain import Line, span
from ostiary.sources import approvals
from ostiary.sources.approvals import Waiting
from ostiary.sources.files import Unreadable

WORD: Final = "permit"
"""What a person types."""

_MINUTES: Final = approvals.LASTS // 60


def run(
    call: Annotated[
        str | None, typer.Argument(metavar="[CALL]", help="The call's short name; shows what waits if absent.")
    ] = None,
    *,
    config_dir: options.ConfigDir = None,
) -> None:
    """Permit a call once that a person has to confirm.

    Most agents cannot ask a person for their hooks. There a question is a denial that names the call; this shows the
    call and permits exactly it, once, in its session, for ten minutes. A call that is denied by a rule stays denied.
    """
    state = places(config_dir).state
    waiting = approvals.waiting(state, time.time())
    if call is None:
        _list(waiting)
        raise typer.Exit(Exit.CLEAN)
    found = next((one for one in waiting if one.name == call), None)
    if found is None:
        raise Refused(f"no call `{call}` waits; `ostiary approve` shows those that do", Exit.USAGE)
    show(_lines(found))
    _ask(state, found)


def _list(waiting: list[Waiting]) -> None:
    if not waiting:
        say("no call waits for a person")
    for one in waiting:
        show(_lines(one))


def _lines(call: Waiting) -> Iterator[Line]:
    yield (span(call.name, "title"), span(f"  {call.agent} {call.tool}", "quiet"))
    for label, text in (("call", call.text), ("reason", call.reason)):
        for number, line in enumerate(text.splitlines() or [""]):
            yield (span(f"  {'' if number else label:<7} ", "label"), span(line))


def _ask(state: str, call: Waiting) -> None:
    if not at_terminal():
        raise Refused("only a person at a terminal can permit this; nothing was permitted")
    if asked(f"to permit this call once, type {WORD}: ") != WORD:
        raise Refused("nothing was permitted")
    try:
        approvals.approve(state, call.digest, time.time())
    except (OSError, Unreadable) as error:
        raise Refused(f"the approval cannot be recorded: {error}") from None
    say(f"permitted once, for {_MINUTES} minutes; tell the agent to try again")
