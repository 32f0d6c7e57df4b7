"""`pack:readonly` allows what only looks: `tests/cases/quiet/readonly.yaml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ostiary.build import compile_file
from ostiary.decision import Verdict
from ostiary.evaluate import evaluate
from ostiary.event import Event
from ostiary.facts import FixedFacts, Given
from ostiary.perform import run
from ostiary.policy import Admitted, FilePlan, Policy, assemble
from tables import read_table

ROOT = Path(__file__).parent.parent
TABLE = read_table(ROOT / "tests" / "cases" / "quiet" / "readonly.yaml")
HIDDEN = [
    row["command"]
    for name in ("inside", "hidden")
    for row in read_table(ROOT / "tests" / "cases" / "policy" / f"{name}.yaml")["cases"]
    if "command" in row
]
FACTS = FixedFacts(Given(home="/home/dev", user="dev", start="/work", roots=("/work",), workdirs=("/work",)))


def plan(path: Path) -> FilePlan:
    """A pack, once its examples were tried."""
    file, warnings = compile_file(path.read_bytes(), path.name)
    assert not warnings
    return file


@pytest.fixture(scope="module")
def readonly() -> Policy:
    return assemble(
        [Admitted("user", True, plan(ROOT / "policies" / f"{name}.yaml")) for name in ("baseline", "readonly")]
    )


def verdict(policy: Policy, call: str | dict[str, Any]) -> Verdict:
    tool, given = ("bash", {"command": call}) if isinstance(call, str) else (call["tool"], call["input"])
    event = Event.from_call(tool, given, "/work", agent="claude-code", session="s")
    return run(evaluate(policy, event, FACTS.known), FACTS).verdict


@pytest.mark.parametrize("call", TABLE["allowed"], ids=str)
def test_what_only_looks_is_allowed(call: Any, readonly: Policy) -> None:
    assert verdict(readonly, call) == Verdict.ALLOW


@pytest.mark.parametrize("call", TABLE["unanswered"], ids=str)
def test_what_does_more_is_not(call: Any, readonly: Policy) -> None:
    assert verdict(readonly, call) != Verdict.ALLOW


@pytest.mark.parametrize("call", TABLE["stopped"], ids=str)
def test_secrets_are_stopped(call: Any, readonly: Policy) -> None:
    assert verdict(readonly, call) == Verdict.DENY


@pytest.mark.no_cover
def test_nothing_that_hides_a_command_is_allowed(readonly: Policy) -> None:
    assert len(HIDDEN) > 500
    assert [text for text in HIDDEN if "rm " in text and verdict(readonly, text) == Verdict.ALLOW] == []
