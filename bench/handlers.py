"""Many dispatches to handlers that do what they should not, and what is left of them afterwards.

    python bench/handlers.py [DISPATCHES]

Every round runs, beside each other, programs that answer, deny, leave children behind, die, flood, do not read, cannot
be started or hang, a server that answers and one that does not, and functions. Prints the time of a dispatch, and what
is left: processes, threads, open files, files in the folder for temporary ones. Ends with 1 if anything is.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ostiary.evaluate import HandlerRequest
from ostiary.event import Event
from ostiary.perform.handlers import perform
from ostiary.perform.runtime import Runtime
from ostiary.policy import HandlerPlan

_COMMAND: dict[str, Any] = {"args": None, "cwd": "rule", "full_environment": False, "environment": ()}
_HTTP: dict[str, Any] = {"headers": (), "allowed_env": (), "private": False, "ca_file": None, "proxy": None}

# The time of those that hang is short: what is looked at is what they leave.
_COMMANDS: tuple[tuple[str, float | None], ...] = (
    ("exit 0", None),
    ("cat >&2; exit 2", None),
    ("sleep 1000 >/dev/null 2>&1 & exit 0", None),
    ("kill -9 $$", None),
    ("head -c 1000000 /dev/zero", None),
    ("exec <&-; exit 1", None),
    ("exec nosuchprogram", None),
    ("sleep 1000", 0.05),
    ("sleep 1000 & sleep 1000 & wait", 0.05),
)


class _Answering(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/hang":
            time.sleep(0.1)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


def _raises(_: Event) -> None:
    raise ValueError("no")


def _requests(folder: str, url: str) -> tuple[HandlerRequest, ...]:
    event = Event.from_call("write_file", {"file_path": "/a", "content": "x" * 100_000})

    def one(kind: str, timeout: float | None = None, **options: Any) -> HandlerRequest:
        plan = HandlerPlan(kind, tuple(options.items()), folder, timeout)
        return HandlerRequest("user:bench/r", "user", plan, event, "claude")

    return (
        *(one("command", timeout, **_COMMAND, command=text) for text, timeout in _COMMANDS),
        one("command", **{**_COMMAND, "args": ()}, command="./none"),
        one("http", **_HTTP, url=url),
        one("http", 0.05, **_HTTP, url=f"{url}/hang"),
        one("http", **_HTTP, url="http://127.0.0.1:1/"),
        one("function", name="passes"),
        one("function", name="raises"),
    )


def _open_files() -> int:
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


def _children() -> int:
    """Programs of ours that nobody reaped, or that still run in a session that one of them led."""
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            return 1
    except ChildProcessError:
        return 0
    return 1


def main(dispatches: int) -> int:
    """Runs them and tells what is left; 1 if anything is."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answering)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    with tempfile.TemporaryDirectory() as folder:
        runtime = Runtime(
            functions={"passes": lambda _: None, "raises": _raises}, environ={"TMPDIR": folder}, project=folder
        )
        requests = _requests(folder, f"http://127.0.0.1:{server.server_port}")
        perform(requests, runtime)  # what is imported and opened once
        time.sleep(0.2)
        before = (_children(), threading.active_count(), _open_files())
        rounds = -(-dispatches // len(requests))
        began = time.perf_counter()
        for _ in range(rounds):
            perform(requests, runtime)
        took = (time.perf_counter() - began) / (rounds * len(requests))
        server.shutdown()
        server.server_close()  # waits for the threads of its connections
        serving.join()
        after = (_children(), threading.active_count() + 1, _open_files() + 1)  # the server's own are gone
        files = len(list(Path(folder).iterdir()))
    print(f"{rounds * len(requests)} handlers, {took * 1000:.1f} ms each")
    left = {"processes": after[0], "threads": after[1] - before[1], "files": after[2] - before[2], "temporary": files}
    print(", ".join(f"{name}: {number}" for name, number in left.items()))
    return 1 if any(number > 0 for number in left.values()) else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
