"""An MCP server that is a process of ours, as a transport of the SDK. For POSIX systems.

The SDK has one, too, and on Windows it is used. It adds our own environment to the server's, keeps a line of any length
in memory, and takes up to seven seconds to stop a server that does not want to. Here the environment is exactly what is
given, a message has a limit, and whatever the server started in its process group ends with the call.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from ostiary.perform import posix
from ostiary.perform.processes import bound

assert sys.platform != "win32"

LONGEST: Final = 1 << 20
"""Bytes of the longest message that is read; a server that sends a longer one is left."""

_CHUNK: Final = 1 << 16
_GRACE: Final = 0.5
_LOOK: Final = 0.005

Messages = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]
_Received = MemoryObjectSendStream[SessionMessage | Exception]
_ToSend = MemoryObjectReceiveStream[SessionMessage]


@asynccontextmanager
async def started(
    command: tuple[str, ...], folder: str, env: Mapping[str, str], *, unbound: bool = False
) -> AsyncIterator[tuple[Messages, Outgoing]]:
    """Messages from and to a server that lives as long as this; `unbound`, as `Program` has it. Raises OSError where it
    cannot be started."""
    with bound(lifted=unbound):
        server = subprocess.Popen(  # noqa: S603 that is what it is for
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=dict(env),
            start_new_session=True,
        )
    received, messages = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, to_send = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with received, messages, outgoing, to_send, anyio.create_task_group() as tasks:
            tasks.start_soon(_receive, server, received)
            tasks.start_soon(_send, server, to_send)
            yield messages, outgoing
            tasks.cancel_scope.cancel()
        await _left_alone(server)
    finally:
        posix.end_group(server)


async def _receive(
    server: subprocess.Popen[bytes], messages: MemoryObjectSendStream[SessionMessage | Exception]
) -> None:
    """Every message of the server. What is none is passed over: some greet people on their output."""
    assert server.stdout
    pipe, rest = server.stdout.fileno(), b""
    os.set_blocking(pipe, False)
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        async with messages:
            while len(rest) <= LONGEST:
                await anyio.wait_readable(pipe)
                data = os.read(pipe, _CHUNK)
                if not data:
                    return
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    with suppress(ValueError):
                        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                        await messages.send(SessionMessage(message))


async def _send(server: subprocess.Popen[bytes], messages: _ToSend) -> None:
    """Every message to the server. One that is gone shows where its answers do not come."""
    assert server.stdin
    pipe = server.stdin.fileno()
    os.set_blocking(pipe, False)
    with suppress(OSError):
        async for message in messages:
            left = memoryview(f"{message.message.model_dump_json(by_alias=True, exclude_unset=True)}\n".encode())
            while left:
                await anyio.wait_writable(pipe)
                left = left[os.write(pipe, left[:_CHUNK]) :]


async def _left_alone(server: subprocess.Popen[bytes]) -> None:
    """Closes the server's input, by which the protocol says goodbye, and gives it a moment to end by itself."""
    assert server.stdin
    server.stdin.close()
    with anyio.move_on_after(_GRACE):
        while posix.status(server) == posix.RUNNING:
            await anyio.sleep(_LOOK)
