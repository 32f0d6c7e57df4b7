"""The process that listens: it passes calls on to workers and answers back, and does nothing itself that could take
long or fail (law L7)."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import time
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from ostiary import __version__
from ostiary.records import NamedTuple
from ostiary.service.minder import Minder, Watch
from ostiary.service.numbers import Now, Numbers, exposition
from ostiary.service.peers import Peer, confined, peer
from ostiary.service.protocol import (
    ALIVE,
    ANSWER,
    COLD,
    FAILED,
    SENT,
    Feed,
    Frame,
    Malformed,
    Request,
    answer,
    cold,
    requesting,
)
from ostiary.service.stamps import code
from ostiary.service.web.entrance import Entrance, listen
from ostiary.service.web.exchange import Exchange, Patience
from ostiary.service.web.heads import Door
from ostiary.service.web.house import House
from ostiary.service.workers import Limits, Pool, Work

_NAMES: Final = {ANSWER: "answered", COLD: "left", FAILED: "failed"}
_TIMES: Final = 4096
_BACKLOG: Final = 128
_SPOKEN: Final = (b"GET ", b"POST")  # how HTTP begins, which the socket speaks, too
_ALONE: Final = Limits(workers=16, wait=10.0, calls=1, memory=-1)
"""Processes for calls that workers leave to the hook's own process: each is one."""


class Times(NamedTuple):
    """Seconds: for a request to come in whole, between two signs of life, between two looks around, without a call
    until the service ends, for calls that are under way then, and between two requests of one connection. They are
    arguments for tests alone."""

    receive: float = 10.0
    alive: float = 1.0
    look: float = 5.0
    idle: float = 1800.0
    end: float = 5.0
    keep: float = 600.0


class Bounds(NamedTuple):
    """Everything that is bounded; of more `connections` at a time the oldest without a request are closed."""

    times: Times = Times()
    workers: Limits = Limits()
    connections: int = 256


BOUNDS: Final = Bounds()


class Works(NamedTuple):
    """What other processes do: workers, one that has a call alone, and the watcher."""

    workers: Work
    alone: Work
    watch: Watch


