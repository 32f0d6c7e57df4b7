"""`ostiary restart`: end the resident service, and start it anew."""

from __future__ import annotations

from typing import Annotated

import typer

from ostiary.commands.shared import options
from ostiary.commands.shared.console import say
from ostiary.commands.shared.exits import Exit
from ostiary.commands.shared.resident import begin, end, renew_token


def run(
    *,
    config_dir: options.ConfigDir = None,
    new_token: Annotated[
        bool, typer.Option("--new-token", help="With another token for HTTP; agents need it when they start.")
    ] = False,
) -> None:
    """End the resident service of this user and start it anew.

    That is not needed for new rules, which act on the next call, nor after Ostiary was brought up to date.
    """
    end(config_dir)
    if new_token:
        say(f"the new token is in {renew_token(config_dir)}")
    say(f"started, process {begin(config_dir)}")
    raise typer.Exit(Exit.CLEAN)
