"""Many dispatches to handlers that do what they should not, and what is left of them afterwards.

    python bench/handlers.py [DISPATCHES]

An engine with a rule file and handlers of its own is sent one call after the other, the first half with `dispatch`, the
others with `adispatch`. Of each call another handler decides: programs that answer, deny, leave children behind, die,
flood, do not read, cannot be started, hang, or run in the background; servers that answer, do not, or are not there; a
tool of an MCP server; functions that pass, raise, are asynchronous, or run in the background. Prints the time of a
dispatch, and what is left: processes, threads, open files, files in the folder for temporary ones. Ends with 1 if
anything is, or if a handler did not come to what it should.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ostiary import Decision, Engine, Event, Outcome, Verdict

# By the program of the call. The time of those that hang is short: what is looked at is what they leave.
_COMMANDS: dict[str, dict[str, Any]] = {
    "passes": {"command": "exit 0"},
    "denies": {"command": "cat >&2; exit 2"},
    "leaves": {"command": "sleep 1000 >/dev/null 2>&1 & exit 0"},
    "dies": {"command": "kill -9 $$"},
    "floods": {"command": "head -c 1000000 /dev/zero"},
    "closes": {"command": "exec <&-; exit 1"},
    "nobody": {"command": "exec nosuchprogram"},
    "missing": {"command": "./none", "args": []},
    "hangs": {"command": "sleep 1000", "timeout": "50ms"},
    "forks": {"command": "sleep 1000 & sleep 1000 & wait", "timeout": "50ms"},
    "later": {"command": "echo later >&2; exit 2", "async": True, "rewake": True},
    "late": {"command": "sleep 1000", "async": True, "timeout": "50ms"},
}
_FAILING = frozenset(
    ("dies", "closes", "nobody", "missing", "hangs", "forks", "silent", "refused")  # a flood is cut, and says nothing
)
_DENIED = frozenset(("denies", "raises", "awaits"))
_LATER = frozenset(("later", "late", "background"))

_MCP = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked["method"] == "initialize":
        answer["result"] = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}},
                            "serverInfo": {"name": "bench", "version": "1"}}
    elif asked["method"] == "tools/list":
        answer["result"] = {"tools": [{"name": "check", "inputSchema": {"type": "object"}}]}
    elif asked["method"] == "tools/call":
        answer["result"] = {"content": [{"type": "text", "text": "fine"}]}
    else:
        answer["error"] = {"code": -32601, "message": "unknown"}
    print(json.dumps(answer), flush=True)
"""


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


async def _awaits(_: Event) -> Decision:
    await asyncio.sleep(0)
    return Decision(verdict=Verdict.DENY, reason="no")


def _policy(folder: Path, url: str) -> dict[str, Any]:
    server = {"command": sys.executable, "args": ["-I", "-S", str(folder / "server.py")]}
    runs = {
        **_COMMANDS,
        "posts": {"http": url},
        "silent": {"http": f"{url}/hang", "timeout": "50ms"},
        "refused": {"http": "http://127.0.0.1:1/"},
        "tool": {"mcp_tool": "check", "server": server, "input": {"text": "${tool_input.command}"}},
    }
    rules = [{"id": name, "when": {"command": {"program": name}}, "run": run} for name, run in runs.items()]
    return {"version": 1, "contract": "claude", "rules": rules}


def _engine(folder: Path, url: str) -> tuple[Engine, list[tuple[str, Event]]]:
    """The engine, and a call for each handler."""
    (folder / "config").mkdir(mode=0o700)
    (folder / "server.py").write_text(_MCP)
    policy = _policy(folder, url)
    (folder / "config/policy.yaml").write_text(json.dumps(policy))
    (folder / "config/settings.yaml").write_text("enable_shell_hooks: true\n")
    engine = Engine.load(folder / "config", folder, managed=folder / "none", contract="claude", threads=4)
    assert not engine.problems, engine.problems
    engine.on("PreToolUse", lambda _: None)
    engine.on("PreToolUse", _raises, "glob")
    engine.on("PreToolUse", _awaits, "list_directory")
    engine.on("PreToolUse", lambda _: {"systemMessage": "done"}, "grep", background=True)
    programs = [rule["id"] for rule in policy["rules"]]
    calls = {name: Event.from_call("bash", {"command": f"{name} {'x' * 9000}"}, "/", session="s") for name in programs}
    calls["raises"] = Event.from_call("glob", {"pattern": "*"}, "/", session="s")
    calls["awaits"] = Event.from_call("list_directory", {"path": "/"}, "/", session="s")
    calls["background"] = Event.from_call("grep", {"pattern": "x"}, "/", session="s")
    return engine, list(calls.items())


