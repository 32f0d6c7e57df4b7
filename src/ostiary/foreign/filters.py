"""`if` of a hook: one permission rule, as a condition.

It only saves runs of a hook, so it is read as wide as a deny is: where the text of a call does not tell, the hook runs.
"""

from __future__ import annotations

import re
from typing import Final

from pydantic_core import PydanticCustomError

from ostiary.foreign.cursor import Cursor
from ostiary.foreign.formats import EVERYTHING
from ostiary.matchers.base import either
from ostiary.matchers.compact import entry
from ostiary.policy.plan import Plan
from ostiary.spelling import shown

_WHOLE: Final = re.compile(r"([A-Za-z_]+)\(\s*(?::?\*|\*\*)\s*\)")
_ANCHORED: Final = re.compile(r"(?P<tool>[A-Za-z_]+\(\s*)/(?P<path>[^/].*)", re.DOTALL)


def fitting(cursor: Cursor, base: str) -> Plan:
    """The calls that an `if` lets a hook run for; all where it cannot be read. Where it says `/x`, the file's author
    means `x` below `base`."""
    rule = _WHOLE.sub(r"\1", cursor.value.strip()) if isinstance(cursor.value, str) else ""
    anchored = _ANCHORED.fullmatch(rule)
    try:
        entries = [entry(rule, "deny")]
        entries += [entry(f"{anchored['tool']}{base}{anchored['path']}", "deny")] if anchored else []
    except PydanticCustomError:
        cursor.warn("the hook runs for every call: its `if` is no permission rule", "write it as `Bash(git *)`")
        return EVERYTHING
    for message, help in entries[0].lints:
        cursor.warn(f"`{shown(rule)}`: {message}", help)
    return either([item.plan for item in entries])
