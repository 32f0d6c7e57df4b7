"""What is going on, on one screen: the service, what is wrong with rule files, the last lines of the record. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ostiary.explain.entries import Entry, entry_line, headline
from ostiary.explain.lines import Line, span
from ostiary.explain.status import ServiceStatus, service_lines


class Broken:
    """What is wrong with the rule files of each project, as the last reload there found it."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._problems: dict[str, list[str]] = {}
        self.take(entries)

    def take(self, entries: Iterable[Entry]) -> None:
        """Takes note of lines of the record, the newest last."""
        for entry in entries:
            if entry.get("kind") == "reload":
                found = entry.get("problems")
                self._problems[str(entry.get("root", ""))] = list(map(str, found)) if isinstance(found, list) else []

    def lines(self) -> Iterator[Line]:
        """One line for each problem."""
        for text in dict.fromkeys(problem for problems in self._problems.values() for problem in problems):
            yield (span("problem     ", "label"), span(text, "maybe"))


def screen(service: ServiceStatus | None, broken: Broken, recent: Sequence[Entry], rows: int) -> list[Line]:
    """So many lines, the newest of the record at the end."""
    head = [*service_lines(service), *broken.lines()][: rows // 2]
    left = max(rows - len(head) - 2, 1)
    return [*head, (), headline(), *map(entry_line, recent[-left:])][:rows]
