"""What handlers are told of an event: one JSON object, with the keys of Claude Code's hooks and of afk's.

An agent that speaks this format already is passed on with everything it said; what any other agent sent stands under
`data`. `tool_name` is the name that the contract's handlers know: the canonical one for `afk`, Claude Code's for
`claude`. The arguments have canonical names, which are both agents' own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from ostiary.evaluate import HandlerRequest
from ostiary.event import Event
from ostiary.tools import TOOLS

# Keys of one event, with the value where the agent said nothing or something else in its place.
_EVENT_KEYS: Final[Mapping[str, Mapping[str, Any]]] = {
    "PostToolUseFailure": {"error": "", "is_interrupt": False},
    "UserPromptSubmit": {"prompt": ""},
    "SessionStart": {"source": "startup"},
    "SessionEnd": {"reason": "other"},
    "PreCompact": {"trigger": None, "custom_instructions": None},
    "PostCompact": {"trigger": None, "compact_summary": ""},
    "Notification": {"message": "", "title": "", "notification_type": ""},
    "Stop": {"stop_hook_active": False, "continuation": 0, "last_assistant_message": ""},
    "SubagentStart": {"agent_id": "", "agent_type": ""},
    "SubagentStop": {
        "stop_hook_active": False,
        "last_assistant_message": "",
        "agent_id": "",
        "agent_type": "",
        "agent_transcript_path": "",
    },
}

_NOT_SAID: Final[Mapping[str, Any]] = {"afk": None, "claude": ""}


def payload(request: HandlerRequest) -> dict[str, Any]:
    """What a handler is told."""
    event = request.event
    native = event.data if "hook_event_name" in event.data else {}
    told = {**native, **_common(event, request.contract), **_of_event(event), **_of_tool(event, request.contract)}
    if event.data and not native:
        told["data"] = event.data
    if request.outcome is not None:
        told["outcome"] = {"verdict": str(request.outcome.verdict), "reason": request.outcome.reason}
    return told


def encoded(told: Mapping[str, Any]) -> bytes:
    """The object as UTF-8, half surrogate pairs as escapes. Raises ValueError for numbers that JSON does not have."""
    text = json.dumps(told, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
    return text.encode("utf-8", "backslashreplace")


def _plain(value: Any) -> Any:
    """What an embedder's event may hold besides JSON."""
    return dict(value) if isinstance(value, Mapping) else str(value)


def _common(event: Event, contract: str) -> dict[str, Any]:
    told = {
        "hook_event_name": event.name,
        "session_id": event.session or "",
        "transcript_path": _said(event, "transcript_path", _NOT_SAID[contract]),
        "cwd": event.cwd or event.project or "",
        "permission_mode": event.mode or "default",
        "agent": event.agent,
    }
    if event.session is None and contract == "afk":
        del told["session_id"]
    if event.subagent is not None:
        told["agent_type"] = event.subagent
    if event.prompt is not None:
        told["prompt"] = event.prompt
    return told | {key: event.data[key] for key in ("run_id", "turn") if key in event.data}


def _of_event(event: Event) -> dict[str, Any]:
    failed = event.output if isinstance(event.output, str) else None
    own = {"prompt": event.prompt, "agent_type": event.subagent, "error": failed}
    keys = _EVENT_KEYS.get(event.name, {})
    return {key: own.get(key) or _said(event, key, instead) for key, instead in keys.items()}


def _said(event: Event, key: str, instead: Any) -> Any:
    """What the agent said under a key, if it is of the kind that belongs there."""
    value = event.data.get(key)
    return value if isinstance(value, str if instead is None else type(instead)) else instead


def _of_tool(event: Event, contract: str) -> dict[str, Any]:
    if not event.kind.tool:
        return {}
    told: dict[str, Any] = {"tool_name": _tool(event, contract), "tool_input": event.input}
    if not event.input_complete:
        told["tool_input_complete"] = False
    if isinstance(event.data.get("tool_use_id"), str):
        told["tool_use_id"] = event.data["tool_use_id"]
    if event.name == "PostToolUse":
        text = _text(event.output)
        told["tool_response"] = event.data.get("tool_response", {"content": text, "is_error": False})
        told |= {"tool_output": text} if event.output is not None else {}
    return told


def _text(output: Any) -> str:
    if output is None or isinstance(output, str):
        return output or ""
    return json.dumps(output, ensure_ascii=False, default=_plain)


def _tool(event: Event, contract: str) -> str:
    """The name of the tool. Of several names that Claude Code's hooks know, the one that the agent used."""
    name = event.tool or ""
    aliases = TOOLS.names(name)[1:]
    if contract == "afk" or not aliases:
        return name
    return event.native_tool if event.native_tool in aliases else aliases[0]
