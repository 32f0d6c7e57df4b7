"""One answer in time, whatever becomes of the work that leads to it (law L7).

Every agent goes on when a hook is late, and most do when it dies. So the work is done by a child that was forked before
anything large was imported, and this process does nothing but wait: it passes on the child's finished answer, and where
none comes it stops the child and has another one write what is said then. A child can hold the interpreter's lock, eat
memory, wait for a disk or crash; none of that reaches the process that keeps the time.

Windows has no fork, and a second interpreter would double what a hook costs (nearly all of it is starting Python and
importing). There threads of the same process watch, and behind them one that needs no lock of the interpreter: it ends
the process with exit code 1, which says nothing; so does a crash there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NoReturn

from ostiary.records import NamedTuple

_BLOCKED: Final = 2
_MEMORY: Final = 2 << 30


class Said(NamedTuple):
    """What goes to standard output and standard error, and the exit code."""

    stdout: str
    stderr: str
    status: int


class Told(NamedTuple):
    """What is known before the answer: the agent and event that it is for, and the seconds it may take in all."""

    agent: str
    event: str | None
    seconds: float


class Limits(NamedTuple):
    """Seconds. `start`: until the work tells how long it may take; `most`: what it may take then at most; `failing`:
    for writing the answer that is given instead. `memory`: bytes of address space, where the system keeps count. They
    are arguments for tests alone: nothing that an agent says or that stands in the environment changes them."""

    start: float = 10.0
    most: float = 3600.0
    failing: float = 3.0
    memory: int = _MEMORY


Tell = Callable[[Told], None]


class Job(NamedTuple):
    """What to do. `work` makes the answer, `failing` the one that is given where `work` came to nothing: for what was
    told, because of a problem. Both may raise anything. `last` is said where that fails too. `then` is done once the
    answer is written, by this process, which then ends; what it raises is nobody's."""

    work: Callable[[Tell], Said]
    failing: Callable[[Told | None, str], Said]
    last: Callable[[str], Said]
    then: Callable[[], None] = lambda: None


LIMITS: Final = Limits()


def keep(job: Job, limits: Limits = LIMITS, *, forks: bool = hasattr(os, "fork")) -> NoReturn:
    """Gives one answer and ends the process."""
    try:
        said = _forked(job, limits) if forks else _watched(job, limits)
    except BaseException as error:  # an interrupt too: agents go on when a hook dies
        said = job.last(failed(error))
    say(said, job.then)


def _forked(job: Job, limits: Limits) -> Said:
    if sys.platform != "win32":
        from ostiary.commands.shared.children import NoChild, answer  # late: one of the two ways is enough

        with suppress(NoChild):
            return answer(job, limits)
    return _watched(job, limits)


def _watched(job: Job, limits: Limits) -> Said:
    from ostiary.commands.shared.watching import answer  # late: one of the two ways is enough

    return answer(job, limits)


def failed(error: BaseException) -> str:
    """The problem where something was raised; its text may hold words of others."""
    return f"Ostiary failed: {type(error).__name__}"


def late(seconds: float) -> str:
    """The problem where the time is over."""
    return f"Ostiary took longer than {seconds:g} seconds"


def say(said: Said, then: Callable[[], None] | None = None) -> NoReturn:
    """Writes the answer, does what is to be done then, and ends the process, without the clean-up that could still fail
    or take time. An answer that cannot be written closes the gate by the exit code."""
    status = said.status
    for descriptor, text in ((1, said.stdout), (2, said.stderr)):
        try:
            write(descriptor, text.encode("utf-8", "backslashreplace"))
        except OSError:
            status = status or (_BLOCKED if descriptor == 1 else 0)
    with suppress(BaseException):
        if then:
            then()
    os._exit(status)


def write(descriptor: int, data: bytes) -> None:
    """Writes all of it. Raises OSError."""
    if data and sys.platform != "win32":
        with suppress(OSError):  # a pipe may have been left non-blocking by whoever made it
            os.set_blocking(descriptor, True)
    while data:
        data = data[os.write(descriptor, data) :]
