"""The work of an answer in a child, so that this process has nothing to do but keep the time."""

from __future__ import annotations

import fcntl
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NoReturn

from ostiary.commands.shared.keeper import Job, Limits, Said, Tell, Told, failed, late, write
from ostiary.records import NamedTuple

assert sys.platform != "win32"  # which has no children of this kind; `watching` takes its place there

_CHUNK: Final = 1 << 16


class NoChild(Exception):
    """There can be no child."""


class Kept(NamedTuple):
    """What came of the work: an answer, or None and the problem; and the last thing it told."""

    said: Said | None
    told: Told | None = None
    problem: str = ""


def answer(job: Job, limits: Limits) -> Said:
    """The answer, or what is said instead. Raises `NoChild` where there can be none for the work."""
    kept = ask(job.work, limits)
    if kept.said is not None:
        return kept.said
    try:
        instead = ask(lambda _tell: job.failing(kept.told, kept.problem), limits._replace(start=limits.failing)).said
    except NoChild:
        instead = None
    return instead or job.last(kept.problem)


def ask(work: Callable[[Tell], Said], limits: Limits) -> Kept:
    """What a child makes of the work. It is gone, or about to go, when this returns. Raises `NoChild`."""
    began = time.monotonic()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # who started this one may have left children unwaited for
    try:
        answers, to_parent = os.pipe()
        to_child, lifeline = os.pipe()  # ends when this process does
        child = os.fork()
    except OSError as error:  # no more processes or files for this user
        raise NoChild from error
    if child == 0:
        os.close(answers)
        os.close(lifeline)
        _child(work, to_parent, to_child, limits)
    os.close(to_parent)
    os.close(to_child)
    kept = Kept(None)
    try:
        kept = _waited(answers, began, limits)
    finally:
        if kept.said is None:
            os.kill(child, signal.SIGKILL)
    if kept.said is None and not kept.problem:
        kept = kept._replace(problem=_death(os.waitpid(child, 0)[1]))
    os.close(answers)
    os.close(lifeline)
    return kept


def _death(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return f"Ostiary was ended by signal {-code}" if code < 0 else f"Ostiary ended early with exit code {code}"


def _waited(answers: int, began: float, limits: Limits) -> Kept:
    """What comes from the child until it has answered, ends, or is late."""
    told: Told | None = None
    parts: dict[bytes, str] = {}
    data, seconds = b"", limits.start
    ready = select.poll()
    ready.register(answers, select.POLLIN)
    while (left := began + seconds - time.monotonic()) > 0:
        if not ready.poll(left * 1000):
            continue
        chunk = os.read(answers, _CHUNK)
        if not chunk:
            return Kept(None, told)
        records, data = _records(data + chunk)
        for kind, text in records:
            if kind == b"t":
                agent, event, allowed = text.split("\0")
                told = Told(agent, event or None, min(float(allowed), limits.most))
                seconds = told.seconds
            parts[kind] = text
        if b"f" in parts:
            return Kept(None, told, parts[b"f"])
        if b"s" in parts:
            return Kept(Said(parts[b"o"], parts[b"e"], int(parts[b"s"])), told)
    return Kept(None, told, late(seconds))


def _record(kind: bytes, text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    return kind + len(data).to_bytes(4, "big") + data


def _records(data: bytes) -> tuple[list[tuple[bytes, str]], bytes]:
    """The whole records at the beginning, and the rest."""
    found: list[tuple[bytes, str]] = []
    while len(data) >= 5 and len(data) >= (end := 5 + int.from_bytes(data[1:5], "big")):
        found.append((data[:1], data[5:end].decode("utf-8", "surrogatepass")))
        data = data[end:]
    return found, data


def _child(work: Callable[[Tell], Said], to_parent: int, to_child: int, limits: Limits) -> NoReturn:
    """Does the work and ends, without writing anything anywhere else."""

    def tell(told: Told) -> None:
        _alarm(min(told.seconds, limits.most))
        write(to_parent, _record(b"t", f"{told.agent}\0{told.event or ''}\0{told.seconds}"))

    try:
        _bound(to_child, limits)
        said = work(tell)
        data = _record(b"o", said.stdout) + _record(b"e", said.stderr) + _record(b"s", str(said.status))
    except BaseException as error:
        data = _record(b"f", failed(error))
    try:
        write(to_parent, data)
    finally:
        os._exit(0)


def _bound(to_child: int, limits: Limits) -> None:
    """Keeps the child from speaking for itself, from outliving its parent, from taking all memory, and from leaving
    what it was sent on the disk when it crashes."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)  # else whoever reads the answer would wait for a child that hangs
    os.dup2(null, 2)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())  # it is inherited, too
    _alarm(limits.start)
    if sys.platform == "linux":
        # The end of the pipe raises SIGIO, which ends a process that does not handle it.
        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(to_child, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(to_child, fcntl.F_SETFL, os.O_NONBLOCK | os.O_ASYNC)
    _at_most(resource.RLIMIT_AS, limits.memory)
    _at_most(resource.RLIMIT_CORE, 0)


def _at_most(kind: int, most: int) -> None:
    with suppress(OSError, ValueError):  # some systems have the number and not the limit
        soft, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (most if soft == resource.RLIM_INFINITY else min(soft, most), hard))


def _alarm(seconds: float) -> None:
    """Ends the child some time after its parent gave it up, should that be gone."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds + 1)
