"""`ostiary check`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lines import Line
from ostiary.commands.shared.exits import Exit
from ostiary.commands.shared.findings import warning
from ostiary.problems import Problem
from ostiary.sources.discover import OWN


def test_all_problems_of_a_file_at_once(line: Line) -> None:
    path = line.policy("version: 1\nrulez: []\ndeny: [5]\n")
    ran = line.at("check")
    assert ran.status == Exit.FINDINGS
    assert f"{path}:2:1: rulez: unknown key `rulez`\n  help: did you mean `rules`?\n" in ran.out
    assert f"{path}:3:8: deny[0]: " in ran.out
    assert ran.out.endswith("1 file, 0 rules: 2 errors, 0 warnings\n")


def test_problems_as_json(line: Line) -> None:
    path = line.policy("version: 1\nrulez: []\n")
    ran = line.at("check", "--format", "json")
    assert ran.status == Exit.FINDINGS
    assert ran.json["files"] == [str(path)]
    assert ran.json["problems"] == [
        {
            "file": str(path),
            "line": 2,
            "column": 1,
            "where": "rulez",
            "message": "unknown key `rulez`",
            "help": "did you mean `rules`?",
            "severity": "error",
        }
    ]


def test_warnings_alone_are_no_findings(line: Line) -> None:
    line.policy("version: 1\nrules: [{id: a, tool: Bassh, decision: deny}]\n")
    ran = line.at("check")
    assert ran.status == 0
    assert "warning: " in ran.out
    assert ran.out.endswith("1 file, 1 rule: 0 errors, 1 warning\n")


def test_files_by_name(line: Line) -> None:
    Path("good.yaml").write_text("version: 1\ninclude: [./more.yaml, pack:baseline]\ndeny: [Bash]\n")
    Path("more.yaml").write_text("version: 1\nask: [Read]\n")
    Path("bad.yaml").write_text("version: 2\n")
    ran = line("check", "good.yaml", "bad.yaml")
    assert ran.status == Exit.FINDINGS
    assert ran.out.startswith("bad.yaml:1:10: version: ")
    assert "2 files, " in ran.out


def test_a_file_by_name_that_is_too_large_is_a_finding(line: Line) -> None:
    large = line.project / "large.yaml"
    large.write_bytes(b"#" * (OWN.file + 1))
    ran = line("check", str(large))
    assert ran.status == Exit.FINDINGS
    assert ran.out.startswith(f"{large}: it is larger than the {OWN.file} bytes it may have\n")


def test_exceptions_of_a_file_by_name_that_reach_nothing_are_told(line: Line) -> None:
    path = line.policy(
        "version: 1\ninclude: [{file: a.yaml}]\nexceptions:\n"
        "  - {rule: gone, reason: x}\n  - {rule: 'project:app/x', reason: x}\n  - {rule: 'a/x', reason: x}\n"
    )
    (line.config / "a.yaml").write_text("version: 1\nrules: [{id: x, decision: deny}]\n")
    out = line("check", str(path)).out
    assert f"{path}:4: warning: exception for `gone` reaches no rule\n" in out
    assert out.count("warning") == 2  # the other one is the sum


def test_text_of_others_is_no_markup(line: Line) -> None:
    line.policy('version: 1\n"[bold]\\e[31mx": 1\n')
    ran = line.at("check")
    assert "\x1b" not in ran.out
    assert "[bold]" in ran.out


def test_warnings_without_a_place() -> None:
    assert warning("odd") == Problem("", 0, 0, "", "odd", severity="warning")
    assert warning("a:b.yaml:3: odd: x") == Problem("a:b.yaml", 3, 0, "", "odd: x", severity="warning")


def test_exceptions_that_reach_nothing_are_told(line: Line) -> None:
    line.policy("version: 1\nexceptions: [{rule: nothing, reason: x}]\n")
    assert "exception for `nothing` reaches no rule" in line.at("check").out


def test_what_an_agent_cannot_be_told(line: Line) -> None:
    text = (
        "version: 1\nrules: [{id: a, on: [SessionEnd, PreModel], decision: deny},"
        " {id: b, when: {interactive: false}, decision: deny}]\n"
    )
    line.policy(text)
    ran = line.at("check", "--agent", "claude-code")
    assert ran.status == 0
    assert "rule `b`: claude-code does not tell `interactive`" in ran.out
    assert "rule `a`: claude-code has no event `PreModel`" in ran.out
    assert "rule `a`: on `SessionEnd`, claude-code is told" in ran.out


def test_what_an_agent_cannot_be_told_is_said_once_for_all_rules(line: Line) -> None:
    rules = ", ".join(f"{{id: r{number}, decision: ask}}" for number in range(8))
    line.policy(f"version: 1\nrules: [{rules}]\nask: [Bash]\n")
    warned, count = line.at("check", "--agent", "gemini-cli").out.splitlines()
    named = "rules `ask:Bash`, `r0`, `r1`, `r2`, `r3`, `r4` and 3 more"
    assert f": {named}: on `PreToolUse`, gemini-cli is told deny for ask" in warned
    assert count == "1 file, 9 rules: 0 errors, 1 warning"


def test_a_pack_that_does_not_exist_is_told(line: Line) -> None:
    line.policy("version: 1\ninclude: [pack:base-line]\n")
    assert "include[0]: there is no pack:base-line\n  help: did you mean `baseline`?" in line.at("check").out


def test_an_agent_that_does_not_exist_is_told(line: Line) -> None:
    line.policy("version: 1\ninclude: [./more.yaml]\n")
    text = "version: 1\nrules: [{id: a, when: {agent: [claude, '*-cli']}, unless: {tool: Bash}, decision: deny}]\n"
    Path(line.config, "more.yaml").write_text(text, "utf-8")
    assert "rule `a`: unknown agent `claude`\n  help: did you mean `claude-code`?" in line.at("check").out


HANDLERS = """\
version: 1
rules:
  - {id: there, run: {command: "./there.sh --now"}}
  - {id: gone, run: {command: "./gone.sh --now"}}
  - {id: plain, run: {command: ./plain.sh, args: []}}
  - {id: bare, run: {command: "grep -q x"}}
  - {id: chosen, run: {command: "./$CHOSEN"}}
  - {id: several, run: {command: "cd x && ./y"}}
  - {id: elsewhere, run: {command: ./y, cwd: project, accept_project_code: true}}
  - {id: module, run: {python: "checks.more:judge"}}
  - {id: server, run: {mcp_tool: t, server: {command: ./server.py}}}
  - {id: asked, run: {http: "https://example.com/"}}
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no file says there whether it may be run")
def test_handlers_whose_program_is_not_there(line: Line) -> None:
    folder = line.policy(HANDLERS).parent
    (folder / "settings.yaml").write_text("enable_shell_hooks: true\n")
    (folder / "there.sh").write_text("")
    (folder / "there.sh").chmod(0o700)
    (folder / "plain.sh").write_text("")
    ran = line.at("check")
    told = [text.partition("warning: ")[2] for text in ran.out.splitlines() if "warning: " in text]
    assert told == [
        f"the handler of `gone` needs a file that is not there: {folder}/gone.sh",
        f"the handler of `plain` needs a program that may not be run: {folder}/plain.sh",
        f"the handler of `module` needs a file that is not there: {folder}/checks/more.py",
        f"the handler of `server` needs a file that is not there: {folder}/server.py",
    ]
    assert f"  help: `chmod +x {folder}/plain.sh`\n" in ran.out


def test_rules_that_ask_a_model_which_no_settings_name(line: Line) -> None:
    path = line.policy(
        "version: 1\nrules:\n  - {id: a, run: {prompt: safe?}}\n  - {id: b, run: {agent: safe?, model: fast}}\n"
    )
    help = "help: name one under `models` in settings.yaml, as `default`"
    out = line.at("check").out
    for number, rule in ((3, "a"), (4, "b")):
        assert f"{path}:{number}: warning: rule `{rule}` asks a model, and the settings name none\n  {help}\n" in out
    settings = line.config / "settings.yaml"
    settings.write_text("models: {fast: {provider: openai, model: m-1}}\n")
    assert (out := line.at("check").out).count("asks a model") == 1
    assert "rule `a` asks" in out
    settings.write_text("models: {default: {provider: openai, model: m-1}}\n")
    assert "asks a model" not in line.at("check").out
