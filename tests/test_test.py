"""`ostiary test`."""

from __future__ import annotations

from pathlib import Path

import pytest

from lines import LINKS, POLICY, SUITE, Line, Ran
from ostiary.commands.shared.exits import Exit


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


def test_definitions_count_and_hold_no_examples(line: Line) -> None:
    line.policy("version: 1\nrules: [{id: a, when: {reads: notes}, decision: deny, examples: {match: [cat notes]}}]\n")
    folder = Path(line.config, "programs")
    folder.mkdir()
    (folder / "ours.yaml").write_text("frob: {operands: read...}\n", "utf-8")
    suite = "version: 1\ncases: [{name: a, call: frob notes, expect: {verdict: deny, rules: [a]}}]\n"
    Path(line.config, "a.test.yaml").write_text(suite, "utf-8")
    for options in ([], ["--reviewed"]):
        ran = line.at("test", *options)
        assert (ran.status, ran.out) == (0, "1 example, 1 case, 0 failures, 0 problems\n"), ran.err


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
