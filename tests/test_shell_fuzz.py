"""A share of the fuzzer's runs on the analysis of shell scripts: one script in a hundred."""

from __future__ import annotations

from random import Random

import pytest

from fuzz import data, execution, laws, oracle, runs
from fuzz.grammar import Grammar
from ostiary.decision import Verdict

pytestmark = pytest.mark.no_cover

SEED = 20


def share(name: str) -> runs.Result:
    run, whole = runs.RUNS[name]
    return run(whole // 100, SEED)


@pytest.mark.parametrize("name", ["bounded", "denied", "data"])
def test_laws_hold(name: str) -> None:
    result = share(name)
    assert result.findings == []
    assert result.counts.total() == runs.RUNS[name][1] // 100


@pytest.mark.skipif(bool(oracle.absent()), reason="bash or shfmt is not here")
def test_mvdan_sees_no_command_that_is_missed() -> None:
    result = share("syntax")
    assert result.findings == []
    assert result.counts["same"] > result.counts["unparsed"] > 0


def sandboxed() -> bool:
    try:
        if execution.absent():
            return False
        with execution.Sandbox():
            return True
    except OSError:
        return False


@pytest.mark.skipif(not sandboxed(), reason="there is no sandbox here")
def test_bash_runs_no_command_that_is_missed() -> None:
    result = share("execution")
    assert result.findings == []
    assert result.counts["exact"] > result.counts["marked"]


def test_the_same_seed_gives_the_same_scripts() -> None:
    first, second = (list(runs.scripts(50, 7)) for _ in range(2))
    assert first == second
    assert first != list(runs.scripts(50, 8))


@pytest.mark.skipif(bool(oracle.absent()), reason="bash or shfmt is not here")
@pytest.mark.parametrize(
    ("script", "seen"),
    [
        ("a x > f", [("a x > f", "a", ("f",))]),
        ("if a; then b <<E; fi\n$(c)\nE", [("a", "a", ()), ("b <<E", "b", ()), ("c", "c", ())]),
        ("{ a; } 2>g >&2", [("", None, ("g",)), ("a", "a", ())]),
    ],
)
def test_what_the_oracle_sees(script: str, seen: list[tuple[str, str | None, tuple[str, ...]]]) -> None:
    assert list(map(tuple, oracle.statements(oracle.tree(script), script.encode()))) == seen


def test_a_miss_is_a_finding() -> None:
    ran = execution.Run((("c1", "a"), ("c2",)), ("/w/f", "/w/g"))
    assert execution.judge("c1 a > f", ran) == (1, 0, 1, ("ran: c2", "wrote: /w/g"))
    assert execution.judge("c1 $X > $Y", ran).missed == ("ran: c2",)
    assert execution.judge("c1 'a", ran) == (0, 0, 2, ())


def test_clothes_and_carriers_are_all_tried() -> None:
    random = Random(SEED)
    assert len({laws.denied(random).script for _ in range(500)}) > 450
    assert len({data.carried(random) for _ in range(500)}) > 400
    assert laws.verdict("rm -rf a", laws.policy()) == Verdict.DENY
    assert laws.verdict("echo a", laws.policy()) == Verdict.NONE


def test_scripts_that_run_hold_only_stand_ins_and_relative_names() -> None:
    grammar = Grammar(Random(SEED), runnable=True)
    for _ in range(300):
        script = grammar.script()
        assert not {"rm", "dd", "mv", "kill", "sudo"} & set(script.split())
        assert all(place in script[:12] or place not in script for place in ("/bin/", "/etc", "/usr", "/home", "../"))
