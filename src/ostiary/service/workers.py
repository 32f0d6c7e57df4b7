"""Processes that do the work of calls, one at a time each, so that whatever a call does to one reaches no other call.

They are forked from the service, which has imported everything and has no threads. A worker is lent the client's
connection and answers there itself, as long as that is one short write; the service keeps the connection, too, and
says what failed where the worker does not. One that takes too long or dies is ended with all that it started, and its
call is not tried again.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final

from ostiary.records import NamedTuple
from ostiary.service.protocol import READ, Feed, Frame, Malformed, Request, cold, failed, framing
from ostiary.service.working import Limits, Note, Work, run

__all__ = ["Limits", "Pool", "Work"]

_CHUNK: Final = 1 << 16
_LOOK: Final = 0.1  # seconds between two looks at how long a call may take
_SOON: Final = 0.005  # seconds for which a worker that is nearly free is better than a new one
_EARLY: Final = "a process of Ostiary ended early"

Future = asyncio.Future[Frame]


class _Job(NamedTuple):
    """A call: its request, the descriptor of the client's connection if a worker may answer there, and who is told the
    last frame."""

    request: Request
    client: int | None
    frame: Future


class _Worker:
    """A process, and the way to it; `job` is what it works on."""

    def __init__(self, pid: int, channel: socket.socket, about: Note) -> None:
        self.pid = pid
        self.channel = channel
        self.about = about
        self.feed = Feed(framing)
        self.job: _Job | None = None
        self.timer: asyncio.TimerHandle | None = None
        self.began = self.since = 0.0
        self.calls = 0


class Pool:
    """The workers. For one event loop."""

    def __init__(
        self,
        work: Work,
        limits: Limits,
        read: Callable[[str], None],
        said: Callable[[str, str], None] = lambda _agent, _verdict: None,
    ) -> None:
        """`read` is told what workers read (`sources.reading`), `said` which agents were told what."""
        self.killed = 0
        self._work = work
        self._read = read
        self._said = said
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._idle: list[_Worker] = []
        self._all: dict[int, _Worker] = {}
        self._waiting: deque[_Job] = deque()
        self._ended: list[int] = []
        gc.collect()
        gc.freeze()  # else collections in the workers would copy what they share

    @property
    def pids(self) -> list[int]:
        """The processes."""
        return list(self._all)

    @property
    def busy(self) -> int:
        """How many of them work on a call."""
        return len(self._all) - len(self._idle)

    def warm(self) -> None:
        """Makes a worker before one is asked for."""
        if not self._all:
            self._idle.append(self._made())

    def answer(self, request: Request, client: int | None = None) -> Future:
        """The last frame for a request, from a worker that is free, or soon will be; `SENT` where the worker sent it to
        the client. Cancelling it ends the worker. It comes to OSError where none can be made."""
        job = _Job(request, client, self._loop.create_future())
        if self._idle or not self._all:
            self._give(job)
        else:
            self._waiting.append(job)
            self._loop.call_later(_SOON, self._next, True)
            self._loop.call_later(self._limits.wait, self._late, job)
        return job.frame

    def _late(self, job: _Job) -> None:
        """A call has waited for long enough."""
        with suppress(ValueError):  # it does not wait any more
            self._waiting.remove(job)
            if not job.frame.done():
                job.frame.set_result(cold("every worker is at work"))

    def _give(self, job: _Job) -> None:
        """Has a call worked on."""
        try:
            worker = self._idle.pop() if self._idle else self._made()
        except OSError as error:
            job.frame.set_exception(error)
            return
        worker.job, worker.began, worker.calls = job, self._loop.time(), worker.calls + 1
        worker.about.forget()
        worker.timer = self._loop.call_later(_LOOK, self._look, worker)
        job.frame.add_done_callback(partial(self._cancelled, worker))
        self._send(worker, job)

    def _send(self, worker: _Worker, job: _Job) -> None:
        """Sends a request, with the connection beside its first bytes. What the channel does not take at once goes as
        the worker reads."""
        data = job.request.pack()
        try:
            lent = [] if job.client is None else [job.client]
            sent = socket.send_fds(worker.channel, [data], lent)
        except BlockingIOError:
            sent = 0
        except OSError:
            self._failed(worker, _EARLY)
            return
        if sent < len(data):
            self._rest(worker, memoryview(data)[sent:])

    def _rest(self, worker: _Worker, data: memoryview) -> None:
        def go() -> None:
            nonlocal data
            try:
                data = data[worker.channel.send(data) :]
            except BlockingIOError:
                return
            except OSError:
                data = data[:0]  # that it ended is seen where it is read
            if not data:
                self._loop.remove_writer(worker.channel)

        self._loop.add_writer(worker.channel, go)

    def _readable(self, worker: _Worker) -> None:
        """Takes what a worker says."""
        try:
            data = worker.channel.recv(_CHUNK)
            frames = worker.feed.put(data)
        except BlockingIOError:
            return
        except (OSError, Malformed):
            data, frames = b"", []
        for frame in frames:
            if frame.kind == READ:
                self._read(frame.body.decode())
            else:
                self._done(worker, frame)
        if not data:
            self._failed(worker, _EARLY)

    def _done(self, worker: _Worker, frame: Frame) -> None:
        """A worker came to the end of a call."""
        job, told = self._free(worker), worker.about.read()
        if told and told.said:
            self._said(told.agent, told.said)
        if worker.calls >= self._limits.calls:
            self._end(worker)
        else:
            worker.since = time.monotonic()
            self._idle.append(worker)
        if job and not job.frame.done():
            job.frame.set_result(frame)
        self._next()

    def _look(self, worker: _Worker) -> None:
        """Ends a worker that takes too long: longer than calls may until one tells how long it may, and then than
        that."""
        told = worker.about.read()
        seconds = min(told.seconds, self._limits.most) if told else self._limits.start
        left = worker.began + seconds - self._loop.time()
        if left <= 0:
            self._failed(worker, f"Ostiary took longer than {seconds:g} seconds")
        else:
            worker.timer = self._loop.call_later(left if told else min(left, _LOOK), self._look, worker)

    def _failed(self, worker: _Worker, why: str) -> None:
        """A worker did not come to the end of a call."""
        job, told = self._free(worker), worker.about.read()
        self.killed += 1
        self._end(worker)
        if job and not job.frame.done():
            about = (f"--of={told.agent}:{told.event}",) if told else ()
            job.frame.set_result(failed(f"--failed={why}", *about))
        self._next()

    def _cancelled(self, worker: _Worker, frame: Future) -> None:
        """Ends a worker whose call nobody waits for any more."""
        if frame.cancelled() and worker.job and worker.job.frame is frame:
            self._failed(worker, "")

    def _free(self, worker: _Worker) -> _Job | None:
        """What a worker worked on, which it does no more."""
        job, worker.job = worker.job, None
        if worker.timer:
            worker.timer.cancel()
        return job

    def _next(self, more: bool = False) -> None:
        """Gives free workers the calls that wait, or `more` of them, as far as there may be."""
        while self._waiting and (self._idle or not self._all or (more and len(self._all) < self._limits.workers)):
            job = self._waiting.popleft()
            if not job.frame.done():
                self._give(job)

    def _made(self) -> _Worker:
        ours, theirs = socket.socketpair()
        about = Note()
        pid = os.fork()
        if pid == 0:
            run(theirs, about, self._work, self._limits)
        theirs.close()
        with suppress(OSError):  # it may have done so itself
            os.setpgid(pid, pid)
        ours.setblocking(False)
        worker = self._all[pid] = _Worker(pid, ours, about)
        self._loop.add_reader(ours, self._readable, worker)
        return worker

    def rest(self) -> None:
        """Ends workers that have had nothing to do for long, all but one, and forgets those that are gone."""
        until = time.monotonic() - self._limits.idle
        while len(self._idle) > 1 and self._idle[0].since < until:
            self._end(self._idle[0])
        self._ended = [pid for pid in self._ended if not gone(pid)]

    def close(self) -> None:
        """Ends all of them."""
        for worker in tuple(self._all.values()):
            self._end(worker)

    def _end(self, worker: _Worker) -> None:
        """Ends a worker and its process group. That may take time, where it waits for a disk, and is not waited for."""
        del self._all[worker.pid]
        if worker in self._idle:
            self._idle.remove(worker)
        with suppress(OSError):
            os.killpg(worker.pid, signal.SIGKILL)
        self._loop.remove_reader(worker.channel)
        self._loop.remove_writer(worker.channel)
        worker.channel.close()
        worker.about.close()
        self._ended.append(worker.pid)


def gone(pid: int) -> bool:
    """Whether a child has ended."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except OSError:
        return True
