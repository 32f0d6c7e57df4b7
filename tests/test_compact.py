"""Compact entries: `tests/cases/compact/**.yaml`, an entry a row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError

from ostiary import patterns
from ostiary.matchers.compact import entry
from ostiary.matchers.line import line_plan, option_names
from ostiary.tools import TOOLS
from tables import read_table

CASES = Path(__file__).parent / "cases" / "compact"
ROWS = [
    pytest.param(row, decision, id=f"{decision} {row.get('note', row['entry'])}")
    for path in sorted(CASES.rglob("*.yaml"))
    for row in read_table(path)
    for decision in row.get("in", ("deny", "ask", "allow"))
]


def tuples(value: Any) -> Any:
    return tuple(tuples(item) for item in value) if isinstance(value, list) else value


@pytest.mark.parametrize(("row", "decision"), ROWS)
def test_entry(row: dict[str, Any], decision: Any) -> None:
    made = entry(row["entry"], decision)
    assert made.plan == tuples(row["plan"])
    assert made.text == row.get("text", row["entry"])
    assert [message for message, _ in made.lints] == row.get("lints", [])
    assert [message for message, _ in made.unknown(TOOLS.all_names)] == [
        f"no known tool is called `{name}`" for name in row.get("unknown", [])
    ]


def test_a_mistyped_tool_gets_the_nearest_name() -> None:
    (_, help), *_ = entry("Bsh", "deny").unknown(TOOLS.all_names)
    assert help == "did you mean `Bash`?"


@given(st.text(max_size=40), st.sampled_from(["deny", "ask", "allow"]))
def test_any_text_is_an_entry_or_a_problem(text: str, decision: Any) -> None:
    try:
        made = entry(text, decision)
    except PydanticCustomError:
        return
    assert made.plan[0] in ("tool", "all", "any", "reads", "connects", "mcp")


def fits(plan: Any, line: str) -> bool:
    if plan[0] == "any":
        return any(fits(one, line) for one in plan[1])
    return patterns.matcher(plan[1])(line) == 2


WORDS = st.lists(st.text("abcde-./", min_size=1, max_size=5), min_size=1, max_size=4).map(" ".join)


@given(WORDS, WORDS)
def test_a_stem_with_a_star_fits_itself_and_more_words_only(stem: str, rest: str) -> None:
    for text in (f"{stem} *", f"{stem}:*"):
        plan = line_plan(text)
        assert fits(plan, stem)
        assert fits(plan, f"{stem} {rest}")
        assert not fits(plan, f"{stem}x")


@given(WORDS)
def test_a_text_without_a_star_fits_only_itself(text: str) -> None:
    assert fits(line_plan(text), text)
    assert not fits(line_plan(text), f"{text} x")


def test_option_names_leave_out_what_is_no_option() -> None:
    assert list(option_names("x - -- -* --* -9 a-b")) == ["-9", "-9"]
