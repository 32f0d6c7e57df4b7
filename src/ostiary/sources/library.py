"""Files of a project that a model may look at while it judges an event: read-only, bounded, and no more than the agent
itself may see.

What the model says reaches the agent, and what it is told may be written to persuade it. So a rule that keeps a file
from the agent keeps it from the model, nothing outside the project is shown, and nothing with a hidden name, where
secrets lie.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Final

from ostiary.sources.files import Unreadable, inside, read

LINES: Final = 400
"""Lines that are shown at once."""

LONGEST: Final = 20_000
"""Characters that are shown at once."""

_FILE: Final = 1 << 20
_NAMES: Final = 300
_HITS: Final = 50
_LINE: Final = 200  # characters of a line that was searched for
_WALKED: Final = 5000

Permitted = Callable[[str, str], bool]
"""Whether the agent may call a tool (`read_file`, `list_directory`) on an absolute path."""

_KEPT: Final = "this is not shown"


class Library:
    """The files below the absolute folder `root` (empty: there is no project), of a user with this `home`."""

    __slots__ = ("_permitted", "_real", "_root")

    def __init__(self, root: str, home: str, permitted: Permitted) -> None:
        self._root, self._real = root, os.path.realpath(root) if root else ""
        # An agent that was started at home, or above it, has no project: everything of the user lies below.
        if not root or (home and inside(os.path.realpath(home), self._real)):
            self._root = ""
        self._permitted = permitted

    def read(self, path: str, first: int) -> str:
        """The lines of a file from one on, or why they are not shown."""
        place = self._place(path)
        if not place or not self._permitted("read_file", place):
            return _KEPT
        text = self._text(place)
        if text is None:
            return "this is no text that can be read"
        lines = text.split("\n")[max(first, 1) - 1 :][:LINES]
        return "\n".join(lines)[:LONGEST] or "there is nothing"

    def list(self, path: str) -> str:
        """The names in a folder, folders with a slash, or why they are not shown."""
        place = self._place(path)
        if not place or not self._permitted("list_directory", place):
            return _KEPT
        try:
            with os.scandir(place) as entries:
                names = sorted(f"{one.name}/" if one.is_dir() else one.name for one in entries)
        except OSError:
            return "this is no folder that can be read"
        return "\n".join([name for name in names if not name.startswith(".")][:_NAMES]) or "it is empty"

    def search(self, text: str, path: str) -> str:
        """The lines below a folder that hold a text, with file and number, or why there are none."""
        place = self._place(path)
        if not place or not text:
            return _KEPT
        found: list[str] = []
        for file in self._files(place):
            lines = (self._text(file) or "").split("\n")
            hits = [(number, line) for number, line in enumerate(lines, 1) if text in line]
            if hits and self._permitted("read_file", file):
                name = os.path.relpath(file, self._root)
                found += [f"{name}:{number}: {line[:_LINE]}" for number, line in hits]
            if len(found) >= _HITS:
                break
        return "\n".join(found[:_HITS])[:LONGEST] or "nothing was found"

    def _place(self, path: str) -> str:
        """The absolute path, empty for one that is not shown: outside of the project, or hidden."""
        place = os.path.normpath(os.path.join(self._root, path)) if self._root and "\0" not in path else ""
        real = os.path.realpath(place) if place else ""
        if not place or not inside(place, self._root) or not inside(real, self._real):
            return ""
        steps = (*os.path.relpath(place, self._root).split(os.sep), *os.path.relpath(real, self._real).split(os.sep))
        return "" if any(step.startswith(".") and step != os.curdir for step in steps) else place

    def _text(self, file: str) -> str | None:
        """What a file holds, None if that is no text, or cannot be read."""
        try:
            data = read(file, _FILE, (self._real,))
        except (FileNotFoundError, Unreadable):
            return None
        return None if b"\0" in data else data.decode("utf-8", "replace")

    def _files(self, folder: str) -> Iterator[str]:
        """The files below a folder, no links among them and none that is hidden; of very many the first."""
        left = _WALKED
        for here, folders, files in os.walk(folder):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(files):
                left -= 1
                if left < 0:
                    return
                path = os.path.join(here, name)
                if not name.startswith(".") and not os.path.islink(path):
                    yield path
