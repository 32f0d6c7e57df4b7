"""`ostiary restart`: end the resident service, and start it anew."""

from __future__ import annotations

import typer

from ostiary.commands.shared import options
from ostiary.commands.shared.console import say
from ostiary.commands.shared.exits import Exit
from ostiary.commands.shared.resident import begin, end


def run(*, config_dir: options.ConfigDir = None) -> None:
    """End the resident service of this user and start it anew.

    That is not needed for new rules, which act on the next call, nor after Ostiary was brought up to date.
    """
    end(config_dir)
    say(f"started, process {begin(config_dir)}")
    raise typer.Exit(Exit.CLEAN)
