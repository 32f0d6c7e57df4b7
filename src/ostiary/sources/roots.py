"""The project roots of an event (law L6): what a project's rules are read from, whatever folder a call names.

A model chooses `cwd` on some agents and can make a repository anywhere, so a further folder only ever adds rules.
"""

from __future__ import annotations

import os
from typing import Final

from ostiary.records import dataclass
from ostiary.sources.looks import lexists, realpath

RULES_FOLDER: Final = ".ostiary"
_REPOSITORY: Final = ".git"

# A path longer or deeper than this is no place where people work; it adds no rules, and hides none.
_LENGTH: Final = 4096
_DEPTH: Final = 256


@dataclass(frozen=True, slots=True)
class RulesFolder:
    """One `.ostiary` folder: its path, and the root of the project it belongs to. `reviewable`: that is the start root,
    so a review can let its rules loosen."""

    path: str
    root: str
    reviewable: bool


@dataclass(frozen=True, slots=True)
class Roots:
    """The roots of an event, absolute and resolved. `start` is that of the folder the agent started the hook in, None
    if that is gone; `all` begins with it and goes on with those that are repositories or hold rules; `folders` are
    theirs, outer before inner."""

    start: str | None
    all: tuple[str, ...]
    folders: tuple[RulesFolder, ...]


def find_roots(start: str | None, *others: object) -> Roots:
    """The roots of the start folder and of the folders a payload names. Those may be anything: relative ones count from
    the start folder, unusable ones add nothing. Raises nothing."""
    origin = _absolute(start, None) if start else None
    chains = _chains(origin, *(_foreign(other, origin) for other in others))
    start_root = chains[0][0] if origin else None
    folders: dict[str, str] = {}
    for chain in chains:
        for folder in chain:
            folders.setdefault(folder, chain[0])
    return Roots(
        start=start_root,
        all=tuple(dict.fromkeys(chain[0] for chain in chains if chain[0] == start_root or _marked(chain))),
        folders=tuple(
            RulesFolder(os.path.join(folder, RULES_FOLDER), root, root == start_root)
            for folder, root in folders.items()
            if lexists(os.path.join(folder, RULES_FOLDER))
        ),
    )


def _marked(chain: tuple[str, ...]) -> bool:
    """Whether a root is more than some folder: `cd /` must not make the whole machine the project."""
    return any(lexists(os.path.join(chain[0], name)) for name in (_REPOSITORY, RULES_FOLDER))


def _foreign(path: object, start: str | None) -> str | None:
    """The absolute form of a path from a payload. A share of another machine counts as no folder: looking at one would
    sign in to whoever owns it."""
    absolute = _absolute(path, start) if isinstance(path, str) else None
    return None if absolute and os.name == "nt" and absolute.startswith("\\\\") else absolute


def _absolute(path: str, start: str | None) -> str | None:
    if not path or len(path) > _LENGTH or "\0" in path or not (start or os.path.isabs(path)):
        return None
    return os.path.abspath(os.path.join(start or "", path))


def _chains(*paths: str | None) -> tuple[tuple[str, ...], ...]:
    """For each path, its folders from the root down, resolved. Both ways into it count: that of the folder it is, and
    that of its name, which may be a link."""
    ways = dict.fromkeys(way for path in paths if path for way in (_resolved(path), path))
    return tuple(dict.fromkeys(tuple(map(_resolved, _chain(way))) for way in ways))


def _chain(path: str) -> tuple[str, ...]:
    above = [path]
    while len(above) < _DEPTH and (parent := os.path.dirname(above[-1])) != above[-1]:
        above.append(parent)
    repositories = [index for index, folder in enumerate(above) if lexists(os.path.join(folder, _REPOSITORY))]
    return tuple(above[repositories[-1] if repositories else 0 :: -1])


def _resolved(path: str) -> str:
    try:
        return realpath(path)
    except (OSError, ValueError):
        return path
