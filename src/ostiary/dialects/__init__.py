"""One agent each: how its payloads read and how its hooks answer.

`receive` reads a hook's input, `write` and `unreadable` answer it. `DIALECTS` is the only list of agents.
"""

from __future__ import annotations

from typing import Final

from ostiary.dialects.base import Dialect, Unreadable
from ostiary.dialects.bodies import Answer
from ostiary.dialects.claude_code import CLAUDE_CODE
from ostiary.dialects.marks import foreign
from ostiary.dialects.payload import parse
from ostiary.dialects.reader import read, receive
from ostiary.dialects.writer import unreadable, write
from ostiary.tools import Tool, ToolTable

__all__ = [
    "DIALECTS",
    "Answer",
    "Dialect",
    "Unreadable",
    "foreign",
    "parse",
    "read",
    "receive",
    "tool_table",
    "unreadable",
    "write",
]

DIALECTS: Final[dict[str, Dialect]] = {
    "claude-code": CLAUDE_CODE,
}


def tool_table(tools: ToolTable) -> ToolTable:
    """The table in which every agent's native tool names are known too: as further names of their canonical tools, or
    as tools of their own."""
    for dialect in DIALECTS.values():
        tools = tools.with_aliases({native: (spec.canonical,) for native, spec in dialect.tools.items()})
        own = {name: Tool(name) for name in dialect.own_tools if name not in tools.tools}
        tools = ToolTable({**tools.tools, **own})
    return tools
