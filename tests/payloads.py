"""Payloads as a hook gets them, for tests that run the whole way."""

from __future__ import annotations

import json
from typing import Any

AGENT = "claude-code"


def bash(command: str, cwd: str = "/work", **more: Any) -> dict[str, Any]:
    """A shell call before it runs."""
    return tool("Bash", {"command": command}, cwd, **more)


def tool(name: str, arguments: Any, cwd: str = "/work", **more: Any) -> dict[str, Any]:
    """Any tool call before it runs."""
    return {
        "hook_event_name": "PreToolUse",
        "session_id": "s1",
        "cwd": cwd,
        "tool_name": name,
        "tool_input": arguments,
        **more,
    }


def stop(cwd: str = "/work", **more: Any) -> dict[str, Any]:
    """The end of a turn."""
    return {"hook_event_name": "Stop", "session_id": "s1", "cwd": cwd, "stop_hook_active": False, **more}


def raw(payload: Any) -> bytes:
    """The bytes of a payload."""
    return json.dumps(payload).encode()
