"""What is answered over HTTP: calls of hooks, by the same workers as those of clients, and what the service says of
itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from time import monotonic
from typing import Any, Final, Protocol

from ostiary.dialects import DIALECTS, unreadable
from ostiary.service import protocol
from ostiary.service.protocol import ANSWER, COLD, FAILED, SENT, Frame, Request, answered, cold
from ostiary.service.web.exchange import Exchange, Patience
from ostiary.service.web.heads import TOLD, Head, Reply, error, said
from ostiary.service.web.wire import SPOKEN, reply_of
from ostiary.service.workers import Pool

DECIDE: Final = "decide"
"""The event of a request that has a canonical event as its payload, and no agent."""

FAILURE: Final = ""
"""The version of a request that has the body of a `F` frame as its payload: its call came to nothing."""

_TEXT: Final = "text/plain; version=0.0.4; charset=utf-8"


class Service(Protocol):
    """What is asked for."""

    def enter(self, guest: Exchange) -> bool:
        """Makes room for a connection; False if there is none."""

    def leave(self, guest: Exchange) -> None:
        """A connection is over."""

    def refused(self) -> None:
        """A request was refused."""

    def answered(self, kind: bytes, seconds: float) -> None:
        """Notes that a call came to a last frame of this kind."""

    def status(self) -> dict[str, Any]:
        """What the service says of itself."""

    def metrics(self) -> str:
        """The same as Prometheus reads it."""


class House:
    """Who answers. What `workers` leave to the hook's own process, or fail at, the processes of `alone` do, one call
    each: here there is no other hook that could."""

    agents = frozenset(DIALECTS)

    def __init__(self, service: Service, workers: Pool, alone: Pool, patience: Patience) -> None:
        self.enter, self.leave, self.refused = service.enter, service.leave, service.refused
        self.patience = patience
        self.ending = False
        self._service = service
        self._workers = workers
        self._alone = alone
        self._pages: dict[str, Callable[[], Reply]] = {
            "/healthz": lambda: said(200, {"status": "ok"}),
            "/v1/status": lambda: said(200, service.status()),
            "/metrics": lambda: Reply(200, service.metrics().encode(), _TEXT),
        }

    def answer(self, asked: Head, body: bytes, client: int | None) -> asyncio.Future[Reply]:
        """The answer to a request; `TOLD` where a worker wrote it to `client`. Cancelling it ends the work."""
        loop = asyncio.get_running_loop()
        page = self._pages.get(asked.path)
        if page:
            found = loop.create_future()
            found.set_result(page())
            return found
        work: Coroutine[Any, Any, Reply] = (
            self._hooked(asked, body, client) if asked.agent else self._decided(body, client)
        )
        return loop.create_task(work)

    async def _hooked(self, asked: Head, body: bytes, client: int | None) -> Reply:
        """What an agent's hook says."""
        frame = await self._worked(Request(SPOKEN, asked.agent, asked.asked("event"), "", body), client)
        if frame.kind not in (ANSWER, SENT):
            spoken = unreadable(DIALECTS[asked.agent], asked.asked("event") or None, "Ostiary failed")
            frame = protocol.answer(spoken.status, spoken.stdout, spoken.stderr)
        # What is said by an exit code alone cannot be said here: the agent hears that the hook failed.
        return self._told(frame, 403)

    async def _decided(self, body: bytes, client: int | None) -> Reply:
        """The outcome of a canonical event."""
        frame = await self._worked(Request(SPOKEN, "", DECIDE, "", body), client)
        if frame.kind not in (ANSWER, SENT):
            return error(503, "it could not be judged, which has to mean deny")
        return self._told(frame, 422)

    def _told(self, frame: Frame, otherwise: int) -> Reply:
        """The reply with a frame; with the status `otherwise` where its exit code says more than what is printed."""
        if frame.kind == SENT:
            return TOLD
        return reply_of(frame) or error(otherwise, answered(frame.body)[2].decode("utf-8", "replace").strip())

    async def _worked(self, request: Request, client: int | None) -> Frame:
        """The last frame of a request, from whoever can give one. Raises BrokenPipeError where a worker gave the client
        a part of it."""
        began = monotonic()
        frame = await _from(self._workers, request, client)
        if frame.kind == COLD:
            frame = await _from(self._alone, request)
        if frame.kind == FAILED and request.agent:
            frame = await _from(self._alone, request._replace(version=FAILURE, payload=frame.body))
        kind = frame.body or COLD if frame.kind == SENT else frame.kind
        self._service.answered(kind, monotonic() - began)
        if frame.kind == SENT and not frame.body:
            raise BrokenPipeError
        return frame


async def _from(pool: Pool, request: Request, client: int | None = None) -> Frame:
    with suppress(OSError):
        return await pool.answer(request, client)
    return cold("there can be no worker")
