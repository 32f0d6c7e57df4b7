"""What one evaluation may cost, and that no rule is escaped by making it cost more (laws L2 and L7)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ostiary.decision import Outcome, Verdict
from ostiary.evaluate import budget, evaluate
from ostiary.evaluate.judge import MAX_BINDINGS
from ostiary.event import GATES, Event
from ostiary.facts import FactRequest, FixedFacts
from ostiary.paths import path_plan
from ostiary.perform import run
from ostiary.policy import Admitted, FilePlan, RulePlan, assemble
from ostiary.urls import host_plan
from strategies import FACTS, events, files, program
from test_properties import EXAMPLES

pytestmark = pytest.mark.no_cover

NEVER = (path_plan("/never"),)
R_LETTER = ("command", ("all", (("program", (("glob", "r?"),)), ("flag", (("-r", None),)))))
MUCH = "limit: the rules take too much work for this call"
SCRIPT = FixedFacts(
    FACTS.known,
    {
        FactRequest("script", "/work/x.sh"): "cat .env\n",
        FactRequest("listing", "/work"): {".env": ("deep",)},
        FactRequest("kind", "/work/conf"): "folder",
    },
)


def rules(when: Any, count: int = 1, decision: str = "deny", **fields: Any) -> FilePlan:
    members = tuple(RulePlan(f"r{number}", 1, GATES, when, decision=decision, **fields) for number in range(count))
    return FilePlan("many", "many.yaml", "digest", "strictest", members)


def user(when: Any, count: int = 1, decision: str = "deny", **fields: Any) -> list[Admitted]:
    return [Admitted("user", True, rules(when, count, decision, **fields))]


def outcome(sources: list[Admitted], call: str | Event, facts: FixedFacts = FACTS, explain: bool = False) -> Outcome:
    event = Event.from_call("bash", {"command": call}, cwd="/work") if isinstance(call, str) else call
    return run(evaluate(assemble(sources), event, facts.known, explain), facts)


def limited(sources: list[Admitted], call: str | Event, facts: FixedFacts = FACTS, **left: float) -> Outcome:
    """The outcome where rules that a person answers for may cost only so much."""
    searches, late, seconds, steps = budget.REVIEWED
    with pytest.MonkeyPatch.context() as patch:
        small = (left.get("searches", searches), late, left.get("seconds", seconds), left.get("steps", steps))
        patch.setattr(budget, "REVIEWED", small)
        return outcome(sources, call, facts)


@pytest.mark.parametrize("uncertain", ["", "ask", "none", "deny"])
def test_too_many_combinations_are_a_doubt_that_no_rule_lets_pass(uncertain: str) -> None:
    names = [f"a{number}" for number in range(int(MAX_BINDINGS**0.5) + 2)]
    each = (("any", tuple((kind, (path_plan(name),)) for name in names)) for kind in ("reads", "deletes"))
    sources = user(("all", (*each, ("writes", NEVER))), uncertain=uncertain)
    answer = outcome(sources, f"mv {' '.join(names)} /away")
    assert answer.verdict == (Verdict.DENY if uncertain == "deny" else Verdict.ASK)
    assert [step.why for step in answer.trail] == ["there is too much to judge"]


@pytest.mark.parametrize("decision", ["deny", "ask"])
@pytest.mark.parametrize(("extra", "fires"), [("", False), ("one.pem", False), ("two.pem", False), ("*.pem", True)])
def test_accesses_that_are_the_same_to_a_rule_are_combined_once(extra: str, fires: bool, decision: str) -> None:
    names = " ".join(f"a{number}" for number in range(1000))
    both = ("all", (("reads", (path_plan("**/one.pem"),)), ("deletes", (path_plan("**/two.pem"),))))
    sources = user(both, decision=decision, uncertain="none")
    text = f"mv {names} {extra.replace('*.pem', 'one.pem two.pem')} /away"
    verdict = Verdict.DENY if decision == "deny" else Verdict.ASK
    assert outcome(sources, text).verdict == (verdict if fires else Verdict.NONE)
    lifted = user(both, decision=decision, unless=("writes", (path_plan("/away/a1"),)))
    assert outcome(lifted, text).verdict == (verdict if fires else Verdict.NONE)


def test_conditions_of_which_one_is_needed_are_not_combined() -> None:
    names = " ".join(f"a{number}" for number in range(100))
    either = ("any", (("reads", NEVER), ("writes", NEVER), ("deletes", NEVER)))
    assert outcome(user(either), f"mv {names} /away").verdict == Verdict.NONE
    assert outcome(user(either), f"mv {names} /never").verdict == Verdict.DENY


def test_what_lifts_is_combined_with_each_of_them() -> None:
    either = ("any", (("reads", (path_plan("**/.env"),)), ("writes", (path_plan("**/.env"),))))
    sources = user(either, unless=("writes", (path_plan("/work/out"),)))
    assert outcome(sources, "cat .env > out").verdict == Verdict.NONE
    assert outcome(sources, "cp .env more; cat .env").verdict == Verdict.DENY
    assert outcome(sources, "cat .env > out > more").verdict == Verdict.DENY


@pytest.mark.parametrize(
    "call",
    [
        "\n".join(f"true {number}" for number in range(2_000)) + "\nrm x",
        "true " + "word " * 20_000 + "; rm x",
        "true " + "$(" * 100 + "rm x" + ")" * 100,
    ],
)
def test_a_call_that_is_too_long_to_read_is_a_doubt_that_no_rule_lets_pass(call: str) -> None:
    answer = outcome(user(program("rm"), uncertain="none"), call)
    assert answer.problems
    assert answer.verdict == Verdict.ASK
    assert outcome(user(program("rm"), uncertain="none"), "$(which rm) x").verdict == Verdict.NONE


@pytest.mark.parametrize(
    ("when", "call"),
    [
        (("reads", (path_plan("**/.env"),)), "cat .env"),
        (("reads", (path_plan("**/.env"),)), "cat a b c d .env"),
        (("reads", (path_plan("**/.env"),)), "cat a; cat $X/b; cat .env"),
        (("reads", (path_plan("**/.env"),)), "bash x.sh"),
        (("not", ("reads", (path_plan("**/notes"),))), "cat .env"),
        (("all", (("reads", (path_plan("**/.env"),)), ("not", ("writes", NEVER)))), "cat .env > out"),
        (program("rm", ("flag", (("-r", None),))), "mywrap a b c rm -r x"),
        (R_LETTER, "mywrap a b c rm -r x"),
        (program("cc", ("arg", (("re", "^x", ""),))), "$CC x.c"),
        (program("git", ("arg", (("re", "^main$", ""),))), "mywrap git push main"),
        (program("git", ("arg", (("re", "^main$", ""),))), "bash -c 'git push main'"),
        (program("cat", ("arg", (("re", "^.env$", ""),))), "bash x.sh"),
        (("reads", ("outside", "project")), "cat /etc/hosts"),
        (("reads", (path_plan("**/.env"),)), "grep -r x ."),
        (("reads", (path_plan("./conf/*.key"),)), "grep -r x ."),
        (("connects", (host_plan("example.com"),)), "curl https://example.com/x"),
    ],
)
def test_no_rule_is_escaped_by_what_it_costs(when: Any, call: str) -> None:
    sources = user(when, uncertain="none" if outcome(user(when), call, SCRIPT).verdict == Verdict.DENY else "")
    assert outcome(sources, call, SCRIPT).verdict >= Verdict.ASK
    for left in range(120):
        assert limited(sources, call, SCRIPT, steps=left).verdict >= Verdict.ASK
    for left in range(3):
        assert limited(sources, call, SCRIPT, searches=left).verdict >= Verdict.ASK


@EXAMPLES
@given(files("managed"), files("user"), events, st.integers(0, 60))
def test_a_small_budget_never_loosens(managed: FilePlan, file: FilePlan, event: Event, steps: int) -> None:
    assume(not event.kind.ends)
    plain = (
        each._replace(rules=tuple(one._replace(update_input=None) for one in each.rules)) for each in (managed, file)
    )
    sources = [Admitted(tier, True, each) for tier, each in zip(("managed", "user"), plain, strict=True)]
    whole, cut = outcome(sources, event).verdict, limited(sources, event, steps=steps).verdict
    assert cut.over_parts >= min(whole, Verdict.ASK).over_parts


def test_a_repository_cannot_delay_a_call_by_many_accesses() -> None:
    kinds = ("reads", "writes", "deletes")
    each = (("any", tuple((kind, (path_plan(f"**/{name}"),)) for name in "abcdefghij")) for kind in kinds)
    plan = rules(("all", (*each, ("reads", NEVER))), 60)
    call = "mv a b c d e f g h i j /away"
    answer = outcome([Admitted("project", False, plan)], call)
    assert answer.verdict == Verdict.ASK
    assert answer.problems == (MUCH,)
    assert outcome([Admitted("user", True, plan)], call).verdict == Verdict.NONE


@pytest.mark.parametrize(("reviewed", "verdict"), [(True, Verdict.NONE), (False, Verdict.ASK)])
def test_a_repository_cannot_delay_a_call_by_many_searches(reviewed: bool, verdict: Verdict) -> None:
    plan = rules(("command", ("arg", (("re", "^never$", ""),))), 600)
    assert outcome([Admitted("project", reviewed, plan)], "ls a").verdict == verdict


def test_a_search_that_is_late_is_a_doubt_that_no_rule_lets_pass() -> None:
    late = ("command", ("arg", (("re", r"(a|b|ab)*(a|c)*\1*x", ""),)))
    answer = limited(user(late, uncertain="none"), "true " + "ab" * 20_000, seconds=1e-9)
    assert answer.verdict == Verdict.ASK
    assert answer.problems == (MUCH,)


def test_a_used_up_budget_never_allows() -> None:
    sources = user(("all", (("always",), ("reads", (path_plan("**"),)))), decision="allow")
    call = "cat " + " ".join(f"f{number}" for number in range(200))
    assert outcome(sources, call).verdict == Verdict.ALLOW
    for left in (0, 400, 1_000, 2_000):
        assert limited(sources, call, steps=left).verdict == Verdict.NONE


def test_words_of_a_wrapper_are_tried_as_programs_only_where_one_may_be_meant() -> None:
    call = "frobnicate " + " ".join(f"word{number}" for number in range(900))
    assert outcome(user(R_LETTER, 20), call).verdict == Verdict.NONE
    assert outcome(user(("command", ("arg", (("eq", "never"),))), 20), call).problems == (MUCH,)


SECRET = {"output": {"stdout": ["token AKIAIOSFODNN7EXAMPLE here"]}}
REDACTS = ("redact", (("re", "AKIA[A-Z0-9]{16}", ""),), "[key]")


@pytest.mark.parametrize(
    "left",
    [{"steps": 0}, {"searches": 0}],
)
def test_a_redaction_that_runs_out_of_work_hides_what_it_would_hide(left: dict[str, float]) -> None:
    when = ("all", (("command", ("arg", (("re", "^x", ""),))), ("reads", (path_plan("**/x"),))))
    sources = [Admitted("user", True, post(when, update_output=REDACTS))]
    event = Event.from_call("bash", {"command": "cat x"}, cwd="/work", name="PostToolUse", **SECRET)
    hidden = {"stdout": ["token [key] here"]}
    assert outcome(sources, event).updated_output == hidden
    assert limited(sources, event, **left).updated_output == hidden
    assert limited([Admitted("user", True, post(when, halt=True))], event, **left).halt
    unless = [Admitted("user", True, post(("always",), update_output=REDACTS, unless=when))]
    other = Event.from_call("bash", {"command": "cat y"}, cwd="/work", name="PostToolUse", **SECRET)
    assert limited(unless, other, **left).updated_output == hidden


def post(when: Any, **fields: Any) -> FilePlan:
    return FilePlan("post", "post.yaml", "digest", "strictest", (RulePlan("r", 1, ("PostToolUse",), when, **fields),))


@pytest.mark.parametrize("fields", [{"update_input": (("command", "cat ./x"),)}, {"halt": True}])
@pytest.mark.parametrize("decision", ["", "allow"])
def test_a_rewrite_that_runs_out_of_work_asks(fields: dict[str, Any], decision: str) -> None:
    sources = user(("reads", (path_plan("**/x"),)), decision=decision, **fields)
    answer = limited(sources, "cat x", steps=0)
    assert answer.verdict == Verdict.ASK
    assert answer.reason == "there is too much to judge whether rule `user:many/r0` is about this call"
    assert (answer.updated_input, answer.halt) == (None, False)
    assert outcome(sources, "cat x").verdict == (Verdict.ALLOW if decision else Verdict.NONE)


def test_a_file_that_is_not_read_to_its_end_is_a_doubt_that_no_rule_lets_pass() -> None:
    long = FixedFacts(FACTS.known, {FactRequest("script", "/work/x.sh"): "true\n" * 2_000 + "rm x\n"})
    answer = outcome(user(program("rm"), uncertain="none"), "bash x.sh", long)
    assert answer.verdict == Verdict.ASK
    assert outcome(user(program("rm"), uncertain="none"), "bash x.sh", SCRIPT).verdict == Verdict.NONE
