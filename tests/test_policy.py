"""Assembling files of all tiers, and the corners of evaluation that no rule file reaches by itself."""

from __future__ import annotations

import pytest

from ostiary.answers import MAYBE, NO, YES
from ostiary.build import compile_file
from ostiary.build.includes import IncludeRef
from ostiary.decision import Outcome, Verdict
from ostiary.evaluate import evaluate, judge_alone
from ostiary.evaluate import rewrite as rewriting
from ostiary.event import GATES, Event
from ostiary.perform import run
from ostiary.policy import Admitted, ExceptionPlan, FilePlan, RulePlan, assemble, file_plan, plain, stand_in
from strategies import FACTS, program
from tables import as_yaml

LS = Event.from_call("bash", {"command": "ls"}, cwd="/work")


def rule(name: str, decision: str = "deny", **fields: object) -> RulePlan:
    return RulePlan(name, 1, GATES, ("always",), decision=decision, **fields)  # type: ignore[arg-type]


def file(name: str, *rules: RulePlan, **fields: object) -> FilePlan:
    return FilePlan(name, f"{name}.yaml", f"digest of {name}", "strictest", rules, **fields)  # type: ignore[arg-type]


def outcome(*admitted: Admitted, event: Event = LS) -> Outcome:
    return run(evaluate(assemble(admitted), event, FACTS.known), FACTS)


def including(*entries: object) -> FilePlan:
    """A file that includes packs with a rule `a` (deny) and a rule `b` (ask) each."""
    pack = as_yaml({"version": 1, "rules": [{"id": "a", "decision": "deny"}, {"id": "b", "decision": "ask"}]})

    def load(ref: IncludeRef) -> tuple[str, bytes]:
        return f"{ref.pack}.yaml", pack

    return compile_file(as_yaml({"version": 1, "include": list(entries)}), "user.yaml", load).plan


def test_tiers_are_walked_from_the_highest() -> None:
    policy = assemble(
        [
            Admitted("plugin", True, file("p", rule("r"))),
            Admitted("project", True, file("repo", rule("r"))),
            Admitted("managed", True, file("team", rule("r"))),
            Admitted("user", True, file("me", rule("r"))),
        ]
    )
    assert [one.identity for one in policy.rules] == ["managed:team/r", "user:me/r", "project:repo/r", "plugin:p/r"]
    assert len(policy.generation) == 16


def test_the_generation_names_sources_reviews_and_notes() -> None:
    sources = [
        Admitted("project", False, file("repo", rule("r"))),
        Admitted("project", True, file("repo", rule("r"))),
        Admitted("project", True, file("repo", rule("r")), "its last good version is used"),
        Admitted("project", True, file("other", rule("r"))),
    ]
    assert len({assemble([source]).generation for source in sources}) == len(sources)
    assert assemble(sources).notes == ("its last good version is used",)


def test_a_pack_that_is_included_acts_before_the_file() -> None:
    policy = assemble([Admitted("user", True, including("pack:git"))])
    assert [one.identity for one in policy.rules] == ["pack:git/a", "pack:git/b"]


def test_an_except_leaves_a_rule_out() -> None:
    assert outcome(Admitted("user", True, including({"pack": "git", "except": ["a"]}))).verdict == Verdict.ASK


def test_an_except_holds_only_where_every_include_of_the_tier_says_so() -> None:
    without, whole = including({"pack": "git", "except": ["a"]}), including("pack:git")
    policy = assemble([Admitted("user", True, without), Admitted("user", True, whole)])
    assert [one.identity for one in policy.rules] == ["pack:git/a", "pack:git/b"]
    assert outcome(Admitted("user", True, without), Admitted("user", True, without)).verdict == Verdict.ASK
    assert outcome(Admitted("managed", True, whole), Admitted("user", True, without)).verdict == Verdict.DENY


def test_an_exception_of_any_file_that_includes_a_pack_reaches_it() -> None:
    first, second = including("pack:git"), including("pack:git")
    second = second._replace(exceptions=(ExceptionPlan("pack:git/a", None, "agreed", "", 2),))
    assert outcome(Admitted("user", True, first), Admitted("user", True, second)).verdict == Verdict.ASK


def test_an_except_of_an_unreviewed_project_waits() -> None:
    plan = including({"pack": "git", "except": ["a"]})
    assert outcome(Admitted("project", False, plan)).verdict == Verdict.DENY


