"""What tells files from others at their places, without reading them."""

from __future__ import annotations

import os
import sys

Stamp = tuple[str, int, int]


def code() -> tuple[Stamp, ...]:
    """What tells the program that runs from what is installed now."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    files = [os.path.join(folder, name) for folder, _, names in os.walk(package) for name in names]
    return tuple(map(stamp, (sys.executable, *sorted(file for file in files if file.endswith(".py")))))


def stamp(path: str) -> Stamp:
    """What tells the file at a path from another one."""
    try:
        status = os.stat(path)
    except OSError:
        return path, 0, 0
    return path, status.st_ino, status.st_mtime_ns
