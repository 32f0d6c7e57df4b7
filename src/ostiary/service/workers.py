"""Processes that do the work of calls, one at a time each, so that whatever a call does to one reaches no other call.

They are forked from the service, which has imported everything and has no threads. One that takes too long or dies is
ended with all that it started, and its call is not tried again.
"""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import signal
import socket
import sys
import time
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from ostiary.records import NamedTuple, dataclass
from ostiary.service.protocol import (
    FRAME,
    READ,
    TOLD,
    Frame,
    Malformed,
    Request,
    cold,
    failed,
    framing,
    read,
    receive,
    requesting,
    word,
)

assert sys.platform != "win32"  # where there is no service


class Tell(NamedTuple):
    """Who is told of a call: which agent's event it is and how many seconds it may take, and the generation of a policy
    that was read for it."""

    about: Callable[[str, str | None, float], None]
    read: Callable[[str], None]


Work = Callable[[Request, Tell], Frame]
"""Makes the last frame of an answer. May raise anything."""


class Limits(NamedTuple):
    """What workers may come to: how many; seconds that a call waits for one; seconds for a call until it tells how long
    it may take, and then at most; seconds after which one that has nothing to do ends; calls after which one is
    replaced; bytes of address space, where the system keeps count. They are arguments for tests alone."""

    workers: int = 8
    wait: float = 1.0
    start: float = 10.0
    most: float = 3600.0
    idle: float = 60.0
    calls: int = 20_000
    memory: int = 2 << 30


@dataclass(slots=True, eq=False)
class _Worker:
    """A process, and the way to it. `lost`: it did not come to the end of a call."""

    pid: int
    reader: StreamReader
    writer: StreamWriter
    calls: int = 0
    since: float = 0.0
    lost: bool = False


class Pool:
    """The workers. For one event loop."""

    def __init__(self, work: Work, limits: Limits, read: Callable[[str], None]) -> None:
        """`read` is told the generations of policies that workers read."""
        self._work = work
        self._read = read
        self._limits = limits
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._ended: list[int] = []
        self._room = asyncio.Semaphore(limits.workers)
        gc.collect()
        gc.freeze()  # else collections in the workers would copy what they share

    @property
    def pids(self) -> list[int]:
        """The processes."""
        return [worker.pid for worker in self._all]

    @property
    def busy(self) -> int:
        """How many of them work on a call."""
        return len(self._all) - len(self._idle)

    async def warm(self) -> None:
        """Makes a worker before one is asked for."""
        if not self._all:
            self._idle.append(await self._made())

    async def answer(self, request: Request) -> Frame:
        """The last frame for a request, from a worker that is free, or soon will be. Cancelling it ends the worker.
        Raises OSError where none can be made."""
        try:
            async with asyncio.timeout(self._limits.wait):
                await self._room.acquire()
        except TimeoutError:
            return cold("every worker is at work")
        try:
            worker = self._idle.pop() if self._idle else await self._made()
            frame: Frame | None = None
            try:
                frame = await self._asked(worker, request)
            finally:
                if frame is None or worker.lost or worker.calls >= self._limits.calls:
                    self._end(worker)
                else:
                    worker.since = time.monotonic()
                    self._idle.append(worker)
            return frame
        finally:
            self._room.release()

    async def _asked(self, worker: _Worker, request: Request) -> Frame:
        """What a worker makes of a request, or what failed."""
        began, seconds, worker.lost = asyncio.get_running_loop().time(), self._limits.start, True
        about: tuple[str, ...] = ()
        worker.calls += 1
        try:
            worker.writer.write(request.pack())
            while True:
                async with asyncio.timeout_at(began + seconds):
                    frame = await receive(framing(), worker.reader)
                text = frame.body.decode("utf-8", "surrogateescape") if frame.kind in (TOLD, READ) else ""
                if frame.kind == TOLD:
                    agent, event, allowed = text.split("\0")
                    seconds, about = min(float(allowed), self._limits.most), (f"--of={agent}:{event}",)
                elif frame.kind == READ:
                    self._read(text)
                else:
                    worker.lost = False
                    return frame
        except TimeoutError:
            return failed(f"--failed=Ostiary took longer than {seconds:g} seconds", *about)
        except (EOFError, OSError, Malformed):
            return failed("--failed=a process of Ostiary ended early", *about)

    async def _made(self) -> _Worker:
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            _run(theirs, self._work, self._limits)
        theirs.close()
        with suppress(OSError):  # it may have done so itself
            os.setpgid(pid, pid)
        reader, writer = await asyncio.open_unix_connection(sock=ours)
        worker = _Worker(pid, reader, writer)
        self._all.add(worker)
        return worker

    def rest(self) -> None:
        """Ends workers that have had nothing to do for long, all but one, and forgets those that are gone."""
        until = time.monotonic() - self._limits.idle
        while len(self._idle) > 1 and self._idle[0].since < until:
            self._end(self._idle.pop(0))
        self._ended = [pid for pid in self._ended if not _gone(pid)]

    def close(self) -> None:
        """Ends all of them."""
        for worker in tuple(self._all):
            self._end(worker)

    def _end(self, worker: _Worker) -> None:
        """Ends a worker and its process group. That may take time, where it waits for a disk, and is not waited for."""
        self._all.discard(worker)
        with suppress(OSError):
            os.killpg(worker.pid, signal.SIGKILL)
        worker.writer.close()
        self._ended.append(worker.pid)


def _gone(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except OSError:
        return True


def _run(service: socket.socket, work: Work, limits: Limits) -> NoReturn:
    """The life of a worker."""
    status = 1
    try:
        _alone(service.fileno(), limits)
        with service, service.makefile("rb") as file:
            while True:
                request = read(requesting(), file)
                _alarm(limits.start)
                service.sendall(_worked(request, work, service, limits).pack())
                _alarm(0)
    except EOFError:
        status = 0
    finally:
        os._exit(status)


def _worked(request: Request, work: Work, service: socket.socket, limits: Limits) -> Frame:
    def about(agent: str, event: str | None, seconds: float) -> None:
        _alarm(min(seconds, limits.most))
        service.sendall(word(TOLD, agent, event or "", seconds).pack())

    def read(generation: str) -> None:
        service.sendall(word(READ, generation).pack())

    try:
        frame = work(request, Tell(about, read))
        return frame if len(frame.body) <= FRAME else cold("the answer is too long")
    except BaseException as error:
        return failed(f"--failed=Ostiary failed: {type(error).__name__}")


def _alone(descriptor: int, limits: Limits) -> None:
    """Leaves what belongs to the service to it, and keeps the worker from taking all memory, and from leaving what it
    was sent on the disk when it crashes."""
    signal.set_wakeup_fd(-1)
    for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(one, signal.SIG_DFL)
    os.setpgid(0, 0)
    os.closerange(3, descriptor)
    os.closerange(descriptor + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    for kind, most in ((resource.RLIMIT_AS, limits.memory), (resource.RLIMIT_CORE, 0)):
        with suppress(OSError, ValueError):  # some systems have the number and not the limit
            hard = resource.getrlimit(kind)[1]
            resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _alarm(seconds: float) -> None:
    """Ends the worker some time after the service gave it up, should that be gone; 0 for never."""
    signal.setitimer(signal.ITIMER_REAL, seconds + 1 if seconds else 0)
