"""One agent each: how its payloads read and how its hooks answer.

`receive` reads a hook's input, `write` and `unreadable` answer it. `DIALECTS` is the only list of agents;
`natives` is written from their tables by `tools/native_names.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final

from ostiary.dialects.base import Dialect, OnError, Unreadable
from ostiary.dialects.bodies import Answer
from ostiary.dialects.hosted import hosted
from ostiary.dialects.marks import foreign
from ostiary.dialects.natives import NATIVES
from ostiary.dialects.payload import parse
from ostiary.dialects.reader import read, receive
from ostiary.dialects.writer import unreadable, write
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


class Registry(Mapping[str, Dialect]):
    """Dialects by their names. Each is imported when it is asked for, since a hook needs one of them."""

    def __init__(self, places: dict[str, str]) -> None:
        self._places = places

    def __getitem__(self, name: str) -> Dialect:
        module, _, constant = self._places[name].partition(".")
        found: Dialect = getattr(import_module(f"{__name__}.{module}"), constant)
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


DIALECTS: Final = Registry(
    {
        "claude-code": "claude_code.CLAUDE_CODE",
        "codex": "codex.CODEX",
        "cursor": "cursor.CURSOR",
        "gemini-cli": "gemini_cli.GEMINI_CLI",
        "qwen-code": "qwen_code.QWEN_CODE",
        "opencode": "opencode.OPENCODE",
        "pi": "pi.PI",
        "cline": "cline.CLINE",
        "amp": "amp.AMP",
        "grok": "grok.GROK",
        "zcode": "zcode.ZCODE",
        "afk": "afk.AFK",
        "copilot-cli": "copilot_cli.COPILOT_CLI",
        "factory-droid": "factory_droid.FACTORY_DROID",
        "vscode": "vscode.VSCODE",
        "goose": "goose.GOOSE",
        "windsurf": "windsurf.WINDSURF",
        "kiro": "kiro.KIRO",
        "antigravity": "antigravity.ANTIGRAVITY",
    }
)


def tool_table(tools: ToolTable) -> ToolTable:
    """The table in which every agent's native tool names are known too: as further names of their canonical tools, or
    as tools of their own."""
    further: dict[str, tuple[str, ...]] = {}
    own: dict[str, Tool] = {}
    for natives, alone in NATIVES.values():
        for native, _, canonical in (pair.partition("=") for pair in natives.split()):
            if native not in own:
                further[native] = (*further.get(native, ()), canonical)
        own |= {name: Tool(name) for name in alone.split() if name not in tools.tools}
    return ToolTable({**tools.with_aliases(further).tools, **own})
