"""What is answered over HTTP: calls of hooks, by the same workers as those of clients, and what the service says of
itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from time import monotonic
from typing import Any, Final, Protocol

from ostiary import __version__
from ostiary.dialects import DIALECTS, unreadable
from ostiary.service.protocol import ANSWER, COLD, FAILED, Frame, Request, answered, cold
from ostiary.service.web.exchange import Exchange, Patience
from ostiary.service.web.heads import Head, Reply, error, said
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

    def answer(self, asked: Head, body: bytes) -> asyncio.Future[Reply]:
        """The answer to a request. Cancelling it ends the work."""
        loop = asyncio.get_running_loop()
        page = self._pages.get(asked.path)
        if page:
            found = loop.create_future()
            found.set_result(page())
            return found
        work: Coroutine[Any, Any, Reply] = self._hooked(asked, body) if asked.agent else self._decided(body)
        return loop.create_task(work)

    async def _hooked(self, asked: Head, body: bytes) -> Reply:
        """What an agent's hook says."""
        frame = await self._worked(Request(__version__, asked.agent, asked.asked("event"), "", body))
        if frame.kind == ANSWER:
            status, out, errors = answered(frame.body)
        else:
            spoken = unreadable(DIALECTS[asked.agent], asked.asked("event") or None, "Ostiary failed")
            status, out, errors = spoken.status, spoken.stdout.encode(), spoken.stderr.encode()
        # What is said by an exit code alone cannot be said here: the agent hears that the hook failed.
        return error(403, errors.decode("utf-8", "replace").strip()) if status else Reply(200, out)

    async def _decided(self, body: bytes) -> Reply:
        """The outcome of a canonical event."""
        frame = await self._worked(Request(__version__, "", DECIDE, "", body))
        if frame.kind != ANSWER:
            return error(503, "it could not be judged, which has to mean deny")
        status, out, errors = answered(frame.body)
        return error(422, errors.decode("utf-8", "replace")) if status else Reply(200, out)

    async def _worked(self, request: Request) -> Frame:
        """The last frame of a request, from whoever can give one."""
        began = monotonic()
        frame = await _from(self._workers, request)
        if frame.kind == COLD:
            frame = await _from(self._alone, request)
        if frame.kind == FAILED and request.agent:
            frame = await _from(self._alone, request._replace(version=FAILURE, payload=frame.body))
        self._service.answered(frame.kind, monotonic() - began)
        return frame


async def _from(pool: Pool, request: Request) -> Frame:
    with suppress(OSError):
        return await pool.answer(request)
    return cold("there can be no worker")
