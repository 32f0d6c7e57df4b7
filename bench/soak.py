"""Many calls through the real service with reloads in between: what it takes in memory and descriptors, and whether
each answer is that of the policy it names.

usage: python bench/soak.py [--calls N] [--every CALLS] [--threads N]

A service of its own, in a folder of its own, is asked by some threads. Meanwhile the rule file is replaced again and
again, by one of some versions that answer otherwise. What each version answers to each call is found beforehand, in
this process and from nothing. An answer has to be that of a version that acted while the call was under way; then the
record is gone through, whose lines name the policy that answered, and each has to say what that policy says. For Linux.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ostiary import __version__
from ostiary.cold import HookCall, decide
from ostiary.dialects import DIALECTS, receive
from ostiary.engine import Engine
from ostiary.event import Event
from ostiary.service.address import address
from ostiary.service.asking import ask
from ostiary.service.protocol import ALIVE, ANSWER, Request, answered, framing, read
from ostiary.service.starting import CLEAN, command
from ostiary.sources import record
from ostiary.sources.compiling import compile_source
from ostiary.sources.places import find_places

AGENT = "claude-code"
VERSIONS = 12
SESSIONS = 5
SAMPLES = 10
SAID = ("deny", "ask", "allow")


def rules(version: int) -> str:
    """A rule file. No version begins as another one, which would be a file that was cut."""
    lines = [f"# version {version}", "version: 1", "rules:"]
    for number in range(40):
        said = SAID[(version + number) % len(SAID)]
        if (version + number) % 4:
            lines.append(
                f"  - {{id: r{number}, tool: Bash, when: {{command: {{program: tool{number}}}}}, decision: {said}}}"
            )
    return "\n".join((*lines, ""))


COMMANDS = (*(f"tool{number} --x {number}" for number in range(40)), "tool1 | tool2", "ls -l", "cat a > b", "echo $X")


class World(NamedTuple):
    """Where all of it lies, and what each version answers to each request."""

    config: Path
    project: Path
    requests: tuple[Request, ...]
    answers: tuple[tuple[tuple[int, bytes], ...], ...]
    generations: tuple[str, ...]

    def save(self, version: int) -> None:
        """Makes a version the one that acts."""
        fresh = self.config / "policy.yaml.new"
        fresh.write_text(rules(version))
        fresh.replace(self.config / "policy.yaml")


def request(project: Path, text: str, number: int) -> Request:
    """What a hook sends."""
    payload = {
        "hook_event_name": "PreToolUse",
        "session_id": f"s{number % SESSIONS}",
        "cwd": str(project),
        "tool_name": "Bash",
        "tool_input": {"command": text},
    }
    return Request(__version__, AGENT, "PreToolUse", str(project), json.dumps(payload).encode())


def world(base: Path) -> World:
    """A world, with everything that its versions answer."""
    config, project = base / "config", base / "project"
    (project / ".git").mkdir(parents=True)
    requests = tuple(request(project, text, number) for number, text in enumerate(COMMANDS))
    answers, generations = [], []
    for version in range(VERSIONS):
        other = base / f"version{version}"
        other.mkdir()
        (other / "policy.yaml").write_text(rules(version))
        said = (
            decide(HookCall(one.payload, AGENT, one.event, str(other), one.start), compile_source) for one in requests
        )
        answers.append(tuple((one.status, one.stdout.encode()) for one in said))
    config.mkdir()
    for version in range(VERSIONS):  # the name of a policy belongs to the folder, too
        (config / "policy.yaml").write_text(rules(version))
        generations.append(Engine.load(config, project).generation)
    found = World(config, project, requests, tuple(answers), tuple(generations))
    found.save(0)
    return found


class Run:
    """The calls of all threads, and the version that acts."""

    def __init__(self, base: World, path: str, calls: int) -> None:
        self.world = base
        self.path = path
        self.calls = calls
        self.done = self.wrong = self.left = 0
        self.saves: list[int] = [0]
        self._lock = threading.Lock()

    def work(self) -> None:
        """Asks until all calls are done."""
        while (number := self._next()) is not None:
            index = number * 7 % len(self.world.requests)
            first = len(self.saves) - 1
            said = self._asked(self.world.requests[index])
            acted = self.saves[first:]
            with self._lock:
                self.left += said is None
                self.wrong += said is not None and said not in [self.world.answers[one][index] for one in acted]

    def _next(self) -> int | None:
        with self._lock:
            if self.done >= self.calls:
                return None
            self.done += 1
            return self.done

    def save(self) -> None:
        """Replaces the rule file. From the next line on it may act; the one before may until it is there."""
        version = (self.saves[-1] + 5) % VERSIONS
        self.saves.append(version)
        self.world.save(version)

    def _asked(self, wanted: Request) -> tuple[int, bytes] | None:
        """Exit code and text of an answer, None where the call is left to the hook."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(60)
            connection.connect(self.path)
            connection.sendall(wanted.pack())
            with connection.makefile("rb") as file:
                frame = read(framing(), file)
                while frame.kind == ALIVE:
                    frame = read(framing(), file)
        status, out, _ = answered(frame.body) if frame.kind == ANSWER else (None, b"", b"")
        return None if status is None else (status, out)


