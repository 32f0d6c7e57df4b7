"""`ostiary trust` and `ostiary untrust`: what waits, and who may accept it."""

from __future__ import annotations

import pytest

from lines import Line, Person, at_terminal, verdict
from ostiary.commands.shared.exits import Exit

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
