"""The life of a worker: it is sent a request, works on it, and answers."""

from __future__ import annotations

import mmap
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NoReturn

from ostiary.records import NamedTuple
from ostiary.service.protocol import FRAME, READ, SENT, Feed, Frame, Request, cold, failed, requesting
from ostiary.service.web.wire import SPOKEN, data_of

assert sys.platform != "win32"  # where there is no service

_CHUNK: Final = 1 << 18
_SHORT: Final = 4096  # bytes that a connection takes as a whole or not at all, on every system
_FLAGS: Final = getattr(socket, "MSG_CMSG_CLOEXEC", 0)


class Tell(NamedTuple):
    """Who is told of a call: which agent's event it is and how many seconds it may take, what was read for it
    (`sources.reading`), and what the agent will be told."""

    about: Callable[[str, str | None, float], None]
    read: Callable[[str], None]
    said: Callable[[str], None] = lambda _verdict: None


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


class Told(NamedTuple):
    """What a call was found to be: an event of an agent (empty: unknown), the seconds that it may take, and the verdict
    it came to (empty: none yet)."""

    agent: str
    event: str
    seconds: float
    said: str = ""


class Note:
    """What a worker tells of the call it works on, in memory that it shares with the service: to say it wakes nobody,
    and it is there when the worker is not any more."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, mmap.PAGESIZE)

    def write(self, told: Told) -> None:
        """Tells. What is too long is not told."""
        data = "\0".join(map(str, told)).encode("utf-8", "surrogateescape")
        if len(data) < mmap.PAGESIZE - 2:
            self._memory[2 : 2 + len(data)] = data
            self._memory[:2] = len(data).to_bytes(2, "big")  # last: what is half written is nothing

    def read(self) -> Told | None:
        """What was told, None if nothing was."""
        size = int.from_bytes(self._memory[:2], "big")
        fields = self._memory[2 : 2 + size].decode("utf-8", "surrogateescape").split("\0")
        try:
            agent, event, seconds, said = fields
            return Told(agent, event, float(seconds), said)
        except ValueError:
            return None

    def forget(self) -> None:
        """Takes back what was told."""
        self._memory[:2] = b"\0\0"

    def close(self) -> None:
        """Gives the memory back."""
        self._memory.close()


def run(service: socket.socket, about: Note, work: Work, limits: Limits) -> NoReturn:
    """Works on what comes from the service until that ends."""
    status = 1
    try:
        alone(service.fileno(), limits)
        feed = Feed(requesting)
        while True:
            request, client = _request(service, feed)
            _alarm(limits.start)
            frame = worked(request, work, _tell(service, about, limits))
            service.sendall(_sent(frame, client, request.version).pack())
            _alarm(0)
    except EOFError:
        status = 0
    finally:
        os._exit(status)


def _request(service: socket.socket, feed: Feed[Request]) -> tuple[Request, int | None]:
    """The next request, and the connection of its client if the service lends it. Raises EOFError."""
    client = None
    while True:
        data, lent, _, _ = socket.recv_fds(service, _CHUNK, 1, _FLAGS)
        if not data:
            raise EOFError
        client = lent[0] if lent else client
        for request in feed.put(data):
            return request, client


def _tell(service: socket.socket, note: Note, limits: Limits) -> Tell:
    def about(agent: str, event: str | None, seconds: float) -> None:
        _alarm(min(seconds, limits.most))
        note.write(Told(agent, event or "", seconds))

    def read(reading: str) -> None:
        service.sendall(Frame(READ, reading.encode()).pack())

    def said(verdict: str) -> None:
        if told := note.read():
            note.write(told._replace(said=verdict))

    return Tell(about, read, said)


def worked(request: Request, work: Work, tell: Tell) -> Frame:
    """What comes of a request, whatever the work does."""
    try:
        frame = work(request, tell)
        return frame if len(frame.body) <= FRAME else cold("the answer is too long")
    except BaseException as error:
        return failed(f"--failed=Ostiary failed: {type(error).__name__}")


def _sent(frame: Frame, client: int | None, version: str) -> Frame:
    """What the service is told: the frame, or that it was sent to the client. The service may be writing there, too, so
    that here only goes what goes at once."""
    if client is None:
        return frame
    data = data_of(frame) if version == SPOKEN else frame.pack()
    try:
        if data is None or len(data) > _SHORT:
            return frame
        return Frame(SENT, frame.kind if os.write(client, data) == len(data) else b"")
    except OSError:  # it is full, or gone
        return frame
    finally:
        os.close(client)


def alone(descriptor: int, limits: Limits) -> None:
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
