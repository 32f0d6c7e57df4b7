"""`ostiary status`: what is in force here, and what does not act."""

from __future__ import annotations

from typing import Annotated

import typer

from ostiary import explain
from ostiary.commands.shared import console, options, resident
from ostiary.commands.shared.exits import Exit
from ostiary.commands.shared.findings import sorted_problems
from ostiary.commands.shared.world import engine
from ostiary.records import replace


def run(
    project: Annotated[
        str | None, typer.Argument(metavar="DIR", help="Folder of the project; the current folder if absent.")
    ] = None,
    *,
    as_json: options.AsJson = False,
    config_dir: options.ConfigDir = None,
) -> None:
    """Show what is in force here, and everything that does not act with its reason.

    The resident service, the settings and who says so, the rule files with their tier and how they stand with reviews,
    rules and exceptions that only observe, have expired, wait for review or for a gate, and what is wrong. Exits with 0
    whatever is found;
    `ostiary check` is for scripts that want to know.
    """
    status = replace(engine(config_dir, project).status(), service=resident.status(config_dir))
    if as_json:
        console.document(explain.status_json(status))
        raise typer.Exit(Exit.CLEAN)
    console.show(explain.status_lines(status))
    if status.problems:
        console.show([(), (explain.span("problems", "title"),)])
    for problem in sorted_problems(status.problems):
        console.show(console.problem_lines(problem))
    raise typer.Exit(Exit.CLEAN)
