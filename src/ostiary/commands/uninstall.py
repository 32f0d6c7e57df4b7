"""`ostiary uninstall`: take the hook out of an agent's settings."""

from __future__ import annotations

from typing import Annotated

import typer

from ostiary.commands.shared import options
from ostiary.commands.shared.registering import Consent, Scope, change, target
from ostiary.install import plan_uninstall


def run(
    agent: Annotated[str, typer.Argument(metavar="AGENT", autocompletion=options.agents, help="The agent.")],
    *,
    scope: Annotated[
        Scope, typer.Option("--scope", help="For all sessions of this user, or in one project.")
    ] = Scope.USER,
    yes: Annotated[bool, typer.Option("--yes", help="Write without asking.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the change, write nothing.")] = False,
    project: options.ProjectDir = None,
) -> None:
    """Take Ostiary's hook out of the settings of an agent.

    Shows the change first and leaves everything else in the file as it is. Policy and reviews stay.
    """
    found = target(agent, scope, project)
    raise typer.Exit(
        change(found, lambda text: plan_uninstall(found.dialect, text, file=found.path), Consent(yes, dry_run))
    )
