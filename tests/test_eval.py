"""`ostiary eval` and `ostiary explain`."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from lines import Line, verdict
from ostiary.commands.shared.exits import Exit
from ostiary.commands.shared.world import LIMIT


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["git push -f"], "deny"),
        (["git status"], "allow"),
        (["make all"], "ask"),
        (["ls"], "none"),
        (["touch x"], "none"),
        (["touch x", "--branch", "release"], "ask"),
        (["ls", "--mode", "wild"], "deny"),
        (["--tool", "Bash", "--input", '{"command": "git push -f"}'], "deny"),
        (["--tool", "bash", "--input", '{"command": "ls"}'], "none"),
        (["--tool", "mcp__a__b"], "none"),
        (["--prompt", "the secret"], "deny"),
        (["--on", "UserPromptSubmit", "--prompt", "the secret"], "deny"),
        (["--on", "Stop"], "none"),
        (["ls", "--on", "PostToolUse"], "none"),
        (["ls", "--cwd", "/"], "none"),
        (["ls", "--agent", "claude-code"], "none"),
    ],
    ids=str,
)
@pytest.mark.parametrize("verb", ["eval", "explain"])
def test_calls_are_judged(line: Line, verb: str, arguments: list[str], expected: str) -> None:
    line.policy()
    ran = line.at(verb, "--json", *arguments)
    assert (ran.status, ran.err) == (0, "")
    assert verdict(ran) == expected


PAYLOAD = {
    "session_id": "s",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "git push -f"},
    "cwd": "/",
}


def test_payloads_are_judged(line: Line) -> None:
    line.policy()
    Path("payload.json").write_text(json.dumps(PAYLOAD))
    arguments = ("--payload", "payload.json", "--agent", "claude-code")
    ran = line.at("eval", "--json", *arguments)
    assert verdict(ran) == "deny"
    assert ran.json["event"]["agent"] == "claude-code"
    assert line.at("eval", "--branch", "main", "--json", *arguments).status == 0


class Bytes:
    """Standard input that gives these bytes."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)

    def isatty(self) -> bool:
        return False


@pytest.mark.parametrize(("size", "status"), [(0, 0), (LIMIT, Exit.USAGE)])
def test_payloads_from_standard_input(line: Line, monkeypatch: pytest.MonkeyPatch, size: int, status: int) -> None:
    monkeypatch.setattr(sys, "stdin", Bytes(json.dumps(PAYLOAD).encode() + b" " * size))
    assert line.at("eval", "--payload", "-", "--agent", "claude-code").status == status


def test_a_payload_that_cannot_be_read(line: Line) -> None:
    Path("payload.json").write_text("not json")
    ran = line.at("eval", "--payload", "payload.json", "--agent", "claude-code")
    assert ran.status == Exit.USAGE
    assert ran.err.startswith("ostiary: the payload cannot be read: ")


@pytest.mark.parametrize(("command", "status"), [("ls", 0), ("git status", 0), ("make x", 10), ("git push -f", 12)])
def test_the_verdict_as_exit_code(line: Line, command: str, status: int) -> None:
    line.policy()
    assert line.at("eval", "--exit-verdict", command).status == status


def test_an_answer_for_people(line: Line) -> None:
    line.policy()
    ran = line.at("eval", "git push -f && ls")
    assert ran.out.startswith(
        "deny  PreToolUse bash\n  reason    history stays\n  help      push a branch of your own\n"
    )
    assert "rules that spoke" in ran.out
    assert "user:mine/no-mode" not in ran.out


def test_an_explanation_has_every_rule(line: Line) -> None:
    line.policy()
    out = line.at("explain", "git push -f").out
    for rule in ("user:mine/no-force:6", "user:mine/no-mode", "user:mine/ask:Bash(make *)", "user:mine/on-a-branch"):
        assert rule in out


def test_what_a_call_was_taken_for(line: Line) -> None:
    line.policy()
    ran = line.at("explain", "--call", "--cwd", "/", "git push -f")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.splitlines()[0] == "call  bash"
    assert "program  git push" in ran.out
    assert "rules" not in ran.out
    found = line.at("explain", "--call", "--json", "git push -f")
    assert found.json["parts"][0]["invocations"][0]["name"] == "git"


def test_no_policy_is_said(line: Line) -> None:
    ran = line.at("eval", "ls")
    assert ran.status == 0
    assert "`ostiary init` writes one" in ran.err


HANDLER = """version: 1
rules:
  - {id: a, run: {command: "echo no >&2; exit 2"}}
"""


@pytest.mark.parametrize("verb", ["eval", "explain"])
def test_handlers_run_when_that_is_asked_for(line: Line, verb: str) -> None:
    line.policy(HANDLER)
    settings = line.config / "settings.yaml"
    settings.write_text("enable_shell_hooks: true\n")
    silent = line.at(verb, "--json", "ls")
    assert verdict(silent) == "none"
    assert silent.err == "handlers were not run, and what they say is not known; `--perform` runs them\n"
    ran = line.at(verb, "--json", "--perform", "ls")
    assert (verdict(ran), ran.json["reason"], ran.err) == ("deny", "no", "")
    settings.write_text("enable_shell_hooks: false\n")
    assert verdict(line.at(verb, "--json", "--perform", "ls")) == "none"
