"""The verbs, called as the command line calls them; a few as real processes."""

from __future__ import annotations

import errno
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

import ostiary.commands
from ostiary.commands import main
from ostiary.commands.shared import console, options
from ostiary.commands.shared.exits import Exit
from ostiary.commands.shared.findings import warning
from ostiary.commands.shared.world import LIMIT
from ostiary.dialects import DIALECTS
from ostiary.problems import Problem
from ostiary.sources.account import Account
from ostiary.sources.discover import OWN

POLICY = """\
version: 1
name: mine
ask: ["Bash(make *)"]
allow: ["Bash(git status:*)"]
rules:
  - id: no-force
    when: {command: {program: git, subcommand: push, flag: [-f, --force]}}
    decision: deny
    reason: history stays
    help: push a branch of your own
    examples:
      match: [git push -f]
      not_match: [git push]
  - id: no-mode
    when: {all: [{mode: wild}, {tool: Bash}]}
    decision: deny
  - id: on-a-branch
    when: {all: [{branch: release}, {command: {program: touch}}]}
    decision: ask
  - id: prompts
    on: UserPromptSubmit
    when: {prompt: "*secret*"}
    decision: deny
"""

SUITE = """\
version: 1
cases:
  - name: forced pushes are denied
    call: git push --force
    expect: {verdict: deny, rules: [no-force], reason~: history}
"""


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Line:
    """The command line, with a policy folder and an empty project as the current folder."""

    def __init__(self, root: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.config = root / "config"
        self.project = root / "project"
        self.config.mkdir(mode=0o700)
        self.project.mkdir()
        self.capture = capture

    def policy(self, text: str = POLICY) -> Path:
        path = self.config / "policy.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    def repository(self, text: str) -> Path:
        (self.project / ".git").mkdir(exist_ok=True)
        folder = self.project / ".ostiary"
        folder.mkdir(exist_ok=True)
        (folder / "policy.yaml").write_text(text, encoding="utf-8")
        return folder

    def __call__(self, *arguments: str) -> Ran:
        status = main.run([*arguments])
        out, err = self.capture.readouterr()
        return Ran(status, out, err)

    def at(self, verb: str, *arguments: str) -> Ran:
        """A verb with this policy folder."""
        return self(verb, "--config-dir", str(self.config), *arguments)


@pytest.fixture
def line(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Line:
    made = Line(tmp_path, capsys)
    monkeypatch.chdir(made.project)
    return made


# The command line itself.


def test_each_verb_is_a_module_and_each_module_a_verb() -> None:
    folder = Path(ostiary.commands.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "main", "hook"}
    assert modules == set(main.VERBS)


@pytest.mark.parametrize("verb", main.VERBS)
def test_every_verb_has_help(line: Line, verb: str) -> None:
    ran = line(verb, "--help")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: ostiary {verb}")


def test_no_arguments_show_the_verbs(line: Line) -> None:
    ran = line()
    assert ran.status == Exit.USAGE
    assert all(verb in ran.err for verb in main.VERBS)


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["eval", "--nonsense"],
        ["eval"],
        ["eval", "ls", "--tool", "Bash"],
        ["eval", "ls", "--input", "{}"],
        ["eval", "--tool", "Bash", "--input", "{"],
        ["eval", "--tool", "Bash", "--input", "[]"],
        ["eval", "--tool", "Bash", "--input", "[" * 100_000],
        ["eval", "ls", "--on", "PreTolUse"],
        ["eval", "--payload", "-"],
        ["eval", "--payload", "-", "--agent", "nobody"],
        ["eval", "--payload", "/nonexistent", "--agent", "claude-code"],
        ["eval", "--payload", "/", "--agent", "claude-code"],
        ["eval", "ls", "--config-dir", "/nonexistent"],
        ["eval", "ls", "--project", "/nonexistent"],
        ["check", "--format", "xml"],
        ["check", "--agent", "nobody"],
        ["eval", "ls", "--agent", "nobody"],
        ["check", "/nonexistent"],
        ["check", "/"],
        ["schema", "nonsense"],
        ["test", "/nonexistent"],
        ["init", "somewhere"],
        ["install", "nobody"],
        ["install", "claude-code", "--scope", "galaxy"],
        ["install", "claude-code", "--project", "."],
        ["uninstall", "claude-code", "--project", ".", "--scope", "managed"],
        ["trust", "/nonexistent"],
    ],
    ids=" ".join,
)
def test_wrong_arguments_get_help_and_no_traceback(line: Line, arguments: list[str]) -> None:
    ran = line(*arguments)
    assert ran.status == Exit.USAGE
    assert ran.out == ""
    assert ran.err
    assert "Traceback" not in ran.err


