"""What one hook costs as a whole process, relative to a Python that does nothing.

usage: python bench/process.py [--rounds N]

Each round starts, one after another: `python -I -S -c pass`, `python -I -c pass`, and `python -I -m ostiary hook`
with a starter policy whose compiled form is cached, for a shell call, an edit and a file read, and once more for each
without the child that does the work, as on systems that have none. Figures are milliseconds; ratios are taken within a
round, then their median. Where there is no child, follows the processor's time, the least of all rounds with its ratio
to the least of Python alone: what a busy machine changes least. Last comes what a child alone costs, made and answered
for nothing.
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
from resource import RUSAGE_CHILDREN, getrusage
from typing import NamedTuple

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


class Cost(NamedTuple):
    """Milliseconds from start to end of a process, and those that the processor worked for it; for a child of its own
    that it does not wait for not."""

    wall: float
    cpu: float


def spawn(command: list[str], stdin: bytes) -> Cost:
    """What a process costs."""
    before, start = getrusage(RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, input=stdin, capture_output=True, check=True)
    wall, after = time.perf_counter() - start, getrusage(RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Cost(wall * 1e3, used * 1e3)


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
        alone = [sys.executable, "-I", "-c", ALONE, *hook[5:]]
        commands |= {f"{name}, no child": (alone, payload(call)) for name, call in CALLS.items()}
        for command, stdin in commands.values():
            spawn(command, stdin)
        rows = [[spawn(*command) for command in commands.values()] for _ in range(rounds)]
    print(f"whole processes, {rounds} rounds: ms, and the ratio to `python -I -S -c pass`")
    print(f"{'process':>16} {'min':>8} {'median':>8} {'ratio':>7} {'cpu':>8} {'ratio':>7}")
    least = min(row[0].cpu for row in rows)
    for column, name in enumerate(commands):
        times = [row[column].wall for row in rows]
        ratio = statistics.median(row[column].wall / row[0].wall for row in rows)
        cpu = min(row[column].cpu for row in rows)
        used = "" if name.startswith("hook") else f" {cpu:>8.1f} {cpu / least:>7.1f}"
        print(f"{name:>16} {min(times):>8.1f} {statistics.median(times):>8.1f} {ratio:>7.1f}{used}")
    if hasattr(os, "fork"):
        times = [child() for _ in range(10 * rounds)]
        print(f"{'a child':>16} {min(times):>8.1f} {statistics.median(times):>8.1f}")


if __name__ == "__main__":
    main()
