"""Test suites: what a policy must make of calls and events, as YAML.

The facts of a suite are its own, so it gives the same result on every machine; only the time is today's unless the
suite fixes it, because rules that have expired no longer do what the suite says.
"""

from __future__ import annotations

from ostiary import document
from ostiary.policy import Policy
from ostiary.records import dataclass
from ostiary.suites.judging import Difference, Result, differences, outcome_of, spoken
from ostiary.suites.moments import event_of, lacks, made
from ostiary.suites.spec import SuiteSpec, json_schema

__all__ = [
    "SUFFIX",
    "Difference",
    "Result",
    "Suite",
    "event_of",
    "json_schema",
    "judge",
    "lacks",
    "load",
    "made",
    "spoken",
]

SUFFIX = ".test.yaml"
"""How the name of a suite ends."""


@dataclass(frozen=True, slots=True)
class Suite:
    """One file of cases; `lines` are where they stand."""

    file: str
    spec: SuiteSpec
    lines: tuple[int, ...]


def load(raw: bytes | str, file: str) -> Suite:
    """A suite from its text; `file` is its name for people. Raises `PolicyError` with everything wrong with it."""
    spec, placed = document.load(raw, SuiteSpec, file)
    return Suite(file, spec, tuple(placed.line(("cases", index)) for index in range(len(spec.cases))))


def judge(suite: Suite, policy: Policy) -> tuple[Result, ...]:
    """Every case of a suite, judged by a policy."""
    return tuple(_result(suite, index, policy) for index in range(len(suite.spec.cases)))


def _result(suite: Suite, index: int, policy: Policy) -> Result:
    case = suite.spec.cases[index]
    outcome = outcome_of(case, suite.spec.facts, policy)
    return Result(suite.file, suite.lines[index], case.name, differences(case.expect, outcome), outcome)
