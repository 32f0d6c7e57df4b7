"""One connection that speaks HTTP/1.1, of which `h11` knows the grammar: requests one after the other, each read whole
before it is answered, and everything bounded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, Protocol

import h11

from ostiary.records import NamedTuple
from ostiary.service.peers import stranger
from ostiary.service.web.heads import BODY, HEAD, TOLD, Door, Head, Reply, error, head, long_head, refusal, too_long
from ostiary.service.web.wire import fields

_LONG: Final = 431
_VERSIONS: Final = (b"1.1", b"1.0")
_OTHER: Final = error(505, "only HTTP/1.1 is spoken here")
_LINGER: Final = 1.0  # seconds in which a client can read a refusal before it is cut off


class Patience(NamedTuple):
    """Seconds: for a request to come in whole, and an answer to be taken; and between two requests."""

    receive: float
    keep: float


class House(Protocol):
    """Who answers."""

    @property
    def patience(self) -> Patience:
        """How long it waits."""

    @property
    def ending(self) -> bool:
        """Whether no further request is answered."""

    @property
    def agents(self) -> frozenset[str]:
        """The agents whose hooks it answers."""

    def enter(self, guest: Exchange) -> bool:
        """Makes room for a connection; False if there is none."""

    def leave(self, guest: Exchange) -> None:
        """A connection is over."""

    def refused(self) -> None:
        """A request was refused."""

    def answer(self, asked: Head, body: bytes, client: int | None) -> asyncio.Future[Reply]:
        """The answer to a request; `TOLD` where a worker wrote it to `client`, a descriptor. Cancelling it ends the
        work. It comes to OSError where the client was told a part."""


class Exchange(asyncio.Protocol):
    """One connection, and the request that is being read or answered."""

    def __init__(self, house: House, door: Door) -> None:
        self._house = house
        self._door = door
        self._loop = asyncio.get_running_loop()
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD)
        self._timer: asyncio.TimerHandle | None = None
        self._answer: asyncio.Future[Reply] | None = None
        self._head: Head | None = None
        self._body = bytearray()
        self._reading = self._over = False

    @property
    def idle(self) -> bool:
        """Whether no request is being answered."""
        return self._answer is None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Looks who is there."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._set(self._house.patience.receive, transport.abort)
        if self._door.port and stranger(transport.get_extra_info("socket")):
            self.refuse()
        elif not self._house.enter(self):
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Takes a piece."""
        if self._over:
            return
        if self.idle and not self._reading:
            self._read_on()
        self._http.receive_data(data)
        self._go()

    def eof_received(self) -> bool:
        """The client says no more; it may still be listening."""
        if self._over or (self.idle and not self._reading):
            return False
        self._http.receive_data(b"")
        self._go()
        return True

    def pause_writing(self) -> None:
        """The client does not take its answer."""
        self._set(self._house.patience.receive, self._transport.abort)

    def resume_writing(self) -> None:
        """It took it."""
        self._set(self._house.patience.keep, self._transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 however it went
        """Ends the work on it."""
        self._set(None)
        self._over = True
        self._house.leave(self)
        if self._answer:
            self._answer.cancel()

    def refuse(self) -> None:
        """Ends a connection that is none of ours, or gives way."""
        self._house.refused()
        self._transport.abort()

    def _read_on(self) -> None:
        """A request begins: from now on it has its time."""
        self._reading = True
        self._set(self._house.patience.receive, lambda: self._refused(error(408, "the request did not come in time")))

    def _go(self) -> None:
        """Takes what is there of the request."""
        try:
            while self._step(self._http.next_event()):
                pass
        except h11.RemoteProtocolError as wrong:
            long, text = wrong.error_status_hint == _LONG, "this is no request of HTTP/1.1"
            self._refused(long_head() if long else error(wrong.error_status_hint, text))

    def _step(self, event: Any) -> bool:
        """Takes one event; whether there may be more of them."""
        kind = type(event)
        if kind is h11.Request:
            return self._begun(event)
        if kind is h11.Data:
            self._body += event.data
            return len(self._body) <= BODY or self._refused(too_long())
        if kind is h11.EndOfMessage:
            self._whole()
        elif event is h11.NEED_DATA:
            if self._head and self._http.they_are_waiting_for_100_continue:
                self._transport.write(self._bytes(h11.InformationalResponse(status_code=100, headers=[])))
        elif event is h11.PAUSED:
            self._transport.pause_reading()
        elif self.idle:  # the client closed
            self._transport.close()
        return False

    def _begun(self, event: h11.Request) -> bool:
        self._head = head(event.method, event.target, event.headers)
        known = event.http_version in _VERSIONS
        refused = refusal(self._head, self._door, self._house.agents) if known else _OTHER
        return refused is None or self._refused(refused)

    def _whole(self) -> None:
        """The request is there."""
        assert self._head
        self._reading = False
        self._set(None)
        body = bytes(self._body)
        self._body.clear()
        self._answer = self._house.answer(self._head, body, self._lent())
        self._answer.add_done_callback(self._answered)

    def _lent(self) -> int | None:
        """The descriptor of the connection, where nothing else is to be said on it before or with the answer."""
        last = self._house.ending or self._http.their_state is not h11.DONE
        waiting = self._transport.get_write_buffer_size()
        return None if last or waiting else int(self._transport.get_extra_info("socket").fileno())

    def _answered(self, found: asyncio.Future[Reply]) -> None:
        self._answer = None
        if found.cancelled() or self._over:
            return
        self._set(self._house.patience.keep, self._transport.abort)
        if isinstance(found.exception(), OSError):
            self._transport.abort()
            return
        last = [("connection", "close")] if self._house.ending else []
        self._say(error(500, "Ostiary failed") if found.exception() else found.result(), *last)
        if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            self._end()
            return
        self._head = None
        self._http.start_next_cycle()
        self._transport.resume_reading()
        if self._http.trailing_data[0]:
            self._read_on()
            self._go()

    def _refused(self, reply: Reply) -> bool:
        """Says why, and ends the connection: what else is on its way is not read. False, for there is no more."""
        self._house.refused()
        if self._http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._say(reply, ("connection", "close"))
        self._end()
        return False

    def _end(self) -> None:
        """Ends the connection once the client had the time to read: what is unread at a close takes back what was
        said."""
        self._over = True
        self._transport.resume_reading()
        if self._transport.can_write_eof():
            self._transport.write_eof()
        self._set(_LINGER, self._transport.abort)

    def _say(self, reply: Reply, *more: tuple[str, str]) -> None:
        body = b"" if self._head and self._head.method == "HEAD" else reply.body
        head = h11.Response(status_code=reply.status or 200, headers=[*fields(reply), *more])
        if reply is TOLD:
            self._bytes(head, h11.EndOfMessage())
        else:
            self._transport.write(self._bytes(head, h11.Data(data=body), h11.EndOfMessage()))

    def _bytes(self, *events: h11.Event) -> bytes:
        return b"".join(self._http.send(event) or b"" for event in events)

    def _set(self, seconds: float | None, happens: Callable[[], object] = lambda: None) -> None:
        """What happens after so many seconds, in place of what would have."""
        if self._timer:
            self._timer.cancel()
        self._timer = None if seconds is None else self._loop.call_later(seconds, happens)
