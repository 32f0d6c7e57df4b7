"""What `install` and `uninstall` share: which files of which agents, and changing them after a person saw how."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Annotated

import typer

from ostiary.commands.shared import agents, shipped
from ostiary.commands.shared.console import complain, say, show
from ostiary.commands.shared.exits import Exit, Refused
from ostiary.commands.shared.world import LIMIT, asked, folder
from ostiary.commands.shared.writing import insist_inside, remove, write
from ostiary.dialects import DIALECTS, Dialect
from ostiary.dialects.base import Place
from ostiary.document import unknown
from ostiary.explain import Line, span
from ostiary.install import (
    Change,
    RegistrationError,
    Service,
    hook_command,
    plan_install,
    plan_plugin,
    plan_removal,
    plan_script,
    plan_uninstall,
    scripts,
)
from ostiary.install.diagnosis import Finding, Installation, help_of
from ostiary.install.inspect import Hook
from ostiary.records import NamedTuple
from ostiary.sources import failing
from ostiary.sources.discover import discover_own
from ostiary.sources.files import Unreadable, read
from ostiary.sources.places import NoPlace, find_places


class Scope(StrEnum):
    """Whose sessions call the hook."""

    USER = "user"
    PROJECT = "project"
    LOCAL = "local"
    MANAGED = "managed"


ScopeOption = Annotated[
    Scope, typer.Option("--scope", help="For all sessions of this user, in one project, or of this machine.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Write without asking.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the change, write nothing.")]


class Target(NamedTuple):
    """An agent, and the place that registers its hooks, with its absolute path."""

    dialect: Dialect
    path: str
    place: Place


class Consent(NamedTuple):
    """How a change is agreed to: `yes` without asking, `dry_run` not at all."""

    yes: bool
    dry_run: bool


Read = Callable[[str], str | None]
"""The text of a file, None if there is none."""

Plan = Callable[[Target, Read], dict[str, Change]]
"""What would change for a target, by file. Raises RegistrationError."""


def installing(python: str, config_dir: str | None, service: Service | None, web: str = "") -> Plan:
    """The plan that registers hooks which that interpreter runs, with that folder of policy (None: the usual one), and
    that ask a service first, or where the agent can, `web`, its address. What a failure of Ostiary means is as the
    settings say now."""
    on_error = failing.on_error(config_dir)

    def plan(target: Target, read: Read) -> dict[str, Change]:
        dialect, path = target.dialect, target.path
        command = hook_command(dialect, python, config_dir, service)
        if dialect.registration.shape == "plugin":
            code = [shipped.plugin(name) for name in dialect.registration.sources]
            return {path: plan_plugin(dialect, read(path), command, code, file=path, on_error=on_error)}
        if dialect.registration.shape == "scripts":
            files = {native: os.path.join(path, name) for native, name in scripts(dialect).items()}
            return {
                file: plan_script(dialect, native, read(file), command, file, on_error=on_error)
                for native, file in files.items()
            }
        fixed = target.place.fixed
        return {path: plan_install(dialect, read(path), command, file=path, fixed=fixed, on_error=on_error, web=web)}

    return plan


def removing(target: Target, read: Read) -> dict[str, Change]:
    """The plan that takes hooks out again."""
    dialect, path = target.dialect, target.path
    if dialect.registration.shape == "plugin":
        return {path: plan_removal(dialect, read(path))}
    if dialect.registration.shape == "scripts":
        files = (os.path.join(path, name) for name in dialect.registration.scripts.values())
        return {file: plan_removal(dialect, read(file)) for file in files}
    return {path: plan_uninstall(dialect, read(path), file=path, own=target.place.own, fixed=target.place.fixed)}


def outdated(found: Installation, project: str) -> list[Finding]:
    """The files of code that installing again, with what they run, would write anew."""
    places = {agents.located(place, project): place for place in agents.here(found.dialect)}
    first = {hook.path: hook for hook in found.ours if hook.isolated}
    return [
        Finding("current", "problem", f"{path}: not as `ostiary install` writes it now", help_of(found))
        for path, hook in first.items()
        for target, place in places.items()
        if target and path in (target, os.path.join(target, os.path.basename(path)))
        if _stale(Target(found.dialect, target, place), hook)
    ]


def _stale(target: Target, hook: Hook) -> bool:
    change = installing(hook.interpreter, hook.config_dir, hook.service)(target, _text).get(hook.path)
    return change is not None and change.needed


def without_rules(config_dir: str | None) -> str:
    """What to say where a hook finds no rules of the user or the machine, empty if it does."""
    try:
        here = find_places(os.path.abspath(config_dir) if config_dir else None)
    except NoPlace:
        return ""  # `doctor` tells
    if any(source.path != here.user for source in discover_own(here)):
        return ""
    option = f" --config-dir {shlex.quote(here.user)}" if here.named else ""
    return f"there are no rule files in `{here.user}`; `ostiary init{option}` writes one"


def chosen(names: list[str] | None) -> tuple[str, ...]:
    """The agents that were named, else those that show here. Raises `Refused` for an agent without a dialect."""
    for name in names or ():
        if name not in DIALECTS:
            message, help = unknown("agent", name, DIALECTS)
            raise Refused(f"{message}; {help}", Exit.USAGE)
    return tuple(dict.fromkeys(names)) if names else agents.found_here()


def sending(found: list[Target], named: bool) -> list[Target]:
    """Those whose agents can send events to a server. Raises `Refused` for one that was named and cannot."""
    fit: list[Target] = []
    for target in found:
        http = target.dialect.registration.http
        why = http.unfit if http else "it only runs programs"
        if why and named:
            raise Refused(f"`{target.dialect.name}` has no use for `--http`: {why}", Exit.USAGE)
        if why:
            complain(f"`{target.dialect.name}` has no use for `--http`: {why}; left out")
        else:
            fit.append(target)
    return fit


def targets(names: list[str] | None, scope: Scope, project: str | None) -> list[Target]:
    """The places of the agents in a scope. Raises `Refused`; agents that nobody named may have none there."""
    if project is not None and scope not in (Scope.PROJECT, Scope.LOCAL):
        raise Refused(f"`--project` says nothing about the scope `{scope}`; add `--scope project`", Exit.USAGE)
    root = folder(project) or os.getcwd()
    found = [target for name in chosen(names) if (target := _target(DIALECTS[name], scope, root, bool(names)))]
    if not found:
        raise Refused("no agent shows on this machine; name one", Exit.USAGE)
    return found


def _target(dialect: Dialect, scope: Scope, root: str, named: bool) -> Target | None:
    place = next((place for place in agents.here(dialect) if place.scope == scope), None)
    if place is None:
        reason = f"`{dialect.name}` has no settings file for the scope `{scope}`"
        if named:
            raise Refused(reason, Exit.USAGE)
        complain(f"{reason}; left out")
        return None
    path = agents.located(place, root)
    if path is None:
        raise Refused("the user database tells no home folder; use `--scope project`", Exit.USAGE)
    if place.anchor == "project":
        insist_inside(path, root)
    return Target(dialect, path, place)


def change(found: Iterable[Target], plan: Plan, consent: Consent) -> Exit:
    """Shows what would change, asks once, and writes each file as a whole. Raises `Refused`."""
    planned: dict[str, Change] = {}
    for target in found:
        planned |= _planned(target, plan)
    needed = {path: change for path, change in planned.items() if change.needed or _unstartable(path, change)}
    for path in planned:
        if path not in needed:
            say(f"{path} is as it should be")
    for path, wanted in needed.items():
        show(_diff_line(line) for line in wanted.diff(path).splitlines())
    if needed and not consent.dry_run:
        _write(needed, consent)
    return Exit.CLEAN


def _unstartable(path: str, change: Change) -> bool:
    return change.executable and os.path.exists(path) and not os.access(path, os.X_OK)


def _planned(target: Target, plan: Plan) -> dict[str, Change]:
    try:
        return plan(target, _text)
    except RegistrationError as error:
        raise Refused(str(error.problem)) from None


def _write(needed: dict[str, Change], consent: Consent) -> None:
    if not consent.yes and not _agreed(list(needed)):
        raise Refused("nothing was changed")
    for path, wanted in needed.items():
        _insist_unchanged(path, wanted)
    for path, wanted in needed.items():
        _insist_unchanged(path, wanted)  # again: writing the others took its time
        if wanted.removes:
            remove(path)
            say(f"removed {path}")
        else:
            write(path, wanted.after, executable=wanted.executable)
            say(f"wrote {path}")


def _insist_unchanged(path: str, wanted: Change) -> None:
    if _text(path) != wanted.before:
        raise Refused(f"{path} was changed by someone else in the meantime; try again")


def _text(path: str) -> str | None:
    try:
        return read(path, LIMIT).decode("utf-8")
    except FileNotFoundError:
        return None
    except (Unreadable, UnicodeDecodeError) as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        raise Refused(f"`{path}` cannot be edited: {reason}") from None


def _agreed(paths: list[str]) -> bool:
    what = f"this to {paths[0]}" if len(paths) == 1 else f"these {len(paths)} files"
    answer = asked(f"write {what}? [y/N] ")
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
