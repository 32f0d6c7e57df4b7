"""What one hook costs as a whole process, relative to a Python that does nothing.

usage: python bench/process.py [--rounds N]

Each round starts, one after another: `python -I -S -c pass`, `python -I -c pass`, and `python -I -m ostiary hook`
with a starter policy whose compiled form is cached, for a shell call, an edit and a file read, and once more for the
shell call without the child that does the work, as on systems that have none. Figures are milliseconds; ratios are
taken within a round, then their median. Last comes what a child alone costs, made and answered for nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ostiary.commands.shared import children, keeper

ALONE = (
    "import sys; from ostiary.commands import hook; from ostiary.commands.shared import keeper; "
    "hook.main(sys.argv[1:], lambda job: keeper.keep(job, forks=False))"
)
CALLS = {
    "shell": {"tool_name": "Bash", "tool_input": {"command": "git status && npm test | tail -20"}},
    "write": {"tool_name": "Write", "tool_input": {"file_path": "/work/x.py", "content": "x = 1"}},
    "read": {"tool_name": "Read", "tool_input": {"file_path": "/work/README.md"}},
}


def payload(call: dict[str, object]) -> bytes:
    """A payload as the agent sends it."""
    common = {"session_id": "s", "transcript_path": "/t", "cwd": "/", "hook_event_name": "PreToolUse"}
    return json.dumps(common | call | {"tool_use_id": "t"}).encode()


def spawn(command: list[str], stdin: bytes) -> float:
    """Milliseconds from start to end of the process."""
    start = time.perf_counter()
    subprocess.run(command, input=stdin, capture_output=True, check=True)
    return (time.perf_counter() - start) * 1e3


def child() -> float:
    """Milliseconds for a child that answers at once."""
    start = time.perf_counter()
    children.ask(lambda _tell: keeper.Said("", "", 0), keeper.LIMITS)
    return (time.perf_counter() - start) * 1e3


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=21)
    rounds = arguments.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        config = str(Path(folder).resolve() / "ostiary")
        ostiary = [sys.executable, "-I", "-m", "ostiary"]
        subprocess.run([*ostiary, "init", "--config-dir", config], capture_output=True, check=True)
        hook = [*ostiary, "hook", "--agent", "claude-code", "--event", "PreToolUse", "--config-dir", config]
        commands = {"python -I -S": ([sys.executable, "-I", "-S", "-c", "pass"], b"")}
        commands["python -I"] = ([sys.executable, "-I", "-c", "pass"], b"")
        commands |= {f"hook, {name}": (hook, payload(call)) for name, call in CALLS.items()}
        commands["hook, no child"] = ([sys.executable, "-I", "-c", ALONE, *hook[5:]], payload(CALLS["shell"]))
        for command, stdin in commands.values():
            spawn(command, stdin)
        rows = [[spawn(*command) for command in commands.values()] for _ in range(rounds)]
    print(f"whole processes, {rounds} rounds: ms, and the ratio to `python -I -S -c pass`")
    print(f"{'process':>14} {'min':>8} {'median':>8} {'ratio':>7}")
    for column, name in enumerate(commands):
        times = [row[column] for row in rows]
        ratio = statistics.median(row[column] / row[0] for row in rows)
        print(f"{name:>14} {min(times):>8.1f} {statistics.median(times):>8.1f} {ratio:>7.1f}")
    if hasattr(os, "fork"):
        times = [child() for _ in range(10 * rounds)]
        print(f"{'a child':>14} {min(times):>8.1f} {statistics.median(times):>8.1f}")


if __name__ == "__main__":
    main()
