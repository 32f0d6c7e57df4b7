"""One policy, and calls of every kind as each agent sends them: for tests and measurements over all dialects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from ostiary.build import compile_file
from ostiary.decision import Outcome
from ostiary.dialects import Dialect, tool_table
from ostiary.dialects.calls import calls, gates
from ostiary.evaluate import evaluate
from ostiary.event import Event
from ostiary.facts import FixedFacts, Given
from ostiary.perform import run
from ostiary.policy import Admitted, Policy, assemble
from ostiary.tools import TOOLS
from tables import read_table

HOME: Final = "/work/app"
TABLE: Final[dict[str, Any]] = read_table(Path(__file__).parent / "cases/matrix/agents.yaml")
CALLS: Final[list[dict[str, Any]]] = TABLE["calls"]
FACTS: Final = FixedFacts(Given(home="/home/dev", user="dev", start=HOME, roots=(HOME,), workdirs=(HOME,)))


class Sent(NamedTuple):
    """A call on its way: the native event and tool that carry it, and the bytes."""

    native: str
    tool: str
    raw: bytes


def policy(text: str) -> Policy:
    """A user's policy from the text of its file."""
    file, problems = compile_file(text.encode(), "policy.yaml")
    assert not problems
    return assemble([Admitted("user", True, file)], tool_table(TOOLS))


def sent(dialect: Dialect, call: dict[str, Any]) -> Iterator[Sent]:
    """Every way in which the agent sends a call of the table, or what stands `instead` where it has no such tool."""
    for kind in (call, *call.get("instead", ())):
        ways = [
            Sent(native, tool, json.dumps(payload).encode())
            for native in gates(dialect)
            for tool, payload in calls(dialect, native, kind["tool"], kind["input"], HOME)
        ]
        if ways:
            yield from ways
            return


def judged(rules: Policy, event: Event) -> Outcome:
    """What the policy makes of an event, on a machine without files."""
    return run(evaluate(rules, event, FACTS.given(event.cwd)), FACTS)
