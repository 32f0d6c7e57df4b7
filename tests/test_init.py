"""`ostiary init`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lines import LINKS, SUITE, Line
from ostiary.commands.shared.exits import Exit


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
    ran = line.at("init", "--force")
    assert ran.status == Exit.FINDINGS
    assert "cannot be written" in ran.err
    assert sorted(path.name for path in line.config.iterdir()) == ["policy.yaml", "state"]


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
