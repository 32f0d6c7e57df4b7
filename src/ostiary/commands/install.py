"""`ostiary install`: make agents ask Ostiary."""

from __future__ import annotations

import os
import shlex
import sys
from typing import Annotated, Final

import typer

from ostiary.commands.shared import options, resident
from ostiary.commands.shared.console import complain
from ostiary.commands.shared.exits import Exit, Refused
from ostiary.commands.shared.registering import (
    Consent,
    DryRun,
    Scope,
    ScopeOption,
    Yes,
    change,
    installing,
    sending,
    targets,
    without_rules,
)
from ostiary.dialects.forms import TOKEN
from ostiary.install.diagnosis import unsteady

_OWN: Final = (Scope.USER, Scope.LOCAL)
"""Scopes whose files are one user's, as a service is."""

_TOKEN: Final = (
    "the agent needs the token of the service in its environment, else it is refused, and every call with it: "
    'export {variable}="$(cat {file})"'
)


def run(
    names: options.Agents = None,
    *,
    scope: ScopeOption = Scope.USER,
    yes: Yes = False,
    dry_run: DryRun = False,
    config_dir: options.ConfigDir = None,
    project: options.ProjectDir = None,
    no_service: Annotated[
        bool, typer.Option("--no-service", help="Each hook decides by itself; no process stays between calls.")
    ] = False,
    http: Annotated[
        bool, typer.Option("--http", help="The agent sends its events to the service, where it can.")
    ] = False,
) -> None:
    """Register Ostiary's hook with agents.

    Without names, with every agent that shows on this machine. Shows the changes first and leaves everything else in
    their files as it is. Doing it again changes nothing.
    """
    if not os.path.isabs(sys.executable or ""):
        raise Refused("this Python does not know where it is, so no hook can be registered")
    for finding in unsteady(sys.executable):
        complain(f"{finding.text}; {finding.help}")
    # The interpreter that runs now, by its full name: a name that is looked up could be somebody else's program.
    folder = os.path.abspath(config_dir) if config_dir else None
    own = scope in _OWN
    if http and (no_service or not own):
        raise Refused("`--http` is for hooks of one user that ask a service", Exit.USAGE)
    found = targets(names, scope, project)
    web = ""
    if http:
        found, web = sending(found, bool(names)), resident.web(folder)
        complain(_TOKEN.format(variable=TOKEN, file=shlex.quote(resident.token(folder))))
    service = None if no_service or not own else resident.registered(folder)
    plan = installing(sys.executable, folder, service, web)
    if warning := without_rules(config_dir):
        complain(warning)
    raise typer.Exit(change(found, plan, Consent(yes, dry_run)))
