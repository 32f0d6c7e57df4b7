"""The laws of evaluation, for any policy and any call."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ostiary.answers import NO
from ostiary.decision import Outcome, Verdict
from ostiary.evaluate import evaluate, judge_alone
from ostiary.event import Event
from ostiary.perform import run
from ostiary.policy import Admitted, FilePlan, Policy, ProgramPlan, RulePlan, ToolPlan, assemble
from ostiary.tiers import TierName
from strategies import FACTS, GATES, events, files, program, rules

pytestmark = pytest.mark.no_cover

EXAMPLES = settings(suppress_health_check=[HealthCheck.too_slow])

managed_files = files("managed", others=("user:user/r0", "project:repo/r0"))
user_files = files("user", others=("managed:managed/r0", "project:repo/r0"))
project_files = files("repo", others=("user:user/r0", "managed:managed/r1", "r9"))
plugin_files = files("plugin", others=("user:user/r1", "project:repo/r1"))


def outcome(sources: list[Admitted], event: Event, explain: bool = False) -> Outcome:
    return run(evaluate(assemble(sources), event, FACTS.known, explain), FACTS)


def without_defaults(file: FilePlan) -> FilePlan:
    return file._replace(rules=tuple(rule for rule in file.rules if not rule.default))


def without_their_rewrites(file: FilePlan) -> FilePlan:
    """A default of a higher tier may overrule a rewrite that would be denied, whatever lower tiers say."""
    return file._replace(rules=tuple(rule._replace(update_input=None) if rule.default else rule for rule in file.rules))


def told(answer: Outcome) -> dict[str, Any]:
    """What an agent is told: the outcome without generation and trail."""
    report = replace(answer, generation="", trail=()).to_json()
    del report["trail"]
    return report


@EXAMPLES
@given(managed_files, user_files, project_files, plugin_files, events)
def test_unreviewed_sources_never_loosen(
    managed: FilePlan, user: FilePlan, project: FilePlan, plugin: FilePlan, event: Event
) -> None:
    base = [Admitted("managed", True, managed), Admitted("user", True, user)]
    more = [*base, Admitted("project", False, project), Admitted("plugin", True, plugin)]
    before, after = outcome(base, event), outcome(more, event)
    assert after.verdict.over_parts >= before.verdict.over_parts
    assert after.halt >= before.halt
    if after.verdict == before.verdict:
        for name in ("updated_input", "updated_output", "context", "message", "help"):
            assert getattr(after, name) == getattr(before, name)
        if before.reason is not None:
            assert (after.reason or "").startswith(before.reason)
        if event.name == "PostToolUse":
            assert after.updated_output == before.updated_output


@EXAMPLES
@given(managed_files, user_files, project_files, events)
def test_a_reviewed_project_stays_above_what_higher_rules_gave(
    managed: FilePlan, user: FilePlan, project: FilePlan, event: Event
) -> None:
    whole = [
        Admitted("managed", True, without_their_rewrites(managed)),
        Admitted("user", True, without_their_rewrites(user)),
    ]
    without = [source._replace(file=without_defaults(source.file)) for source in whole]
    before = outcome(without, event)
    after = outcome([*whole, Admitted("project", True, project)], event)
    if before.verdict >= Verdict.ASK:
        assert after.verdict >= before.verdict
    assert after.halt >= before.halt


@EXAMPLES
@given(user_files, events, st.integers(0, 4))
def test_a_rule_that_does_not_match_changes_nothing(file: FilePlan, event: Event, place: int) -> None:
    idle = RulePlan("idle", 99, GATES, program("never-called"), decision="deny", reason="no", context="no", halt=True)
    assume(judge_alone(idle, event, FACTS) == NO)
    grown = file._replace(rules=(*file.rules[:place], idle, *file.rules[place:]))
    assert told(outcome([Admitted("user", True, file)], event)) == told(outcome([Admitted("user", True, grown)], event))


@EXAMPLES
@given(user_files, st.lists(rules(7), max_size=3), project_files, events)
def test_rules_after_a_deny_change_nothing(
    file: FilePlan, later: list[RulePlan], project: FilePlan, event: Event
) -> None:
    assume(event.kind.stops and not event.kind.ends)
    stop = RulePlan("stop", 50, (event.name,), ("always",), decision="deny", reason="stop here")
    kept = without_defaults(file)
    first = kept._replace(rules=(*kept.rules, stop), combine="strictest")
    second = without_defaults(first._replace(rules=(*first.rules, *later)))
    lower = without_defaults(project)
    before = outcome([Admitted("user", True, first)], event)
    after = outcome([Admitted("user", True, second), Admitted("project", True, lower)], event)
    assert before.verdict == Verdict.DENY
    assert told(before) == told(after)


@EXAMPLES
@given(managed_files, user_files, project_files, st.booleans(), events)
def test_the_index_equals_a_scan_of_all_rules(
    managed: FilePlan, user: FilePlan, project: FilePlan, reviewed: bool, event: Event
) -> None:
    sources = [Admitted("managed", True, managed), Admitted("user", True, user), Admitted("project", reviewed, project)]
    assert told(outcome(sources, event)) == told(outcome(sources, event, explain=True))


@EXAMPLES
@given(managed_files, user_files, events)
def test_evaluation_is_deterministic_and_changes_nothing(managed: FilePlan, user: FilePlan, event: Event) -> None:
    policy: Policy = assemble([Admitted("managed", True, managed), Admitted("user", True, user)])
    before = repr(event)
    one, two = (run(evaluate(policy, event, FACTS.known), FACTS) for _ in range(2))
    assert one == two
    assert repr(event) == before


ENTRIES = (
    "{}",
    '{"is": "complete", "operands": "data..."}',
    '{"operands": "read..."}',
    '{"is": "stops", "operands": "argv..."}',
    '{"is": "inert stops", "operands": "argv..."}',
    '{"options": "-f= --force= --message=", "operands": "data..."}',
    '{"is": "closed complete", "options": "-v --exec=command"}',
    '{"subcommands": {"push=p": {"operands": "data..."}, "run": {"operands": "delete..."}}}',
    '{"operands": "code:bash...", "stdin": "code:bash"}',
)
ROLES = ("read", "write", "data", "content", "list", "script", "delete", "patch", "connect", "search", "pattern")
DEFINED_COMMANDS = (
    *("frob .env", "frob -f --force .env", "frob push --force", "frob rm -rf /", "frob 'rm -rf /'", "mywrap frob .env"),
    *(
        "sudo frob p x",
        "cat .env | frob",
        "frob < .env > out",
        "X=frob; $X .env",
        "frob",
        "git push --force && frob run a",
    ),
    *("frob git push --force-with-lease", "FROB cat .env .env.example", "./frob --exec 'rm -rf build'"),
)
arguments = st.fixed_dictionaries(
    {},
    optional={
        "p": st.sampled_from((".env", "/work/src/a.py", "rm -rf /", "", "https://a.example/x", 3)),
        "q": st.sampled_from((".env", "git push --force", None, ["a", ".env"])),
    },
)
defined_events = st.one_of(
    st.sampled_from(DEFINED_COMMANDS).map(
        lambda text: Event(name="PreToolUse", tool="bash", input={"command": text}, cwd="/work")
    ),
    arguments.map(
        lambda given: Event(name="PreToolUse", tool="mcp__fs__slurp", mcp=("fs", "slurp"), input=given, cwd="/work")
    ),
    arguments.map(lambda given: Event(name="PreToolUse", tool="db_query", input=given, cwd="/work")),
)


@st.composite
def definitions(draw: st.DrawFn, name: str) -> FilePlan:
    """A file of definitions, of programs and tools at once."""
    entry = draw(st.none() | st.sampled_from(ENTRIES))
    roles = draw(st.dictionaries(st.sampled_from("pq"), st.sampled_from(ROLES), min_size=1))
    tools = [
        ToolPlan(server, tool, 1, tuple(roles.items()), complete=draw(st.booleans()))
        for server, tool in draw(st.lists(st.sampled_from((("fs", "slurp"), ("", "db_query"))), unique=True))
    ]
    programs = (ProgramPlan("frob", 1, entry),) if entry else ()
    return FilePlan(name, f"{name}.yaml", f"{name}-data", "strictest", (), programs=programs, tools=tuple(tools))


@EXAMPLES
@given(managed_files, user_files, project_files, definitions("lower"), st.sampled_from((0, 1, 2)), defined_events)
def test_what_a_lower_tier_defines_never_loosens(
    managed: FilePlan, user: FilePlan, project: FilePlan, lower: FilePlan, ruled: int, event: Event
) -> None:
    """A user's definitions below managed rules, a reviewed project's below rules of anybody, with and without rules of
    the tiers between and beside. Where nobody above has rules, a tier may define what it wants."""
    above = [Admitted("managed", True, managed), Admitted("user", True, user)][: ruled + 1]
    assume(above[0].file.rules)
    tier: TierName = "user" if ruled == 0 else "project"
    rest = [Admitted("project", True, project)] if ruled == 2 else []
    before = outcome([*above, *rest], event)
    after = outcome([*above, *rest, Admitted(tier, True, lower)], event)
    assert after.verdict.over_parts >= before.verdict.over_parts
    assert after.halt >= before.halt
    if after.verdict == before.verdict:
        assert (after.updated_input, after.message) == (before.updated_input, before.message)


@EXAMPLES
@given(user_files, definitions("lower"), st.sampled_from(("project", "plugin")), defined_events)
def test_unreviewed_definitions_change_nothing(user: FilePlan, lower: FilePlan, tier: TierName, event: Event) -> None:
    whole = [Admitted("user", True, user)]
    assert told(outcome(whole, event)) == told(outcome([*whole, Admitted(tier, False, lower)], event))


@pytest.mark.parametrize("name", ["message", "update_input", "update_output"])
def test_the_last_writer_of_a_tier_wins_each_field(name: str) -> None:
    values: dict[str, tuple[Any, Any]] = {
        "message": ("one", "two"),
        "update_input": ((("command", "echo 1"),), (("command", "echo 2"),)),
        "update_output": (("set", "1"), ("set", "2")),
    }
    written = [
        RulePlan(f"r{number}", number, ("PreToolUse",), ("always",), **{name: value})
        for number, value in enumerate(values[name])
    ]
    silent = RulePlan("r3", 3, ("PreToolUse",), ("always",), context="more")
    event = Event(name="PreToolUse", tool="bash", input={"command": "ls"}, cwd="/work")
    file = FilePlan("user", "user.yaml", "d", "strictest", (*written, silent))
    answer = outcome([Admitted("user", True, file)], event)
    told_as = {"message": "message", "update_input": "updated_input", "update_output": "updated_output"}[name]
    wanted: dict[str, Any] = {"message": "two", "update_input": {"command": "echo 2"}, "update_output": "2"}
    assert getattr(answer, told_as) == wanted[name]
    assert answer.context == "more"
