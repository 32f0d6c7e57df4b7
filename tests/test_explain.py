"""What an outcome looks like to people and programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ostiary.call import analyse
from ostiary.call.model import Call
from ostiary.commands.shared import console
from ostiary.decision import AccessReport, Degraded, Outcome, PartReport, State, Step, Verdict
from ostiary.evaluate import taken_apart
from ostiary.event import Event
from ostiary.explain import STATES, Branch, call_json, drawn, explained, json_text, plain, span, told
from ostiary.facts import FactRequest, FixedFacts, Given
from ostiary.tools import TOOLS
from ostiary.visible import visible
from tables import read_table

PUSH = PartReport(
    text="git push -f",
    program="git",
    cwd="/work",
    verdict=Verdict.DENY,
    accesses=(
        AccessReport(kind="connect", target="example.com", certain=True),
        AccessReport(kind="read", target="a/b", certain=False),
    ),
)
LIST = PartReport(text="ls", program="ls", cwd=None, verdict=Verdict.NONE, accesses=())
YES = Step(
    rule="user:mine/no-force",
    line=12,
    part=0,
    answer="yes",
    why="command flag -f: yes",
    decision="deny",
    state="active",
)
NO = Step(rule="pack:git/other", line=0, part=1, answer="no", why="tool Read: no", decision="", state="active")
FULL = Outcome(
    verdict=Verdict.DENY,
    reason="history stays\nuser rule `x`: and so do I",
    model_reason="history stays",
    help="use a branch",
    context="note",
    updated_input={"command": "ls"},
    updated_output="text",
    halt=True,
    message="hello",
    generation="0123",
    event={"agent": "some", "name": "PreToolUse", "tool": "bash"},
    parts=(PUSH, LIST),
    trail=(YES, NO),
    problems=("policy.yaml:3: broken",),
    degraded=(Degraded(wanted="ask", said="deny", why="nobody is there"),),
)


def test_everything_in_its_place() -> None:
    assert (
        plain(told(FULL))
        == """\
deny  some PreToolUse bash
  reason    history stays
            user rule `x`: and so do I
  to model  history stays
  help      use a branch
  context   note
  input     {"command": "ls"}
  output    "text"
  message   hello
  halt      the session is asked to stop

parts
   1  deny   git push -f  in /work
             connect example.com
             read    a/b  possible
   2  none   ls

rules that spoke
  yes    deny   user:mine/no-force:12  part 1  command flag -f: yes

