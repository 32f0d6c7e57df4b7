"""A share of the fuzzer's run: one payload in a hundred."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from ostiary.dialects import DIALECTS, Answer

pytestmark = pytest.mark.no_cover

SCRIPT = Path(__file__).parents[1] / "bench" / "fuzz_payloads.py"


@pytest.fixture(scope="module")
def fuzzer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz_payloads", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["fuzz_payloads"] = module
    spec.loader.exec_module(module)
    return module


def test_nothing_raises_and_no_gate_opens(fuzzer: ModuleType) -> None:
    counts, findings = fuzzer.fuzz(fuzzer.WHOLE // 100, 20)
    assert findings == []
    assert {name.split()[0] for name in counts} == set(DIALECTS)
    assert {name.split()[1] for name in counts} == {"none", "ask", "deny", "refused"}


def test_the_same_seed_gives_the_same_payloads(fuzzer: ModuleType) -> None:
    first, second = (list(fuzzer.cases(50, fuzzer.Random(7))) for _ in range(2))
    assert first == second
    assert first != list(fuzzer.cases(50, fuzzer.Random(8)))


def test_the_fuzzer_sees_an_open_gate(fuzzer: ModuleType) -> None:
    dialect = DIALECTS["claude-code"]
    case = fuzzer.Case("claude-code", "PreToolUse", b"{")
    assert fuzzer.judged(case, fuzzer.rules()) == ("refused", "")
    assert fuzzer._closed(dialect, "PreToolUse", Answer()) != ""
    assert fuzzer._closed(dialect, None, Answer()) != ""
    assert fuzzer._closed(dialect, "Stop", Answer()) == ""
