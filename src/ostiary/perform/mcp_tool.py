"""Tools of MCP servers as handlers, through the official SDK."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import anyio
import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from ostiary.decision import Decision
from ostiary.perform.command import NotFound, program_of, with_arguments
from ostiary.perform.environment import environment, folder_of_rule, of_headers
from ostiary.perform.headers import headers
from ostiary.perform.loops import Unfinished, finish
from ostiary.perform.network import Failed, authorities
from ostiary.perform.payload import encoded
from ostiary.perform.placeholders import filled
from ostiary.perform.program import LATE
from ostiary.perform.replies import of_result
from ostiary.perform.runtime import Job
from ostiary.perform.silence import silence
from ostiary.perform.transport import Refused, Way, client
from ostiary.records import NamedTuple
from ostiary.visible import visible

if sys.platform == "win32":
    from mcp.client.stdio import StdioServerParameters, stdio_client
else:
    from ostiary.perform.mcp_process import started

if TYPE_CHECKING:
    from mcp.client import Transport

SHOWN: Final = 200
"""Characters of a server's own error that people are shown."""

silence("mcp", "httpx2", "httpcore2")


class Process(NamedTuple):
    """A server that is started for the call: its command, the absolute folder it runs in, its whole environment.
    `unbound`: the bound on this process's memory is not for it."""

    command: tuple[str, ...]
    folder: str
    env: Mapping[str, str]
    unbound: bool = False


class Address(NamedTuple):
    """A server that is there: its URL, the headers of each request, and how it is reached."""

    url: str
    headers: Mapping[str, str]
    way: Way


def perform(job: Job) -> Decision:
    """Calls the tool and reads its text as the output of a program that succeeded."""
    try:
        server = _server(job)
    except (NotFound, Failed) as missing:
        return Decision(failure=str(missing))
    arguments = filled(json.loads(job.options["input"]), json.loads(encoded(job.payload)))
    result = _called(server, job.options["tool"], arguments, job)
    if isinstance(result, str):
        return Decision(failure=result)
    text = "\n".join(block.text for block in result.content if isinstance(block, TextContent))
    if result.is_error:
        tool = visible(job.options["tool"])
        return Decision(failure=f"the tool `{tool}` reports an error: {visible(text)[:SHOWN]}")
    return of_result(text, job.request.contract, job.request.event.name)


def _server(job: Job) -> Process | Address:
    if job.options["url"]:
        known = headers(job.options["headers"], of_headers(job), job.runtime.environ)
        way = Way(job.options["private"], job.options["proxy"] or "", authorities(job))
        return Address(job.options["url"], known, way)
    program, *arguments = job.options["command"]
    command = with_arguments(program_of(program, job), tuple(arguments))
    return Process(command, folder_of_rule(job), environment(job), job.runtime.ends)


def _called(server: Process | Address, tool: str, arguments: dict[str, Any], job: Job) -> CallToolResult | str:
    """What the tool gave, or why it gave nothing."""

    async def called() -> CallToolResult:
        with anyio.fail_after(job.left):
            async with Client(_transport(server), mode="auto", cache=None) as client:
                return await client.call_tool(tool, arguments)

    try:
        return finish(called, None, job.runtime.cancel)
    except Unfinished as error:
        return str(error)
    except Exception as error:  # a server may do anything
        return _why(error, server)


def _transport(server: Process | Address) -> Transport:
    if isinstance(server, Address):
        return _connected(server)
    return _started(server)


if sys.platform == "win32":

    def _started(server: Process) -> Transport:
        program, *arguments = server.command
        return stdio_client(
            StdioServerParameters(command=program, args=arguments, env=dict(server.env), cwd=server.folder)
        )

else:

    def _started(server: Process) -> Transport:
        return started(server.command, server.folder, server.env, unbound=server.unbound)


@asynccontextmanager
async def _connected(server: Address) -> AsyncIterator[Any]:
    """A connection that reads no answer without end."""
    async with (
        client(server.way, headers=dict(server.headers), event_hooks={"response": [_bounded]}) as http,
        streamable_http_client(server.url, http_client=http) as streams,
    ):
        yield streams


LONGEST: Final = 1 << 20
"""Bytes of the longest answer of a server that is read."""


class _Bounded(httpx2.AsyncByteStream):
    """What a server sends, as long as it is not too much."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = LONGEST
        async for chunk in self._stream:
            left -= len(chunk)
            if left < 0:
                raise httpx2.ReadError("it is too long")
            yield chunk

    async def aclose(self) -> None:
        """End the connection."""
        await self._stream.aclose()


async def _bounded(response: httpx2.Response) -> None:
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    response.stream = _Bounded(response.stream)


def _why(error: BaseException, server: Process | Address) -> str:
    """What went wrong, in words. Task groups wrap what happened in them."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return LATE
    if isinstance(error, Refused):
        return visible(str(error))
    name = visible(server.url if isinstance(server, Address) else server.command[0])
    if isinstance(error, OSError):
        return f"`{name}` cannot be started: {error.strerror or type(error).__name__}"
    if isinstance(error, httpx2.HTTPError):
        return f"`{name}` cannot be reached: {type(error).__name__}"
    if isinstance(error, MCPError):
        return f"the server refuses the call: {visible(error.error.message)[:SHOWN]}"
    return f"the server cannot be used: {type(error).__name__}"
