"""Broken rule files: `tests/errors/**.yaml`, each with the full text of every problem it must give.

A case has `text` (or `hex`, bytes that are no text) and `problems`, as people see them. `files` are what it may
include. `programs` and `tools` are texts of files of definitions instead.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ostiary.build import IncludeError, IncludeRef, compile_definitions, compile_file
from ostiary.problems import PolicyError
from tables import read_table

ERRORS = Path(__file__).parent / "errors"


def load(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = read_table(path)
    return rows


CASES = [
    pytest.param(row, id=f"{path.stem}: {row['note']}") for path in sorted(ERRORS.rglob("*.yaml")) for row in load(path)
]


def problems(row: dict[str, Any]) -> PolicyError:
    for defined in ("programs", "tools"):
        if defined in row:
            with pytest.raises(PolicyError) as refused:
                compile_definitions(row[defined].encode(), f"{defined}/ours.yaml", defined)  # type: ignore[arg-type]
            return refused.value
    raw = bytes.fromhex(row["hex"]) if "hex" in row else row["text"].encode("utf-8")

    def load_include(ref: IncludeRef) -> tuple[str, bytes]:
        if str(ref) not in row.get("files", {}):
            raise IncludeError(f"`{ref}` does not exist")
        return str(ref), row["files"][str(ref)].encode("utf-8")

    with pytest.raises(PolicyError) as caught:
        compile_file(raw, "policy.yaml", load_include, judge=None)
    return caught.value


@pytest.mark.parametrize("row", CASES)
def test_every_problem_is_told_in_full(row: dict[str, Any]) -> None:
    assert str(problems(row)) == row["problems"].rstrip("\n")


@pytest.mark.parametrize("row", CASES)
def test_messages_keep_the_style(row: dict[str, Any]) -> None:
    for problem in problems(row).problems:
        for text in (problem.message, problem.help):
            assert "\n" not in text
            assert not text.endswith(".") or text.endswith("...")
            assert not re.search(
                r"\b(dict|str|int|NoneType|pydantic|input|validat|type=|tuple)\b", re.sub("`[^`]*`", "", text)
            )
        assert re.match(r"[a-z0-9`\[]", problem.message)
