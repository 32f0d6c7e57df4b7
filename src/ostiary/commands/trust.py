"""`ostiary trust`: accept what a project's rules permit, after reading it (law L6)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import groupby
from typing import Annotated, Final

import typer

from ostiary.commands.shared import options
from ostiary.commands.shared.console import say, show
from ostiary.commands.shared.exits import Exit, Refused
from ostiary.commands.shared.world import asked, at_terminal, engine, places
from ostiary.engine import Engine
from ostiary.explain import Line, span
from ostiary.sources import store
from ostiary.sources.files import Unreadable
from ostiary.trust import Permit, Review


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
    if not trust.reviews:
        say("nothing was accepted so far")
    for root, reviews in groupby(sorted(trust.reviews), key=lambda review: review.root):
        present = _present(config_dir, root)
        for review in reviews:
            gone = "" if review.digest in present else "  (no file is so any more)"
            say(f"{review.root}  {review.file}  {review.digest[:12]}{gone}")


def _present(config_dir: str | None, root: str) -> set[str]:
    """The digests of the rule files that a project has now."""
    if not os.path.isdir(root):
        return set()
    return {standing.digest for standing in engine(config_dir, root).sources if standing.source.root == root}


def _lines(review: Review) -> Iterator[Line]:
    yield (span(review.file, "title"), span(f"  in {review.root}", "quiet"))
    if not review.permits:
        yield (span("  it permits nothing; accepting it changes nothing"),)
    for permit in review.permits:
        place = f"{_place(permit)}  " if _place(permit) else ""
        yield (span(f"  {permit.kind:<10}", "ask"), span(place, "label"), span(permit.text))
    if review.stops:
        acting = "1 rule that denies or asks, which acts" if review.stops == 1 else f"{review.stops} {_STOPPING}"
        yield (span(f"  and {acting} already", "quiet"),)
    yield ()


_STOPPING: Final = "rules that deny or ask, which act"


def _place(permit: Permit) -> str:
    """The rule and its line; the line alone for what is no rule, nothing for what the whole file does."""
    if not permit.line:
        return permit.rule
    return f"{permit.rule}:{permit.line}" if permit.rule else f"line {permit.line}"


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
