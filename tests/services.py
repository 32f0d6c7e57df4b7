"""The resident service as its own process, and clients of it."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ostiary import __version__
from ostiary.client import __file__ as _client
from ostiary.service.address import address
from ostiary.service.asking import ask
from ostiary.service.protocol import Frame, Request, framing, read
from ostiary.sources.places import find_places
from payloads import AGENT, raw
from processes import PROGRAM, SOURCE

PATIENCE = 30.0

_SERVE = """
import sys; sys.path.insert(0, {source!r})
from ostiary.commands import serve
from ostiary.service.server import Bounds, Times
from ostiary.service.workers import Limits
serve.main(sys.argv[1:], Bounds(Times({times}), Limits({limits})))
"""


def python() -> tuple[str, ...]:
    """What starts the client that needs Python."""
    return (sys.executable, "-I", "-S", str(Path(_client).with_name("client.py")))


@cache
def native() -> tuple[str, ...]:
    """What starts the native client, compiled for this machine."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler here")
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    source = Path(_client).with_name("native") / "client.c"
    program = os.path.join(folder, "ostiary-client")
    strict = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror")
    subprocess.run([compiler, *strict, f'-DVERSION="{__version__}"', "-o", program, str(source)], check=True)
    return (program,)


CLIENTS: dict[str, Callable[[], tuple[str, ...]]] = {"python": python, "native": native}


def until(happens: Callable[[], Any]) -> Any:
    """What comes of asking again and again; fails where nothing does."""
    end = time.monotonic() + PATIENCE
    while not (found := happens()):
        assert time.monotonic() < end, "it never happens"
        time.sleep(0.02)
    return found


def alive(pid: int) -> bool:
    """Whether a process is there and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class World:
    """A folder of policy with a project, the address of its service, and whatever of it runs."""

    def __init__(self, base: Path, program: tuple[str, ...]) -> None:
        self.base = base
        self.config, self.project = base / "config", base / "project"
        self.address = address(find_places(str(self.config)), str(self.config))
        self.program = program
        self.running: list[subprocess.Popen[bytes]] = []

    def cold(self, event: str = "PreToolUse", *more: str) -> list[str]:
        """The cold command."""
        given = ("--agent", AGENT, "--event", event, "--config-dir", str(self.config), "--socket", self.address)
        return [*PROGRAM, "hook", *given, *more]

    def serve(self, times: str = "", limits: str = "", source: str = SOURCE) -> int:
        """Starts the service and waits for it; its process."""
        code = _SERVE.format(source=source, times=times, limits=limits)
        command = [sys.executable, "-I", "-c", code, "--clean", "--config-dir", str(self.config)]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        self.running.append(process)
        until(self.status)
        return process.pid

    def status(self) -> dict[str, Any] | None:
        """What the service says of itself, None if none runs."""
        try:
            return ask(self.address, "status")
        except ConnectionResetError:  # it was about to end
            return None

    def rested(self) -> dict[str, Any]:
        """The same once no worker has a call any more: a client has its answer before the service knows."""
        return until(lambda: (found := self.status()) and not found["busy"] and found)  # type: ignore[no-any-return]

    def worker(self) -> int:
        """The process of the only worker, which has nothing to do."""
        (found,) = self.rested()["workers"]
        return int(found)

    def client(self, payload: Any, event: str = "PreToolUse", *, milliseconds: int = 20_000, **more: Any) -> Any:
        """A client that was started, with the payload sent to it."""
        command = [*self.program, self.address, str(milliseconds), "--", *self.cold(event)]
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        process = subprocess.Popen(command, cwd=self.project, **streams)
        with suppress(BrokenPipeError):
            process.stdin.write(payload if isinstance(payload, bytes) else raw(payload))  # type: ignore[union-attr]
        process.stdin.close()  # type: ignore[union-attr]
        process.stdin = None
        return process

    def said(self, payload: Any, event: str = "PreToolUse", **more: Any) -> tuple[bytes, bytes, int]:
        """What a client says."""
        process = self.client(payload, event, **more)
        out, error = process.communicate(timeout=PATIENCE)
        return out, error, process.returncode

    def hooked(self, payload: Any, event: str = "PreToolUse", *more: str) -> tuple[bytes, bytes, int]:
        """What the cold command says, which starts no service here."""
        command = [word for word in self.cold(event, *more) if word not in ("--socket", self.address)]
        data = payload if isinstance(payload, bytes) else raw(payload)
        done = subprocess.run(command, input=data, capture_output=True, timeout=60, check=False, cwd=self.project)
        return done.stdout, done.stderr, done.returncode

    @contextmanager
    def connected(self) -> Iterator[socket.socket]:
        """A connection of our own."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(self.address)
            yield connection

    def request(self, payload: Any, version: str = __version__) -> bytes:
        """The bytes of a request."""
        data = payload if isinstance(payload, bytes) else raw(payload)
        return Request(version, AGENT, "PreToolUse", str(self.project), data).pack()

    def again(self) -> None:
        """Lets a service start although one was started only just now."""
        os.utime(f"{self.address}.lock", (0, 0))

    def end(self) -> None:
        """Ends whatever runs, also what hooks started."""
        for pid in self.services():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
                os.kill(pid, signal.SIGKILL)
        for process in self.running:
            process.wait(PATIENCE)

    def services(self) -> list[int]:
        """The processes of services of this folder of policy, and their workers."""
        found = []
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
                if b"--clean" in words and os.fsencode(self.config) in words:
                    found.append(int(entry.name))
        return sorted(found)


def frames(connection: socket.socket) -> Iterator[Frame]:
    """The frames that come, until the connection ends."""
    with connection.makefile("rb") as file:
        while True:
            try:
                yield read(framing(), file)
            except EOFError:
                return


def verdict(said: tuple[bytes, bytes, int]) -> str:
    """The decision in an answer, empty for none."""
    out, error, status = said
    assert (error, status) == (b"", 0), said
    return str(json.loads(out or b"{}").get("hookSpecificOutput", {}).get("permissionDecision", ""))
