"""The baseline pack on everyday commands: `tests/cases/quiet/baseline.yaml`.

`quiet` are commands of which it says nothing, `loud` near relatives of which it must say something.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ostiary.build import compile_file
from ostiary.decision import Verdict
from ostiary.evaluate import evaluate
from ostiary.event import Event
from ostiary.facts import FactRequest, FixedFacts, Given
from ostiary.perform import run
from ostiary.policy import Admitted, assemble
from tables import read_table

ROOT = Path(__file__).parent.parent
TABLE: dict[str, Any] = read_table(ROOT / "tests/cases/quiet/baseline.yaml")
PACK = "policies/baseline.yaml"
POLICY = assemble([Admitted("user", True, compile_file((ROOT / PACK).read_bytes(), PACK)[0])])
START = "/home/dev/app"
FACTS = FixedFacts(Given(home="/home/dev", user="dev", start=START, roots=(START,), workdirs=(START,)))
# What a search of the project would find.
SECRETS = FixedFacts(FACTS.known, {FactRequest("listing", START): {".env": ("",), ".env.local": ("",)}})


def verdict(command: str, facts: FixedFacts = FACTS) -> Verdict:
    return run(evaluate(POLICY, Event.from_call("bash", {"command": command}, START), facts.known), facts).verdict


@pytest.mark.parametrize("command", TABLE["quiet"])
def test_nothing_is_said_about_data(command: str) -> None:
    assert verdict(command) == Verdict.NONE


@pytest.mark.parametrize("row", TABLE["loud"], ids=lambda row: row["command"])
def test_what_is_inside_is_seen(row: dict[str, str]) -> None:
    assert verdict(row["command"], SECRETS).name.lower() == row["verdict"]
