"""Whether the managed place is in the hands of administrators only (law L6)."""

from __future__ import annotations

import os
import stat
import sys

from ostiary.sources.looks import way
from ostiary.sources.places import Managed


def wrong(managed: Managed, path: str) -> str:
    """Why `path`, the managed folder or something in it, cannot be relied on; empty if it can.

    Every component on the way is looked at, links and where they lead both: owner, and that neither group nor others
    may write. On Windows owners are not looked at: only administrators can write below the folder for programs, which
    the system itself names.
    """
    if sys.platform == "win32":
        return ""
    way(path)
    for step in _steps(managed, path):
        try:
            reason = _fault(os.lstat(step), managed)
        except OSError as error:
            reason = f"cannot be looked at ({(error.strerror or 'unknown').lower()})"
        if reason:
            return f"`{step}` {reason}"
    return ""


def _fault(status: os.stat_result, managed: Managed) -> str:
    if status.st_uid not in managed.owners:
        return f"belongs to user {status.st_uid}, not to an administrator"
    # A link has no mode of its own; who may replace it is decided by its folder.
    if not stat.S_ISLNK(status.st_mode) and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "can be written by users who are no administrators"
    return ""


def _steps(managed: Managed, path: str) -> list[str]:
    """Every component on the way to `path`: as written, behind each link, and as the system resolves it."""
    top = os.path.abspath(managed.top) if managed.top else ""
    open_ways, steps = [os.path.abspath(path), os.path.realpath(path)], dict[str, None]()
    while open_ways:
        for step in _down(open_ways.pop(), top):
            if step not in steps and os.path.islink(step):
                open_ways.append(os.path.abspath(os.path.join(os.path.dirname(step), os.readlink(step))))
            steps[step] = None
    return list(steps)


def _down(path: str, top: str) -> list[str]:
    """The path and the folders above it up to `top`, outermost first."""
    chain = [path]
    while chain[-1] not in (top, os.path.dirname(chain[-1])):
        chain.append(os.path.dirname(chain[-1]))
    return chain[::-1]
