"""The evaluation corpus: `tests/cases/policy/**.yaml`, a behaviour a row.

A row has policies by tier (`managed`, `policy` for the user's, `project` with `reviewed`, `plugin`), a call
(`command`, or `tool` and `input`; `on`, `cwd`, `prompt`, `output`, `mode`, ...), `facts`, and `want`: the verdict and
any other key of the outcome, `fired` (ids of the rules that answered yes or maybe and act), `reason` in full.
`programs` and `tools` hold what the tiers define; `warnings` in `want` are those of the policy.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ostiary.build import compile_definitions, compile_file
from ostiary.decision import Outcome
from ostiary.evaluate import evaluate
from ostiary.event import Event, mcp_pair
from ostiary.facts import FactRequest, FixedFacts, Given
from ostiary.perform import run
from ostiary.policy import Admitted, Policy, assemble
from tables import as_yaml, read_table

CASES = Path(__file__).parent / "cases" / "policy"
TIERS = {"managed": "managed", "policy": "user", "project": "project", "plugin": "plugin"}
EVENT_KEYS = ("mcp_source", "prompt", "output", "mode", "session", "subagent", "interactive", "project", "agent")


def load(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = read_table(path)["cases"]
    return rows


ROWS = [
    pytest.param(row, id=f"{path.stem}: {row['note']}") for path in sorted(CASES.rglob("*.yaml")) for row in load(path)
]


def sources(row: dict[str, Any]) -> list[Admitted]:
    found = []
    for key, tier in TIERS.items():
        for number, text in enumerate(row[key] if isinstance(row.get(key), list) else [row[key]] if key in row else []):
            file, _ = compile_file(as_yaml(text), f"{tier}{number or ''}.yaml")
            found.append(Admitted(tier, reviewed(row, tier), file))  # type: ignore[arg-type]
    for defined in ("programs", "tools"):
        for key, text in row.get(defined, {}).items():
            plan = compile_definitions(as_yaml(text), f"{key}.yaml", defined)  # type: ignore[arg-type]
            found.append(Admitted(TIERS[key], reviewed(row, TIERS[key]), plan))  # type: ignore[arg-type]
    return found


def reviewed(row: dict[str, Any], tier: str) -> bool:
    found: bool = row.get("reviewed", tier in ("managed", "user"))
    return found


def event(row: dict[str, Any]) -> Event:
    name = row.get("on", "PreToolUse")
    fields = {key: row[key] for key in EVENT_KEYS if key in row}
    if "lacks" in row:
        fields["lacks"] = frozenset(row["lacks"])
    tool = row.get("tool", "bash" if "command" in row else None)
    arguments = row.get("input", {"command": row["command"]} if "command" in row else {})
    return Event(name=name, tool=tool, mcp=mcp_pair(tool or ""), input=arguments, cwd=row.get("cwd", "/work"), **fields)


def facts(row: dict[str, Any]) -> FixedFacts:
    given = row.get("facts", {})
    answers: dict[FactRequest, object] = {
        FactRequest("resolve", path): target for path, target in given.get("links", {}).items()
    }
    answers |= {FactRequest("branch", path): name for path, name in given.get("branches", {}).items()}
    answers |= {FactRequest("kind", path): kind for path, kind in given.get("files", {}).items()}
    answers |= {FactRequest("script", path): text for path, text in given.get("scripts", {}).items()}
    answers |= {FactRequest("written", path): said for path, said in given.get("written", {}).items()}
    answers |= {FactRequest("listing", path): names for path, names in given.get("listings", {}).items()}
    answers |= {FactRequest("ignored", path): said for path, said in given.get("ignored", {}).items()}
    now = datetime.fromisoformat(given.get("now", "2027-03-01T12:00:00")).replace(tzinfo=UTC)
    roots = tuple(given.get("roots", ("/work",)))
    known = Given(
        now=now,
        home=given.get("home", "/home/dev"),
        user="dev",
        start=roots[0],
        roots=roots,
        workdirs=roots,
        windows=given.get("windows", False),
    )
    return FixedFacts(known, answers)


def decide(policy: Policy, row: dict[str, Any]) -> Outcome:
    known = facts(row)
    return run(evaluate(policy, event(row), known.known), known)


@pytest.mark.parametrize("row", ROWS)
def test_case(row: dict[str, Any]) -> None:
    want = dict(row["want"])
    assert "verdict" in want
    policy = assemble(sources(row))
    outcome = decide(policy, row)
    report = outcome.to_json()
    report["fired"] = [step.rule.rsplit("/", 1)[-1] for step in outcome.trail if step.state == "active"]
    report["states"] = {step.rule.rsplit("/", 1)[-1]: step.state for step in outcome.trail}
    report["model_reason"] = outcome.model_reason
    report["warnings"] = list(policy.warnings)
    assert {key: report.get(key) for key in want} == want
