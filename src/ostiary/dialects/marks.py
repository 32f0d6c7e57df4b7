"""Marks by which a payload shows that another agent sent it.

Several agents run hooks that were registered for another one (they read its settings files). Their payloads look alike
but are not the same, so they are refused instead of misread. Only keys that the agents were seen to send, or that
their vendors document, are marks; environment variables are none, because child processes inherit them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ostiary.dialects.base import Dialect
from ostiary.dialects.kin import Mark

_CALL: Final = ("tool_use_id", "prompt_id", "turn_id")
_CALLS: Final = frozenset(("PreToolUse", "PostToolUse"))

# In order; the first hit names the agent.
MARKS: Final[tuple[Mark, ...]] = (
    Mark("cursor", ("cursor_version",)),
    Mark("cursor", ("conversation_id", "generation_id")),
    Mark("windsurf", ("agent_action_name",)),
    Mark("antigravity", ("toolCall", "stepIdx")),
    Mark("cline", ("hookName", "taskId")),
    Mark("opencode", ("type", "properties")),
    Mark("pi", ("type", "hasUI")),
    Mark("amp", ("type", "thread")),
    Mark("copilot-cli", ("toolArgs",)),
    Mark("zcode", ("hookEventName", "traceId")),
    Mark("vscode", ("hookEventName", "timestamp"), without=("hook_event_name", "workspaceRoot")),
    Mark("grok", ("hookEventName",)),
    Mark("copilot-cli", ("sessionId",)),
    Mark("goose", ("event", "session_id"), without=("hook_event_name",)),
    Mark(
        "gemini-cli",
        events=frozenset(
            (
                "BeforeTool",
                "AfterTool",
                "BeforeAgent",
                "AfterAgent",
                "BeforeModel",
                "AfterModel",
                "BeforeToolSelection",
                "PreCompress",
            )
        ),
    ),
    Mark("codex", ("turn_id", "model"), without=("prompt_id",)),
    Mark("qwen-code", ("timestamp", "tool_call_id")),
    # Gemini CLI always names a transcript.
    Mark(
        "copilot-cli",
        ("timestamp", "session_id", "cwd"),
        without=("permission_mode", "prompt_id", "transcript_path"),
    ),
    # Gemini CLI and Copilot CLI send a time with names that others share; both lack these two.
    Mark("gemini-cli or copilot-cli", ("timestamp",), without=("permission_mode", "prompt_id")),
    # Claude Code's calls have an id. Droid's are the same without one, and afk's have no mode either.
    Mark("factory-droid", ("transcript_path", "tool_name", "permission_mode"), without=_CALL, events=_CALLS),
    Mark("afk", ("transcript_path", "tool_name"), without=(*_CALL, "permission_mode"), events=_CALLS),
    Mark(
        "afk",
        ("transcript_path", "prompt"),
        without=("permission_mode", "prompt_id", "turn_id"),
        events=frozenset(("UserPromptSubmit",)),
    ),
)


def foreign(dialect: Dialect, payload: Mapping[str, Any], marks: tuple[Mark, ...] = MARKS) -> str | None:
    """The agent that a payload declared as `dialect`'s shows itself to be from, None if it is not another's. The first
    mark that fits decides; marks of agents in `shares` do not count."""
    fitting = (mark.agent for mark in marks if mark.agent not in dialect.shares and _fits(mark, payload))
    agent = next(fitting, None)
    return None if agent == dialect.name else agent


def _fits(mark: Mark, payload: Mapping[str, Any]) -> bool:
    name = payload.get("hook_event_name")
    return (
        all(key in payload for key in mark.has)
        and not any(key in payload for key in mark.without)
        and (not mark.events or (isinstance(name, str) and name in mark.events))
    )
