"""`ostiary untrust`: take back what was accepted of a project."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from ostiary.commands.shared import options
from ostiary.commands.shared.console import say
from ostiary.commands.shared.exits import Exit, Refused
from ostiary.commands.shared.world import places
from ostiary.sources import store
from ostiary.sources.files import Unreadable
from ostiary.sources.roots import find_roots


def run(
    project: Annotated[
        str | None, typer.Argument(metavar="DIR", help="Folder of the project; the current folder if absent.")
    ] = None,
    *,
    file: Annotated[
        str | None, typer.Option("--file", metavar="FILE", help="One rule file, as `ostiary trust list` shows it.")
    ] = None,
    config_dir: options.ConfigDir = None,
) -> None:
    """Take back the reviews of a project, or of one of its rule files.

    Its deny and ask rules go on acting. What was accepted in one worktree of a repository is taken back in all. The
    folder of the project need not exist any more.
    """
    folder = os.path.abspath(project or os.getcwd())
    root = find_roots(folder).start if os.path.isdir(folder) else folder
    try:
        found = store.remove(places(config_dir).state, root or folder, file or "")
    except (OSError, Unreadable) as error:
        raise Refused(f"the reviews cannot be changed: {error}") from None
    if not found:
        raise Refused(f"nothing of {f'`{file}`' if file else 'this project'} was accepted")
    say("taken back; it acts from the next call on")
    raise typer.Exit(Exit.CLEAN)
