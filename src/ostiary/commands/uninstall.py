"""`ostiary uninstall`: take the hook out of agents again."""

from __future__ import annotations

from typing import Annotated

import typer

from ostiary.commands.shared import options
from ostiary.commands.shared.registering import Consent, Scope, change, removing, targets


def run(
    names: options.Agents = None,
    *,
    scope: Annotated[
        Scope, typer.Option("--scope", help="For all sessions of this user, in one project, or of this machine.")
    ] = Scope.USER,
    yes: Annotated[bool, typer.Option("--yes", help="Write without asking.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the change, write nothing.")] = False,
    project: options.ProjectDir = None,
) -> None:
    """Take Ostiary's hook out of agents again.

    Without names, out of every agent that shows on this machine. Shows the changes first and leaves everything else in
    their files as it is. Policy and reviews stay.
    """
    raise typer.Exit(change(targets(names, scope, project), removing, Consent(yes, dry_run)))
