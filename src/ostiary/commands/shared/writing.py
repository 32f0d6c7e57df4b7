"""Writing files of the person's: whole, or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress

from ostiary.commands.shared.exits import Exit, Refused
from ostiary.sources.files import inside


def insist_inside(path: str, root: str) -> None:
    """Raises `Refused` if a path of a project leads out of it: a repository may have made links of its files."""
    if not inside(os.path.realpath(path), os.path.realpath(root)):
        raise Refused(f"`{path}` is a link that leads out of `{root}`")


def write(path: str, text: str, *, private: bool = False, executable: bool = False) -> None:
    """Replaces a file as a whole, making its folders; a link is followed to the file behind it. An existing file keeps
    its mode; one that nobody may write is left alone. `private`: new folders and files are for this user alone.
    `executable`: whoever may read the file may also run it. Raises `Refused`."""
    path = os.path.realpath(path)
    try:
        _make(os.path.dirname(path), 0o700 if private else 0o777)
        mode = _mode(path, 0o600 if private else 0o644)
        if not mode & 0o222:
            raise Refused(f"`{path}` is read-only")
        _replace(path, text.encode("utf-8"), mode, executable)
    except OSError as error:
        raise Refused(f"`{path}` cannot be written: {error.strerror}", Exit.FINDINGS) from None


def remove(path: str) -> None:
    """Takes a file away; of a link, the link. Raises `Refused`."""
    try:
        os.unlink(path)
    except OSError as error:
        raise Refused(f"`{path}` cannot be removed: {error.strerror}", Exit.FINDINGS) from None


def _make(folder: str, mode: int) -> None:
    # `os.makedirs` gives its mode to the last folder only.
    if not os.path.isdir(folder):
        _make(os.path.dirname(folder), mode)
        os.mkdir(folder, mode)


def _replace(path: str, data: bytes, mode: int, executable: bool) -> None:
    descriptor, fresh = tempfile.mkstemp(prefix=".ostiary-", dir=os.path.dirname(path))
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(fresh, mode | (mode & 0o444) >> 2 if executable else mode)
        os.replace(fresh, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(fresh)
        raise


def _mode(path: str, otherwise: int) -> int:
    try:
        return os.stat(path).st_mode & 0o777
    except FileNotFoundError:
        return otherwise
