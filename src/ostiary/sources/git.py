"""What a repository has checked out and what it leaves out, read from its files.

No program runs, so no configuration of a repository acts.
"""

from __future__ import annotations

import os
from typing import Final

from ostiary.expressions import expression
from ostiary.paths import path_matches
from ostiary.sources.files import Unreadable, exists, read

_LIMIT: Final = 4096
_IGNORE_LIMIT: Final = 1 << 16
_INDEX_LIMIT: Final = 1 << 24
_BRANCH: Final = expression(r"ref: refs/heads/(?P<name>[^\0\n]+)\n?")
_DETACHED: Final = expression(r"(?:[0-9a-f]{40}|[0-9a-f]{64}|ref: .*)\n?")

# What repositories with the reftable format hold there, so that older programs see something (gitformat-reftable).
_NOT_HERE: Final = ".invalid"


def branch(folder: str) -> str | None:
    """The branch checked out around a folder, which need not exist; "" if there is none (no repository, or a detached
    head), None if that cannot be told."""
    try:
        marker = _marker(os.path.realpath(folder))
        return "" if marker is None else _head(_store(marker))
    except (Unreadable, OSError, ValueError):
        return None


def ignored(path: str) -> bool | None:
    """Whether a repository leaves a path out by the ignore files in it, and does not track it; None if that cannot be
    told. Only `.gitignore` counts: git may be told to use another repository or other settings. Raises nothing."""
    try:
        folder, name = os.path.split(path)
        marker = _marker(os.path.realpath(folder))
        if marker is None:
            return False
        root = os.path.dirname(marker)
        names = (*os.path.relpath(os.path.realpath(folder), root).split(os.sep), name)
        inside = tuple(part for part in names if part != ".")
        return _left_out(root, inside) and not _tracked(_store(marker), "/".join(inside))
    except (Unreadable, OSError, ValueError):
        return None


def _left_out(root: str, names: tuple[str, ...]) -> bool:
    """Whether a path or a folder above it is left out; of the patterns that fit one the last counts."""
    scoped: list[tuple[tuple[str, ...], tuple[_Pattern, ...]]] = []
    for depth in range(1, len(names) + 1):
        above = names[: depth - 1]
        scoped.append((above, _patterns(os.path.join(root, *above, ".gitignore"))))
        folder = depth < len(names) or os.path.isdir(os.path.join(root, *names))
        found = False
        for base, patterns in scoped:
            for segments, negated, only_folders in patterns:
                if (folder or not only_folders) and path_matches(segments, names[len(base) : depth]):
                    found = not negated
        if found:
            return True
    return False


_Pattern = tuple[tuple[str, ...], bool, bool]


def _patterns(file: str) -> tuple[_Pattern, ...]:
    """The patterns of an ignore file (gitignore's manual): their segments, whether they take back, and whether they are
    about folders alone."""
    try:
        lines = read(file, _IGNORE_LIMIT).decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return ()
    found = []
    for line in lines:
        text = line.rstrip()
        if text and not text.startswith("#"):
            negated, text = text.startswith("!"), text.removeprefix("!")
            segments = tuple(part for part in text.split("/") if part)
            anchored = "/" in text.rstrip("/")
            if segments:
                found.append((segments if anchored else ("**", *segments), negated, text.endswith("/")))
    return tuple(found)


def _tracked(store: str, path: str) -> bool:
    """Whether the index has a path. Raises `Unreadable` for an index that cannot be searched."""
    try:
        data = read(os.path.join(store, "index"), _INDEX_LIMIT)
    except FileNotFoundError:
        return False
    if data[:4] != b"DIRC" or data[4:8] not in (b"\0\0\0\2", b"\0\0\0\3"):
        raise Unreadable("its names are shortened")
    return path.encode("utf-8", "surrogateescape") + b"\0" in data


def _marker(folder: str) -> str | None:
    """The nearest `.git` from a folder up."""
    while not exists(marker := os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return marker


def _store(marker: str) -> str:
    """The folder with the head: a worktree's or submodule's `.git` is a file that names it."""
    if os.path.isdir(marker):
        return marker
    label, _, path = read(marker, _LIMIT).decode("utf-8", "surrogateescape").partition(": ")
    if label != "gitdir":
        raise Unreadable("it names no repository")
    return os.path.join(os.path.dirname(marker), path.rstrip("\r\n"))


def _head(store: str) -> str | None:
    head = os.path.join(store, "HEAD")
    # Old repositories have a link here.
    text = f"ref: {os.readlink(head)}" if os.path.islink(head) else read(head, _LIMIT).decode("utf-8", "strict")
    found = _BRANCH.fullmatch(text)
    if found:
        return None if found["name"] == _NOT_HERE else found["name"]
    return "" if _DETACHED.fullmatch(text) else None
