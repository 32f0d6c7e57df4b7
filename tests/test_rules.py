"""The rule file's models: what they compile to, their schema and their documentation."""

from __future__ import annotations

import importlib.util
import inspect
import json
import pkgutil
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

import ostiary.handlers
import ostiary.matchers
from ostiary import document, rules
from ostiary.event import EVENTS, GATES
from ostiary.handlers import HANDLERS
from ostiary.matchers import Condition
from ostiary.matchers.base import Lint, Spec, Value
from ostiary.rules.events import FOREIGN
from ostiary.tools import TOOLS
from tables import read_table

ROOT = Path(__file__).parent.parent
CASES = Path(__file__).parent / "cases" / "matchers"
HELPERS = {"__init__", "access", "base", "compact", "line"}


def tuples(value: Any) -> Any:
    return tuple(tuples(item) for item in value) if isinstance(value, list) else value


ROWS = [
    pytest.param(row["when"], tuples(row["plan"]), row.get("lints", []), id=json.dumps(row["when"]))
    for path in sorted(CASES.rglob("*.yaml"))
    for row in read_table(path)
]


@pytest.mark.parametrize(("when", "plan", "lints"), ROWS)
def test_condition(when: Any, plan: Any, lints: list[str]) -> None:
    condition = Condition.model_validate(when)
    assert condition.compile() == plan
    assert [
        f"{'.'.join(map(str, lint.location))}: {lint.message}" for lint in condition.lints(TOOLS.all_names)
    ] == lints


def test_every_kind_of_condition_has_a_case() -> None:
    named = {key for path in CASES.rglob("*.yaml") for key in re.findall(r"\b([a-z]+): ", path.read_text("utf-8"))}
    assert {field.alias or name for name, field in Condition.model_fields.items() if not field.exclude} <= named


def test_the_registry_is_the_folder() -> None:
    folder = Path(inspect.getfile(ostiary.matchers)).parent
    modules = {path.stem for path in folder.glob("*.py")} - HELPERS
    fields = {name for name, field in Condition.model_fields.items() if not field.exclude and not field.description}
    assert fields == modules


def test_every_kind_of_handler_is_a_module() -> None:
    modules = {module.name for module in pkgutil.iter_modules(ostiary.handlers.__path__)} - {"base"}
    assert set(HANDLERS) == modules


def examples(text: str) -> list[str]:
    return re.findall(r"^ *(when: .*)$", text, re.MULTILINE)


def documented() -> list[str]:
    found = examples(Condition.__doc__ or "")
    for field in Condition.model_fields.values():
        for kind in getattr(field.annotation, "__args__", ()):
            found += examples(kind.__doc__ or "")
    return found


@pytest.mark.parametrize("example", documented())
def test_examples_in_the_documentation_are_conditions(example: str) -> None:
    text = f"version: 1\nrules:\n  - id: a\n    decision: deny\n    {example}\n"
    file, _ = document.load(text, rules.RuleFile, "x.yaml")
    assert file.rules[0].when
    assert list(file.rules[0].when.lints(TOOLS.all_names)) == []


def test_every_condition_shows_an_example() -> None:
    for name, field in Condition.model_fields.items():
        if not field.exclude and not field.description and name != "tool":
            kinds = [kind for kind in getattr(field.annotation, "__args__", ()) if kind is not type(None)]
            assert examples(kinds[0].__doc__ or ""), name


def test_uses_looks_through_everything() -> None:
    condition = Condition.model_validate({"any": [{"not": {"output": "x"}}, {"mode": "plan"}]})
    assert condition.used("output") == "output"
    assert condition.used("prompt", "reads") == ""


def test_what_is_no_condition_does_not_compile() -> None:
    for model in (Spec(), Value[int](1)):
        with pytest.raises(AssertionError):
            model.compile()
        assert list(model.lints(frozenset())) == []
    assert Lint((), "x").help == ""


