"""`ostiary install`: make an agent ask Ostiary."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from ostiary.commands.shared import options
from ostiary.commands.shared.exits import Refused
from ostiary.commands.shared.registering import Consent, Scope, change, target
from ostiary.install import hook_command, plan_install


def run(
    agent: Annotated[str, typer.Argument(metavar="AGENT", autocompletion=options.agents, help="The agent.")],
    *,
    scope: Annotated[
        Scope, typer.Option("--scope", help="For all sessions of this user, or in one project.")
    ] = Scope.USER,
    yes: Annotated[bool, typer.Option("--yes", help="Write without asking.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the change, write nothing.")] = False,
    config_dir: options.ConfigDir = None,
    project: options.ProjectDir = None,
) -> None:
    """Register Ostiary's hook in the settings of an agent.

    Shows the change first and leaves everything else in the file as it is. Doing it again changes nothing.
    """
    if not os.path.isabs(sys.executable or ""):
        raise Refused("this Python does not know where it is, so no hook can be registered")
    found = target(agent, scope, project)
    # The interpreter that runs now, by its full name: a name that is looked up could be somebody else's program.
    command = hook_command(found.dialect, sys.executable, os.path.abspath(config_dir) if config_dir else None)
    raise typer.Exit(
        change(found, lambda text: plan_install(found.dialect, text, command, file=found.path), Consent(yes, dry_run))
    )
