"""Which processes this one was started by: whether a person can have done it (law L6).

A terminal is no proof of a person, and neither is this: a program may cut itself off from what started it. But whoever
is found below an agent is none.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Final

from ostiary.dialects.launches import Process
from ostiary.records import NamedTuple

_MOST: Final = 64  # processes above one another
_SECONDS: Final = 5


class Ancestor(NamedTuple):
    """A process above this one, or the first of its session."""

    pid: int
    process: Process


class _Row(NamedTuple):
    parent: int
    process: Process


_Look = Callable[[int], "_Row | None"]
"""What the system tells of a process, None if nothing."""


def above() -> tuple[Ancestor, ...] | None:
    """The processes that this one was started by, the nearest first, then the first of its session; None where the
    system does not tell."""
    look = _looker()
    own = look(os.getpid())
    if own is None:
        return None
    found: dict[int, Ancestor] = {}
    pid = own.parent
    while pid > 0 and pid not in found and len(found) < _MOST:
        row = look(pid)
        if row is None:
            break  # another user's, which this system hides
        found[pid] = Ancestor(pid, row.process)
        pid = row.parent
    if sys.platform != "win32":
        leader = os.getsid(0)
        if leader > 0 and leader not in found and leader != os.getpid() and (row := look(leader)):
            found[leader] = Ancestor(leader, row.process)
    return tuple(found.values())


def _looker() -> _Look:
    if sys.platform == "win32":
        from ostiary.sources import windows  # there alone

        table = {pid: _Row(parent, Process(name)) for pid, parent, name in windows.processes()}
        return table.get
    if os.path.exists("/proc/self/stat"):
        return _of_proc
    return _of_ps().get


def _of_proc(pid: int) -> _Row | None:
    """What Linux tells of a process (proc(5)). Its name may hold blanks and parentheses."""
    stat = _read(f"/proc/{pid}/stat")
    head, found, rest = stat.rpartition(")")
    if not found:
        return None
    words = tuple(_read(f"/proc/{pid}/cmdline").rstrip("\0").split("\0"))
    variables = frozenset(item.partition("=")[0] for item in _read(f"/proc/{pid}/environ").split("\0"))
    return _Row(int(rest.split()[1]), Process(head.partition("(")[2], words, variables))


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _of_ps() -> Mapping[int, _Row]:
    """All processes as `ps` of POSIX lists them."""
    command = ["/bin/ps", "-A", "-o", "pid=", "-o", "ppid=", "-o", "args="]
    try:
        done = subprocess.run(  # noqa: S603 the program of the system, by its full name
            command, capture_output=True, timeout=_SECONDS, check=True, env={"LC_ALL": "C"}
        )
    except (OSError, subprocess.SubprocessError):
        return {}
    return listed(done.stdout.decode("utf-8", "replace"))


def listed(text: str) -> dict[int, _Row]:
    """The processes in what `ps` printed: number, parent and words in each line."""
    rows: dict[int, _Row] = {}
    for line in text.splitlines():
        pid, parent, *rest = line.split(None, 2)
        words = tuple(rest[0].split()) if rest else ()
        rows[int(pid)] = _Row(int(parent), Process(words[0].lstrip("-") if words else "", words))
    return rows
