"""`ostiary schema`: the JSON schemas of the files people write and of the outcome."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from ostiary.commands.shared import console, shipped
from ostiary.commands.shared.world import places


class Kind(StrEnum):
    """Which schema."""

    POLICY = "policy"
    PROGRAMS = "programs"
    TOOLS = "tools"
    OUTCOME = "outcome"
    STATUS = "status"
    RECORD = "record"
    SUITE = "suite"


def run(kind: Annotated[Kind, typer.Argument(help="Which schema.")] = Kind.POLICY) -> None:
    """Print a JSON schema.

    There is one of rule files, one of files that say what programs do, one of files that say what arguments of
    tools mean, one of the outcome (`eval --json`), one of the status (`status --json`), one of a line of the record
    (`log --json`) and one of test suites. Save it and name it in the first line of a file, and your editor completes
    and checks what you write:
    `# yaml-language-server: $schema=./policy.schema.json`
    """
    console.document(shipped.schema(places("."), kind).rstrip("\n"))
