"""What the service counts, and how Prometheus reads it (version 0.0.4 of its text format)."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from ostiary.records import NamedTuple

BOUNDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 60.0)
"""Seconds: the upper ends of the steps of the histogram."""


class Numbers:
    """Verdicts by agent, and how long calls took."""

    def __init__(self) -> None:
        self.verdicts: Counter[tuple[str, str]] = Counter()
        self.steps = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0

    def said(self, agent: str, verdict: str) -> None:
        """Counts what an agent was told."""
        self.verdicts[agent, verdict] += 1

    def took(self, seconds: float) -> None:
        """Counts a call."""
        self.steps[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds


class Now(NamedTuple):
    """The service at this moment: its version, the generation it read last, with how many problems, for how many
    seconds it has run, what became of calls, policies that were read, its processes, how many of them have a call, how
    many were killed, and open connections."""

    version: str
    policy: str
    problems: int
    seconds: float
    calls: Mapping[str, int]
    reads: int
    processes: tuple[int, ...]
    busy: int
    killed: int
    connections: int


Labels = tuple[tuple[str, str], ...]


class _Metric(NamedTuple):
    name: str
    kind: str
    help: str
    values: Mapping[Labels, float]


def exposition(now: Now, numbers: Numbers) -> str:
    """All of it as text."""
    lines = (line for metric in _metrics(now, numbers) for line in _lines(metric))
    return "".join(f"{line}\n" for line in (*lines, *_histogram(numbers)))


def _metrics(now: Now, numbers: Numbers) -> Iterator[_Metric]:
    calls: dict[Labels, float] = {(("outcome", name),): count for name, count in now.calls.items()}
    told: dict[Labels, float] = {
        (("agent", agent), ("verdict", said)): count for (agent, said), count in numbers.verdicts.items()
    }
    memory = sum(map(_resident, now.processes))
    yield _Metric("ostiary_info", "gauge", "The version that runs.", {(("version", now.version),): 1})
    yield _Metric("ostiary_policy_info", "gauge", "The policy that was read last.", {(("generation", now.policy),): 1})
    yield _alone("ostiary_policy_problems", "gauge", "What was wrong with it.", now.problems)
    yield _alone("ostiary_up_seconds", "gauge", "How long it has run.", now.seconds)
    yield _Metric("ostiary_calls_total", "counter", "What became of calls.", calls)
    yield _Metric("ostiary_verdicts_total", "counter", "What agents were told.", told)
    yield _alone("ostiary_policies_read_total", "counter", "Policies that were read anew.", now.reads)
    yield _alone("ostiary_workers", "gauge", "Processes for calls.", len(now.processes) - 1)
    yield _alone("ostiary_workers_busy", "gauge", "Those that have one.", now.busy)
    yield _alone("ostiary_workers_killed_total", "counter", "Those that were late, or died.", now.killed)
    yield _alone("ostiary_connections", "gauge", "Connections that are open.", now.connections)
    yield _alone("ostiary_memory_bytes", "gauge", "Resident memory of all processes.", memory)


def _alone(name: str, kind: str, help: str, value: float) -> _Metric:
    return _Metric(name, kind, help, {(): value})


def _lines(metric: _Metric) -> Iterator[str]:
    yield from _head(metric.name, metric.kind, metric.help)
    for labels, value in metric.values.items():
        yield f"{metric.name}{_labels(labels)} {value:.15g}"


def _histogram(numbers: Numbers) -> Iterator[str]:
    name, count = "ostiary_call_seconds", 0
    yield from _head(name, "histogram", "How long calls took.")
    for bound, step in zip((*map("{:g}".format, BOUNDS), "+Inf"), numbers.steps, strict=True):
        count += step
        yield f"{name}_bucket{_labels((('le', bound),))} {count}"
    yield f"{name}_sum {numbers.seconds:.15g}"
    yield f"{name}_count {count}"


def _head(name: str, kind: str, help: str) -> Iterator[str]:
    yield f"# HELP {name} {help}"
    yield f"# TYPE {name} {kind}"


def _labels(labels: Labels) -> str:
    return f"{{{','.join(f'{name}={_quoted(value)}' for name, value in labels)}}}" if labels else ""


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _resident(pid: int) -> int:
    """Bytes of memory that a process has, 0 where the system does not tell."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0
