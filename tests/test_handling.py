"""What handlers say together: who runs, and what of it counts. The handlers are stand-ins that say what a case tells;
real ones are tested where they are performed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from ostiary.decision import Decision, Outcome, Verdict
from ostiary.evaluate import HandlerRequest, evaluate
from ostiary.event import Event
from ostiary.facts import FixedFacts, Given
from ostiary.perform import run
from ostiary.policy import Admitted, FilePlan, Gates, HandlerPlan, RulePlan, assemble

CASES = YAML(typ="safe").load(Path(__file__).parent / "cases" / "handlers" / "dispatch.yaml")
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
    file = FilePlan(f"p{number}", f"p{number}.yaml", f"{number}", combine, rules, contract=contract)
    return Admitted(case.get("tier", "user"), case.get("reviewed", False), file)


def says(fields: dict[str, Any] | None) -> Decision | None:
    if fields is None:
        return None
    return Decision(**{**fields, "verdict": Verdict[fields.get("verdict", "none").upper()]})


def outcome_of(case: dict[str, Any], ran: list[str]) -> Outcome:
    name = case.get("event", "PreToolUse")
    rules = [item for file in case["files"] for item in file["rules"] if "says" in item]
    said = {item.get("runs", item["id"]): item["says"] for item in reversed(rules)}

    def perform(requests: tuple[HandlerRequest, ...]) -> tuple[Decision | None, ...]:
        ids = [dict(request.plan.spec)["id"] for request in requests]
        watched = [f" ({request.outcome.verdict})" if request.outcome else "" for request in requests]
        ran.extend(id + seen for id, seen in zip(ids, watched, strict=True))
        return tuple(says(said[id]) for id in ids)

    gates = Gates(**dict.fromkeys(case.get("gates", ()), True))
    policy = assemble([admitted(file, n, name) for n, file in enumerate(case["files"])], gates=gates)
    event = Event.from_call("bash", case.get("input", {"command": "ls"}), cwd="/work", name=name)
    return run(evaluate(policy, event, FACTS.given("/work")), FACTS, perform)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["note"])
def test_case(case: dict[str, Any]) -> None:
    ran: list[str] = []
    outcome = outcome_of(case, ran)
    report = outcome.to_json()
    keys = ("verdict", "reason", "help", "context", "updated_input", "halt", "message", "problems")
    assert {key: report[key] for key in keys if report.get(key)} == case["want"]
    assert ran == case["ran"]


SAID = st.fixed_dictionaries(
    {},
    optional={
        "verdict": st.sampled_from(["allow", "ask", "defer", "deny"]),
        "context": st.just("c"),
        "halt": st.booleans(),
        "update_input": st.sampled_from([{"command": "ls x"}, {"command": "rm x"}]),
        "failure": st.just("late"),
    },
)
RULES = st.lists(
    st.one_of(
        st.fixed_dictionaries({"says": SAID, "kind": st.sampled_from(["function", "command", "prompt", "python"])}),
        st.fixed_dictionaries({"decision": st.sampled_from(["allow", "ask", "deny"])}),
    ),
    max_size=4,
)
GATES = st.lists(st.sampled_from(["enable_shell_hooks", "allow_project_hooks", "enable_plugin_hooks"]), unique=True)


def files(tier: str, rules: list[dict[str, Any]], contract: str) -> dict[str, Any]:
    named = [{**item, "id": f"{tier}{number}"} for number, item in enumerate(rules)]
    return {"tier": tier, "rules": named, "contract": contract}


@given(RULES, RULES, RULES, RULES, GATES, st.sampled_from(["afk", "claude"]))
def test_projects_and_plugins_loosen_nothing(
    managed: list[Any], user: list[Any], project: list[Any], plugin: list[Any], gates: list[str], contract: str
) -> None:
    """Law L6 with handlers, whatever the gates: a plugin's loosen nothing, nor do those of an unreviewed project."""
    own = [files("managed", managed, contract), files("user", user, contract)]
    foreign = [files("project", project, contract), files("plugin", plugin, contract)]
    alone = outcome_of({"files": own, "gates": gates}, [])
    joined = outcome_of({"files": own + foreign, "gates": gates}, [])
    assert joined.verdict.over_parts >= alone.verdict.over_parts
    assert joined.halt >= alone.halt
    if alone.updated_input is not None and joined.verdict == alone.verdict:
        assert joined.updated_input == alone.updated_input


@given(st.permutations(["allow", "ask", "defer", "deny"]), st.integers(1, 4))
def test_the_order_of_verdicts_does_not_matter(order: list[str], count: int) -> None:
    """The lattice of the `claude` contract: any order gives the strictest."""
    rules = [{"id": str(number), "says": {"verdict": verdict}} for number, verdict in enumerate(order[:count])]
    outcome = outcome_of({"files": [{"rules": rules, "contract": "claude"}]}, [])
    assert outcome.verdict == max(Verdict[verdict.upper()] for verdict in order[:count])
