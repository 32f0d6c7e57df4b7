"""Folders for what lives as long as a process: sockets and their locks."""

from __future__ import annotations

import os
import stat
import sys

from ostiary.sources.looks import lstat
from ostiary.sources.places import Places

_OTHERS = 0o077


def runtime_folders(places: Places) -> tuple[str, ...]:
    """The runtime folders: the system's for this user, which goes with the last session, and one in the state folder;
    none on Windows."""
    if sys.platform == "win32":
        return ()
    system, own = f"/run/user/{os.geteuid()}", os.path.join(places.state, "run")
    return (os.path.join(system, "ostiary"), own) if is_private(system) else (own,)


def is_private(folder: str) -> bool:
    """Whether a path is a folder, no link to one, that belongs to this user and nobody else may look into."""
    if sys.platform == "win32":
        return False
    try:
        status = lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & _OTHERS
