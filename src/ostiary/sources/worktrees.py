"""Which repository a folder is a worktree of: what all its worktrees share.

A linked worktree names its repository in a file, and any checkout may hold such a file. So it counts only if the
repository names that worktree, too (gitrepository-layout: `worktrees/NAME/gitdir` and `commondir`).
"""

from __future__ import annotations

import os
import stat
from typing import Final

from ostiary.sources.files import Unreadable, read
from ostiary.sources.looks import lstat, realpath

_LIMIT: Final = 4096
_LABEL: Final = "gitdir: "
_WORKTREES: Final = "worktrees"


def repository(root: str) -> str:
    """The resolved folder that all worktrees of a repository share, for the resolved root of one of them; empty if it
    is none, or not surely. Raises nothing."""
    marker = os.path.join(root, ".git")
    try:
        mode = lstat(marker).st_mode
        # A link may lead into any repository, and that one does not know of it.
        if stat.S_ISDIR(mode):
            return marker
        return _shared(marker) if stat.S_ISREG(mode) else ""
    except (Unreadable, OSError, ValueError):
        return ""


def _shared(marker: str) -> str:
    """The shared folder that a worktree's file leads to, empty unless that folder's own entry leads back."""
    text = _line(marker)
    if not text.startswith(_LABEL):
        return ""
    entry = realpath(os.path.join(os.path.dirname(marker), text.removeprefix(_LABEL)))
    shared = realpath(os.path.join(entry, _line(os.path.join(entry, "commondir"))))
    back = realpath(os.path.join(entry, _line(os.path.join(entry, "gitdir"))))
    inside = os.path.dirname(entry) == os.path.join(shared, _WORKTREES)
    return shared if inside and back == marker else ""


def _line(path: str) -> str:
    return os.fsdecode(read(path, _LIMIT)).rstrip("\r\n")
