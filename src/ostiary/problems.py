"""What is wrong with a rule file, told in words its author uses."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Final, Literal

from ostiary.records import dataclass

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong at one place of one file.

    `line` and `column` count from 1; 0 means the file as a whole. `where` is the path inside the document
    (`rules[3].when.command`), empty for the document itself. `message` is one lowercase sentence without a final
    period, user input in backticks; `help` says how to mend it.
    """

    file: str
    line: int
    column: int
    where: str
    message: str
    help: str = ""
    severity: Severity = "error"

    def __lt__(self, other: Problem) -> bool:
        return _place(self) < _place(other)

    def __str__(self) -> str:
        place = ":".join([self.file, *(str(n) for n in (self.line, self.column) if n)])
        text = f"{place}: {self.where}: {self.message}" if self.where else f"{place}: {self.message}"
        return f"{text}\n  help: {self.help}" if self.help else text


_place: Final = attrgetter("file", "line", "column", "where", "message", "help", "severity")


class PolicyError(Exception):
    """A rule file cannot be used. Carries every problem found, sorted by place."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(problems))
        super().__init__("\n".join(map(str, self.problems)))
