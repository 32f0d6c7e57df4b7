"""Who is at the other end of a socket."""

from __future__ import annotations

import os
import socket
import struct
import sys
from functools import cache
from typing import Final

from ostiary.records import NamedTuple

# `struct ucred` of Linux: pid, uid, gid; `struct xucred` of macOS: version, uid, and more (sys/ucred.h).
_UCRED: Final = "=iII"
_XUCRED: Final = "=II68x"
_SOL_LOCAL: Final = 0
_LOCAL_PEERCRED: Final = 1

# What sets a process apart from others of its user: a service that is not set apart would reach further than it.
_SPACES: Final = ("mnt", "net", "pid", "user", "ipc")
_FILTER: Final = b"\nSeccomp:"


class Peer(NamedTuple):
    """The process that connected: its user, and its number where the system tells (else 0)."""

    uid: int
    pid: int = 0


def peer(connection: socket.socket) -> Peer:
    """The process at the other end, as it was when it connected. Raises OSError where the system does not tell."""
    if sys.platform == "linux":
        pid, uid, _ = struct.unpack(_UCRED, connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        return Peer(uid, pid)
    if sys.platform == "darwin":
        _, uid = struct.unpack(_XUCRED, connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, struct.calcsize(_XUCRED)))
        return Peer(uid)
    raise OSError("the system does not tell who connects")


def confined(pid: int) -> bool:
    """Whether a process lives in other namespaces than this one, or under other filters for system calls: a sandbox,
    which our answers would reach out of. Only Linux tells; what cannot be looked at there is."""
    if not pid or not os.path.exists("/proc/self/ns"):
        return False
    try:
        return _bounds(str(pid)) != _own()
    except OSError:
        return True


@cache
def _own() -> tuple[object, ...]:
    return _bounds("self")


def _bounds(process: str) -> tuple[object, ...]:
    spaces = tuple(os.readlink(f"/proc/{process}/ns/{space}") for space in _SPACES)
    with open(f"/proc/{process}/status", "rb") as file:
        _, _, rest = file.read().partition(_FILTER)
    return (*spaces, rest.partition(b"\n")[0])


_TABLE: Final = "/proc/net/tcp"
_UID: Final = 7  # its column


def stranger(connection: socket.socket) -> bool:
    """Whether another user of this machine is at the other end of a TCP connection. Only Linux tells."""
    try:
        ends = tuple(map(_hexadecimal, (connection.getpeername(), connection.getsockname())))
        with open(_TABLE, encoding="ascii") as file:
            rows = [line.split() for line in file]
    except OSError:
        return False
    return any(tuple(row[1:3]) == ends and row[_UID] != str(os.geteuid()) for row in rows)


def _hexadecimal(end: tuple[str, int]) -> str:
    """An address and a port as that table has them: the address as the machine holds it."""
    (number,) = struct.unpack("=I", socket.inet_aton(end[0]))
    return f"{number:08X}:{end[1]:04X}"
