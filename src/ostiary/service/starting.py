"""Starts the service from a hook that has answered, as a process of its own. Imports next to nothing: the process that
does this keeps the time of an answer."""

from __future__ import annotations

import os
import sys
import time
from typing import Final, NoReturn

CLEAN: Final = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
"""The environment of a service: nothing of whoever happened to start it."""

# Where the package lies goes behind the standard library and before everything else that is installed.
_BOOT: Final = "import sys; sys.path.insert(3, sys.argv.pop(1)); from ostiary.__main__ import main; main()"

_AGAIN: Final = 10.0
"""Seconds between two attempts: a service that cannot be must not cost every call a process."""


def command(config_dir: str | None, address: str | None = None) -> list[str]:
    """What runs the service of a folder of policy, in a clean environment."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    named = ["--config-dir", config_dir] if config_dir else []
    there = ["--socket", address] if address else []
    return [sys.executable, "-I", "-c", _BOOT, package, "serve", "--clean", *named, *there]


def start(address: str, config_dir: str | None) -> None:
    """Starts the service that listens at an address, if none runs. Does not wait for it. Raises OSError."""
    if sys.platform == "win32" or os.fork():
        return
    try:
        _leave()
        if not _taken(f"{address}.lock"):
            os.execve(sys.executable, command(config_dir, address), CLEAN)  # noqa: S606 our own program, by its full name
    finally:
        os._exit(1)


def _leave() -> None:
    """Becomes a process that whoever started this one neither waits for nor ends."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(null, descriptor)
    os.closerange(3, _descriptors())
    os.setsid()
    if os.fork():
        _end()
    os.chdir("/")
    os.umask(0o077)


def _end() -> NoReturn:
    os._exit(0)


def _descriptors() -> int:
    import resource  # only here: not on every system

    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def _taken(lock: str) -> bool:
    """Whether a service runs, or was started only just now. If not, one is from now on."""
    import fcntl  # only here: not on every system

    try:
        fresh = not os.path.lexists(lock)
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        if not fresh and abs(time.time() - os.fstat(descriptor).st_mtime) < _AGAIN:
            return True
        os.utime(descriptor)
    except FileNotFoundError:  # there is no such folder yet
        return False
    except OSError:  # it is somebody else's
        return True
    return False
