"""Writes `ostiary/guard/table.py` from its rule file: `python tools/compile_guard.py`. A test compares it."""

from __future__ import annotations

import pprint
from pathlib import Path

from ostiary.build import compile_file
from ostiary.dialects import tool_table
from ostiary.policy import RulePlan, plain
from ostiary.tools import TOOLS

FOLDER = Path(__file__).resolve().parent.parent / "src" / "ostiary" / "guard"
FILE = FOLDER / "table.py"
HEAD = '''"""The rules that Ostiary itself brings, compiled. Written by `tools/compile_guard.py`."""

from __future__ import annotations

from typing import Any, Final

DIGEST: Final = "{digest}"
"""SHA-256 (hex) of the rule file."""

# fmt: off
RULES: Final[tuple[tuple[Any, ...], ...]] = (
 {rules}
# fmt: on
"""The fields of each rule's plan, without those at the end that are as in any rule."""
'''


def text() -> str:
    """The module as it is committed. Raises PolicyError for a rule file with a problem."""
    plan, warnings = compile_file((FOLDER / "rules.yaml").read_bytes(), "built-in", tools=tool_table(TOOLS))
    assert not warnings, warnings
    rules = pprint.pformat(tuple(map(fields, plan.rules)), width=118, compact=True)[1:]
    return HEAD.format(digest=plan.digest, rules=rules)


def fields(rule: RulePlan) -> tuple[object, ...]:
    """A rule's plan as plain values, as far as it says more than its defaults. What people read of it is left out."""
    bare = rule._replace(notes=())
    usual = RulePlan("", 0, (), ())
    said = max(index for index, (one, other) in enumerate(zip(bare, usual, strict=True)) if one != other)
    found: tuple[object, ...] = plain(bare)[: said + 1]
    return found


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
