"""HTTP connections for libraries that speak HTTP themselves: the SDKs of MCP and of those who serve models."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress
from typing import Any, Final

import httpx2

from ostiary.perform.network import Failed, LookUp, permitted
from ostiary.records import NamedTuple

_PORTS: Final = {"http": 80, "https": 443}


class Way(NamedTuple):
    """How servers are reached: whether at private addresses, too; through which proxy, `http://HOST:PORT` (empty: none;
    with one nobody here knows which address a server has); who vouches for them (None: the system's authorities)."""

    private: bool = False
    proxy: str = ""
    authorities: ssl.SSLContext | None = None


class Refused(httpx2.ConnectError):
    """A server that must not, or cannot, be reached; the text is ours."""


class _Checked(httpx2.AsyncBaseTransport):
    """Connects to no other address than those that were looked at; a second look-up could lead elsewhere."""

    def __init__(self, way: Way) -> None:
        self._way = way
        verify = True if way.authorities is None else way.authorities
        self._inner = httpx2.AsyncHTTPTransport(verify=verify, trust_env=False, proxy=way.proxy or None)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer of the first address that can be connected to."""
        if self._way.proxy:
            return await self._inner.handle_async_request(request)
        failure: httpx2.ConnectError | None = None
        host = request.url.raw_host.decode("ascii")
        for address in await self._addresses(host, request.url.port or _PORTS[request.url.scheme]):
            try:
                return await self._inner.handle_async_request(_sent(request, host, self._permitted(address, host)))
            except Refused:
                raise
            except httpx2.ConnectError as error:
                failure = error
        assert failure  # there is at least one address
        raise failure

    async def _addresses(self, host: str, port: int) -> list[str]:
        loop, over = asyncio.get_running_loop(), asyncio.Event()

        def done() -> None:
            with suppress(RuntimeError):  # nobody waits any more
                loop.call_soon_threadsafe(over.set)

        look = LookUp(host, port, done)
        await over.wait()  # who awaits the answer keeps the time
        try:
            return [str(found[4][0]) for found in look.addresses()]
        except Failed as failed:
            raise Refused(str(failed)) from None

    def _permitted(self, address: str, host: str) -> str:
        try:
            return permitted(address, host, private=self._way.private)
        except Failed as failed:
            raise Refused(str(failed)) from None

    async def aclose(self) -> None:
        """Ends the connections."""
        await self._inner.aclose()


def _sent(request: httpx2.Request, host: str, address: str) -> httpx2.Request:
    """The same request to one address; its certificate is that of the host, and so is its `Host`."""
    return httpx2.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": host},
    )


def client(way: Way, **options: Any) -> httpx2.AsyncClient:
    """A client that the environment has no say in, and that follows no redirect. Its time is that of who awaits it."""
    return httpx2.AsyncClient(transport=_Checked(way), trust_env=False, follow_redirects=False, timeout=None, **options)
