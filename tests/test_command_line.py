"""The command line itself: help, wrong arguments, exit codes, what goes wrong."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import ostiary.commands
from lines import Line, Ran
from ostiary.commands import main
from ostiary.commands.shared import console, options
from ostiary.commands.shared.exits import Exit


def test_each_verb_is_a_module_and_each_module_a_verb() -> None:
    folder = Path(ostiary.commands.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "main", "hook", "serve"}
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


@pytest.mark.parametrize("kind", ["policy", "programs", "tools", "outcome", "suite"])
def test_schemas_are_printed(line: Line, kind: str) -> None:
    committed = Path(__file__).parent.parent / "schemas" / f"{kind}.schema.json"
    assert line("schema", kind).json == json.loads(committed.read_text("utf-8"))
