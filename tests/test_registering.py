"""`ostiary install` and `ostiary uninstall` on files; what they write is in `test_install.py`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from lines import LINKS, POLICY, Line, Person, at_terminal
from ostiary.commands.shared.exits import Exit
from ostiary.dialects import DIALECTS
from ostiary.sources.account import Account


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
