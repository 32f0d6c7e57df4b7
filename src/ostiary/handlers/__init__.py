"""Handlers: rules whose decision comes from running something.

A handler kind is one module here with a model of what stands under `run:`; what performs its plan lives in
`ostiary.perform`. A handler runs on *yes* and *maybe*, on the original input; the allow of one that ran on *maybe*
counts as none (laws L2 and L4). Its program and relative paths are resolved against the folder of the rule file; what
an event says reaches it on standard input, as an argument or in its environment, and never inside shell text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Discriminator, Tag

from ostiary.handlers.agent import Agent
from ostiary.handlers.base import HandlerSpec
from ostiary.handlers.command import Command
from ostiary.handlers.http import Http
from ostiary.handlers.mcp_tool import McpTool
from ostiary.handlers.prompt import Prompt
from ostiary.handlers.python import Python
from ostiary.matchers.base import refuse

__all__ = ["HANDLERS", "HandlerSpec", "Run"]

HANDLERS: Final[Mapping[str, type[HandlerSpec]]] = {
    kind.kind: kind for kind in (Command, Http, McpTool, Prompt, Agent, Python)
}


def _kinds(value: Any) -> list[str]:
    return [kind for kind in HANDLERS if isinstance(value, dict) and kind in value]


def _named(value: Any) -> Any:
    if len(_kinds(value)) == 1:
        return value
    known = ", ".join(f"`{kind}`" for kind in HANDLERS)
    raise refuse(f"expected a mapping with one of {known}", "write `run: {command: ./check.sh}`")


Run = Annotated[
    Annotated[Command, Tag("<command>")]
    | Annotated[Http, Tag("<http>")]
    | Annotated[McpTool, Tag("<mcp_tool>")]
    | Annotated[Prompt, Tag("<prompt>")]
    | Annotated[Agent, Tag("<agent>")]
    | Annotated[Python, Tag("<python>")],
    Discriminator(lambda value: f"<{_kinds(value)[0]}>"),
    BeforeValidator(_named),
]
"""What stands under `run:`; the kind is the key of its name."""
