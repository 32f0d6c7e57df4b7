"""What stands in the head of every answer, and the bytes of one that a worker writes by itself."""

from __future__ import annotations

from email.utils import formatdate
from functools import lru_cache
from time import time
from typing import Final

from ostiary.service.protocol import ANSWER, Frame, answered
from ostiary.service.web.heads import Reply

SPOKEN: Final = "HTTP/1.1"
"""The version of a request whose answer goes to a client that speaks this."""

_ALWAYS: Final = ("cache-control", "no-store"), ("x-content-type-options", "nosniff")


def fields(reply: Reply) -> list[tuple[str, str]]:
    """The head of an answer, but for its first line."""
    size = ("content-length", str(len(reply.body)))
    return [("date", _date(int(time()))), ("content-type", reply.kind), size, *_ALWAYS, *reply.more]


def reply_of(frame: Frame) -> Reply | None:
    """What an agent is told with a last frame, None where that takes more than to say it."""
    if frame.kind != ANSWER:
        return None
    status, out, _ = answered(frame.body)
    return None if status else Reply(200, out)


def data_of(frame: Frame) -> bytes | None:
    """The same as bytes."""
    reply = reply_of(frame)
    if reply is None:
        return None
    head = "".join(f"{name}: {value}\r\n" for name, value in fields(reply))
    return f"{SPOKEN} {reply.status} \r\n{head}\r\n".encode() + reply.body


@lru_cache(maxsize=1)
def _date(now: int) -> str:
    return formatdate(now, usegmt=True)
