"""What users of agents reported of hooks that fail or disagree, with real programs: the whole engine answers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ostiary import Engine, Event, Outcome, Verdict
from trees import plant

if sys.platform == "win32":
    pytest.skip("scripts for `sh`", allow_module_level=True)


def outcome(tmp_path: Path, rules: str) -> Outcome:
    base = tmp_path.resolve()
    plant(base, {"config/policy.yaml": f"version: 1\n{rules}", "config/settings.yaml": "enable_shell_hooks: true\n"})
    plant(base, {"managed": None, "repo/.git/HEAD": "x"})
    engine = Engine.load(base / "config", base / "repo", managed=base / "managed")
    assert engine.problems == ()
    return engine.decide(Event.from_call("bash", {"command": "ls"}, cwd=str(base / "repo"), agent="a", session="s"))


@pytest.mark.parametrize(
    "run",
    [
        "command: sh ./gone.sh",  # its interpreter exits with 2 or 127
        "command: sh, args: [./gone.sh]",
        "command: no-such-interpreter ./check.sh",
        "command: no-such-interpreter, args: [./check.sh]",
        "command: ./gone.sh, args: []",
        "command: 'kill -9 $$'",
        "command: 'echo \"{\"'",
        "command: 'echo \"[]\"; exit 1'",
        "command: sleep 60, timeout: 200ms",
    ],
)
@pytest.mark.parametrize(("on_error", "verdict"), [("deny", Verdict.DENY), ("ask", Verdict.ASK)])
def test_a_guard_that_cannot_tell_closes(tmp_path: Path, run: str, on_error: str, verdict: Verdict) -> None:
    found = outcome(tmp_path, f"rules: [{{id: guard, run: {{{run}}}, on_error: {on_error}}}]\n")
    assert found.verdict >= verdict  # a shell that finds no script may say 2, which is a deny of its own
    assert found.reason


def test_a_line_of_status_that_fails_closes_nothing(tmp_path: Path) -> None:
    found = outcome(tmp_path, "rules: [{id: status, run: {command: exit 1}, on_error: continue}]\n")
    assert found.verdict == Verdict.NONE
    assert found.problems == ("handler of `user:policy/status`: it ended with status 1",)


def test_blanks_in_paths_keep_no_guard_from_running(tmp_path: Path) -> None:
    rules = (
        "rules: [{id: guard, run: {command: './my guard.sh', args: []}}, {id: b, run: {command: sh './my guard.sh'}}]\n"
    )
    base = tmp_path / "Course Work"
    base.mkdir()
    plant(base.resolve(), {"config/my guard.sh": "#!/bin/sh\necho held >&2\nexit 2\n"})
    (base / "config" / "my guard.sh").chmod(0o755)
    found = outcome(base, rules)
    assert (found.verdict, found.reason) == (Verdict.DENY, "held")


@pytest.mark.parametrize("contract", ["afk", "claude"])
@pytest.mark.parametrize("slow", ["a", "b"])
def test_order_decides_between_rewrites_and_not_speed(tmp_path: Path, contract: str, slow: str) -> None:
    def rule(name: str) -> str:
        pause = "sleep 0.3; " if name == slow else ""
        said = f'{{"hookSpecificOutput": {{"updatedInput": {{"command": "echo {name}"}}}}}}'
        return f"  - id: {name}\n    run:\n      command: |\n        {pause}echo '{said}'\n"

    found = outcome(tmp_path, f"contract: {contract}\nrules:\n{rule('a')}{rule('b')}")
    assert found.updated_input == {"command": "echo b"}


def test_what_only_records_runs_after_a_deny(tmp_path: Path) -> None:
    rules = """rules:
  - {id: guard, run: {command: "echo no >&2; exit 2"}}
  - {id: record, audit: true, run: {command: "cat > seen.json"}}
"""
    assert outcome(tmp_path, rules).verdict == Verdict.DENY
    assert '"verdict":"deny"' in (tmp_path / "config" / "seen.json").read_text()