def test_an_included_pack_may_only_observe() -> None:
    answer = outcome(Admitted("user", True, including({"pack": "git", "mode": "observe"})))
    assert answer.verdict == Verdict.NONE
    assert [step.state for step in answer.trail] == ["observe", "observe"]


@pytest.mark.parametrize(
    ("target", "warning"),
    [
        ("no-such-rule", "user.yaml:7: exception for `no-such-rule` reaches no rule"),
        ("managed:team/r", "user.yaml:7: exception for `managed:team/r` reaches no rule"),
        ("twin/r", "user.yaml:7: exception for `twin/r` is ambiguous and lifts nothing: plugin:twin/r, project:twin/r"),
    ],
)
def test_an_exception_that_lifts_nothing_is_a_warning(target: str, warning: str) -> None:
    user = file("user", rule("own"), exceptions=(ExceptionPlan(target, None, "why", "", 7),))
    policy = assemble(
        [
            Admitted("managed", True, file("team", rule("r"))),
            Admitted("user", True, user),
            Admitted("project", True, file("twin", rule("r"))),
            Admitted("plugin", True, file("twin", rule("r"))),
        ]
    )
    assert policy.warnings == (warning,)
    assert not any(one.exceptions for one in policy.rules)


def test_an_exception_of_an_unreviewed_project_is_reported() -> None:
    project = file("repo", rule("r"), exceptions=(ExceptionPlan("r", None, "why", "", 3),))
    policy = assemble([Admitted("project", False, project)])
    assert policy.warnings == ("repo.yaml:3: exception for `r` waits for review",)


def test_rules_that_wait_for_review_are_listed() -> None:
    policy = assemble([Admitted("project", False, file("repo", rule("a", "allow"), rule("d")))])
    assert [one.plan.id for one in policy.inactive] == ["a"]


@pytest.mark.parametrize(
    ("managed", "command", "verdict"),
    [
        (True, "cat notes.txt", Verdict.ASK),
        (False, "cat notes.txt", Verdict.NONE),
        (False, "cat notes.txt > out", Verdict.ASK),
        (False, "make", Verdict.ASK),
    ],
)
def test_a_stand_in_asks(managed: bool, command: str, verdict: Verdict) -> None:
    plan = stand_in("p.yaml", 4, "the key `x` stands twice", managed)
    event = Event.from_call("bash", {"command": command}, cwd="/work")
    answer = outcome(Admitted("managed" if managed else "user", True, plan), event=event)
    assert answer.verdict == verdict
    if verdict:
        assert answer.reason == "p.yaml:4 cannot be used: the key `x` stands twice"


def test_a_stand_in_for_a_whole_file_names_no_line() -> None:
    plan = stand_in("p.yaml", 0, "it cannot be read", managed=True)
    assert outcome(Admitted("managed", True, plan)).reason == "p.yaml cannot be used: it cannot be read"


def test_a_plan_survives_the_cache() -> None:
    plan = including({"pack": "git", "except": ["a"], "mode": "observe"})
    assert file_plan(plain(plan)) == plan
    assert type(plain(plan)) is tuple


def test_an_output_that_cannot_be_searched_in_time_is_withheld(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rewriting, "REDACT_SECONDS", 1e-9)
    value = rewriting.redacted({"text": "ab" * 20_000}, ("redact", (("re", r"(a|b|ab)*(a|c)*\1*x", ""),), "-"))
    assert value == {"text": rewriting.UNREADABLE}


@pytest.mark.parametrize(
    ("decision", "command", "answer"),
    [
        ("deny", "rm x", YES),
        ("deny", "ls; rm x", YES),
        ("deny", "ls", NO),
        ("deny", "$(which rm) x", MAYBE),
        ("allow", "rm x", YES),
        ("allow", "rm x; ls", NO),
        ("allow", "rm x > out", NO),
        ("allow", "GIT_SSH=x rm x", MAYBE),
    ],
)
def test_one_rule_alone(decision: str, command: str, answer: int) -> None:
    plan = rule("r", decision)._replace(when=program("rm"))
    assert judge_alone(plan, Event.from_call("bash", {"command": command}, cwd="/work"), FACTS) == answer


def test_one_rule_alone_on_an_event_it_is_not_for() -> None:
    assert judge_alone(rule("r"), Event(name="Stop"), FACTS) == NO


def test_one_rule_alone_asks_for_facts() -> None:
    plan = rule("r")._replace(when=("branch", (("eq", "main"),)))
    assert judge_alone(plan, LS, FACTS) == YES
