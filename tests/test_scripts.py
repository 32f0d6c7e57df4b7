"""The files that a project's handlers name belong to what is reviewed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ostiary.decision import Verdict
from ostiary.engine import Engine
from ostiary.event import Event
from trees import plant

RULES = """version: 1
rules:
  - {{id: a, run: {{{run}}}}}
"""


def planted(base: Path, run: str) -> Engine:
    plant(base, {"repo/.git/HEAD": "ref: refs/heads/main\n", "repo/.ostiary/policy.yaml": RULES.format(run=run)})
    plant(base, {"repo/.ostiary/check.sh": "exit 0\n", "repo/tools/check.sh": "exit 0\n", "repo/other.sh": "exit 0\n"})
    plant(base, {"outside.sh": "exit 0\n", "config": None, "managed": None})
    return Engine.load(base / "config", base / "repo", managed=base / "managed")


def accepted(engine: Engine) -> None:
    (review,) = engine.pending
    assert engine.accept(review, review.word)
    assert not engine.pending


@pytest.mark.parametrize(
    ("run", "script"),
    [
        ("command: ./check.sh", ".ostiary/check.sh"),
        ("command: ./check.sh, args: []", ".ostiary/check.sh"),
        ("command: sh, args: [check.sh]", ".ostiary/check.sh"),
        ("command: ../tools/check.sh", "tools/check.sh"),
        ("command: 'A=1 env -i sh ../tools/check.sh && true'", "tools/check.sh"),
        ("command: 'sh < tools/check.sh', cwd: project, accept_project_code: true", "tools/check.sh"),
        ("command: '\"$CLAUDE_PROJECT_DIR\"/tools/check.sh'", "tools/check.sh"),
        ("command: '${OSTIARY_PROJECT_DIR}/tools/check.sh'", "tools/check.sh"),
        ("command: sh, args: ['${AFK_PROJECT_DIR}/tools/check.sh']", "tools/check.sh"),
        ("mcp_tool: scan, server: {command: ./check.sh}", ".ostiary/check.sh"),
        ("mcp_tool: scan, server: {command: python3, args: [../tools/check.sh]}", "tools/check.sh"),
        ("http: 'https://a.example', ca_file: check.sh", ".ostiary/check.sh"),
    ],
)
@pytest.mark.parametrize("change", ["edited", "deleted", "a link"])
def test_a_changed_script_waits_again(tmp_path: Path, run: str, script: str, change: str) -> None:
    base = tmp_path.resolve()
    engine = planted(base, run)
    accepted(engine)
    path = base / "repo" / script
    if change == "edited":
        path.write_text("exit 1\n")
    else:
        path.unlink()
    if change == "a link":
        path.symlink_to(base / "outside.sh")
    engine.reload()
    assert engine.pending


def test_a_script_that_appears_waits_again(tmp_path: Path) -> None:
    base = tmp_path.resolve()
    engine = planted(base, "command: ./late.sh")
    accepted(engine)
    plant(base, {"repo/.ostiary/late.sh": "exit 0\n"})
    engine.reload()
    assert engine.pending


def test_other_files_change_nothing(tmp_path: Path) -> None:
    base = tmp_path.resolve()
    engine = planted(base, "command: ./check.sh")
    accepted(engine)
    (base / "repo/other.sh").write_text("exit 1\n")
    engine.reload()
    assert not engine.pending


def test_a_script_has_a_size(tmp_path: Path) -> None:
    base = tmp_path.resolve()
    engine = planted(base, "command: ./check.sh")
    (base / "repo/.ostiary/check.sh").write_text("#" * (1 << 20) + "\n")
    engine.reload()
    assert not engine.pending
    (problem,) = engine.problems
    assert problem.message.startswith("a handler names ")
    assert "it is larger than the 1048576 bytes" in problem.message


def test_a_link_out_of_the_project_is_what_it_leads_to(tmp_path: Path) -> None:
    base = tmp_path.resolve()
    engine = planted(base, "command: ./check.sh")
    (base / "repo/.ostiary/check.sh").unlink()
    (base / "repo/.ostiary/check.sh").symlink_to(base / "outside.sh")
    engine.reload()
    accepted(engine)
    plant(base, {"outside.sh": "exit 1\n"})
    engine.reload()
    assert engine.pending


def test_a_review_with_scripts_holds_in_other_worktrees(tmp_path: Path) -> None:
    base = tmp_path.resolve()
    accepted(planted(base, "command: ./check.sh"))
    entry = base / "repo/.git/worktrees/two"
    plant(base, {"two/.ostiary/check.sh": "exit 0\n", "two/.git": f"gitdir: {entry}\n"})
    plant(base, {"two/.ostiary/policy.yaml": RULES.format(run="command: ./check.sh")})
    plant(entry, {"commondir": "../..\n", "gitdir": f"{base}/two/.git\n"})
    assert not Engine.load(base / "config", base / "two", managed=base / "managed").pending


HOOKS = """{"hooks": {"PreToolUse": [{"hooks": [
  {"type": "command", "command": "\\"$CLAUDE_PROJECT_DIR\\"/.claude/check.sh"}]}]}}
"""
GATES = "enable_shell_hooks: true\nallow_project_hooks: true\n"
DENIES = "#!/bin/sh\necho no >&2\nexit 2\n"


def test_scripts_of_another_agents_hooks_are_reviewed(tmp_path: Path) -> None:
    base = tmp_path.resolve()
    plant(base, {"repo/.git/HEAD": "ref: refs/heads/main\n", "repo/.claude/settings.json": HOOKS, "managed": None})
    plant(base, {"repo/.claude/check.sh": DENIES, "config/settings.yaml": GATES})
    engine = Engine.load(base / "config", base / "repo", managed=base / "managed", hooks_from=["claude-code"])
    accepted(engine)
    plant(base, {"repo/.claude/check.sh": "exit 0\n"})
    engine.reload()
    assert engine.pending


@pytest.mark.parametrize("broken", [False, True])
def test_a_script_that_changes_after_the_rules_were_read_does_not_run(tmp_path: Path, broken: bool) -> None:
    """Nor where its file was broken on purpose, so that its last good version acts."""
    base = tmp_path.resolve()
    engine = planted(base, "command: sh check.sh")
    plant(base, {"config/settings.yaml": GATES, "repo/.ostiary/check.sh": DENIES})
    engine.reload()
    accepted(engine)
    event = Event.from_call("bash", {"command": "ls"}, cwd=str(base / "repo"), project=str(base / "other"))
    outcome = engine.decide(event)
    assert (outcome.verdict, outcome.reason) == (Verdict.DENY, "no")
    plant(base, {"repo/.ostiary/check.sh": f"touch {base}/ran\n"})
    if broken:
        plant(base, {"repo/.ostiary/policy.yaml": "version: 1\nrules: ["})
        engine.reload()
    outcome = engine.decide(event)
    assert "handler of `project:policy/a`: a file that it names is not what was reviewed" in outcome.problems
    assert not (base / "ran").exists()


def test_a_projects_handler_runs_in_the_project_that_was_reviewed(tmp_path: Path) -> None:
    base = tmp_path.resolve()
    engine = planted(base, "command: 'sh tools/check.sh', cwd: project, accept_project_code: true")
    plant(base, {"config/settings.yaml": GATES, "repo/tools/check.sh": DENIES})
    plant(base, {"other/tools/check.sh": f"touch {base}/ran\n"})
    engine.reload()
    accepted(engine)
    outcome = engine.decide(Event.from_call("bash", {"command": "ls"}, project=str(base / "other")))
    assert outcome.reason == "no"
    assert not (base / "ran").exists()
