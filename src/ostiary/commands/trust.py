"""`ostiary trust`: accept what a project's rules permit, after reading it (law L6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from ostiary.commands.shared import options
from ostiary.commands.shared.console import say, show
from ostiary.commands.shared.exits import Exit, Refused
from ostiary.commands.shared.world import asked, at_terminal, engine, places
from ostiary.engine import Engine
from ostiary.explain import Line, span
from ostiary.sources import store
from ostiary.sources.files import Unreadable
from ostiary.trust import Review


def run(
    project: Annotated[
        str | None, typer.Argument(metavar="DIR", help="Folder of the project; the current folder if absent.")
    ] = None,
    *,
    listed: Annotated[bool, typer.Option("--list", help="Show what was accepted so far.")] = False,
    config_dir: options.ConfigDir = None,
) -> None:
    """Show what a project's rules would permit, and accept it.

    Deny and ask rules of a project act without this. Everything else in its files waits until a person has read it
    here; a change of any of the files waits again.
    """
    if listed:
        _list(config_dir)
        raise typer.Exit(Exit.CLEAN)
    loaded = engine(config_dir, project)
    if not loaded.pending:
        say("no rule file of this project waits for review")
        raise typer.Exit(Exit.CLEAN)
    for review in loaded.pending:
        show(_lines(review))
        _ask(loaded, review)
    raise typer.Exit(Exit.CLEAN)


def _list(config_dir: str | None) -> None:
    trust = store.load(places(config_dir).state)
    if trust.problem:
        raise Refused(str(trust.problem))
    for review in sorted(trust.reviews):
        say(f"{review.root}  {review.file}  {review.digest[:12]}")


def _lines(review: Review) -> Iterator[Line]:
    yield (span(review.file, "title"), span(f"  in {review.root}", "quiet"))
    if not review.permits:
        yield (span("  it permits nothing; accepting it changes nothing"),)
    for permit in review.permits:
        place = f"{permit.rule}:{permit.line}" if permit.line else permit.rule
        yield (span(f"  {permit.kind:<10}", "ask"), span(f"{place}  ", "label"), span(permit.text))
    yield (span(f"  and {review.stops} rules that deny or ask, which act already", "quiet"),)
    yield ()


def _ask(loaded: Engine, review: Review) -> None:
    if not at_terminal():
        raise Refused("only a person at a terminal can accept this; nothing was accepted")
    typed = asked(f"to accept exactly this, type {review.word}: ")
    try:
        accepted = loaded.accept(review, typed)
    except (OSError, Unreadable) as error:
        raise Refused(f"the review cannot be recorded: {error}") from None
    if not accepted:
        raise Refused("nothing was accepted")
    say("accepted; it acts from the next call on")
