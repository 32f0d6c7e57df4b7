"""One agent each: how its payloads read and how its hooks answer.

`receive` reads a hook's input, `write` and `unreadable` answer it. `DIALECTS` is the only list of agents.
"""

from __future__ import annotations

from typing import Final

from ostiary.dialects.afk import AFK
from ostiary.dialects.amp import AMP
from ostiary.dialects.antigravity import ANTIGRAVITY
from ostiary.dialects.base import Dialect, OnError, Unreadable
from ostiary.dialects.bodies import Answer
from ostiary.dialects.claude_code import CLAUDE_CODE
from ostiary.dialects.cline import CLINE
from ostiary.dialects.codex import CODEX
from ostiary.dialects.copilot_cli import COPILOT_CLI
from ostiary.dialects.cursor import CURSOR
from ostiary.dialects.factory_droid import FACTORY_DROID
from ostiary.dialects.gemini_cli import GEMINI_CLI
from ostiary.dialects.goose import GOOSE
from ostiary.dialects.grok import GROK
from ostiary.dialects.hosted import hosted
from ostiary.dialects.kiro import KIRO
from ostiary.dialects.marks import foreign
from ostiary.dialects.opencode import OPENCODE
from ostiary.dialects.payload import parse
from ostiary.dialects.pi import PI
from ostiary.dialects.qwen_code import QWEN_CODE
from ostiary.dialects.reader import read, receive
from ostiary.dialects.vscode import VSCODE
from ostiary.dialects.windsurf import WINDSURF
from ostiary.dialects.writer import unreadable, write
from ostiary.dialects.zcode import ZCODE
from ostiary.tools import Tool, ToolTable

__all__ = [
    "DIALECTS",
    "Answer",
    "Dialect",
    "OnError",
    "Unreadable",
    "foreign",
    "hosted",
    "parse",
    "read",
    "receive",
    "tool_table",
    "unreadable",
    "write",
]

DIALECTS: Final[dict[str, Dialect]] = {
    "claude-code": CLAUDE_CODE,
    "codex": CODEX,
    "cursor": CURSOR,
    "gemini-cli": GEMINI_CLI,
    "qwen-code": QWEN_CODE,
    "opencode": OPENCODE,
    "pi": PI,
    "cline": CLINE,
    "amp": AMP,
    "grok": GROK,
    "zcode": ZCODE,
    "afk": AFK,
    "copilot-cli": COPILOT_CLI,
    "factory-droid": FACTORY_DROID,
    "vscode": VSCODE,
    "goose": GOOSE,
    "windsurf": WINDSURF,
    "kiro": KIRO,
    "antigravity": ANTIGRAVITY,
}


def tool_table(tools: ToolTable) -> ToolTable:
    """The table in which every agent's native tool names are known too: as further names of their canonical tools, or
    as tools of their own."""
    for dialect in DIALECTS.values():
        tools = tools.with_aliases({native: (spec.canonical,) for native, spec in dialect.tools.items()})
        own = {name: Tool(name) for name in dialect.own_tools if name not in tools.tools}
        tools = ToolTable({**tools.tools, **own})
    return tools
