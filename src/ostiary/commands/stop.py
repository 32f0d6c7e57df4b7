"""`ostiary stop`: end the resident service."""

from __future__ import annotations

import typer

from ostiary.commands.shared import options
from ostiary.commands.shared.console import say
from ostiary.commands.shared.exits import Exit
from ostiary.commands.shared.resident import end


def run(*, config_dir: options.ConfigDir = None) -> None:
    """End the resident service of this user.

    Calls that are under way are answered first. Hooks decide without it, as the same rules say, and the next one starts
    it anew; `ostiary install --no-service` registers hooks that do not.
    """
    ended = end(config_dir)
    say(f"ended, process {', '.join(map(str, ended))}" if ended else "no service runs")
    raise typer.Exit(Exit.CLEAN)