class Sample(NamedTuple):
    """What the processes of a service take: kilobytes of their own of the service, its watcher and its largest worker,
    how many workers there are, and descriptors of the first two."""

    calls: int
    service: int
    watcher: int
    worker: int
    workers: int
    descriptors: int
    watching: int


def sample(path: str, calls: int) -> Sample:
    """What they take now."""
    said = ask(path, "status") or {}
    pid, watcher, workers = said["pid"], said["watcher"].get("pid", 0), said["workers"]
    largest = max(map(own, workers), default=0)
    return Sample(calls, own(pid), own(watcher), largest, len(workers), descriptors(pid), descriptors(watcher))


def own(pid: int) -> int:
    """Kilobytes of memory that a process shares with no file."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("RssAnon:")), 0)


def descriptors(pid: int) -> int:
    """How many are open."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def soaked(run: Run, threads: int, every: int) -> Iterator[Sample]:
    """Runs all calls; what the service takes from time to time."""
    workers = [threading.Thread(target=run.work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    saved, sampled = 0, -1
    while any(worker.is_alive() for worker in workers):
        time.sleep(0.001)
        if run.done >= saved + every:
            saved = run.done
            run.save()
        if run.done * SAMPLES // run.calls > sampled:
            sampled = run.done * SAMPLES // run.calls
            yield sample(run.path, run.done)


def contradicted(run: Run) -> tuple[int, int, int]:
    """Lines of the record about events, those that say otherwise than the policy they name, and those that name none of
    these policies."""
    world = run.world
    expected = {name: index for index, name in enumerate(world.generations)}
    total = wrong = strange = 0
    said = [[verdict(answer) for answer in answers] for answers in world.answers]
    by_digest = known(world)
    for line in (one.line for one in record.lines(str(world.config / "state"), ("events", "stops"))):
        total += 1
        version = expected.get(str(line.get("generation")))
        index = by_digest.get(str(line["digest"]), -1)
        strange += version is None or index < 0
        wrong += version is not None and index >= 0 and said[version][index] != line["said"]
    return total, wrong, strange


def known(world: World) -> dict[str, int]:
    """Requests by the digest that lines of the record have of them."""
    found: dict[str, int] = {}
    for index, one in enumerate(world.requests):
        event = receive(DIALECTS[AGENT], one.payload, one.event)
        assert isinstance(event, Event)
        found[event.digest] = index
    return found


def verdict(answer: tuple[int, bytes]) -> str:
    """The decision of an answer."""
    return str(json.loads(answer[1] or b"{}").get("hookSpecificOutput", {}).get("permissionDecision", "none"))


def main() -> None:
    """Run it, and print what it took."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--calls", type=int, default=1_000_000)
    options.add_argument("--every", type=int, default=500, help="calls between two saves")
    options.add_argument("--threads", type=int, default=2)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="o", dir="/tmp") as name:
        base = world(Path(name).resolve())
        path = address(find_places(str(base.config)), str(base.config))
        served = subprocess.Popen(command(str(base.config), path), env=CLEAN, cwd="/")
        try:
            while not ask(path, "status"):
                time.sleep(0.05)
            failed = report(Run(base, path, given.calls), given.threads, given.every)
        finally:
            served.terminate()
            served.wait()
    sys.exit(failed)


def report(run: Run, threads: int, every: int) -> bool:
    """Prints what it took; whether anything was wrong."""
    print("| calls | service KB | watcher KB | largest worker KB | workers | descriptors | of the watcher |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    began = time.perf_counter()
    for found in soaked(run, threads, every):
        print(f"| {' | '.join(f'{value:,}' for value in found)} |", flush=True)
    seconds = time.perf_counter() - began
    said = ask(run.path, "status") or {}
    total, wrong, strange = contradicted(run)
    print(f"\n{run.calls:,} calls in {seconds:.0f} s, {len(run.saves) - 1:,} saves")
    print(f"as the service says: {said['calls']}, {said['milliseconds']} ms")
    print(f"wrong answers: {run.wrong}, left to the hook: {run.left}")
    print(f"lines of the record: {total:,}, contradicted: {wrong}, of no known policy or call: {strange}")
    reloads = sum(1 for _ in record.lines(str(run.world.config / "state"), ("reloads",)))
    print(f"reloads recorded: {reloads:,}; flaws of the record: {record.flaws(str(run.world.config / 'state'))}")
    return bool(run.wrong or wrong or strange)


if __name__ == "__main__":
    main()
