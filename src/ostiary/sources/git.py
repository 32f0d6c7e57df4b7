"""The branch of a repository, read from its files: no program runs, so no configuration of a repository acts."""

from __future__ import annotations

import os
from typing import Final

from ostiary.expressions import expression
from ostiary.sources.files import Unreadable, exists, read

_LIMIT: Final = 4096
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
