"""`ostiary trust`: accept what a project's rules permit, after reading it (law L6)."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Annotated, Final

import typer

from ostiary.commands.shared import options
from ostiary.commands.shared.console import say, show
from ostiary.commands.shared.exits import Exit, Refused
from ostiary.commands.shared.world import asked, at_terminal, engine, places
from ostiary.engine import Engine
from ostiary.explain import Line, day, span
from ostiary.policy import stops
from ostiary.sources import store
from ostiary.sources.files import Unreadable
from ostiary.sources.held import Held, word
from ostiary.sources.store import Reviewed
from ostiary.trust import Earlier, Permit, Review

LIST: Final = "list"
"""The word in the place of a folder that shows what was accepted."""

_UNITS: Final = {"m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}


def _seconds(text: str | None) -> int:
    found = re.fullmatch(r"([1-9][0-9]{0,5})([mhdw])", text or "")
    if text is not None and not found:
        raise Refused(f"`{text}` is no time; write it as `30d`, `12h`, `2w` or `90m`", Exit.USAGE)
    return int(found[1]) * _UNITS[found[2]] if found else 0


def run(
    project: Annotated[
        str | None,
        typer.Argument(
            metavar=f"[DIR|{LIST}]",
            help=f"Folder of the project; the current folder if absent. `{LIST}` shows what was accepted so far.",
        ),
    ] = None,
    *,
    lasts: Annotated[
        str | None, typer.Option("--for", metavar="TIME", help="How long it holds, as `30d`; for good if absent.")
    ] = None,
    config_dir: options.ConfigDir = None,
) -> None:
    """Show what a project's rules would permit, and accept it.

    Deny and ask rules of a project act without this. Everything else in its files waits until a person has read it
    here; a change of any of the files waits again, and what is different is shown then. What is accepted counts in all
    worktrees of the repository, and in no other clone.

    Rules that stop calls and whose file went away under a session go on acting there until it ends, or until a person
    lets them go here.
    """
    if project == LIST:
        _list(config_dir)
        raise typer.Exit(Exit.CLEAN)
    seconds = _seconds(lasts)
    loaded = engine(config_dir, project)
    vanished = tuple(one for one in loaded.vanished if one.sessions)
    if vanished:
        show(_gone(vanished))
        _let_go(loaded, vanished)
    elif not loaded.pending:
        say("no rule file of this project waits for review")
        raise typer.Exit(Exit.CLEAN)
    for review in loaded.pending:
        show(_lines(review))
        _ask(loaded, review, seconds)
    raise typer.Exit(Exit.CLEAN)


def _list(config_dir: str | None) -> None:
    now = time.time()
    trust = store.load(places(config_dir).state, now)
    if trust.problem:
        raise Refused(str(trust.problem))
    if not trust.reviews:
        say("nothing was accepted so far")
    for root, reviews in groupby(sorted(trust.reviews), key=lambda review: review.root):
        present = _present(config_dir, root)
        for review in reviews:
            gone = "" if review.digest in present else "  (no file is so any more)"
            say(f"{review.root}  {review.file}  {review.digest[:12]}  {_when(review, now)}{gone}")


def _when(review: Reviewed, now: float) -> str:
    accepted = f"accepted {day(review.time)}"
    if not review.until:
        return accepted
    return f"{accepted}, {'expired' if review.expired(now) else 'expires'} {day(review.until)}"


def _present(config_dir: str | None, root: str) -> set[str]:
    """The digests of the rule files that a project has now."""
    if not os.path.isdir(root):
        return set()
    return {standing.digest for standing in engine(config_dir, root).sources if standing.source.root == root}


def _lines(review: Review) -> Iterator[Line]:
    yield (span(review.file, "title"), span(f"  in {review.root}", "quiet"))
    yield (span(f"  digest {review.digest}", "quiet"),)
    if review.earlier:
        yield (span(f"  {_changes(review, review.earlier)}", "label"),)
    if not review.permits:
        yield (span("  it permits nothing; accepting it changes nothing"),)
    known = review.earlier is not None and review.earlier.permits is not None
    yield from _permits("+" if known else " ", review.added)
    yield from _permits("-", review.removed)
    yield from _permits(" ", (permit for permit in review.permits if permit not in review.added))
    if review.stops:
        acting = "1 rule that denies or asks, which acts" if review.stops == 1 else f"{review.stops} {_STOPPING}"
        yield (span(f"  and {acting} already", "quiet"),)
    yield ()


_STOPPING: Final = "rules that deny or ask, which act"


def _changes(review: Review, earlier: Earlier) -> str:
    """What is different from what was accepted before."""
    if earlier.same:
        return f"accepted {day(earlier.time)}; that expired {day(earlier.until)}"
    if earlier.permits is None:
        return f"another version was accepted {day(earlier.time)}; what it permitted is not known any more"
    fewer = earlier.stops - review.stops
    lost = f", {fewer} fewer that {'denies or asks' if fewer == 1 else 'deny or ask'}" if fewer > 0 else ""
    return f"since {day(earlier.time)}: {len(review.added)} more, {len(review.removed)} less{lost}"


def _permits(mark: str, permits: Iterable[Permit]) -> Iterator[Line]:
    for permit in permits:
        place = f"{_place(permit)}  " if _place(permit) else ""
        yield (span(f"{mark} {permit.kind:<10}", "ask"), span(place, "label"), span(permit.text))


def _place(permit: Permit) -> str:
    """The rule and its line; the line alone for what is no rule, nothing for what the whole file does."""
    if not permit.line:
        return permit.rule
    return f"{permit.rule}:{permit.line}" if permit.rule else f"line {permit.line}"


def _gone(vanished: tuple[Held, ...]) -> Iterator[Line]:
    """What vanished, and its rules that still act."""
    for one in vanished:
        standing = one.standing
        (problem,) = standing.problems
        sessions = "1 session" if len(one.sessions) == 1 else f"{len(one.sessions)} sessions"
        where = f"  in {standing.source.root}" if standing.source.root else ""
        yield (span(standing.label, "title"), span(where, "quiet"))
        yield (span(f"  {problem.message}; what stops calls still acts in {sessions}", "label"),)
        for rule in stops(standing.plan):
            yield (span(f"  {rule.decision or 'halt':<10}", "deny"), span(rule.id))
        yield ()


def _let_go(loaded: Engine, vanished: tuple[Held, ...]) -> None:
    if not at_terminal():
        raise Refused("only a person at a terminal can let these rules go; they go on acting")
    typed = asked(f"to let these rules go in all sessions, type {word(vanished)}: ")
    try:
        gone = loaded.let_go(vanished, typed)
    except Unreadable as error:
        raise Refused(f"that they are let go cannot be recorded: {error}") from None
    say("let go; they do not act from the next call on" if gone else "nothing was let go; they go on acting")


def _ask(loaded: Engine, review: Review, lasts: int) -> None:
    if loaded.settings.trust != "user":
        raise Refused("managed settings count no reviews but those they list; nothing was accepted")
    if not at_terminal():
        raise Refused("only a person at a terminal can accept this; nothing was accepted")
    typed = asked(f"to accept exactly this, type {review.word}: ")
    try:
        accepted = loaded.accept(review, typed, lasts)
    except (OSError, Unreadable) as error:
        raise Refused(f"the review cannot be recorded: {error}") from None
    if not accepted:
        raise Refused("nothing was accepted")
    until = f" until {day(time.time() + lasts)}" if lasts else ""
    say(f"accepted{until}; it acts from the next call on")
