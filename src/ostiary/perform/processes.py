"""Runs of programs that are not trusted to end, to read what they are sent, or to stop talking.

Whatever a program does, the answer is there when its time is over: it may hang, fork, flood, close its input early or
never read it, die by a signal, or leave children behind that hold its output. On POSIX systems it leads a session of
its own, whose process group is ended with it; what leaves the group lives on, but holds nothing up. On Windows a job
object holds all of its descendants.

A run uses no thread on POSIX systems and no signal handler, so that it works in any thread of any process.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

from ostiary.perform.program import Ended, Program

if sys.platform == "win32":
    from ostiary.perform import windows as system
else:
    from ostiary.perform import posix as system


def run(program: Program) -> Ended:
    """Runs a program to its end, its deadline, or until the answer is not wanted any more. Nothing of it is left when
    this returns: no process of its group, no open file. Raises OSError where
    this process can open no more files."""
    try:
        with bound(lifted=program.unbound):
            process = subprocess.Popen(  # noqa: S603 that is what it is for
                program.command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=program.cwd,
                env=dict(program.env),
                start_new_session=True,
                creationflags=system.FLAGS,
            )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return Ended(failure=_unstarted(program, error))
    return system.followed(process, program)


@contextmanager
def bound(*, lifted: bool) -> Iterator[None]:
    """The time in which a program is started. `lifted`: without the bound on the memory that a hook sets itself, as far
    as this process may: the program would inherit it, and some reserve more than they ever use."""
    if not lifted:
        yield
        return
    with _STARTING, system.unbound():
        yield


_STARTING: Final = Lock()


def _unstarted(program: Program, error: Exception) -> str:
    """Why it could not be started. The system says for a missing folder what it says for a missing program."""
    if isinstance(error, OSError):
        name = error.filename if isinstance(error.filename, str) else _name(program)
        return f"`{name}` cannot be started: {error.strerror or type(error).__name__}"
    return f"`{_name(program)}` cannot be started: {error}"


def _name(program: Program) -> str:
    return program.command if isinstance(program.command, str) else program.command[0]
