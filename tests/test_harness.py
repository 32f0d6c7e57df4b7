"""The example harness of the documentation, run as it stands."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ostiary import Decision, Engine, Event, Verdict
from trees import plant

PATH = Path(__file__).parent.parent / "docs" / "embedding" / "harness.py"
POLICY = """version: 1
deny: ["Bash(rm -rf *)"]
ask: ["Bash(git push*)"]
rules:
  - {id: welcome, on: SessionStart, context: be kind}
  - {id: hidden, on: PostToolUse, update_output: {redact: '/token-[a-z]+/'}}
  - {id: quiet, tool: Bash, when: {command: {program: make}}, update_input: {command: "make -s"}}
"""


@pytest.fixture(scope="module")
def harness() -> ModuleType:
    spec = importlib.util.spec_from_file_location("example_harness", PATH)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    base = tmp_path.resolve()
    plant(base, {"config/policy.yaml": POLICY, "managed": None, "repo/.git/HEAD": "ref: refs/heads/main\n"})
    engine = Engine.load(base / "config", base / "repo", managed=base / "managed")
    assert engine.problems == ()
    return engine


def agent(harness: ModuleType, engine: Engine, *says: Any, answer: bool = False) -> tuple[Any, list[str]]:
    """An agent whose model says this, one after the other, and the commands that it ran."""
    left, ran = list(says), []

    def bash(input: Any) -> str:
        ran.append(input["command"])
        return f"ran {input['command']} with token-abc"

    turns = [harness.ToolCall("bash", {"command": item[1:]}) if item[:1] == "!" else item for item in left]
    return harness.Agent(engine, lambda _: turns.pop(0), {"bash": bash}, lambda call, reason: answer, "/work"), ran


def test_a_session(harness: ModuleType, engine: Engine) -> None:
    made, ran = agent(harness, engine, "!ls", "!rm -rf /", "!git push", "!make", "done")
    assert made.run("tidy up") == "done"
    made.close()
    assert ran == ["ls", "make -s"]
    assert made.conversation == [
        "be kind",
        "tidy up",
        "ran ls with [redacted]",
        "The call was denied.\nrule `user:policy/deny:Bash(rm -rf *)` says deny",
        "A person refused the call.",
        "ran make -s with [redacted]",
        "done",
    ]


def test_a_person_permits(harness: ModuleType, engine: Engine) -> None:
    made, ran = agent(harness, engine, "!git push", "done", answer=True)
    made.run("x")
    assert ran == ["git push"]


def test_a_handler_keeps_it_at_work(harness: ModuleType, engine: Engine) -> None:
    def tests_first(event: Event) -> Decision:
        return Decision(verdict=Verdict.DENY, reason="run the tests")

    engine.on("Stop", tests_first)
    made, _ = agent(harness, engine, "a", "b", "c")
    assert made.run("x") == "c"
    assert made.conversation == ["be kind", "x", "a", "run the tests", "b", "run the tests", "c"]


def test_a_handler_ends_the_run(harness: ModuleType, engine: Engine) -> None:
    engine.on("PreToolUse", lambda event: Decision(halt=True, reason="enough"))
    made, ran = agent(harness, engine, "!ls")
    with pytest.raises(harness.Halted):
        made.run("x")
    assert ran == []


def test_a_prompt_is_refused(harness: ModuleType, engine: Engine) -> None:
    engine.on("UserPromptSubmit", lambda event: Decision(verdict=Verdict.DENY, reason="a secret"))
    made, _ = agent(harness, engine)
    assert made.run("password") == "not submitted: a secret"
