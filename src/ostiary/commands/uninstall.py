"""`ostiary uninstall`: take the hook out of agents again."""

from __future__ import annotations

import typer

from ostiary.commands.shared import options
from ostiary.commands.shared.registering import Consent, DryRun, Scope, ScopeOption, Yes, change, removing, targets


def run(
    names: options.Agents = None,
    *,
    scope: ScopeOption = Scope.USER,
    yes: Yes = False,
    dry_run: DryRun = False,
    project: options.ProjectDir = None,
) -> None:
    """Take Ostiary's hook out of agents again.

    Without names, out of every agent that shows on this machine. Shows the changes first and leaves everything else in
    their files as it is. Policy and reviews stay.
    """
    raise typer.Exit(change(targets(names, scope, project), removing, Consent(yes, dry_run)))
