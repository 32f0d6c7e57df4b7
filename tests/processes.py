"""Running `ostiary` as its own process, the way agents do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import ostiary

SOURCE = str(Path(ostiary.__file__).parent.parent)

_CODE = f"import sys; sys.path.insert(0, {SOURCE!r}); from ostiary.__main__ import main; main()"

PROGRAM = (sys.executable, "-I", "-c", _CODE)
"""`python -I -m ostiary`, also for a package that is not installed."""


def ostiary_run(*arguments: str, flags: tuple[str, ...] = (), **more: Any) -> subprocess.CompletedProcess[bytes]:
    """One run of the program; `more` goes to `subprocess.run`."""
    command = [PROGRAM[0], *flags, *PROGRAM[1:], *arguments]
    return subprocess.run(command, capture_output=True, timeout=60, check=False, **more)


def children() -> set[int]:
    """The processes that this one has started and not waited for; nothing where the system does not tell."""
    found: set[int] = set()
    for task in Path("/proc/self/task").glob("*/children"):
        found.update(map(int, task.read_text().split()))
    return found


def hook(payload: Any, *arguments: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
    """One run of `ostiary hook` with a payload: bytes as they are, anything else as JSON."""
    raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return ostiary_run("hook", *arguments, input=raw, **more)
