"""What processes of the service read of policies, put together: each change is told once, whoever saw it first
(law L9)."""

from __future__ import annotations

from collections import deque
from datetime import UTC, datetime
from typing import Any, Final, Literal

from ostiary.records import NamedTuple
from ostiary.sources.reading import Reading, View

By = Literal["call", "watcher"]
"""Who read: a worker that had a call, or the process that watches."""

_VIEWS: Final = 128
_RECENT: Final = 16
_NAMED: Final = 32  # sources that one line names


class Heard(NamedTuple):
    """What a reading was: of a view that nobody had told of (None: it is known), and the line for the record (None: it
    found what was known)."""

    view: View | None
    line: dict[str, Any] | None


class Reloads:
    """What was read last for each view, and the last changes, each as its line of the record."""

    def __init__(self) -> None:
        self.recent: deque[dict[str, Any]] = deque(maxlen=_RECENT)
        self._last: dict[View, Reading] = {}

    def heard(self, reading: Reading, by: By) -> Heard:
        """Takes note of a reading."""
        fresh = None if reading.view in self._last else reading.view
        before = self._before(reading.view)
        if before and reading.time < before.time:
            return Heard(fresh, self._late(reading, by))
        self._last.pop(reading.view, None)
        self._last[reading.view] = reading
        while len(self._last) > _VIEWS:
            del self._last[next(iter(self._last))]
        if before and _same(before, reading):
            return Heard(fresh, None)
        return Heard(fresh, self._noted(_line(reading, by, before)))

    def _before(self, view: View) -> Reading | None:
        """What was known of a view: of one with other rules folders, what agents that started there had last."""
        same = (known for other, known in reversed(self._last.items()) if other[:2] == view[:2])
        return self._last.get(view) or next(same, None)

    def _late(self, reading: Reading, by: By) -> dict[str, Any] | None:
        """The line of a reading that another one overtook, unless its policy was told of."""
        if any(line["generation"] == reading.generation for line in self.recent):
            return None
        return self._noted(_line(reading, by, None))

    def _noted(self, line: dict[str, Any]) -> dict[str, Any]:
        in_order = sorted((*self.recent, line), key=lambda one: str(one["read"]))  # some are overtaken
        self.recent = deque(in_order, maxlen=_RECENT)
        return line


def _same(one: Reading, two: Reading) -> bool:
    return (one.generation, one.sources, one.problems) == (two.generation, two.sources, two.problems)


def _line(reading: Reading, by: By, before: Reading | None) -> dict[str, Any]:
    """What the record says of a reading."""
    known, found = before.sources if before else {}, reading.sources
    changed = [name for name in {**known, **found} if known.get(name) != found.get(name)] if before else []
    said = {
        "read": datetime.fromtimestamp(reading.time, UTC).isoformat(timespec="milliseconds")[:-6] + "Z",
        "generation": reading.generation,
        "before": before.generation if before else None,
        "by": by,
        "root": reading.view.root,
        "changed": changed[:_NAMED],
        "more_changed": max(0, len(changed) - _NAMED),
        "problems": list(reading.problems),
        "ms": reading.ms,
    }
    return {name: value for name, value in said.items() if value not in (None, [], 0)}
