"""`ostiary trust` and `ostiary untrust`: what waits, and who may accept it."""

from __future__ import annotations

import time
from functools import partial

import pytest

from lines import Line, Person, at_terminal, verdict
from ostiary.commands.shared.exits import Exit
from ostiary.engine import Engine

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
    assert line.at("trust").out.splitlines()[2:] == [
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
    assert line.at("trust", "list").out == "nothing was accepted so far\n"
    folder = line.repository(THEIRS)
    at_terminal(monkeypatch, Person())
    line.at("trust")
    assert not line.at("trust", "list").out.rstrip().endswith(")")
    (folder / "policy.yaml").write_text(THEIRS + "# changed\n")
    gone = "  (no file is so any more)\n"
    assert line.at("trust", "list").out.endswith(gone)
    monkeypatch.chdir(line.config)
    line.project.rename(line.project.with_name("elsewhere"))
    assert line.at("trust", "list").out.endswith(gone)
    assert line.at("untrust", str(line.project.resolve())).status == 0
    assert line.at("trust", "list").out == "nothing was accepted so far\n"


def test_one_file_is_taken_back(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = line.repository(THEIRS)
    (folder / "policy.d").mkdir()
    (folder / "policy.d" / "ls.yaml").write_text('version: 1\nallow: ["Bash(ls *)"]\n')
    at_terminal(monkeypatch, Person())
    line.at("trust")
    ran = line.at("untrust", "--file", "policy.yaml")
    assert (ran.status, ran.err) == (Exit.FINDINGS, "ostiary: nothing of `policy.yaml` was accepted\n")
    assert line.at("untrust", "--file", ".ostiary/policy.yaml").status == 0
    assert verdict(line.at("eval", "--json", "make all")) == "none"
    assert verdict(line.at("eval", "--json", "ls x")) == "allow"


def test_a_review_for_a_time(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    line.repository(THEIRS)
    at_terminal(monkeypatch, Person())
    monkeypatch.setattr(time, "time", lambda: 1_800_000_000.0)
    for wrong in ("30", "0d", "1y", "d", "-1d"):
        assert line.at("trust", "--for", wrong).status == Exit.USAGE
    out = line.at("trust", "--for", "30d").out
    assert out.endswith("accepted until 2027-02-14; it acts from the next call on\n")
    assert "  accepted 2027-01-15, expires 2027-02-14\n" in line.at("trust", "list").out
    assert verdict(line.at("eval", "--json", "make all")) == "allow"
    monkeypatch.setattr(time, "time", lambda: 1_802_600_000.0)
    assert verdict(line.at("eval", "--json", "make all")) == "none"
    assert "  accepted 2027-01-15, expired 2027-02-14\n" in line.at("trust", "list").out
    assert "\n  accepted 2027-01-15; that expired 2027-02-14\n" in line.at("trust").shown


def test_what_is_different_since_the_last_review_is_marked(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    line.repository(THEIRS + 'ask: ["Bash(rm *)"]\nrules: [{id: a, context: be quick}]\n')
    at_terminal(monkeypatch, Person())
    monkeypatch.setattr(time, "time", lambda: 1_800_000_000.0)
    line.at("trust")
    line.repository('version: 1\nallow: ["Bash(make *)", "Bash(*)"]\ndeny: ["Bash(curl *)"]\n')
    assert line.at("trust").shown.splitlines()[2:7] == [
        "  since 2027-01-15: 1 more, 1 less, 1 fewer that denies or asks",
        "+ allow     allow:Bash(*):2  tool Bash and command `*`",
        "- context   a  tells the model: be quick",
        "  allow     allow:Bash(make *):2  tool Bash and command `make *` | `make`",
        "  and 1 rule that denies or asks, which acts already",
    ]


def test_what_was_permitted_then_may_not_be_known(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    line.repository(THEIRS)
    at_terminal(monkeypatch, Person())
    monkeypatch.setattr(time, "time", lambda: 1_800_000_000.0)
    line.at("trust")
    for kept in (line.config / "state" / "reviews").iterdir():
        kept.unlink()
    line.repository('version: 1\nallow: ["Bash(*)"]\n')
    assert line.at("trust").shown.splitlines()[2:4] == [
        "  another version was accepted 2027-01-15; what it permitted is not known any more",
        "  allow     allow:Bash(*):2  tool Bash and command `*`",
    ]


def test_where_only_managed_reviews_count_nobody_accepts(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    line.repository(THEIRS)
    person = Person()
    at_terminal(monkeypatch, person)
    managed = line.config.parent / "managed"
    managed.mkdir(mode=0o755)
    (managed / "settings.yaml").write_text("trust: managed-only\n")
    monkeypatch.setattr(Engine, "load", partial(Engine.load, managed=managed))
    ran = line.at("trust")
    assert ran.status == Exit.FINDINGS
    assert ran.err == "ostiary: managed settings count no reviews but those they list; nothing was accepted\n"
    assert person.questions == []
    digest = ran.shown.splitlines()[1].removeprefix("  digest ")
    (managed / "settings.yaml").write_text(f"trust: managed-only\ntrusted: [{digest}]\n")
    assert line.at("trust").out == "no rule file of this project waits for review\n"


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
    for verb in (["trust"], ["trust", "list"], ["untrust"]):
        ran = line.at(*verb)
        assert ran.status == Exit.FINDINGS
        assert "damaged" in ran.err
    assert store.read_text() == "{"


@pytest.mark.no_cover
def test_the_word_on_the_screen_grants_exactly_this(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = line.repository(THEIRS)
    person = Person()
    at_terminal(monkeypatch, person)
    assert line.at("trust").status == 0
    assert len(person.questions) == 1
    assert verdict(line.at("eval", "--json", "make all")) == "allow"
    listed = line.at("trust", "list")
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
