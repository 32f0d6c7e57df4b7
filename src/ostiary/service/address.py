"""Where the service of a user and a folder of policy listens, and the lock that makes it the only one there."""

from __future__ import annotations

import os
import sys
from typing import Final

from ostiary.digests import sha256
from ostiary.sources.files import Unreadable
from ostiary.sources.places import Places
from ostiary.sources.private import make_private
from ostiary.sources.runtime import is_private, runtime_folders

if sys.platform != "win32":
    import fcntl

_LONGEST: Final = 103
"""Bytes of a socket's path on the system that allows least, macOS (`sys/un.h`)."""

_LOCK: Final = ".lock"


class NoAddress(Exception):
    """There can be no service here. The text says why."""


def address(places: Places, config_dir: str | None, wanted: str | None = None) -> str:
    """The path of the socket: `wanted`, if it is one of `addresses`, else the first of them. Raises `NoAddress`."""
    if sys.platform == "win32":
        raise NoAddress("there is no service on Windows")
    paths = addresses(places, config_dir)
    if wanted not in (None, *paths):
        raise NoAddress(f"the service does not listen at {wanted}")
    path = wanted or paths[0]
    if len(os.fsencode(path)) > _LONGEST:
        raise NoAddress(f"the path of its socket would be too long: {path}")
    return path


def addresses(places: Places, config_dir: str | None) -> tuple[str, ...]:
    """The paths where the service of a folder of policy, an installation and an interpreter may listen: one is in a
    folder that goes with the user's last session."""
    if sys.platform == "win32":
        return ()
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    environment = (os.geteuid(), config_dir or "", package, sys.executable)
    name = sha256("\0".join(map(str, environment)).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return tuple(os.path.join(folder, name) for folder in runtime_folders(places))


def make_folder(path: str) -> None:
    """Makes the folder of a socket if there is none. Raises `NoAddress` where others may look into it."""
    folder = os.path.dirname(path)
    try:
        make_private(folder)
    except (OSError, Unreadable) as error:
        raise NoAddress(f"{folder}: {error}") from None
    if not is_private(folder):
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
