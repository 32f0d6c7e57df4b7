"""What a call costs that an agent sends over HTTP, on a connection that is kept.

usage: python bench/over_http.py [--rounds N] [--calls N]

Each round asks, one call after another: a server of asyncio that sends back what it got, in a process of its own (what
nothing costs); the service (`POST /hook/claude-code`); and the decision in this process, as a worker makes it, record
and all. Once with the same call again and again, and once with another command each time. Figures are milliseconds, the
ratio is that of the medians of a round, then the median of these; the least and p99 are of all rounds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ostiary.commands import serve
from ostiary.service.protocol import Request
from ostiary.service.working import Tell

Ask = Callable[[bytes], object]


def payload(number: int) -> bytes:
    """A shell call as the agent sends it."""
    call = {"tool_name": "Bash", "tool_input": {"command": f"git status && npm test -- --run {number} | tail -20"}}
    common = {"session_id": "s", "transcript_path": "/t", "cwd": "/", "hook_event_name": "PreToolUse"}
    return json.dumps(common | call | {"tool_use_id": "t"}).encode()


class Echo(asyncio.Protocol):
    """Sends back what it got."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._transport.write(data)  # type: ignore[attr-defined]


def echoes(listening: socket.socket) -> None:
    """The life of that server."""

    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(Echo, sock=listening)
        await server.serve_forever()

    asyncio.run(run())


@contextmanager
def echo() -> Iterator[Ask]:
    """It, on a connection that is kept."""
    listening = socket.create_server(("127.0.0.1", 0))
    process = multiprocessing.get_context("fork").Process(target=echoes, args=(listening,), daemon=True)
    process.start()
    with connected(listening.getsockname()[1]) as connection:
        yield lambda body: exchanged(connection, body, len(body))
    process.kill()


@contextmanager
def service(config: Path) -> Iterator[Ask]:
    """The service, on a connection that is kept."""
    command = [sys.executable, "-m", "ostiary", "serve", "--clean", "--config-dir", str(config)]
    process = subprocess.Popen(command)
    while not (config / "state/http/port").exists():
        time.sleep(0.05)
    time.sleep(0.5)
    port, token = ((config / "state/http" / name).read_text().strip() for name in ("port", "token"))
    fields = f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
    line = "POST /hook/claude-code?event=PreToolUse HTTP/1.1\r\n"
    with connected(int(port)) as connection:

        def ask(body: bytes) -> None:
            said = exchanged(connection, f"{line}{fields}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            assert said.startswith(b"HTTP/1.1 200 "), said

        yield ask
    process.send_signal(signal.SIGTERM)
    process.wait()


@contextmanager
def connected(port: int) -> Iterator[socket.socket]:
    """A connection that sends at once."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield connection


def exchanged(connection: socket.socket, data: bytes, least: int = 1) -> bytes:
    """What comes back; answers are short enough to come in one piece."""
    connection.sendall(data)
    said = b""
    while len(said) < least:
        said += connection.recv(1 << 16)
    return said


def here(config: Path) -> Ask:
    """The decision in this process."""
    work, tell = serve.work(str(config)), Tell(lambda *_: None, lambda _: None)
    return lambda body: work(Request("", "claude-code", "PreToolUse", "", body), tell)


def measured(ask: Ask, bodies: list[bytes]) -> list[float]:
    """Milliseconds for each."""
    found = []
    for body in bodies:
        began = time.perf_counter()
        ask(body)
        found.append((time.perf_counter() - began) * 1e3)
    return found


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=9)
    arguments.add_argument("--calls", type=int, default=300)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        config = Path(folder).resolve() / "ostiary"
        subprocess.run([sys.executable, "-m", "ostiary", "init", "--config-dir", str(config)], check=True)
        (config / "settings.yaml").write_text("http: {listen: true, shared_host: true}\n")
        with echo() as echoed, service(config) as asked:
            ways = {"echo": echoed, "service": asked, "in process": here(config)}
            for name, fresh in (("the same call", False), ("another call each time", True)):
                table(name, ways, given.rounds, given.calls, fresh=fresh)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


def table(name: str, ways: dict[str, Ask], rounds: int, calls: int, *, fresh: bool) -> None:
    """One table."""
    found: dict[str, list[list[float]]] = {way: [] for way in ways}
    for turn in range(rounds + 1):  # the first one warms up
        bodies = [payload(turn * calls + number if fresh else 0) for number in range(calls)]
        for way, ask in ways.items():
            found[way].append(measured(ask, bodies))
    print(f"\n{name:<24} {'least':>8} {'p50':>8} {'p99':>8}   to echo   to in process")
    medians = {way: [statistics.median(turn) for turn in turns[1:]] for way, turns in found.items()}
    for way, turns in found.items():
        every = sorted(time for turn in turns[1:] for time in turn)
        ratios = [
            statistics.median(a / b for a, b in zip(medians[way], medians[to], strict=True))
            for to in ("echo", "in process")
        ]
        times = (every[0], statistics.median(medians[way]), every[len(every) * 99 // 100])
        shown = " ".join(f"{time:8.3f}" for time in times)
        print(f"{way:<24} {shown}   {ratios[0]:7.2f}   {ratios[1]:13.2f}")


if __name__ == "__main__":
    main()
