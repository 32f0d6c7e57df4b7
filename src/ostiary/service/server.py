"""The process that listens: it passes calls on to workers and answers back, and does nothing itself that could take
long or fail (law L7)."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
import time
from asyncio import StreamReader, StreamWriter
from collections import Counter, deque
from contextlib import suppress
from typing import Any, Final

from ostiary import __version__
from ostiary.records import NamedTuple
from ostiary.service.peers import confined, peer
from ostiary.service.protocol import (
    ALIVE,
    ANSWER,
    COLD,
    FAILED,
    Frame,
    Malformed,
    Request,
    answer,
    cold,
    receive,
    requesting,
)
from ostiary.service.workers import Limits, Pool, Work

_NAMES: Final = {ANSWER: "answered", COLD: "left", FAILED: "failed"}
_TIMES: Final = 4096
_POLICIES: Final = 16
_BACKLOG: Final = 128
_BUFFER: Final = 1 << 20


class Times(NamedTuple):
    """Seconds: for a request to come in whole, between two signs of life, between two looks around, without a call
    until the service ends, and for calls that are under way then. They are arguments for tests alone."""

    receive: float = 10.0
    alive: float = 1.0
    look: float = 5.0
    idle: float = 1800.0
    end: float = 5.0


class Bounds(NamedTuple):
    """Everything that is bounded; `connections` at a time, further ones are closed."""

    times: Times = Times()
    workers: Limits = Limits()
    connections: int = 256


BOUNDS: Final = Bounds()


class Server:
    """One service at one address, whose lock this process holds."""

    def __init__(self, address: str, work: Work, bounds: Bounds = BOUNDS) -> None:
        self._address = address
        self._work = work
        self._bounds = bounds
        self._code = _code()
        self._inode: int | None = None
        self._began = self._last = time.monotonic()
        self._connections: set[asyncio.Task[None]] = set()
        self._counts: Counter[str] = Counter()
        self._took: deque[float] = deque(maxlen=_TIMES)
        self._policies: dict[str, float] = {}

    def run(self) -> None:
        """Answers until it is told to end, nobody asks any more, or what it was started from is gone. Raises OSError
        where it cannot listen."""
        listening = _listen(self._address)
        self._inode = _inode(self._address)
        try:
            asyncio.run(self._run(listening))
        finally:
            if _inode(self._address) == self._inode:
                os.unlink(self._address)

    async def _run(self, listening: socket.socket) -> None:
        self._ending = asyncio.Event()
        self._pool = Pool(self._work, self._bounds.workers, self._note)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self._ending.set)
        await self._pool.warm()
        server = await asyncio.start_unix_server(self._connected, sock=listening, backlog=_BACKLOG, limit=_BUFFER)
        try:
            while not self._ending.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._ending.wait(), self._bounds.times.look)
                self._look()
        finally:
            server.close()
            if self._connections:
                await asyncio.wait(self._connections, timeout=self._bounds.times.end)
            self._pool.close()

    async def _connected(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._connections.add(task)
        try:
            if len(self._connections) <= self._bounds.connections:
                await self._converse(reader, writer)
        except (OSError, EOFError, Malformed):  # a client that went away, or is none
            self._counts["refused"] += 1
        finally:
            self._connections.discard(task)
            writer.close()

    async def _converse(self, reader: StreamReader, writer: StreamWriter) -> None:
        """One request and its answer."""
        who = peer(writer.get_extra_info("socket"))
        if who.uid != os.geteuid():
            raise Malformed("another user")
        async with asyncio.timeout(self._bounds.times.receive):
            request = await receive(requesting(), reader)
        began = self._last = time.monotonic()
        frame = await self._answer(request, who.pid, writer)
        writer.write(frame.pack())
        async with asyncio.timeout(self._bounds.times.receive):
            await writer.drain()
        if request.agent:
            self._counts[_NAMES[frame.kind]] += 1
            self._took.append(time.monotonic() - began)

    async def _answer(self, request: Request, pid: int, writer: StreamWriter) -> Frame:
        if not request.agent:
            return self._word(request.event)
        if request.version != __version__:
            self._ending.set()
            return cold("another version of Ostiary runs the service")
        if confined(pid):
            return cold("the client lives in a sandbox that the service does not live in")
        work = asyncio.ensure_future(self._pool.answer(request))
        try:
            while not (await asyncio.wait({work}, timeout=self._bounds.times.alive))[0]:
                writer.write(Frame(ALIVE, b"").pack())
                if writer.transport.is_closing():
                    raise ConnectionError
            return work.result()
        except BlockingIOError:  # there can be no more processes
            return cold("there can be no worker")
        finally:
            work.cancel()

    def _note(self, generation: str) -> None:
        """Notes when a policy was first read."""
        if generation not in self._policies:
            while len(self._policies) >= _POLICIES:
                del self._policies[next(iter(self._policies))]
            self._policies[generation] = time.time()

    def _word(self, word: str) -> Frame:
        """What the service says of itself, or does."""
        if word == "stop":
            self._ending.set()
        elif word != "status":
            raise Malformed("an unknown word")
        return answer(0, json.dumps(self._status()), "")

    def _status(self) -> dict[str, Any]:
        took = sorted(self._took)
        shares = {f"p{part}": took[min(len(took) * part // 100, len(took) - 1)] * 1000 for part in (50, 95, 99) if took}
        return {
            "version": __version__,
            "pid": os.getpid(),
            "seconds": round(time.monotonic() - self._began, 3),
            "calls": dict(self._counts),
            "milliseconds": {name: round(value, 3) for name, value in shares.items()},
            "policies": self._policies,
            "workers": self._pool.pids,
            "busy": self._pool.busy,
        }

    def _look(self) -> None:
        """Ends where what this was started from is not there any more, or nobody has asked for long."""
        idle = not self._connections and time.monotonic() - self._last > self._bounds.times.idle
        if idle or _inode(self._address) != self._inode or _code() != self._code:
            self._ending.set()
        self._pool.rest()


def _listen(address: str) -> socket.socket:
    """The socket at an address. Whatever is there is nobody's, as this process holds the lock."""
    with suppress(FileNotFoundError):
        os.unlink(address)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listening.bind(address)
    finally:
        os.umask(before)
    return listening


def _inode(path: str) -> int | None:
    try:
        return os.lstat(path).st_ino
    except OSError:
        return None


def _code() -> tuple[tuple[str, int, int], ...]:
    """What tells the program that runs from what is installed now."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    files = [os.path.join(folder, name) for folder, _, names in os.walk(package) for name in names]
    return tuple(map(_stamp, (sys.executable, *sorted(file for file in files if file.endswith(".py")))))


def _stamp(path: str) -> tuple[str, int, int]:
    try:
        status = os.stat(path)
    except OSError:
        return path, 0, 0
    return path, status.st_ino, status.st_mtime_ns
