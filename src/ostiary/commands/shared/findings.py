"""Problems as a verb's result."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict
from enum import StrEnum
from typing import Annotated, Any

import typer

from ostiary.commands.shared.exits import Exit
from ostiary.problems import Problem


class Format(StrEnum):
    """How results are printed."""

    TEXT = "text"
    JSON = "json"


FormatOption = Annotated[Format, typer.Option("--format", help="How to print it.")]

_PLACED = re.compile(r"(?P<file>.+?):(?P<line>\d+): (?P<message>.+)", re.DOTALL)


def sorted_problems(problems: Iterable[Problem]) -> list[Problem]:
    """Each problem once, by file and place."""
    return sorted(set(problems))


def warning(text: str) -> Problem:
    """A warning told as `FILE:LINE: message`, as a problem."""
    found = _PLACED.fullmatch(text)
    if found is None:
        return Problem("", 0, 0, "", text, severity="warning")
    return Problem(found["file"], int(found["line"]), 0, "", found["message"], severity="warning")


def status(problems: Iterable[Problem]) -> Exit:
    """The exit code for these problems: warnings alone are no findings."""
    return Exit.FINDINGS if any(problem.severity == "error" for problem in problems) else Exit.CLEAN


def as_data(problem: Problem) -> dict[str, Any]:
    """A problem as JSON-able data."""
    return asdict(problem)


def json_text(value: Any) -> str:
    """JSON in ASCII, so that nothing in it can act on a terminal."""
    return json.dumps(value, indent=2)


def counted(number: int, noun: str) -> str:
    """`1 rule`, `2 rules`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
