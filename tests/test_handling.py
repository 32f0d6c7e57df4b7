"""What handlers say together: who runs, and what of it counts. The handlers are stand-ins that say what a case tells;
real ones are tested where they are performed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ostiary.decision import Decision, Outcome, Verdict
from ostiary.evaluate import HandlerRequest, evaluate
from ostiary.event import Event
from ostiary.facts import FixedFacts, Given
from ostiary.perform import run
from ostiary.policy import Admitted, ExceptionPlan, FilePlan, Gates, HandlerPlan, RulePlan, assemble
from tables import read_table

pytestmark = pytest.mark.no_cover

CASES = read_table(Path(__file__).parent / "cases" / "handlers" / "dispatch.yaml")
FACTS = FixedFacts(Given(home="/home/dev", start="/work", roots=("/work",), workdirs=("/work",)))


def tuples(value: Any) -> Any:
    return tuple(tuples(item) for item in value) if isinstance(value, list) else value


def rule(case: dict[str, Any], event: str) -> RulePlan:
    fields = {key: value for key, value in case.items() if key not in ("says", "runs", "kind", "pure", "may_allow")}
    when = tuples(fields.pop("when", ["always"]))
    options = {key: case[key] for key in ("pure", "may_allow") if key in case}
    handler = (
        HandlerPlan(case.get("kind", "function"), (("id", case.get("runs", case["id"])),), **options)
        if "says" in case
        else None
    )
    return RulePlan(line=1, on=(event,), when=when, handler=handler, **fields)


def admitted(case: dict[str, Any], number: int, event: str) -> Admitted:
    rules = tuple(rule(item, event) for item in case["rules"])
    combine, contract = case.get("combine", "strictest"), case.get("contract", "afk")
    lifted = tuple(ExceptionPlan(name, None, "agreed", "", 1) for name in case.get("exceptions", ()))
    file = FilePlan(f"p{number}", f"p{number}.yaml", f"{number}", combine, rules, lifted, contract=contract)
    return Admitted(case.get("tier", "user"), case.get("reviewed", False), file)


def says(fields: dict[str, Any] | None) -> Decision | None:
    if fields is None:
        return None
    return Decision(**{**fields, "verdict": Verdict[fields.get("verdict", "none").upper()]})


def outcome_of(case: dict[str, Any], ran: list[str], saw: list[Any] | None = None) -> Outcome:
    name = case.get("event", "PreToolUse")
    rules = [item for file in case["files"] for item in file["rules"] if "says" in item]
    said = {item.get("runs", item["id"]): item["says"] for item in reversed(rules)}

    def perform(requests: tuple[HandlerRequest, ...]) -> tuple[Decision | None, ...]:
        ids = [dict(request.plan.spec)["id"] for request in requests]
        watched = [f" ({request.outcome.verdict})" if request.outcome else "" for request in requests]
        ran.extend(id + seen for id, seen in zip(ids, watched, strict=True))
        if saw is not None:
            saw.extend(request.event.input for request in requests)
        return tuple(says(said[id]) for id in ids)

    gates = Gates(**dict.fromkeys(case.get("gates", ()), True))
    policy = assemble([admitted(file, n, name) for n, file in enumerate(case["files"])], gates=gates)
    event = Event.from_call("bash", case.get("input", {"command": "ls"}), cwd="/work", name=name)
    event = replace(event, output="a token") if name == "PostToolUse" else event
    return run(evaluate(policy, event, FACTS.given("/work")), FACTS, perform)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["note"])
def test_case(case: dict[str, Any]) -> None:
    ran: list[str] = []
    saw: list[Any] = []
    outcome = outcome_of(case, ran, saw)
    report = outcome.to_json()
    keys = ("verdict", "reason", "help", "context", "updated_input", "halt", "message", "problems")
    assert {key: report[key] for key in keys if report.get(key)} == case["want"]
    assert ran == case["ran"]
    assert saw == case.get("saw", saw)


RM = ["command", ["all", [["program", [["eq", "rm"]]]]]]
PERHAPS = ["command", ["all", [["program", [["eq", "rm"]]], ["flag", [["-r", None]]]]]]


def often(*values: Any, less: Any = None) -> st.SearchStrategy[Any]:
    """One of these values, and as often nothing (`less`: how many times)."""
    return st.sampled_from((*values, *[None] * (len(values) if less is None else less)))


def fields(**drawn: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """The fields that were drawn as something."""
    return st.fixed_dictionaries(drawn).map(lambda found: {key: one for key, one in found.items() if one is not None})


SAID = fields(
    verdict=often("allow", "allow", "ask", "defer", "deny", less=2),
    reason=often("one", "two"),
    help=often("h"),
    context=often("c"),
    message=often("m"),
    halt=often(True, less=4),
    update_input=often({"command": "ls x"}, {"command": "rm -r x"}, {"command": 3}, {}),
    update_output=often("a token", "other"),
    failure=often("late", less=4),
)
WHEN = st.sampled_from([["always"], ["always"], ["always"], RM, PERHAPS])
UNLESS = often(tuples(RM), tuples(PERHAPS), less=8)
HANDLERS = fields(
    says=SAID,
    kind=st.sampled_from(["function", "command", "prompt", "python"]),
    when=WHEN,
    unless=UNLESS,
    on_error=often("continue", "ask", "deny"),
    pure=st.booleans(),
    may_allow=often(True),
    audit=often(True, less=8),
    observe=often(True, less=8),
    expires=often("1999-01-01", less=8),
)
STATIC = fields(
    decision=st.sampled_from(["allow", "ask", "deny"]),
    when=WHEN,
    unless=UNLESS,
    reason=often("static one", "static two"),
    default=often(True),
    yields=often(("user",), ("user", "project")),
    uncertain=often("deny", "none"),
    halt=often(True, less=4),
    message=often("static"),
)
WRITERS = fields(
    when=WHEN,
    unless=UNLESS,
    halt=often(True, less=4),
    message=often("static"),
    update_input=often((("command", "rm -r x"),), (("command", "ls x"),)),
    update_output=often(("redact", (("eq", "token"),), "[redacted]")),
)
RULES = st.lists(st.one_of(HANDLERS, HANDLERS, STATIC, WRITERS), min_size=1, max_size=4)
OPEN = ["enable_shell_hooks", "allow_project_hooks", "enable_plugin_hooks"]
GATES = st.sampled_from([OPEN, OPEN, OPEN, OPEN[:1], OPEN[1:], []])
FILES = st.fixed_dictionaries(
    {
        "rules": RULES,
        "contract": st.sampled_from(["afk", "claude"]),
        "combine": st.sampled_from(["strictest", "strictest", "first", "last"]),
        "exceptions": st.sampled_from([(), (), (), ("managed0",), ("user0",), ("project0",), ("plugin0", "user0")]),
    }
)
EVENTS = ["PreToolUse", "PreToolUse", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop"]
CALLS = st.fixed_dictionaries(
    {
        "event": st.sampled_from(EVENTS),
        "input": st.sampled_from(["ls", "rm -r a", "$X -r a", "ls && rm b"]).map(lambda text: {"command": text}),
    }
)


def of_tier(tier: str, file: dict[str, Any], **more: Any) -> dict[str, Any]:
    named = [{**item, "id": f"{tier}{number}"} for number, item in enumerate(file["rules"])]
    return {**file, "tier": tier, "rules": named, **more}


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(FILES, FILES, FILES, FILES, GATES, CALLS)
def test_projects_and_plugins_loosen_nothing(
    managed: dict[str, Any],
    user: dict[str, Any],
    project: dict[str, Any],
    plugin: dict[str, Any],
    gates: list[str],
    call: dict[str, Any],
) -> None:
    """Law L6 with handlers, whatever the gates: a plugin's loosen nothing, nor do those of an unreviewed project."""
    own = [of_tier("managed", managed), of_tier("user", user)]
    foreign = [of_tier("project", project), of_tier("plugin", plugin)]
    alone = outcome_of({"files": own, "gates": gates, **call}, [])
    joined = outcome_of({"files": own + foreign, "gates": gates, **call}, [])
    assert joined.verdict.over_parts >= alone.verdict.over_parts
    # What is denied is not rewritten, so that rules which would have spoken of the rewritten call do not (law L4).
    rewriting = any("update_input" in {**item, **item.get("says", {})} for file in own for item in file["rules"])
    comparable = joined.verdict != Verdict.DENY or not rewriting
    assert joined.halt >= alone.halt or not comparable
    if joined.verdict == alone.verdict and comparable:
        if alone.updated_input is not None:
            assert joined.updated_input == alone.updated_input
        if alone.reason is not None:
            assert (joined.reason or "").startswith(alone.reason)
        if alone.message is not None:
            assert joined.message == alone.message
    if alone.updated_input is None and joined.updated_input is not None:  # what they wrote is not free of anything
        there = outcome_of({"files": own, "gates": gates, **call, "input": dict(joined.updated_input)}, [])
        assert joined.verdict.over_parts >= min(there.verdict.over_parts, Verdict.ASK.over_parts)
    if alone.updated_output is not None and "token" not in str(alone.updated_output):
        assert "token" not in str(joined.updated_output)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(FILES, FILES, FILES, CALLS)