def test_words_of_a_library_are_kept_from_people(line: Line) -> None:
    assert "Invalid value for 'kind': 'nonsense' is not one of" in line("schema", "nonsense").err


@pytest.mark.parametrize("arguments", [["eval", "ls", "-la"], ["explain", "ls", "x"]])
def test_a_command_without_quotes_is_told_so(line: Line, arguments: list[str]) -> None:
    hint = f"Shell text is one argument: quote it, as in `ostiary {arguments[0]} 'ls -l'`."
    assert hint in line(*arguments).err
    assert hint not in line("eval", "ls", "--cwd").err


@pytest.mark.parametrize("arguments", [["--tool", "bash", "--input", "{"], ["--input", "{"]])
def test_broken_json_is_said_to_be_broken(line: Line, arguments: list[str]) -> None:
    ran = line.at("eval", *arguments)
    assert ran.status == Exit.USAGE
    assert "the JSON of `--input` is broken: " in ran.err


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("Wirte", "no known tool is called `Wirte`; did you mean `Write`?\n"),
        ("qqqqqq", "no known tool is called `qqqqqq`\n"),
        ("mcp__a__b", ""),
        ("Bash", ""),
    ],
)
def test_a_tool_nobody_knows_is_warned_of(line: Line, tool: str, said: str) -> None:
    line.policy()
    assert line.at("eval", "--tool", tool).err == said


def test_a_misspelt_event_gets_the_nearest_name(line: Line) -> None:
    assert "did you mean `PreToolUse`?" in line("eval", "ls", "--on", "PreTolUse").err


def test_arguments_are_no_markup_and_move_no_cursor(line: Line) -> None:
    ran = line("eval", "--\x1b[31m[bold]x[/]")
    assert "\x1b" not in ran.err
    assert "[bold]x[/]" in ran.err


def test_the_version(line: Line) -> None:
    assert line("--version") == Ran(0, f"ostiary {ostiary.__version__}\n", "")


def broken(*_: object, **__: object) -> None:
    raise RuntimeError("first line\nsecond line")