class Server:
    """One service at one address, whose lock this process holds. `again`: it ended because it has to begin anew."""

    def __init__(self, address: str, works: Works, entrance: Entrance, state: str, bounds: Bounds = BOUNDS) -> None:
        self.bounds = bounds
        self.counts: Counter[str] = Counter()
        self.again = False
        self._address = address
        self._works = works
        self._wanted = self._entrance = entrance
        self._state = state
        self._stamps = entrance.stamps()
        self._numbers = Numbers()
        self._web: asyncio.Server | None = None
        self._code = code()
        self._inode: int | None = None
        self._began = self._last = time.monotonic()
        self._connections: dict[Guest, None] = {}
        self._took: deque[float] = deque(maxlen=_TIMES)

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
        self._ending, self._quiet = asyncio.Event(), asyncio.Event()
        self.minder = Minder(self._works.watch)
        self.pool = Pool(self._works.workers, self.bounds.workers, self.minder.heard, self._numbers.said)
        self._alone = Pool(self._works.alone, _ALONE, self.minder.heard, self._numbers.said)
        times = self.bounds.times
        self.house = House(self, self.pool, self._alone, Patience(times.receive, times.keep))
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self._ending.set)
        self.pool.warm()
        await self.minder.start()
        server = await loop.create_unix_server(lambda: Conversation(self), sock=listening, backlog=_BACKLOG)
        try:
            while not self._ending.is_set():
                await self._open()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._ending.wait(), self.bounds.times.look)
                self._look()
        finally:
            server.close()
            if self._web:
                self._web.close()
            self._quiet.clear()
            self.house.ending = True
            for guest in [guest for guest in self._connections if guest.idle and isinstance(guest, Exchange)]:
                guest.refuse()  # it may never say anything again
            if self._connections:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._quiet.wait(), self.bounds.times.end)
            self.minder.close()
            self.pool.close()
            self._alone.close()

    async def _open(self) -> None:
        """Listens on the port, if settings say so and it can be had."""
        if self._web:
            return
        self._entrance, listening = listen(self._wanted, self._state)
        if listening:
            door = self._entrance.door
            loop = asyncio.get_running_loop()
            self._web = await loop.create_server(lambda: Exchange(self.house, door), sock=listening)

    def enter(self, guest: Guest) -> bool:
        """Makes room for a connection: where there are too many, the oldest that has not sent its request gives way.
        False if there is none."""
        self._last = time.monotonic()
        if len(self._connections) >= self.bounds.connections:
            idle = next((one for one in self._connections if one.idle), None)
            if idle is None:
                return False
            idle.refuse()
            self.leave(idle)
        self._connections[guest] = None
        return True

    def leave(self, guest: Guest) -> None:
        """A connection is over."""
        self._connections.pop(guest, None)
        if not self._connections:
            self._quiet.set()

    def refused(self) -> None:
        """Notes that somebody was refused."""
        self.counts["refused"] += 1

    def answered(self, kind: bytes, seconds: float) -> None:
        """Notes that a call came to a last frame of this kind."""
        self.counts[_NAMES[kind]] += 1
        self._took.append(seconds)
        self._numbers.took(seconds)

    def own(self, request: Request, pid: int) -> Frame | None:
        """The last frame for a request of a process that takes no worker, None if it takes one. Raises `Malformed`."""
        if not request.agent:
            return self._word(request.event)
        if request.version != __version__:
            self._ending.set()
            return cold("another version of Ostiary runs the service")
        if confined(pid):
            return cold("the client lives in a sandbox that the service does not live in")
        return None

    def _word(self, word: str) -> Frame:
        """What the service says of itself, or does."""
        if word == "stop":
            self._ending.set()
        elif word != "status":
            raise Malformed("an unknown word")
        return answer(0, json.dumps(self.status()), "")

    def status(self) -> dict[str, Any]:
        """What the service says of itself."""
        took = sorted(self._took)
        shares = {f"p{part}": took[min(len(took) * part // 100, len(took) - 1)] * 1000 for part in (50, 95, 99) if took}
        return {
            "version": __version__,
            "pid": os.getpid(),
            "seconds": round(time.monotonic() - self._began, 3),
            "calls": dict(self.counts),
            "milliseconds": {name: round(value, 3) for name, value in shares.items()},
            "workers": self.pool.pids,
            "busy": self.pool.busy,
            "http": {"address": self._entrance.address if self._web else "", "problem": self._entrance.problem},
            **self.minder.status(),
        }

    def metrics(self) -> str:
        """The same as Prometheus reads it."""
        now = Now(
            version=__version__,
            policy=self.minder.generation,
            problems=self.minder.problems,
            seconds=time.monotonic() - self._began,
            calls=self.counts,
            reads=self.minder.reads,
            processes=(os.getpid(), *self.pool.pids, *self._alone.pids),
            busy=self.pool.busy + self._alone.busy,
            killed=self.pool.killed + self._alone.killed,
            connections=len(self._connections),
        )
        return exposition(now, self._numbers)

    def _look(self) -> None:
        """Ends where what this was started from is not there any more, or nobody has asked for long."""
        idle = not self._connections and time.monotonic() - self._last > self.bounds.times.idle
        other = _inode(self._address) != self._inode or code() != self._code
        if self._entrance.wanted:  # nobody who comes by HTTP could start it
            self.again = not self._ending.is_set() and (other or self._entrance.stamps() != self._stamps)
            idle = False
        if idle or other or self.again:
            self._ending.set()
        self.pool.rest()
        self._alone.rest()
        self.minder.rest()


class Conversation(asyncio.Protocol):
    """One connection: a request, signs of life, and an answer, which may be a worker's own."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._feed = Feed(requesting)
        self._timer: asyncio.TimerHandle | None = None
        self._frame: asyncio.Future[Frame] | None = None
        self._began = 0.0
        self.idle = True

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Looks who is there."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._set(self._server.bounds.times.receive, self.refuse)
        try:
            self._socket = transport.get_extra_info("socket")
            self._who = peer(self._socket)
        except OSError:
            self._who = Peer(-1)
        if self._who.uid != os.geteuid():
            self.refuse()
        elif not self._server.enter(self):
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Takes a piece of the request. Nothing counts that comes behind it."""
        if not self.idle:
            return
        if data[:4] in _SPOKEN and self._feed.fresh:
            self._hand_over(data)
            return
        try:
            for request in self._feed.put(data)[:1]:
                self._asked(request)
        except Malformed:
            self.refuse()

    def eof_received(self) -> bool:
        """The client says no more; it may still be listening."""
        if self.idle:
            self.refuse()
        return not self.idle

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 however it went
        """Ends the work on it."""
        self._set(None)
        self._server.leave(self)
        if self._frame:
            self._frame.cancel()

    def refuse(self) -> None:
        """Ends a connection that is none of ours, or came to nothing."""
        self._server.refused()
        self._transport.abort()

    def _asked(self, request: Request) -> None:
        self.idle, self._began = False, time.monotonic()
        frame = self._server.own(request, self._who.pid)
        if frame:
            self._end(frame)
            if request.agent:
                self._server.answered(frame.kind, time.monotonic() - self._began)
            return
        self._frame = self._server.pool.answer(request, self._socket.fileno())
        self._frame.add_done_callback(self._answered)
        self._set(self._server.bounds.times.alive, self._beat)

    def _hand_over(self, data: bytes) -> None:
        """Leaves a connection to what speaks HTTP. It needs no token: nobody else can open the socket."""
        self._set(None)
        self._server.leave(self)
        if confined(self._who.pid):
            self.refuse()
            return
        exchange = Exchange(self._server.house, Door())
        self._transport.set_protocol(exchange)
        exchange.connection_made(self._transport)
        exchange.data_received(data)

    def _beat(self) -> None:
        """A sign of life."""
        self._transport.write(Frame(ALIVE, b"").pack())
        self._set(self._server.bounds.times.alive, self._beat)

    def _answered(self, found: asyncio.Future[Frame]) -> None:
        if found.cancelled():
            return
        frame = cold("there can be no worker") if found.exception() else found.result()
        self._frame = None
        kind = frame.kind
        if kind == SENT:
            kind = frame.body or COLD  # which is what a client does that was sent a part
            self._transport.abort()
        else:
            self._end(frame)
        self._server.answered(kind, time.monotonic() - self._began)

    def _end(self, frame: Frame) -> None:
        """Sends the last frame."""
        self._set(self._server.bounds.times.receive, self._transport.abort)
        self._transport.write(frame.pack())
        self._transport.close()

    def _set(self, seconds: float | None, happens: Callable[[], None] = lambda: None) -> None:
        """What happens after so many seconds, in place of what would have."""
        if self._timer:
            self._timer.cancel()
        self._timer = None if seconds is None else self._loop.call_later(seconds, happens)


Guest = Conversation | Exchange
"""A connection, whatever it speaks."""


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
