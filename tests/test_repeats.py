"""A call that comes again is answered as if it came for the first time (law L10)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ostiary.build import compile_file
from ostiary.decision import Decision, Verdict
from ostiary.evaluate import HandlerRequest
from ostiary.event import Event
from ostiary.facts import FactRequest, FixedFacts
from ostiary.perform import nothing
from ostiary.perform.repeats import Repeats, judge
from ostiary.policy import Admitted, FilePlan, Gates, Policy, assemble
from strategies import FACTS, events, files

pytestmark = pytest.mark.no_cover

RULES = """
version: 1
deny: ["Read(/work/kept)"]
ask: ["Bash(sh *)"]
rules:
  - {id: here, tool: Bash, when: {branch: main, command: {program: mv}}, decision: deny, reason: not on main}
  - {id: old, when: {command: rm *}, decision: deny, reason: no longer, expires: 2027-03-01}
  - {id: much, when: {command: {program: cp, arg: '/^(a|aa)+$/'}}, decision: deny, reason: too much}
  - {id: asks, when: {command: ln *}, run: {command: ./judge}}
"""


def policy(text: str = RULES) -> Policy:
    file, problems = compile_file(text.encode(), "policy.yaml")
    assert not problems
    return assemble([Admitted("user", True, file)], gates=Gates(enable_shell_hooks=True))


def shell(command: str, **fields: Any) -> Event:
    return Event.from_call("bash", {"command": command}, "/work", agent="test", session="s", **fields)


def knowing(*facts: tuple[Any, str, object], **known: Any) -> FixedFacts:
    answers = {FactRequest(name, argument): value for name, argument, value in facts}
    return FixedFacts(replace(FACTS.known, **known), {**FACTS.answers, **answers})


SCRIPT = ("script", "/work/a.sh")
KEPT: list[tuple[str, Event, FixedFacts, Event, FixedFacts, str, str]] = [
    ("the branch", shell("mv a b"), FACTS, shell("mv a b"), knowing(("branch", "/work", "topic")), "deny", "none"),
    ("a link", shell("cat x"), FACTS, shell("cat x"), knowing(("resolve", "/work/x", "/work/kept")), "none", "deny"),
    (
        "a script",
        shell("./a.sh"),
        knowing((*SCRIPT, "ls")),
        shell("./a.sh"),
        knowing((*SCRIPT, "rm x")),
        "none",
        "deny",
    ),
    ("the day", shell("rm x"), FACTS, shell("rm x"), knowing(now=FACTS.known.now + timedelta(1)), "deny", "none"),
    ("the folder", shell("cat kept"), FACTS, replace(shell("cat kept"), cwd="/tmp"), FACTS, "deny", "none"),
    ("the home", shell("cat ~/kept"), FACTS, shell("cat ~/kept"), knowing(home="/work"), "none", "deny"),
]


@pytest.mark.parametrize("row", KEPT, ids=lambda row: row[0])
def test_what_changed_is_seen(row: tuple[Any, ...]) -> None:
    _, event, facts, later, other, first, second = row
    repeats, rules = Repeats(), policy()
    for _ in range(2):
        assert str(repeats.judge(rules, event, facts, nothing).verdict) == first
        assert str(repeats.judge(rules, later, other, nothing).verdict) == second


def test_nothing_is_judged_twice() -> None:
    repeats, rules = Repeats(), policy()
    first = repeats.judge(rules, shell("mv a b"), FACTS, nothing)
    assert repeats.judge(rules, shell("mv a b"), FACTS, nothing) is first
    assert repeats.judge(rules, shell("mv a b", mode="plan"), FACTS, nothing) is not first
    assert repeats.judge(policy(), shell("mv a b"), FACTS, nothing) is not first


def test_handlers_run_for_every_call() -> None:
    ran: list[HandlerRequest] = []

    def perform(requests: tuple[HandlerRequest, ...]) -> tuple[Decision | None, ...]:
        ran.extend(requests)
        return tuple(Decision(verdict=Verdict.DENY, reason=f"number {len(ran)}") for _ in requests)

    repeats, rules = Repeats(), policy()
    said = [repeats.judge(rules, shell("ln a b"), FACTS, perform).reason for _ in range(2)]
    assert said == ["number 1", "number 2"]


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(shell(f"cp {'a' * 60}b x"), id="a search that runs out of time"),
        pytest.param(shell("ls\n" * 20_000), id="a text that is too long"),
        pytest.param(shell(f"ls {'x' * 20_000}"), id="a long call"),
        pytest.param(shell("mv a b", name="PostToolUse"), id="an event behind the call"),
        pytest.param(replace(shell("mv a b"), output=object()), id="a value that is no data"),
    ],
)
def test_what_is_not_kept(event: Event) -> None:
    repeats, rules = Repeats(), policy()
    first, second = (repeats.judge(rules, event, FACTS, nothing) for _ in range(2))
    assert first is not second
    assert first.to_json() == second.to_json()


def test_the_least_used_are_forgotten() -> None:
    repeats, rules = Repeats(), policy()
    first, second = (repeats.judge(rules, shell(f"mv {name} b"), FACTS, nothing) for name in "xy")
    for number in range(511):
        repeats.judge(rules, shell(f"ls {number}"), FACTS, nothing)
        assert repeats.judge(rules, shell("mv x b"), FACTS, nothing) is first
    assert repeats.judge(rules, shell("mv y b"), FACTS, nothing) is not second


branches = st.sampled_from(("main", "topic", None))
links = st.sampled_from(("/work/.env", "/work/notes.txt", "/etc/passwd"))


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(files("user"), files("repo"), st.lists(st.tuples(events, branches, links), min_size=1, max_size=12))
def test_every_call_is_answered_as_the_first(
    user: FilePlan, project: FilePlan, calls: list[tuple[Event, str | None, str]]
) -> None:
    rules = assemble([Admitted("user", True, user), Admitted("project", False, project)])
    repeats = Repeats()
    for event, branch, link in calls:
        facts = knowing(("branch", "/work", branch), ("resolve", "/work/notes.txt", link))
        assert repeats.judge(rules, event, facts, nothing) == judge(rules, event, facts, nothing)
