"""What agents are told when Ostiary itself fails: `tests/cases/failure/contract.yaml` (laws L7 and L8)."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from ostiary.commands import hook as verb
from ostiary.commands.shared import children
from ostiary.commands.shared.keeper import LIMITS, Job, Said, Tell, Told
from ostiary.dialects import DIALECTS, OnError, unreadable
from ostiary.dialects.base import SILENCE
from ostiary.dialects.calls import gates
from ostiary.dialects.hearing import fits, heard

TABLE = YAML(typ="safe", pure=True).load((Path(__file__).parent / "cases/failure/contract.yaml").read_text("utf-8"))
WAYS: tuple[OnError, ...] = ("deny", "ask", "continue")
ROWS = [
    pytest.param(row, setting, id=f"{row['agent']}: {row['event']}, {setting}")
    for row in TABLE["cases"]
    for setting in WAYS
]
FIRST = {row["agent"]: row for row in reversed(TABLE["cases"]) if row["event"] in gates(DIALECTS[row["agent"]])}
TEXTS = {
    "<stopped>": "stopped, because policy could not judge it: ",
    "<person>": "a person has to decide, because policy could not judge it: ",
    "<passed>": "not held up, because policy could not judge it: ",
}


def filled(value: Any, reason: str) -> Any:
    """What a row says, with the texts in it."""
    if isinstance(value, dict):
        return {key: filled(item, reason) for key, item in value.items()}
    for mark, text in TEXTS.items():
        value = value.replace(mark, text + reason) if isinstance(value, str) else value
    return value


def wanted(row: dict[str, Any], setting: str, reason: str) -> tuple[Any, str, int]:
    says = row["deny"] if row[setting] == "deny" else row[setting]
    stdout, stderr = filled(says.get("stdout"), reason), filled(says.get("stderr", ""), reason)
    return stdout, stderr, says.get("status", 0)


def shown(said: Said) -> tuple[Any, str, int]:
    assert said.stdout == "" or (said.stdout.endswith("\n") and said.stdout.count("\n") == 1)
    return json.loads(said.stdout) if said.stdout else None, said.stderr, said.status


@pytest.mark.parametrize(("row", "setting"), ROWS)
def test_the_contract(row: dict[str, Any], setting: OnError) -> None:
    answer = unreadable(DIALECTS[row["agent"]], row["event"], "it is odd", setting)
    assert shown(Said(*answer[:3])) == wanted(row, setting, "it is odd")


def test_the_table_is_complete() -> None:
    found = {(row["agent"], row["event"]) for row in TABLE["cases"]}
    closing = {
        (name, native) for name, dialect in DIALECTS.items() for native, spec in dialect.events.items() if spec.gate
    }
    assert closing | {(name, None) for name in DIALECTS} <= found
    others = found - closing - {(name, None) for name in DIALECTS}
    assert {agent for agent, _ in others} == set(DIALECTS)


@pytest.mark.parametrize("agent", DIALECTS)
def test_a_failure_is_never_an_allow(agent: str) -> None:
    dialect = DIALECTS[agent]
    for native, spec in dialect.events.items():
        silence = spec.answers.get("none", SILENCE)
        stopped, _, passed = answers = [unreadable(dialect, native, "it is odd", way) for way in WAYS]
        if spec.answers.get("allow", silence) != silence:
            assert "allow" not in [heard(dialect, native, answer) for answer in answers]
        assert fits(silence, passed)
        assert heard(dialect, native, stopped) == "deny" or (not spec.gate and fits(silence, stopped))


@pytest.mark.parametrize("agent", DIALECTS)
def test_an_answer_comes_before_the_agent_gives_up(agent: str) -> None:
    """Also one that is given instead, and also where nothing is known but the registered arguments."""
    dialect = DIALECTS[agent]
    hasty = dialect.timeouts.deadline(None)
    for native, spec in dialect.events.items():
        registered = dialect.timeouts.at(native) / (1000 if dialect.timeouts.unit == "milliseconds" else 1)
        deadline = dialect.timeouts.deadline(native)
        assert hasty <= deadline < registered
        if spec.gate:
            assert max(LIMITS.start, deadline) + LIMITS.failing + 1 < registered


# Each kind of failure


def work(act: Callable[[Tell, Told], Said]) -> Callable[..., Said]:
    """An answer that fails after it was told what it is for."""

    def answer(options: verb.Options, tell: Tell) -> Said:
        dialect = DIALECTS[options.agent or ""]
        told = Told(dialect.name, options.event, 60)
        tell(told)
        return act(tell, told)

    return answer


def raises(_tell: Tell, _told: Told) -> Said:
    raise ValueError("words of somebody else")


def crashes(_tell: Tell, _told: Told) -> Said:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("not reached")


def leaves(_tell: Tell, _told: Told) -> Said:
    os._exit(3)


def hangs(tell: Tell, told: Told) -> Said:
    tell(told._replace(seconds=0.02))
    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))  # deaf to all but the end
    time.sleep(600)
    raise AssertionError("not reached")


KINDS: dict[str, tuple[Callable[..., Said], str]] = {
    "unreadable": (verb.answer, "the hook's input is empty"),
    "exception": (work(raises), "Ostiary failed: ValueError"),
    "crash": (work(crashes), "Ostiary was ended by signal 9"),
    "early end": (work(leaves), "Ostiary ended early with exit code 3"),
    "deadline": (work(hangs), "Ostiary took longer than 0.02 seconds"),
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no children of this kind")
@pytest.mark.parametrize("setting", WAYS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("agent", DIALECTS)
def test_each_kind_of_failure(agent: str, kind: str, setting: OnError, monkeypatch: pytest.MonkeyPatch) -> None:
    act, reason = KINDS[kind]
    monkeypatch.setattr(verb, "contract", lambda _folder: setting)
    options = verb.Options(agent, FIRST[agent]["event"], None, "")
    job = Job(
        work=lambda tell: act(options, tell),
        failing=lambda told, problem: verb.instead(options, told, problem),
        last=lambda problem: verb.last_resort(options, problem),
    )
    assert shown(children.answer(job, LIMITS)) == wanted(FIRST[agent], setting, reason)