def test_a_rule_defaults_to_every_gate() -> None:
    file, _ = document.load("version: 1\nrules: [{id: a, decision: deny}]\n", rules.RuleFile, "x.yaml")
    assert file.rules[0].on == GATES


def test_foreign_event_names_lead_to_events_and_are_none() -> None:
    assert set(FOREIGN.values()) <= set(EVENTS)
    assert not set(FOREIGN) & {name.lower() for name in EVENTS}


@pytest.fixture(scope="module")
def validator() -> Draft7Validator:
    schema = json.loads((ROOT / "schemas" / "policy.schema.json").read_text("utf-8"))
    Draft7Validator.check_schema(schema)
    return Draft7Validator(schema)


def test_the_schema_is_fresh() -> None:
    committed = json.loads((ROOT / "schemas" / "policy.schema.json").read_text("utf-8"))
    assert committed == rules.json_schema(), "run python tools/write_schemas.py"


GOOD = [
    {"version": 1},
    {"version": 1, "default": "ask", "deny": ["Bash(rm *)"], "vars": {"a": "x", "b": ["y"]}},
    {
        "version": 1,
        "include": ["pack:git", {"pack": "strict", "mode": "observe", "except": "a", "params": {"x": ["y"]}}],
    },
    {"version": 1, "rules": [{"id": "a", "on": "Stop", "decision": "deny", "when": {"not": {"subagent": True}}}]},
    {
        "version": 1,
        "rules": [{"id": "a", "on": ["Stop"], "decision": "deny", "when": {"writes": {"outside": "project"}}}],
    },
    {"version": 1, "rules": [{"id": "a", "halt": True, "when": {"input": {"a": {"gt": 1}, "b": [1, "x"], "c": True}}}]},
    {"version": 1, "rules": [{"id": "a", "decision": "deny", "when": {"command": ["a", "b"]}}]},
    {
        "version": 1,
        "rules": [{"id": "a", "decision": "deny", "when": {"command": {"flag": {"-x": "y"}, "env": ["A"]}}}],
    },
    {"version": 1, "rules": [{"id": "a", "decision": "deny", "examples": {"match": ["x", {"tool": "Read"}]}}]},
]
BAD = [
    {},
    {"version": 2},
    {"version": 1, "rulez": []},
    {"version": 1, "deny": "Bash"},
    {"version": 1, "rules": [{"decision": "deny"}]},
    {"version": 1, "rules": [{"id": "a", "on": "BeforeTool", "decision": "deny"}]},
    {"version": 1, "rules": [{"id": "a", "decision": "block"}]},
    {"version": 1, "rules": [{"id": "a", "decision": "deny", "when": {"reeds": "x"}}]},
    {"version": 1, "rules": [{"id": "a", "decision": "deny", "when": {"reads": 5}}]},
    {"version": 1, "rules": [{"id": "a", "decision": "deny", "when": None}]},
    {"version": 1, "rules": [{"id": "a", "decision": "deny", "when": {"seen": {}}}]},
    {"version": 1, "rules": [{"id": "a", "run": {"command": 5}}]},
    {"version": 1, "rules": [{"id": "a", "run": {"command": "x", "timeout": 10}}]},
    {"version": 1, "rules": [{"id": "a", "run": {}}]},
    {"version": 1, "rules": [{"id": "a", "run": "x"}]},
]


@pytest.mark.parametrize("data", GOOD)
def test_the_schema_takes_what_the_model_takes(validator: Draft7Validator, data: dict[str, Any]) -> None:
    rules.RuleFile.model_validate(data)
    assert [error.message for error in validator.iter_errors(data)] == []


@pytest.mark.parametrize("data", BAD)
def test_the_schema_refuses_what_the_model_refuses(validator: Draft7Validator, data: dict[str, Any]) -> None:
    assert not validator.is_valid(data)


def test_the_reference_is_fresh() -> None:
    path = ROOT / "tools" / "rule_reference.py"
    spec = importlib.util.spec_from_file_location("rule_reference", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.REFERENCE.read_text("utf-8") == module.reference(), "run python tools/rule_reference.py"
