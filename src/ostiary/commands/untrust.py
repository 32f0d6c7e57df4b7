"""`ostiary untrust`: take back what was accepted of a project."""

from __future__ import annotations

from typing import Annotated

import typer

from ostiary.commands.shared import options
from ostiary.commands.shared.console import say
from ostiary.commands.shared.exits import Exit, Refused
from ostiary.commands.shared.world import engine
from ostiary.sources.files import Unreadable


def run(
    project: Annotated[
        str | None, typer.Argument(metavar="DIR", help="Folder of the project; the current folder if absent.")
    ] = None,
    *,
    config_dir: options.ConfigDir = None,
) -> None:
    """Take back the reviews of a project.

    Its deny and ask rules go on acting.
    """
    try:
        found = engine(config_dir, project).revoke()
    except (OSError, Unreadable) as error:
        raise Refused(f"the reviews cannot be changed: {error}") from None
    if not found:
        raise Refused("nothing of this project was accepted")
    say("taken back; it acts from the next call on")
    raise typer.Exit(Exit.CLEAN)