def test_an_internal_error_is_one_line(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ostiary.commands.check.engine", broken)
    ran = line("check")
    assert ran.status == Exit.INTERNAL
    assert ran.err.splitlines()[0] == "ostiary: internal error: RuntimeError: first line"
    assert "second line" not in ran.err


def test_an_error_of_a_file_is_an_internal_one(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object) -> None:
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", "/x")

    monkeypatch.setattr("ostiary.commands.check.engine", gone)
    assert line("check").status == Exit.INTERNAL


def test_debug_shows_where(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ostiary.commands.check.engine", broken)
    with pytest.raises(RuntimeError, match="first line"):
        line("--debug", "check")


@pytest.mark.parametrize("error", [KeyboardInterrupt, typer.Abort, EOFError])
def test_an_interrupt_is_no_error_of_ours(
    line: Line, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("ostiary.commands.check.engine", interrupted)
    assert line("check").status == 130


def test_a_variable_does_not_turn_a_check_into_completion(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    line.policy("version: 1\nrulez: []\n")
    monkeypatch.setenv("_OSTIARY_COMPLETE", "complete_zsh")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "ostiary ")
    assert line.at("check").status == Exit.FINDINGS


def test_the_program_ends_with_the_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["ostiary", "--version"])
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 0


def test_a_reader_that_goes_away_is_no_traceback(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("ostiary.commands.schema.console.document", gone)
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    assert line("schema").status == Exit.FINDINGS
    sys.stdout.close()


def test_a_folder_that_is_gone_is_told(line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    for verb in (["eval", "ls"], ["check"], ["test"], ["trust"], ["init", "--project"]):
        ran = line.at(*verb)
        assert (ran.status, ran.out) == (Exit.USAGE, "")
        assert ran.err == "ostiary: the current folder is gone; change into one that exists\n"


@pytest.mark.parametrize("arguments", [["--help"], ["schema"], ["eval", "ls"], ["eval", "--json", "ls"]])
def test_output_that_cannot_be_written_is_one_line(line: Line, arguments: list[str]) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ostiary", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            timeout=60,
            check=False,
        )
    assert done.returncode == Exit.USAGE
    expected = "ostiary: the output cannot be written: no space left on device\n"
    assert done.stderr.decode().endswith(expected)
    assert "report" not in done.stderr.decode()


def test_a_full_disk_is_told_without_a_process(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("ostiary.commands.schema.console.document", full)
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    assert line("schema").status == Exit.USAGE
    sys.stdout.close()


def test_without_standard_output_nothing_is_flushed(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ostiary.commands.schema.console.document", lambda _: None)
    monkeypatch.setattr(sys, "stdout", None)
    assert main.run(["schema"]) == Exit.CLEAN


def test_streams_that_cannot_be_prepared_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    console.prepare()


def test_agents_are_completed() -> None:
    assert options.agents("clau") == ["claude-code"]
    assert options.agents("x") == []


def test_a_user_without_a_home_is_told(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ostiary.sources.places.account", lambda: None)
    monkeypatch.setattr("ostiary.commands.shared.agents.account", lambda: None)
    for arguments in (["check"], ["init"], ["install", "claude-code"]):
        ran = line(*arguments)
        assert ran.status == Exit.USAGE
        assert "home" in ran.err


def test_exit_codes_have_their_sentence() -> None:
    assert {code.value for code in Exit} == {0, 1, 2, 3, 10, 11, 12}
    assert all(code.meaning.endswith(".") for code in Exit)


# init


@pytest.mark.parametrize("verb", ["check", "test"])
def test_the_starter_is_good_as_it_is(line: Line, verb: str) -> None:
    ran = line.at("init")
    assert ran.status == 0
    assert ran.out.count("wrote ") == 3
    assert ran.out.endswith(
        f"next:\n  ostiary test --config-dir {line.config}\n"
        f"  ostiary explain --config-dir {line.config} 'git push --force'\n"
    )
    ran = line.at(verb)
    assert (ran.status, ran.err) == (0, "")
    assert "0 errors, 0 warnings" in ran.out or "0 failures, 0 problems" in ran.out


def test_the_starter_of_a_project_is_good_as_it_is(line: Line) -> None:
    assert line("init", "--project").status == 0
    assert (line.project / ".ostiary" / "policy.yaml").is_file()
    assert line.at("test").status == 0
    assert line.at("test", "--reviewed").status == 0
    ran = line.at("check")
    assert ran.status == 0
    assert "waits for review" in ran.out


def test_a_project_elsewhere(line: Line, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    ran = line("init", "--project", str(other))
    assert ran.status == 0
    assert f"ostiary test --project {other}" in ran.out


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_a_users_policy_is_private(line: Line, tmp_path: Path) -> None:
    where = tmp_path / "a" / "b"
    assert line("init", "--config-dir", str(where)).status == 0
    assert (where.stat().st_mode & 0o777, where.parent.stat().st_mode & 0o777) == (0o700, 0o700)
    assert (where / "policy.yaml").stat().st_mode & 0o777 == 0o600


def test_init_replaces_nothing_unasked(line: Line) -> None:
    path = line.policy("version: 1\n")
    ran = line.at("init")
    assert ran.status == Exit.FINDINGS
    assert "`--force` replaces it" in ran.err
    assert path.read_text() == "version: 1\n"
    assert line.at("init", "--force").status == 0
    assert "pack:baseline" in path.read_text()


def test_init_leaves_tests_alone(line: Line) -> None:
    tests = line.config / "policy.test.yaml"
    tests.write_text(SUITE)
    assert line.at("init").status == 0
    assert tests.read_text() == SUITE


def test_a_file_that_cannot_be_replaced_is_told(line: Line) -> None:
    (line.config / "policy.yaml").mkdir()
    before = sorted(line.config.iterdir())
    ran = line.at("init", "--force")
    assert ran.status == Exit.FINDINGS
    assert "cannot be written" in ran.err
    assert sorted(line.config.iterdir()) == before


LINKS = pytest.mark.skipif(os.name != "posix", reason="links need a privilege elsewhere")


@LINKS
@pytest.mark.parametrize("name", [".ostiary", ".ostiary/policy.test.yaml", ".ostiary/policy.schema.json"])
def test_links_of_a_repository_lead_nowhere(line: Line, tmp_path: Path, name: str) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "file").write_text("mine")
    link = line.project / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(victim if name == ".ostiary" else victim / "file")
    ran = line("init", "--project", "--force")
    assert ran.status == Exit.FINDINGS
    assert "leads out of" in ran.err
    assert [path.name for path in victim.iterdir()] == ["file"]
    assert (victim / "file").read_text() == "mine"


def test_a_folder_that_cannot_be_made_is_told(line: Line) -> None:
    (line.project / "file").write_text("")
    ran = line("init", "--config-dir", str(line.project / "file" / "x"))
    assert ran.status == Exit.FINDINGS
    assert "cannot be written" in ran.err


# check


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


# eval and explain


def verdict(ran: Ran) -> str:
    return str(ran.json["verdict"])


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


# test


def test_examples_and_suites(line: Line) -> None:
    line.policy()
    (line.config / "a.test.yaml").write_text(SUITE)
    (line.config / "tests").mkdir()
    (line.config / "tests" / "b.test.yaml").write_text(SUITE)
    ran = line.at("test")
    assert ran == Ran(0, "2 examples, 2 cases, 0 failures, 0 problems\n", "")


def test_a_folder_without_suites_is_no_success(line: Line) -> None:
    ran = line.at("test", str(line.project))
    assert (ran.status, ran.out) == (Exit.USAGE, "")
    assert ran.err.splitlines() == [
        "there are no rule files here; `ostiary init` writes one",
        f"ostiary: `{line.project}` holds no suite: their names end in `.test.yaml`",
    ]


def test_suites_of_a_folder(line: Line) -> None:
    line.policy()
    (line.project / "a.test.yaml").write_text(SUITE)
    assert line.at("test", str(line.project)).out == line.at("test", str(line.project / "a.test.yaml")).out


@pytest.mark.parametrize("verb", ["check", "test"])
def test_that_there_is_nothing_to_look_at_is_said(line: Line, verb: str) -> None:
    assert line.at(verb).err == "there are no rule files here; `ostiary init` writes one\n"


def test_a_failure_shows_what_differs(line: Line) -> None:
    line.policy()
    Path("x.test.yaml").write_text(SUITE.replace("verdict: deny", "verdict: ask").replace("history", "future"))
    ran = line.at("test", "x.test.yaml")
    assert ran.status == Exit.FINDINGS
    assert ran.out.startswith("FAIL x.test.yaml:3: forced pushes are denied\n")
    assert '  verdict\n    - "ask"\n    + "deny"\n' in ran.out
    assert '  reason~\n    - "future"\n    + "history stays"\n' in ran.out
    assert "user:mine/no-force:6 yes" in ran.out


def test_results_as_json(line: Line) -> None:
    line.policy()
    Path("x.test.yaml").write_text(SUITE.replace("rules: [no-force]", "rules: [other]"))
    ran = line.at("test", "--format", "json", ".")
    assert ran.status == Exit.FINDINGS
    assert (ran.json["passed"], ran.json["failed"], ran.json["examples"]) == (0, 1, 2)
    assert ran.json["cases"][0]["differences"] == [{"key": "rules", "wanted": ["other"], "got": ["user:mine/no-force"]}]


def test_a_broken_suite_is_a_finding(line: Line) -> None:
    Path("x.test.yaml").write_text("version: 1\ncases: [{name: x, cal: ls}]\n")
    ran = line.at("test", "x.test.yaml")
    assert ran.status == Exit.FINDINGS
    assert "x.test.yaml:2:19: cases[0].cal: unknown key `cal`\n  help: did you mean `call`?\n" in ran.out


@LINKS
def test_a_suite_that_is_a_link_out_of_its_folder_is_not_read(line: Line, tmp_path: Path) -> None:
    (tmp_path / "private.yaml").write_text("version: 1\npassword: hunter2\n")
    (line.project / "x.test.yaml").symlink_to(tmp_path / "private.yaml")
    ran = line.at("test", ".")
    assert ran.status == Exit.USAGE
    assert "link out of its folder" in ran.err
    assert "hunter2" not in ran.err + ran.out


def test_a_broken_rule_file_is_a_finding(line: Line) -> None:
    line.policy(POLICY.replace("not_match: [git push]", "not_match: [git push -f]"))
    ran = line.at("test")
    assert ran.status == Exit.FINDINGS
    assert "examples.not_match[0]" in ran.out


def test_a_projects_rules_as_if_they_were_reviewed(line: Line) -> None:
    line.repository("version: 1\nname: theirs\nallow: [Bash(ls)]\n")
    suite = "version: 1\ncases: [{name: x, call: ls, expect: {verdict: allow}}]\n"
    (line.project / ".ostiary" / "x.test.yaml").write_text(suite)
    assert line.at("test").status == Exit.FINDINGS
    assert line.at("test", "--reviewed").status == 0


# schema


@pytest.mark.parametrize("kind", ["policy", "programs", "tools", "outcome", "suite"])
def test_schemas_are_printed(line: Line, kind: str) -> None:
    committed = Path(__file__).parent.parent / "schemas" / f"{kind}.schema.json"
    assert line("schema", kind).json == json.loads(committed.read_text("utf-8"))


# trust


THEIRS = """\
version: 1
name: theirs
allow: ["Bash(make *)"]
deny: ["Bash(curl *)"]
"""


WAITING = """version: 1
default: allow
aliases: {go: mcp__a__b}
allow: ["Bash(git *)"]
rules:
  - id: none
    context: hello
  - {id: env, decision: allow, when: {reads: "**/.env"}, unless: {writes: {outside: project}}}
exceptions: [{rule: gone, reason: x},
  {rule: "allow:Bash(git *)", when: {command: git push *}, reason: x}]
"""


def test_nobody_at_a_terminal_grants_nothing(line: Line) -> None:
    line.repository(THEIRS)
    ran = line.at("trust")
    assert ran.status == Exit.FINDINGS
    assert "allow" in ran.out
    assert "Bash(make *)" in ran.out
    assert ran.err == "ostiary: only a person at a terminal can accept this; nothing was accepted\n"
    assert verdict(line.at("eval", "--json", "make all")) == "none"


def test_what_permits_nothing_says_so(line: Line) -> None:
    line.repository("version: 1\ndeny: [Bash]\n")
    out = line.at("trust").out
    assert "it permits nothing; accepting it changes nothing" in out
    assert "  and 1 rule that denies or asks, which acts already\n" in out


def test_what_waits_is_shown_in_the_words_of_the_file(line: Line) -> None:
    line.repository(WAITING)
    assert line.at("trust").out.splitlines()[1:] == [
        "  allow     allow:Bash(git *):4  tool Bash and command `git *` | `git`",
        "  allow     env:8  reads **/.env unless writes outside project",
        "  exception line 9  the exception for gone reaches no rule",
        "  exception line 10  allow:Bash(git *) does not act where command `git push *` | `git push`",
        "  default   default:2  allow where no other rule speaks",
        "  context   none:6  tells the model: hello",
        "  alias     go = mcp__a__b",
        "",
    ]


def test_a_review_that_no_file_has_any_more_is_marked(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    assert line.at("trust", "--list").out == "nothing was accepted so far\n"
    folder = line.repository(THEIRS)
    at_terminal(monkeypatch, Person())
    line.at("trust")
    assert not line.at("trust", "--list").out.rstrip().endswith(")")
    (folder / "policy.yaml").write_text(THEIRS + "# changed\n")
    gone = "  (no file is so any more)\n"
    assert line.at("trust", "--list").out.endswith(gone)
    monkeypatch.chdir(line.config)
    line.project.rename(line.project.with_name("elsewhere"))
    assert line.at("trust", "--list").out.endswith(gone)


def test_what_was_never_accepted_cannot_be_taken_back(line: Line) -> None:
    ran = line.at("untrust")
    assert (ran.status, ran.out) == (Exit.FINDINGS, "")
    assert ran.err == "ostiary: nothing of this project was accepted\n"
    assert not (line.config / "state" / "trust.json").exists()


def test_a_store_that_cannot_be_relied_on_is_told(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    line.repository(THEIRS)
    (line.config / "state").mkdir(mode=0o700)
    store = line.config / "state" / "trust.json"
    store.write_text("{")
    store.chmod(0o600)
    at_terminal(monkeypatch, Person())
    for verb in (["trust"], ["trust", "--list"], ["untrust"]):
        ran = line.at(*verb)
        assert ran.status == Exit.FINDINGS
        assert "damaged" in ran.err
    assert store.read_text() == "{"


class Person:
    """Somebody at a terminal who types the word that the screen names, or something else."""

    def __init__(self, typed: str | None = None) -> None:
        self.typed = typed
        self.questions: list[str] = []

    def __call__(self, question: str) -> str:
        self.questions.append(question)
        if self.typed == "end of file":
            raise EOFError
        return self.typed if self.typed is not None else question.split()[-1].rstrip(":")


def at_terminal(monkeypatch: pytest.MonkeyPatch, person: Person) -> None:
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", person)


def test_the_word_on_the_screen_grants_exactly_this(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = line.repository(THEIRS)
    person = Person()
    at_terminal(monkeypatch, person)
    assert line.at("trust").status == 0
    assert len(person.questions) == 1
    assert verdict(line.at("eval", "--json", "make all")) == "allow"
    listed = line.at("trust", "--list")
    assert str(line.project.resolve()) in listed.out
    assert line.at("trust").out == "no rule file of this project waits for review\n"

    (folder / "policy.yaml").write_text(THEIRS + "# changed\n")
    assert verdict(line.at("eval", "--json", "make all")) == "none"
    (folder / "policy.yaml").write_text(THEIRS)
    assert verdict(line.at("eval", "--json", "make all")) == "allow"

    assert line.at("untrust").status == 0
    assert verdict(line.at("eval", "--json", "make all")) == "none"


@pytest.mark.parametrize("typed", ["yes", "", "end of file"])
def test_anything_else_grants_nothing(line: Line, monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    line.repository(THEIRS)
    at_terminal(monkeypatch, Person(typed))
    ran = line.at("trust")
    assert ran.status == Exit.FINDINGS
    assert ran.err == "ostiary: nothing was accepted\n"


# install and uninstall


def settings(line: Line) -> Path:
    return line.project / ".claude" / "settings.json"


PROJECT = ("claude-code", "--scope", "project")


def test_install_shows_the_change_and_writes_it(line: Line) -> None:
    ran = line.at("install", *PROJECT, "--dry-run")
    assert ran.status == 0
    assert "+" in ran.out
    assert not settings(line).exists()

    ran = line.at("install", *PROJECT, "--yes")
    assert ran.status == 0
    assert ran.out.endswith(f"wrote {settings(line)}\n")
    text = settings(line).read_text()
    for words in (json.dumps(sys.executable), '"-I"', '"--config-dir"', json.dumps(str(line.config))):
        assert words in text

    ran = line.at("install", *PROJECT, "--yes")
    assert ran.out == f"{settings(line)} is as it should be\n"
    assert settings(line).read_text() == text


def test_uninstall_leaves_what_was_there(line: Line) -> None:
    before = '{"model": "x", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}\n'
    settings(line).parent.mkdir()
    settings(line).write_text(before)
    assert line.at("install", *PROJECT, "--yes").status == 0
    assert settings(line).read_text() != before
    assert line("uninstall", *PROJECT, "--yes").status == 0
    assert json.loads(settings(line).read_text()) == json.loads(before)


def test_nobody_there_changes_nothing(line: Line) -> None:
    ran = line.at("install", *PROJECT)
    assert ran.status == Exit.FINDINGS
    assert ran.err == (
        f"there are no rule files in `{line.config}`; `ostiary init --config-dir {line.config}` writes one\n"
        "ostiary: nobody is here to agree; `--yes` writes without asking\n"
    )
    assert not settings(line).exists()


@pytest.mark.parametrize("options", [["--config-dir", "CONFIG"], []])
def test_a_folder_without_rules_is_told_when_it_is_registered(
    line: Line, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.setattr("ostiary.sources.places.account", lambda: Account("eve", str(line.project)))
    options = [option.replace("CONFIG", str(line.config)) for option in options]
    assert "there are no rule files in" in line("install", *PROJECT, "--dry-run", *options).err
    line.policy()
    own = line.project / ".config" / "ostiary"
    own.mkdir(parents=True)
    (own / "policy.yaml").write_text(POLICY)
    assert line("install", *PROJECT, "--dry-run", *options).err == ""


def test_a_hook_of_a_user_without_a_home_is_registered(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ostiary.sources.places.account", lambda: None)
    assert line("install", *PROJECT, "--dry-run").err == ""


@pytest.mark.parametrize(("typed", "written"), [("y", True), ("YES", True), ("", False), ("n", False)])
def test_a_person_is_asked(line: Line, monkeypatch: pytest.MonkeyPatch, typed: str, written: bool) -> None:
    at_terminal(monkeypatch, Person(typed))
    assert line.at("install", *PROJECT).status == (0 if written else Exit.FINDINGS)
    assert settings(line).exists() is written


def test_a_file_that_changes_under_the_question_is_left_alone(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(_: str) -> str:
        settings(line).parent.mkdir()
        settings(line).write_text("{}")
        return "y"

    person = Person()
    at_terminal(monkeypatch, person)
    monkeypatch.setattr("builtins.input", answer)
    ran = line.at("install", *PROJECT)
    assert ran.status == Exit.FINDINGS
    assert "changed by someone else" in ran.err
    assert settings(line).read_text() == "{}"


def test_no_file_is_written_where_one_has_changed(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    (line.project / ".codex").mkdir()

    def answer(_: str) -> str:
        (line.project / ".codex" / "hooks.json").write_text("{}")
        return "y"

    at_terminal(monkeypatch, Person())
    monkeypatch.setattr("builtins.input", answer)
    ran = line.at("install", "claude-code", "codex", *PROJECT[1:])
    assert (ran.status, settings(line).exists()) == (Exit.FINDINGS, False)
    assert (line.project / ".codex" / "hooks.json").read_text() == "{}"


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_a_file_keeps_its_mode(line: Line, mode: int) -> None:
    settings(line).parent.mkdir()
    settings(line).write_text("{}")
    settings(line).chmod(mode)
    assert line.at("install", *PROJECT, "--yes").status == 0
    assert settings(line).stat().st_mode & 0o777 == mode
    assert [path.name for path in settings(line).parent.iterdir()] == ["settings.json"]


def test_a_file_that_nobody_may_write_is_left_alone(line: Line) -> None:
    settings(line).parent.mkdir()
    settings(line).write_text("{}")
    settings(line).chmod(0o444)
    ran = line.at("install", *PROJECT, "--yes")
    assert (ran.status, ran.err.splitlines()[-1]) == (Exit.FINDINGS, f"ostiary: `{settings(line)}` is read-only")
    assert settings(line).read_text() == "{}"
    settings(line).chmod(0o644)


def test_the_settings_of_the_user(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Account("eve", str(line.config))
    monkeypatch.setattr("ostiary.commands.shared.agents.account", lambda: home)
    assert line("install", "claude-code", "--yes").status == 0
    assert (line.config / ".claude" / "settings.json").is_file()


@LINKS
def test_settings_of_a_repository_that_are_a_link_out_of_it(line: Line, tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text("{}")
    settings(line).parent.mkdir()
    settings(line).symlink_to(tmp_path / "mine.json")
    ran = line.at("install", *PROJECT, "--yes")
    assert (ran.status, ran.out) == (Exit.FINDINGS, "")
    assert (tmp_path / "mine.json").read_text() == "{}"


@LINKS
def test_settings_of_the_user_may_be_a_link(line: Line, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("ostiary.commands.shared.agents.account", lambda: Account("eve", str(line.config)))
    (line.config / ".claude").mkdir()
    (tmp_path / "dotfiles.json").write_text("{}")
    (line.config / ".claude" / "settings.json").symlink_to(tmp_path / "dotfiles.json")
    assert line("install", "claude-code", "--yes").status == 0
    assert "ostiary" in (tmp_path / "dotfiles.json").read_text()
    assert (line.config / ".claude" / "settings.json").is_symlink()


def test_an_agent_without_such_settings(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = DIALECTS["claude-code"]
    bare = dialect._replace(registration=dialect.registration._replace(places=()))
    monkeypatch.setattr("ostiary.dialects.claude_code.CLAUDE_CODE", bare)
    ran = line.at("install", *PROJECT)
    assert (ran.status, ran.err) == (2, "ostiary: `claude-code` has no settings file for the scope `project`\n")


@pytest.mark.parametrize("executable", ["", "python3"])
def test_a_python_that_is_nowhere_is_not_registered(
    line: Line, monkeypatch: pytest.MonkeyPatch, executable: str
) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    ran = line.at("install", *PROJECT, "--yes")
    assert ran.status == Exit.FINDINGS
    assert not settings(line).exists()


@pytest.mark.parametrize("content", [b"{", b"\xff", b"[]"])
def test_settings_that_cannot_be_edited_are_left_alone(line: Line, content: bytes) -> None:
    settings(line).parent.mkdir()
    settings(line).write_bytes(content)
    ran = line.at("install", *PROJECT, "--yes")
    assert ran.status == Exit.FINDINGS
    assert ran.err
    assert settings(line).read_bytes() == content