to know
  policy.yaml:3: broken
  ask is said as deny: nobody is there"""
    )


def test_the_whole_trail() -> None:
    tail = plain(explained(FULL)).partition("every rule\n")[2].partition("\n\n")[0]
    assert (
        tail
        == """\
  yes    deny   user:mine/no-force:12  part 1  command flag -f: yes
  no            pack:git/other         part 2  tool Read: no"""
    )


def test_an_outcome_of_which_nobody_said_anything_is_short() -> None:
    assert plain(told(Outcome(event={"name": "Stop"}))) == "none  Stop"


def test_a_call_of_one_part_does_not_count_its_parts() -> None:
    assert "part 1" not in plain(told(replace(FULL, parts=(PUSH,))))


def test_what_runs_nothing_says_so() -> None:
    assert "(nothing runs)" in plain(told(Outcome(parts=(replace(LIST, text=""),))))


def test_states_that_keep_a_rule_from_acting_are_named() -> None:
    schema = json.loads((Path(__file__).parents[1] / "schemas/outcome.schema.json").read_text())
    assert list(get_args(State)) == schema["definitions"]["step"]["properties"]["state"]["enum"]
    assert set(STATES) == set(get_args(State))
    for state, words in STATES.items():
        line = plain(told(Outcome(trail=(replace(YES, state=state),))))
        assert line.endswith(f"[{words}]" if words else "-f: yes")


def test_what_did_not_run_is_behind_a_deny_only_where_there_is_one() -> None:
    line = plain(told(Outcome(verdict=Verdict.DENY, trail=(replace(YES, state="not-run"),))))
    assert line.endswith("[behind the deny that decided]")


def test_a_rule_that_was_lifted_is_among_those_that_spoke() -> None:
    lifted = replace(YES, answer="no", decision="", state="excepted", why="lifted by an exception: because")
    assert "lifted by an exception: because" in plain(told(Outcome(trail=(lifted,))))


def test_what_a_rule_says_alike_about_neighbours_is_one_line() -> None:
    steps = tuple(replace(NO, part=part, line=3) for part in range(3))
    text = plain(explained(Outcome(parts=(PUSH, LIST, LIST), trail=(*steps, replace(YES, part=1)))))
    assert text.endswith(
        "  no            pack:git/other:3       part 1, 2, 3  tool Read: no\n"
        "  yes    deny   user:mine/no-force:12  part 2  command flag -f: yes"
    )


def test_a_long_explanation_loses_its_middle() -> None:
    text = plain(told(Outcome(trail=(replace(YES, why="a" * 300 + "z"),))))
    assert text.endswith("a" * 60 + " ... " + "a" * 59 + "z")


def test_json_is_the_outcome_in_ascii() -> None:
    outcome = replace(FULL, reason="“no”\x1b[31m\u202e")
    assert json_text(outcome).isascii()
    assert json.loads(json_text(outcome)) == outcome.to_json()


@given(st.text())
def test_no_text_moves_a_cursor_or_begins_a_line(text: str) -> None:
    lines = told(
        Outcome(
            reason=text,
            parts=(replace(PUSH, text=text, cwd=text),),
            trail=(replace(YES, rule=text, why=text),),
            problems=(text,),
            event={"tool": text},
        )
    )
    for line in lines:
        for piece in line:
            assert "\n" not in piece.text
            assert "\x1b" not in piece.text
            assert "\u202e" not in piece.text


def test_markup_is_text() -> None:
    assert span("[bold green]allow[/]").text == "[bold green]allow[/]"


CALLS = Path(__file__).parent / "cases" / "explain" / "calls.yaml"
ROWS = read_table(CALLS)


GIVEN = Given(home="/home/dev", start="/work", roots=("/work",), workdirs=("/work",))


def call_of(tool: str, input: dict[str, Any], files: dict[str, str]) -> Call:
    facts = FixedFacts(GIVEN, {FactRequest("script", path): text for path, text in files.items()})
    return taken_apart(Event.from_call(tool, input, cwd="/work"), facts, TOOLS)


@pytest.mark.parametrize("row", ROWS, ids=[row["note"] for row in ROWS])
def test_calls_as_trees(row: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    console.draw(drawn(call_of(row["tool"], row["input"], row.get("files", {})), row["tool"]))
    assert capsys.readouterr().out == row["tree"]


def test_an_event_without_a_tool_is_a_tree_too() -> None:
    event = Event(name="Stop", input_complete=False)
    tree = drawn(analyse(event, Given(), TOOLS), event.tool)
    assert plain([tree.line, *(below.line for below in tree.below)]) == (
        "call  a limit was hit: input is not complete\n1  Stop"
    )


def test_a_call_as_json() -> None:
    found = json.loads(call_json(call_of("bash", {"command": "cat .e* | git checkout -f -- x"}, {})))
    assert found["script"] == "cat .e* | git checkout -f -- x"
    cat, git = found["parts"]
    assert cat["invocations"][0]["operands"] == [[".e", {"source": "*", "kind": "glob"}]]
    assert cat["pipes_to"] == [1]
    assert "pure" not in git
    assert git["invocations"][0]["subcommand"] == ["checkout"]
    assert git["invocations"][0]["options"] == [{"names": ["--force", "-f"]}]


@given(st.text())
def test_no_text_of_a_call_begins_a_line_of_its_tree(text: str) -> None:
    tree = drawn(call_of("bash", {"command": text}, {}), "bash")
    assert all(visible(line) == line for line in _texts(tree))
    assert call_json(call_of("bash", {"command": text}, {})).isascii()


def _texts(branch: Branch) -> Iterator[str]:
    yield plain([branch.line])
    for below in branch.below:
        yield from _texts(below)
