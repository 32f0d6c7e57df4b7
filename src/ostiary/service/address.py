"""Where the service of a user and a folder of policy listens, and the lock that makes it the only one there."""

from __future__ import annotations

import os
import stat
import sys
from typing import Final

from ostiary.digests import sha256
from ostiary.sources.files import Unreadable
from ostiary.sources.places import Places
from ostiary.sources.private import make_private

if sys.platform != "win32":
    import fcntl

_LONGEST: Final = 103
"""Bytes of a socket's path on the system that allows least, macOS (`sys/un.h`)."""

_LOCK: Final = ".lock"
_PRIVATE: Final = 0o077


class NoAddress(Exception):
    """There can be no service here. The text says why."""


def address(places: Places, config_dir: str | None) -> str:
    """The path of the socket. It belongs to one folder of policy, one installation and one interpreter. Raises
    `NoAddress`."""
    if sys.platform == "win32":
        raise NoAddress("there is no service on Windows")
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    environment = (os.geteuid(), config_dir or "", package, sys.executable)
    name = sha256("\0".join(map(str, environment)).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    path = os.path.join(_folder(places), name)
    if len(os.fsencode(path)) > _LONGEST:
        raise NoAddress(f"the path of its socket would be too long: {path}")
    return path


def _folder(places: Places) -> str:
    """The runtime folder: the system's for this user, else one in the state folder."""
    system = f"/run/user/{os.geteuid()}"
    return os.path.join(system, "ostiary") if _ours(system) else os.path.join(places.state, "run")


def _ours(folder: str) -> bool:
    """Whether a path is a folder, no link to one, that belongs to this user and nobody else may look into."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & _PRIVATE


def make_folder(path: str) -> None:
    """Makes the folder of a socket if there is none. Raises `NoAddress` where others may look into it."""
    folder = os.path.dirname(path)
    try:
        make_private(folder)
    except (OSError, Unreadable) as error:
        raise NoAddress(f"{folder}: {error}") from None
    if not _ours(folder):
        raise NoAddress(f"{folder} is not for this user alone")


def lock(path: str) -> int | None:
    """The lock of an address, as a descriptor that holds it; None where another process does. It ends with the process,
    however that ends. Raises OSError."""
    if sys.platform == "win32":
        raise OSError
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path + _LOCK, flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    os.utime(descriptor)
    return descriptor
