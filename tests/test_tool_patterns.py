"""Tool patterns: `tests/cases/tools/**.yaml`, both readings of a pattern over one universe of tools."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError

from ostiary.answers import YES
from ostiary.call.model import Call, Part
from ostiary.conditions import Stance, View, build
from ostiary.event import Event
from ostiary.facts import Given, Knowledge
from ostiary.matchers.tool import ToolMatcher, compile_foreign_tool, tool_plan
from ostiary.tools import TOOLS
from tables import read_table

FILE = Path(__file__).parent / "cases" / "tools" / "matchers.yaml"
TABLE = read_table(FILE)
ROWS = [pytest.param(row, id=repr(row["pattern"])) for row in TABLE["cases"]]
POLICY = [pytest.param(row, id=repr(row["pattern"])) for row in TABLE["cases"] if "policy" in row]


def fitting(plan: Any, tools: list[str]) -> list[str]:
    """The tools that a plan fits, as a rule without a command reads it."""
    condition = build(plan, Stance(stops=True))
    return [tool for tool in tools if condition(view(tool)) == YES]


def view(tool: str) -> View:
    return View(Event(tool=tool), Call(parts=(Part(tool),)), 0, {}, Knowledge(Given()), TOOLS)


def expected(reading: Any) -> list[str]:
    tools: list[str] = TABLE["universe"] if reading == "all" else reading
    return tools


@pytest.mark.parametrize("row", POLICY)
def test_policy(row: dict[str, Any]) -> None:
    if isinstance(row["policy"], dict):
        with pytest.raises(PydanticCustomError) as caught:
            tool_plan(row["pattern"])
        assert caught.value.context
        assert caught.value.context["message"].startswith(row["policy"]["error"])
        return
    assert fitting(tool_plan(row["pattern"]), TABLE["universe"]) == expected(row["policy"])
    lints = ToolMatcher.model_validate(row["pattern"]).lints(TOOLS.all_names)
    assert [lint.message for lint in lints] == row.get("lints", [])


@pytest.mark.parametrize("row", ROWS)
def test_foreign(row: dict[str, Any]) -> None:
    plan, warning = compile_foreign_tool(row["pattern"])
    assert fitting(plan, TABLE["universe"]) == expected(row["foreign"])
    assert (warning is not None) == row.get("warns", False)


def test_an_invalid_foreign_pattern_fits_a_tool_of_that_name() -> None:
    plan, _ = compile_foreign_tool("/[invalid(/")
    assert fitting(plan, ["/[invalid(/", "[invalid("]) == ["/[invalid(/"]


def test_a_tool_without_a_known_name_is_no_typing_mistake_if_a_server_has_it() -> None:
    assert list(ToolMatcher.model_validate("mcp__a__b").lints(TOOLS.all_names)) == []


def test_an_expression_that_takes_too_long_on_known_names_is_not_warned_of() -> None:
    matcher = ToolMatcher.model_validate("(a|aa)+b")
    assert list(matcher.lints(frozenset(["a" * 60]))) == []


@given(st.text(max_size=30))
def test_any_text_is_a_pattern_or_a_problem(pattern: str) -> None:
    with contextlib.suppress(PydanticCustomError):
        assert tool_plan(pattern)[0] == "tool"
    assert compile_foreign_tool(pattern)[0][0] == "tool"


@given(st.from_regex("[A-Za-z0-9_|]{1,20}", fullmatch=True))
def test_both_readings_agree_on_names(pattern: str) -> None:
    try:
        plan = tool_plan(pattern)
    except PydanticCustomError:
        assert "mcp__" in pattern
    else:
        assert set(plan[2]) == set(compile_foreign_tool(pattern)[0][2])
