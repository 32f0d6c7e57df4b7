"""What `install` and `uninstall` share: which file of which agent, and changing it after a person saw how."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from ostiary.commands.shared.console import say, show
from ostiary.commands.shared.exits import Exit, Refused
from ostiary.commands.shared.world import LIMIT, asked, folder
from ostiary.commands.shared.writing import insist_inside, write
from ostiary.dialects import DIALECTS, Dialect
from ostiary.document import unknown
from ostiary.explain import Line, span
from ostiary.install import Change, RegistrationError
from ostiary.sources.account import account
from ostiary.sources.files import Unreadable, read

_PLATFORMS = {"linux": "linux", "darwin": "macos", "win32": "windows"}


class Scope(StrEnum):
    """Whose sessions call the hook."""

    USER = "user"
    PROJECT = "project"


class Target(NamedTuple):
    """The agent, and the settings file (absolute)."""

    dialect: Dialect
    path: str


class Consent(NamedTuple):
    """How a change is agreed to: `yes` without asking, `dry_run` not at all."""

    yes: bool
    dry_run: bool


def target(agent: str, scope: Scope, project: str | None) -> Target:
    """The settings file of an agent. Raises `Refused`."""
    if agent not in DIALECTS:
        message, help = unknown("agent", agent, DIALECTS)
        raise Refused(f"{message}; {help}", Exit.USAGE)
    platform = _PLATFORMS.get(sys.platform, "linux")
    for place in DIALECTS[agent].registration.places:
        if place.scope == scope and place.platform in ("any", platform):
            anchor = _anchor(scope, project)
            path = os.path.join(anchor, *place.path.split("/"))
            if scope is Scope.PROJECT:
                insist_inside(path, anchor)
            return Target(DIALECTS[agent], path)
    raise Refused(f"`{agent}` has no settings file for the scope `{scope}`", Exit.USAGE)


def _anchor(scope: Scope, project: str | None) -> str:
    if scope == Scope.PROJECT:
        return folder(project) or os.getcwd()
    user = account()
    if user is None:
        raise Refused("the user database tells no home folder; use `--scope project`", Exit.USAGE)
    return user.home


def change(target: Target, plan: Callable[[str | None], Change], consent: Consent) -> Exit:
    """Shows what would change in the file, asks, and writes it as a whole. Raises `Refused`."""
    before = _text(target.path)
    try:
        planned = plan(before)
    except RegistrationError as error:
        raise Refused(str(error.problem)) from None
    if not planned.needed:
        say(f"{target.path} is as it should be")
        return Exit.CLEAN
    show(_diff_line(line) for line in planned.diff(target.path).splitlines())
    if consent.dry_run:
        return Exit.CLEAN
    if not consent.yes and not _agreed(target.path):
        raise Refused("nothing was changed")
    if _text(target.path) != before:
        raise Refused(f"{target.path} was changed by someone else in the meantime; try again")
    write(target.path, planned.after)
    say(f"wrote {target.path}")
    return Exit.CLEAN


def _text(path: str) -> str | None:
    try:
        return read(path, LIMIT).decode("utf-8")
    except FileNotFoundError:
        return None
    except (Unreadable, UnicodeDecodeError) as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        raise Refused(f"`{path}` cannot be edited: {reason}") from None


def _agreed(path: str) -> bool:
    answer = asked(f"write this to {path}? [y/N] ")
    if answer is None:
        raise Refused("nobody is here to agree; `--yes` writes without asking")
    return answer.strip().lower() in ("y", "yes")


def _diff_line(line: str) -> Line:
    if line.startswith(("---", "+++", "@@")):
        return (span(line, "title"),)
    return (span(_indented(line), "yes" if line.startswith("+") else "deny" if line.startswith("-") else "text"),)


def _indented(line: str) -> str:
    """The line with tabs as blanks: what makes text fit for showing would take their width away."""
    return line.expandtabs(4)
