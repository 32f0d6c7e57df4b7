"""Facts about the real machine (law L10). Nothing here runs a program or changes anything."""

from __future__ import annotations

import os
import stat
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext, suppress
from itertools import islice
from typing import Final

from ostiary.facts import LISTED, SCRIPT_BYTES, FactName, FactRequest, Given
from ostiary.records import dataclass
from ostiary.sources.account import account, home_of
from ostiary.sources.files import Unreadable, read_start
from ostiary.sources.memory import Memory
from ostiary.sources.roots import Roots

_WINDOWS: Final = os.name == "nt"

# Entries of one folder that are tried to see whether it ignores case.
_PROBES: Final = 64


@dataclass(frozen=True, slots=True)
class MachineFacts:
    """The facts of one event on this machine. `workdirs` are the working directories the agent was given, `memory` is
    what its session wrote, None if that is not known."""

    roots: Roots
    workdirs: tuple[str, ...] = ()
    memory: Memory | None = None

    def given(self, cwd: str | None) -> Given:  # noqa: ARG002 the roots were found from it
        """What is known beforehand."""
        user = account()
        return Given(
            home=_slashes(user.home) if user else None,
            user=user.name if user else None,
            start=_slashes(self.roots.start) if self.roots.start else None,
            roots=tuple(map(_slashes, self.roots.all)),
            workdirs=tuple(map(_slashes, filter(os.path.isabs, self.workdirs))) or tuple(map(_slashes, self.roots.all)),
            windows=_WINDOWS,
        )

    def answer(self, request: FactRequest) -> object:
        """The answer to one request, None if it cannot be told. Raises nothing."""
        if _WINDOWS and request.argument.replace("/", "\\").startswith("\\\\"):
            return None  # looking at another machine's share would sign in to whoever owns it
        try:
            if request.name == "script":
                return self._script(request.argument)
            if request.name == "written":
                return self.memory and self.memory.answer(request.argument)
            if request.name == "permitted":
                return self.memory is not None and self.memory.permitted(request.argument)
            return _ANSWERS[request.name](request.argument)
        except (OSError, ValueError):
            return None

    def _script(self, path: str) -> str | None:
        """The text of a file inside of the project or of a working directory."""
        folders = filter(None, (self.roots.start, *self.roots.all, *filter(os.path.isabs, self.workdirs)))
        within = tuple(dict.fromkeys(map(os.path.realpath, folders)))
        return script(path, within) if within else None


def script(path: str, within: tuple[str, ...]) -> str | None:
    """The text of a file inside of resolved folders; None for anything else. What is longer than `SCRIPT_BYTES` is cut
    off there, and has more characters than that whatever they are."""
    try:
        data = read_start(path, SCRIPT_BYTES + 1, within)
    except (FileNotFoundError, Unreadable):
        return None
    text = data.decode("utf-8", "replace")
    return text.ljust(SCRIPT_BYTES + 1) if len(data) > SCRIPT_BYTES else text


def _slashes(path: str) -> str:
    return path.replace("\\", "/") if _WINDOWS else path


def resolve(path: str) -> str | None:
    """The absolute path with its links resolved as far as it exists. None for a relative path, for a circle of links
    and where a folder on the way may not be looked at. Raises OSError and ValueError."""
    if not os.path.isabs(path):
        return None
    try:
        return _slashes(os.path.realpath(path, strict=True))
    except (FileNotFoundError, NotADirectoryError):
        return _slashes(os.path.realpath(path))


def folds_case(path: str) -> bool:
    """Whether names in a folder (or beside a file) are the same in small and capital letters. Told from names that
    exist; nothing is written. Where no name tells, what the system does by default."""
    for name in _near(path):
        folder, base = os.path.split(name)
        if base == base.swapcase():
            continue
        status = os.lstat(name)
        # A second link to one file would look like the same name.
        if stat.S_ISDIR(status.st_mode) or status.st_nlink == 1:
            return _same(os.path.join(folder, base.swapcase()), status)
    return sys.platform in ("darwin", "win32")


def kind(path: str) -> str:
    """What stands at an absolute path, links followed. Raises OSError and ValueError."""
    try:
        return "folder" if stat.S_ISDIR(os.stat(path).st_mode) else "file"
    except (FileNotFoundError, NotADirectoryError):
        return "none"


def listing(path: str) -> dict[str, tuple[str, ...]] | None:
    """What lies below a folder, nearer entries first: base names with the folders that hold them. None if it is too
    much; nothing lies below a file. What may not be looked at is left out: whoever searches as this user does not see
    it either. Raises OSError and ValueError for a folder that cannot be looked at itself."""
    if kind(path) != "folder":
        return {}
    found: dict[str, list[str]] = {}
    folders, count = deque([""]), 0
    while folders:
        folder = folders.popleft()
        with suppress(OSError) if folder else nullcontext(), os.scandir(os.path.join(path, folder)) as entries:
            for entry in entries:
                count += 1
                if count > LISTED:
                    return None
                found.setdefault(entry.name, []).append(folder)
                if entry.name != ".git" and entry.is_dir(follow_symlinks=False):
                    folders.append(f"{folder}/{entry.name}" if folder else entry.name)
    return {name: tuple(sorted(places)) for name, places in found.items()}


def _near(path: str) -> Iterator[str]:
    """Existing names, those that tell most about `path` first: entries of the folder, then it and those above it."""
    while not os.path.lexists(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    if os.path.isdir(path):
        with os.scandir(path) as entries:
            yield from (entry.path for entry in islice(entries, _PROBES))
    while os.path.dirname(path) != path:
        yield path
        path = os.path.dirname(path)


def _same(name: str, status: os.stat_result) -> bool:
    try:
        other = os.lstat(name)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return (other.st_dev, other.st_ino) == (status.st_dev, status.st_ino)


def branch(folder: str) -> object:
    """The branch around a folder."""
    from ostiary.sources import git  # late: few rules are about branches

    return git.branch(folder)


def ignored(path: str) -> object:
    """Whether a repository leaves a path out."""
    from ostiary.sources import git  # late: few calls search what a repository leaves out

    return git.ignored(path)


_ANSWERS: Final[Mapping[FactName, Callable[[str], object]]] = {
    "resolve": resolve,
    "branch": branch,
    "folds_case": folds_case,
    "home_of": home_of,
    "kind": kind,
    "listing": listing,
    "ignored": ignored,
}
