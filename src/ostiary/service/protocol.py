"""What clients and the service say to each other, in bytes (`docs/service.md`). The service and its workers speak it,
too."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from typing import BinaryIO, Final, Generic, TypeVar, cast

from ostiary.records import NamedTuple

MAGIC: Final = b"OST1"
"""How every request begins. It names the version of this protocol, which is not that of Ostiary."""

PAYLOAD: Final = 16 << 20
"""Bytes that a payload may have. A client that was sent more leaves the call to the cold path."""

FRAME: Final = 4 << 20
"""Bytes that the body of a frame may have."""

# Of version, agent, event, start folder and payload, in this order.
_MOST: Final = (64, 64, 256, 1 << 14, PAYLOAD)
_LENGTH: Final = 4
_STATUS: Final = 1

ALIVE: Final = b"H"
"""The service works on it. No more than a second passes between two frames."""
ANSWER: Final = b"A"
"""The answer: the exit code in one byte, the length of standard output, standard output, and standard error."""
COLD: Final = b"C"
"""The client runs the cold command with the payload. The body says why."""
FAILED: Final = b"F"
"""The client runs the cold command with further arguments, each behind its length: they say what failed."""
READ: Final = b"R"
"""From a worker to the service only: what it read of the policy. The service and its watcher tell each other things in
these, too."""
SENT: Final = b"S"
"""From a worker to the service only: it sent the last frame to the client itself. The body is the kind of that frame,
empty where it went out in part."""

KINDS: Final = ALIVE + ANSWER + COLD + FAILED + READ + SENT


class Malformed(Exception):
    """Bytes that are not of this protocol."""


class Request(NamedTuple):
    """One call of a hook: the client's version of Ostiary, the agent and event it was registered for (empty: not said),
    the folder it was started in (empty: gone), and what it was sent. Without an agent the event is a word for the
    service itself."""

    version: str
    agent: str
    event: str
    start: str
    payload: bytes

    def pack(self) -> bytes:
        """As bytes."""
        texts = (self.version, self.agent, self.event)
        fields = (*(text.encode("utf-8", "surrogateescape") for text in texts), os.fsencode(self.start), self.payload)
        return b"".join((MAGIC, *map(sized, fields)))

    @classmethod
    def unpack(cls, fields: list[bytes]) -> Request:
        """From the fields of a request."""
        version, agent, event, start, payload = fields
        named = [text.decode("utf-8", "surrogateescape") for text in (version, agent, event)]
        return cls(named[0], named[1], named[2], os.fsdecode(start), payload)


class Frame(NamedTuple):
    """One piece of an answer."""

    kind: bytes
    body: bytes

    def pack(self) -> bytes:
        """As bytes."""
        return self.kind + sized(self.body)


def sized(data: bytes) -> bytes:
    """Bytes behind their length."""
    return len(data).to_bytes(_LENGTH, "big") + data


def answer(status: int, stdout: str, stderr: str) -> Frame:
    """The frame of an answer."""
    out, error = (text.encode("utf-8", "backslashreplace") for text in (stdout, stderr))
    return Frame(ANSWER, bytes([status]) + sized(out) + error)


def failed(*arguments: str) -> Frame:
    """The frame that has the cold command told what failed."""
    return Frame(FAILED, b"".join(sized(one.encode("utf-8", "surrogateescape")) for one in arguments))


def arguments(body: bytes) -> list[str]:
    """The arguments in a frame that `failed` made."""
    found: list[str] = []
    while body:
        end = _LENGTH + int.from_bytes(body[:_LENGTH], "big")
        found.append(body[_LENGTH:end].decode("utf-8", "surrogateescape"))
        body = body[end:]
    return found


def cold(why: str) -> Frame:
    """The frame that leaves a call to the cold path."""
    return Frame(COLD, why.encode("utf-8", "replace"))


def answered(body: bytes) -> tuple[int, bytes, bytes]:
    """Exit code, standard output and standard error of an answer. Raises `Malformed`."""
    start = _STATUS + _LENGTH
    end = start + int.from_bytes(body[_STATUS:start], "big")
    if len(body) < end or len(body) < start:
        raise Malformed("an answer is too short")
    return body[0], body[start:end], body[end:]


T = TypeVar("T")
Steps = Generator[int, bytes, T]
"""Asks for so many bytes at a time, and returns what they are. Raises `Malformed`."""


def requesting() -> Steps[Request]:
    """Reads a request."""
    if (yield len(MAGIC)) != MAGIC:
        raise Malformed("this is no request")
    fields: list[bytes] = []
    for most in _MOST:
        size = int.from_bytes((yield _LENGTH), "big")
        if size > most:
            raise Malformed("a field of the request is too long")
        fields.append((yield size))
    return Request.unpack(fields)


def framing() -> Steps[Frame]:
    """Reads a frame."""
    head = yield _STATUS + _LENGTH
    size = int.from_bytes(head[1:], "big")
    if head[:1] not in KINDS or size > FRAME:
        raise Malformed("this is no frame")
    return Frame(head[:1], (yield size))


def read(steps: Steps[T], file: BinaryIO) -> T:
    """What comes next from a file. Raises EOFError if it ends, and what the steps do."""
    try:
        size = next(steps)
        while True:
            data = file.read(size) if size else b""
            if len(data) < size:
                raise EOFError
            size = steps.send(data)
    except StopIteration as end:
        return cast("T", end.value)


class Feed(Generic[T]):
    """What comes one after another, in pieces, as an event loop has them. `fresh`: nothing came yet."""

    def __init__(self, begin: Callable[[], Steps[T]]) -> None:
        self._begin = begin
        self._steps = begin()
        self._size = next(self._steps)
        self._data = bytearray()
        self.fresh = True

    def put(self, data: bytes) -> list[T]:
        """Takes a piece; what is whole with it. Raises what the steps do."""
        self.fresh = False
        self._data += data
        found: list[T] = []
        while len(self._data) >= self._size:
            taken = bytes(self._data[: self._size])
            del self._data[: self._size]
            try:
                self._size = self._steps.send(taken)
            except StopIteration as end:
                found.append(end.value)
                self._steps = self._begin()
                self._size = next(self._steps)
        return found
