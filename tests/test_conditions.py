"""Corners of conditions that no row reaches: limits, and how conditions are shown."""

from __future__ import annotations

import pytest

from ostiary import conditions, patterns
from ostiary.answers import MAYBE, NO, YES
from ostiary.build import compile_file
from ostiary.call import analyse
from ostiary.conditions import Plan, Stance, View
from ostiary.conditions.rendering import rendered
from ostiary.event import Event
from ostiary.facts import Knowledge
from ostiary.tools import TOOLS
from strategies import FACTS, program

BOTH = "tool Bash or (mode plan and not (mode x))"
PIPED = "command subcommand remote add, pipes_to (program /sh$/)"


def view(event: Event) -> View:
    return View(event, analyse(event, FACTS.known, TOOLS), 0, {}, Knowledge(FACTS.known), TOOLS)


def shell(command: str) -> View:
    return view(Event.from_call("bash", {"command": command}, cwd="/work"))


def answer(plan: Plan, event: Event, stops: bool = True) -> int:
    return conditions.build(plan, Stance(stops))(view(event))


@pytest.mark.parametrize(
    ("tool", "said"), [(None, YES), ("web_request", YES), ("bash", NO), ("web_" + "x" * 300, MAYBE)]
)
def test_a_pattern_that_covers_a_name(tool: str | None, said: int) -> None:
    assert answer(("tool", "cover", "web_.*"), Event(tool=tool)) == said


@pytest.mark.parametrize("tool", [None, "[x"])
def test_a_literal_name(tool: str | None) -> None:
    assert answer(("tool", "literal", "[x"), Event(tool=tool)) == YES
    assert answer(("tool", "literal", "[x"), Event(tool="bash")) == NO


def test_a_name_that_cannot_be_searched_in_time_is_a_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "SEARCH_SECONDS", 1e-9)
    slow = r"(a|b|ab)*(a|c)*\1*x"
    assert answer(("tool", "cover", slow), Event(tool="ab" * 100)) == MAYBE
    assert answer(("tool", "search", slow, ""), Event(tool="ab" * 100)) == MAYBE


def test_a_search_without_a_tool() -> None:
    assert answer(("tool", "search", "x", ""), Event(name="Stop")) == YES


@pytest.mark.parametrize(
    ("plan", "shown"),
    [
        (program("git"), "command program git: no"),
        (("command", ("not", ("flag", (("--x", None),)))), "command not (flag --x): yes"),
        (("command", ("any", (("flag", (("-c", ("glob", "p*")),)), ("args", ())))), "command flag -c p* | args : yes"),
        (("command", ("line", ("glob", "git *"), ())), "command `git *`: no"),
        (("not", ("tool", "exact", ("Read", "Write"))), "not (tool Read | Write: no)"),
        (("tool", "cover", "web_.*"), "tool web_.*: no"),
        (("reads", ()), "reads : no"),
        (("script", (("re", "x", "i"), ("eq", "y"))), "script /x/i, y: no"),
        (("always",), "always: yes"),
        (("interactive", True), "interactive true: no"),
        (("branch", (("eq", "main"),)), "branch main: maybe"),
        (("all", (("always",), ("mode", (("eq", "plan"),)))), "mode plan: no"),
        (("all", (("always",), ("tool", "all"))), "tool *: yes"),
        (("any", (("mode", (("eq", "plan"),)), ("always",))), "always: yes"),
    ],
)
def test_conditions_tell_why(plan: Plan, shown: str) -> None:
    assert conditions.why(plan, Stance(stops=True), shell("ls")) == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ('{tool: "/x/i", cwd: ~/a/}', "tool /x/i and cwd ~/a/"),
        ("{any: [{tool: Bash}, {all: [{mode: plan}, {not: {mode: x}}]}]}", BOTH),
        ("{writes: {outside: project}}", "writes outside project"),
        ('{connects: ["*.x.org", "y:80"]}', "connects *.x.org, y:80"),
        ("{mcp: {server: github, tool: [a, b]}}", "mcp server github, tool a, b"),
        ('{input: {a.b: {gt: 1, in: [x, true]}, c: "x*"}}', "input a.b in x | true, a.b gt 1 and input c glob x*"),
        ("{input: {a: {exists: false}, b: {regex: x+}}}", "input a exists false and input b regex /x+/"),
        ("{script: {is: unparsed}}", "script is unparsed"),
        ("{subagent: true}", "subagent true"),
        ("{command: {subcommand: remote add, pipes_to: {program: /sh$/}}}", PIPED),
        (
            "{command: {program: git, any: [{env: {A: b}}, {args: [a, b]}]}}",
            "command program git, (env A b | args a b)",
        ),
        ("{command: [a b, c d *]}", "command `a b` | `c d *` | `c d`"),
        ("{prompt: [a, b, c, d, e, f, g, h]}", "prompt a, b, c, d, e, f, g, h"),
    ],
)
def test_a_condition_is_shown_in_the_words_of_its_file(written: str, shown: str) -> None:
    text = f"version: 1\nrules: [{{id: x, decision: deny, when: {written}}}]\n"
    assert rendered(compile_file(text, "p.yaml").plan.rules[0].when) == shown


def test_a_short_form_tells_that_it_is_one() -> None:
    assert rendered(("prompt", tuple(("eq", letter) for letter in "abc")), 2) == "prompt a, b, ..."


def test_kinds_come_in_a_fixed_order() -> None:
    plan = ("all", (("writes", ()), ("not", ("any", (("reads", ()), ("connects", ()))))))
    assert conditions.kinds(plan, None) == ("read", "write", "connect")


def test_words_that_may_be_options_may_be_arguments() -> None:
    plan = ("command", ("arg", (("eq", "main"),)))
    assert conditions.build(plan, Stance(stops=True))(shell("git push $X")) == MAYBE
    assert conditions.build(("not", plan), Stance(stops=True))(shell("git push $X")) == YES
    assert conditions.build(("not", plan), Stance(stops=False))(shell("git push $X")) == MAYBE


@pytest.mark.parametrize(
    ("name", "said"), [("mcp__lab-srv__get", YES), ("mcp__other__get", NO), ("mcp__lab_srv__get", YES)]
)
def test_flattened_names_of_agents_that_tell_no_server(name: str, said: int) -> None:
    event = Event(tool="mcp__lab_srv__get", mcp=("lab_srv", "get"), lacks=frozenset({"server"}))
    assert answer(("tool", "cover", name), event) == said


@pytest.mark.parametrize(
    ("server", "tool", "said"),
    [
        ((("eq", "lab-srv"),), None, YES),
        ((("glob", "lab-*"),), None, YES),
        ((("re", "^lab-srv$", ""),), None, MAYBE),
        ((("eq", "other"),), None, NO),
        ((("eq", "lab-srv"),), (("eq", "get-it"),), YES),
        ((("eq", "a"),), (("eq", "b__c"),), NO),
    ],
)
def test_flattened_servers(server: Plan, tool: Plan | None, said: int) -> None:
    event = Event(tool="mcp__lab_srv__get_it", mcp=("lab_srv", "get_it"), lacks=frozenset({"server"}))
    assert answer(("mcp", server, tool, None), event) == said


@pytest.mark.parametrize(("server", "tool"), [("a", "b__c"), ("a__b", "c")])
def test_a_flattened_name_is_split_in_every_way(server: str, tool: str) -> None:
    event = Event(tool="mcp__a__b__c", mcp=("a", "b__c"), lacks=frozenset({"server"}))
    assert answer(("mcp", (("eq", server),), (("eq", tool),), None), event) == YES
