"""From a case's call or event to the event that is judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ostiary import dialects
from ostiary.event import Event
from ostiary.suites.spec import MomentSpec
from ostiary.tools import TOOLS, ToolTable


def event_of(call: str | MomentSpec, cwd: str | None, tools: ToolTable = TOOLS) -> Event:
    """The event. `cwd` is where it happens if it does not say. A payload is read as its agent's dialect reads it."""
    if isinstance(call, str):
        return made("bash", {"command": call}, tools, cwd=cwd)
    if call.payload is not None:
        return dialects.read(dialects.DIALECTS[call.agent or ""], call.payload)
    fields: dict[str, Any] = {
        "name": call.on or "PreToolUse",
        "cwd": call.cwd or cwd,
        "output": call.output,
        "prompt": call.prompt,
        "mode": call.mode,
        "agent": call.agent or "",
        "session": call.session,
        "subagent": call.subagent,
        "interactive": call.interactive,
        "lacks": lacks(call.agent),
    }
    if call.command is not None:
        return made("bash", {"command": call.command}, tools, **fields)
    return made(call.tool, call.input or {}, tools, **fields) if call.tool else Event(**fields)


def made(tool: str, arguments: Mapping[str, Any], tools: ToolTable, **fields: Any) -> Event:
    """The event of a tool call; an alias means the first tool that answers to it. `fields` are the event's others."""
    known = tools.called(tool)
    return Event.from_call(known[0] if known else tool, arguments, **fields)


def lacks(agent: str | None) -> frozenset[str]:
    """The facts that payloads of this agent cannot carry; none for an agent without a dialect."""
    dialect = dialects.DIALECTS.get(agent or "")
    return dialect.lacks if dialect else frozenset()