def _wrong(name: str, outcome: Outcome) -> bool:
    """Whether a dispatch came to something else than it should."""
    return (bool(outcome.problems), str(outcome.verdict) == "deny") != (name in _FAILING, name in _DENIED)


def _left(temporary: Path) -> dict[str, int]:
    """What is there: descendants, by the folder for temporary files that all of them are told, and children that nobody
    reaped; threads; open files; temporary files."""
    marked, processes = f"TMPDIR={temporary}\0".encode(), 0
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            processes += entry.parent.name != str(os.getpid()) and marked in entry.read_bytes() + b"\0"
    with suppress(ChildProcessError):
        processes += os.waitpid(-1, os.WNOHANG) != (0, 0)
    files = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    temporaries = len(list(temporary.iterdir()))
    return {"processes": processes, "threads": threading.active_count(), "files": files, "temporary": temporaries}


def _settled(threads: int) -> None:
    """Waits for what runs in the background."""
    end = time.monotonic() + 60
    while threading.active_count() > threads and time.monotonic() < end:
        time.sleep(0.01)


class _Run:
    """Dispatches, and what came of them."""

    def __init__(self, engine: Engine, calls: list[tuple[str, Event]]) -> None:
        self.engine, self.calls = engine, calls
        self.wrong: Counter[str] = Counter()
        self.expected = self.told = 0

    def dispatched(self, numbers: range) -> None:
        """So many calls, from a thread that waits."""
        for number in numbers:
            name, event = self.calls[number % len(self.calls)]
            self._came(name, self.engine.dispatch(event).outcome)

    async def adispatched(self, numbers: range) -> None:
        """So many calls, from an event loop."""
        for number in numbers:
            name, event = self.calls[number % len(self.calls)]
            self._came(name, (await self.engine.adispatch(event)).outcome)

    def _came(self, name: str, outcome: Outcome) -> None:
        self.wrong[name] += _wrong(name, outcome)
        self.expected += name in _LATER
        self.told += len(self.engine.results())


def main(dispatches: int) -> int:
    """Runs them and tells what is left; 1 if anything is."""
    with tempfile.TemporaryDirectory() as folder, ThreadingHTTPServer(("127.0.0.1", 0), _Answering) as server:
        serving = threading.Thread(target=server.serve_forever, daemon=True)
        serving.start()
        temporary = Path(folder, "tmp")
        temporary.mkdir()
        os.environ["TMPDIR"] = tempfile.tempdir = str(temporary)
        engine, calls = _engine(Path(folder), f"http://127.0.0.1:{server.server_port}")
        first, run = _Run(engine, calls), _Run(engine, calls)
        first.dispatched(range(len(calls)))  # what is imported and opened once
        asyncio.run(first.adispatched(range(len(calls))))
        _settled(2)
        engine.results()
        before = _left(temporary)
        began = time.perf_counter()
        run.dispatched(range(dispatches // 2))
        middle = time.perf_counter()
        asyncio.run(run.adispatched(range(dispatches // 2, dispatches)))
        ended = time.perf_counter()
        _settled(2)
        run.told += len(engine.results())
        left = {name: number - before[name] for name, number in _left(temporary).items()}
        server.shutdown()
        serving.join()
    halves = _each(began, middle, dispatches // 2), _each(middle, ended, dispatches - dispatches // 2)
    print(f"{dispatches} dispatches to {len(calls)} sorts of handlers")
    print(f"by `dispatch` {halves[0]:.1f} ms each, by `adispatch` {halves[1]:.1f}")
    print(f"in the background: {run.expected}, of which {run.told} told what they came to")
    print("left: " + ", ".join(f"{name}: {number}" for name, number in left.items()))
    print("otherwise than they should:", dict(+run.wrong) or "none")
    return 1 if any(number > 0 for number in left.values()) or +run.wrong or run.told != run.expected else 0


def _each(began: float, ended: float, count: int) -> float:
    """Milliseconds."""
    return (ended - began) / max(count, 1) * 1000


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
