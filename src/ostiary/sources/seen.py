"""Which rule files that stop calls a session saw, and what they held: what is left of one that vanishes (law L7).

One file for each session, in the state folder, that only ever grows, and one for the managed place, whose rules outlast
sessions. A line is a JSON list: tier, path, label and root of a source (empty: none), and the name under which its
content is kept; an empty name says that it was let go. The contents lie beside, each once. A line that cannot be read
is none; a file that cannot be read may have held anything.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from ostiary import __version__
from ostiary.digests import sha256
from ostiary.policy import SEMANTICS, FilePlan
from ostiary.problems import Problem
from ostiary.records import NamedTuple
from ostiary.sources import memory
from ostiary.sources.compiled import FORMAT, Compiled, pack, seal, unpack, unseal
from ostiary.sources.discover import Source
from ostiary.sources.files import Unreadable
from ostiary.sources.looks import isdir, lexists
from ostiary.sources.private import append_private, read_private, write_private
from ostiary.sources.roots import RULES_FOLDER, RulesFolder
from ostiary.tiers import TIER, TierName

LIMIT: Final = 1 << 17
"""Bytes from which on a file of lines is written anew, with the last line of each source alone."""

MOST: Final = 512
"""Sources that are noted for one session; further ones are not held."""

_MANAGED: Final = "managed."
_LARGEST: Final = 64 << 20
_SCANNED: Final = 512  # files that are looked at at once

Key = tuple[str, str]
"""The tier and path of a source."""


class Noted(NamedTuple):
    """A source that a session saw. `root` is that of its project, empty outside of projects; `name` that of its
    content, empty if it was let go."""

    tier: TierName
    path: str
    label: str
    root: str
    name: str

    @property
    def key(self) -> Key:
        """What it is known by."""
        return self.tier, self.path


class Content(NamedTuple):
    """What a source held: its plan, and its files as pairs of path and bytes."""

    plan: FilePlan
    files: tuple[tuple[str, bytes], ...]


def content_name(source: Source, plan: FilePlan) -> str:
    """The name under which what a source holds is kept."""
    meaning = (FORMAT, SEMANTICS, __version__, source.tier, source.path, plan.digest)
    digest = sha256("\0".join(map(str, meaning)).encode("utf-8", "surrogatepass")).hexdigest()[:40]
    return f"{_MANAGED}{digest}" if source.tier == "managed" else digest


def place(state: str, agent: str, session: str) -> str:
    """The file of a session. Its name holds no text of a payload, and is that of its memory."""
    return os.path.join(folder(state), os.path.basename(memory.place(state, agent, session)))


def managed_place(state: str, managed: str) -> str:
    """The file of a managed place."""
    return os.path.join(folder(state), f"{_MANAGED}{sha256(managed.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}")


def folder(state: str) -> str:
    """The folder of all these files."""
    return os.path.join(state, "seen")


class Recalled(NamedTuple):
    """What is noted in a file, and what keeps it from being read, None if nothing does."""

    noted: Mapping[Key, Noted]
    flaw: Problem | None = None


def recall(file: str) -> Recalled:
    """What is noted in a file."""
    folder = os.path.dirname(file)
    try:
        data = read_private(file, 2 * LIMIT)
        if data is None and lexists(folder) and not isdir(folder):
            raise Unreadable("it is not a folder")
    except Unreadable as error:
        help = f"remove `{folder}`, or make it yours alone: what sessions saw is noted there"
        return Recalled({}, Problem(folder, 0, 0, "", f"it cannot be relied on: {error}", help))
    found: dict[Key, Noted] = {}
    for line in (data or b"").split(b"\n"):
        if noted := _noted(line):
            found[noted.key] = noted
    return Recalled({key: noted for key, noted in found.items() if noted.name})


def note(file: str, more: Iterable[Noted], now: float) -> bool:
    """Notes sources, or that they were let go. False if that cannot be done, so that the next call tries again."""
    lines = _lines(more)
    try:
        if os.path.exists(file) and os.path.getsize(file) + len(lines) > LIMIT:
            known = {**recall(file).noted, **{noted.key: noted for noted in more}}
            lines = _lines([noted for noted in known.values() if noted.name][:MOST])
            write_private(file, lines)
        elif append_private(file, lines, LIMIT):
            _prune(os.path.dirname(file), now)
    except (OSError, Unreadable):
        return False
    return True


def forget(file: str) -> None:
    """Forgets a session that ended."""
    with suppress(OSError):
        os.unlink(file)


def sessions(state: str) -> Iterator[tuple[str, str]]:
    """The files of all sessions, each with that of its memory; of very many the newest."""
    with suppress(OSError), os.scandir(folder(state)) as entries:
        found = [
            (entry.stat().st_mtime_ns, entry.name) for entry in entries if entry.is_file() and "." not in entry.name
        ]
        for _, name in sorted(found, reverse=True)[:_SCANNED]:
            yield os.path.join(folder(state), name), os.path.join(memory.folder(state), name)


def keep(state: str, name: str, content: Content) -> bool:
    """Keeps what a source holds, False if that cannot be done. Raises nothing."""
    path = _kept(state, name)
    try:
        if os.path.exists(path):
            os.utime(path)  # it is kept for as long as the sessions that saw it
        else:
            write_private(path, seal((pack(Compiled(content.plan, (), ())), content.files)))
    except (OSError, Unreadable):
        return False
    return True


def kept(state: str, name: str) -> Content | None:
    """What was kept under a name, None where it cannot be used."""
    try:
        packed, files = unseal(read_private(_kept(state, name), _LARGEST) or b"") or (b"", ())
    except Unreadable:
        return None
    found = unpack(packed)
    return Content(found.plan, files) if found and found.plan else None


def folders(noted: Mapping[Key, Noted], known: tuple[RulesFolder, ...], start: str | None) -> tuple[RulesFolder, ...]:
    """The rules folders of projects, those that a session saw before among them: by moving it loses none. `start` is
    the root of its start folder."""
    found = {rules.path: rules for rules in known}
    for one in noted.values():
        head, mark, _ = one.path.rpartition(f"{os.sep}{RULES_FOLDER}{os.sep}")
        if one.root and mark:
            path = os.path.join(head, RULES_FOLDER)
            found.setdefault(path, RulesFolder(path, one.root, one.root == start))
    return tuple(found.values())


def drop(state: str, name: str) -> None:
    """Takes away what was kept under a name that nothing notes any more."""
    with suppress(OSError):
        os.unlink(_kept(state, name))


def _kept(state: str, name: str) -> str:
    return os.path.join(folder(state), "held", name)


def _lines(noted: Iterable[Noted]) -> bytes:
    return b"".join(f"{json.dumps(list(one))}\n".encode() for one in noted)


def _noted(line: bytes) -> Noted | None:
    if not line:
        return None
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    whole = isinstance(value, list) and len(value) == len(Noted._fields) and all(isinstance(one, str) for one in value)
    return Noted(*value) if whole and value[0] in TIER else None


def _prune(top: str, now: float) -> None:
    """Takes away sessions, and contents, that nobody noted anything of for long. What managed places hold stays."""
    for place in (top, os.path.join(top, "held")):
        with suppress(OSError), os.scandir(place) as entries:
            for number, entry in enumerate(entries):
                if number >= _SCANNED:
                    break
                status = entry.stat(follow_symlinks=False)
                old = now - status.st_mtime > memory.KEPT
                if old and entry.is_file(follow_symlinks=False) and not entry.name.startswith(_MANAGED):
                    os.unlink(entry.path)