def test_a_reviewed_project_stays_above_what_higher_rules_gave(
    managed: dict[str, Any], user: dict[str, Any], project: dict[str, Any], call: dict[str, Any]
) -> None:
    def closed(file: dict[str, Any]) -> dict[str, Any]:
        return {**file, "rules": [item for item in file["rules"] if not item.get("default")]}

    gates = ["enable_shell_hooks", "allow_project_hooks"]
    own = [of_tier("managed", managed), of_tier("user", user)]
    ran_before: list[str] = []
    ran_after: list[str] = []
    before = outcome_of({"files": [closed(file) for file in own], "gates": gates, **call}, ran_before)
    after = outcome_of({"files": [*own, of_tier("project", project, reviewed=True)], "gates": gates, **call}, ran_after)
    if before.verdict >= Verdict.ASK:
        assert after.verdict >= before.verdict
    if ran_after or not ran_before:  # behind a certain deny no handler runs, so none halts (law L4)
        assert after.halt >= before.halt


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(FILES, FILES, CALLS)
def test_what_failed_is_no_looser_than_no_handler(
    managed: dict[str, Any], user: dict[str, Any], call: dict[str, Any]
) -> None:
    """Law L7: a user's handlers that all fail leave what there is without them, or something stricter."""
    failing = [{**item, "says": {"failure": "late"}} if "says" in item else item for item in user["rules"]]
    without = [item for item in user["rules"] if "says" not in item]
    case = {"gates": ["enable_shell_hooks"], **call}
    names = {"exceptions": ()}
    above = of_tier("managed", {**managed, **names})
    named = of_tier("user", {**user, **names, "rules": failing})
    kept = [item for item in named["rules"] if "says" not in item]
    assert len(kept) == len(without)
    failed = outcome_of({"files": [above, named], **case}, [])
    none = outcome_of({"files": [above, {**named, "rules": kept}], **case}, [])
    assert failed.verdict.over_parts >= none.verdict.over_parts
    assert failed.halt >= none.halt


@given(st.permutations(["allow", "ask", "defer", "deny"]), st.integers(1, 4))
def test_the_order_of_verdicts_does_not_matter(order: list[str], count: int) -> None:
    """The lattice of the `claude` contract: any order gives the strictest."""
    rules = [{"id": str(number), "says": {"verdict": verdict}} for number, verdict in enumerate(order[:count])]
    outcome = outcome_of({"files": [{"rules": rules, "contract": "claude"}]}, [])
    assert outcome.verdict == max(Verdict[verdict.upper()] for verdict in order[:count])
