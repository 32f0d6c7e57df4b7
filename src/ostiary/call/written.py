"""Files that a call itself writes, and which of them it may run under another name.

A file that runs may be one that was written if their names are the same as far as the text tells them (`$d/f` and `f`,
`*.sh` and `a.sh`), or if something read the one and wrote the other (`cp a b`). Paths are those of `loaded.place`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from ostiary.call.filters import UNTOLD
from ostiary.call.loaded import ADRIFT, place, spelled
from ostiary.call.model import Part
from ostiary.call.nested import is_made_up
from ostiary.call.streams import printed
from ostiary.facts import Given
from ostiary.records import NamedTuple
from ostiary.shell.model import Command
from ostiary.words import Hole, Word

COMPARED: Final = 50_000
"""Pairs of names that are compared for one call, some 50 ms."""


class File(NamedTuple):
    """A file by its path, and of its last name the text before and behind what may be any text, `whole` if there is no
    such piece. A variable from outside is a text of its own."""

    path: str
    before: str
    behind: str
    whole: bool


class Written:
    """The files that a call writes. `untold` are those whose text is only known when the call runs. `exhausted` says
    that too many names had to be compared: there may be further files."""

    __slots__ = (
        "_adrift", "_compared", "_files", "_given", "_known", "_noted", "_origins", "_texts", "_writers", "exhausted",
        "untold",
    )  # fmt: skip

    def __init__(self, given: Given) -> None:
        self.untold: set[str] = set()
        self.exhausted = False
        self._given = given
        self._compared = 0
        self._noted: list[tuple[Command, tuple[Command, ...], Part]] = []
        self._files: dict[str, File] = {}
        self._adrift: list[File] = []
        self._writers: dict[str, list[tuple[Command, tuple[Command, ...]]]] = {}
        self._texts: dict[str, str] = {}
        self._known: dict[File, list[File]] = {}
        self._origins: dict[str, dict[File, None]] = {}

    def note(self, command: Command, commands: tuple[Command, ...], part: Part) -> None:
        """A command, one of these, was added as this part."""
        if any(access.kind == "write" for access in part.accesses):
            self._noted.append((command, commands, part))

    def sources(self, target: Word, path: str) -> list[str]:
        """The files whose text the call writes and the file of this path may hold, its own first."""
        self._learn()
        if not self._writers:
            return []
        return [found for found in self._reached(file_of(target, path)) if found in self._writers]

    def text(self, path: str) -> str | None:
        """What the call puts into such a file, one text behind the other, None if it is not told; what is not told of
        a text stands there as it is written."""
        waiting, self._writers[path] = self._writers[path], []
        for command, commands in waiting:
            text = printed(command, commands)
            if text == UNTOLD:
                self.untold.add(path)
            elif text is not None:
                self._texts[path] = self._texts.get(path, "") + str(text)
        return self._texts.get(path)

    def _learn(self) -> None:
        if self._noted:
            self._known = {}
        for command, commands, part in self._noted:
            files = self._files_of(part, "write")
            origins = self._files_of(part, "read")
            for file in files:
                if file.path not in self._files and file.path.startswith(ADRIFT):
                    self._adrift.append(file)
                self._files[file.path] = file
                if command.redirects or part.program == "tee":
                    self._writers.setdefault(file.path, []).append((command, commands))
                self._origins.setdefault(file.path, {}).update(dict.fromkeys(origins))
        self._noted = []

    def _files_of(self, part: Part, kind: str) -> list[File]:
        targets = [access.target for access in part.accesses if access.kind == kind]
        return [file_of(target, place(target, part.cwd, self._given)) for target in targets]

    def _reached(self, file: File) -> list[str]:
        """The paths of the files that this one may be, or be made of. That one name may be two others does not make
        those the same, so only what they are made of is followed."""
        found: dict[str, None] = {}
        followed = {file: self._near(file, self._above(file.path))}
        waiting = [file]
        while waiting and not self.exhausted:
            for one in (here := waiting.pop(), *followed[here]):
                found[one.path] = None
                for origin in self._origins.get(one.path, ()):
                    if origin not in followed:
                        followed[origin] = self._made(origin)
                        waiting.append(origin)
        return list(found)

    def _made(self, origin: File) -> list[File]:
        """The files that one may be which something was made of."""
        if origin not in self._known:
            self._known[origin] = self._near(origin, self._files.values())
        return self._known[origin]

    def _near(self, file: File, others: Collection[File]) -> list[File]:
        """Of these files those that this one may be, or lie in."""
        self._compared += len(others)
        self.exhausted = self._compared > COMPARED
        return [other for other in others if may_be(file, other)]

    def _above(self, path: str) -> Collection[File]:
        """The files of which one may be the file of this path that runs, or a folder with it."""
        if path.startswith(ADRIFT):
            return self._files.values()
        parts = path.split("/")
        above = ("/".join(parts[:count]) for count in range(2, len(parts)))
        return [*self._adrift, *[self._files[folder] for folder in above if folder in self._files]]


def file_of(target: Word, path: str) -> File:
    """The file of this path, which a word names."""
    pieces = _last_name((path,) if not path.startswith(ADRIFT) else target.pieces)
    texts = [_text(piece) for piece in pieces]
    before, behind = _leading(texts), _leading(texts[::-1])
    return File(path, "".join(before), "".join(behind[::-1]), None not in texts)


def _last_name(pieces: Sequence[str | Hole]) -> list[str | Hole]:
    found: list[str | Hole] = []
    for piece in reversed(pieces):
        text = piece.rstrip("/") if isinstance(piece, str) and not found else piece
        if isinstance(text, str) and "/" in text:
            return [text.rpartition("/")[2], *found]
        found.insert(0, text)
    return found


def _text(piece: str | Hole) -> str | None:
    """A piece of a name as text, None for one that may be any text."""
    if isinstance(piece, str):
        return piece
    return f"\0{spelled(piece.source)}\0" if piece.kind == "outside" or is_made_up(piece) else None


def _leading(texts: Sequence[str | None]) -> list[str]:
    known = texts[: texts.index(None)] if None in texts else texts
    return [text for text in known if text is not None]


def may_be(one: File, other: File) -> bool:
    """Whether the two may be one file, or one of them a folder with the other."""
    if not one.path.startswith(ADRIFT) and not other.path.startswith(ADRIFT):
        return one.path.startswith(f"{other.path}/") or other.path.startswith(f"{one.path}/")
    if one.whole and other.whole:
        return one.before == other.before
    if one.whole or other.whole:
        known, open_ = (one, other) if one.whole else (other, one)
        rest = known.before.removeprefix(open_.before)
        return known.before.startswith(open_.before) and rest.endswith(open_.behind)
    befores, behinds = sorted((one.before, other.before), key=len), sorted((one.behind, other.behind), key=len)
    return befores[1].startswith(befores[0]) and behinds[1].endswith(behinds[0])
