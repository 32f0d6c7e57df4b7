"""goose: https://block.github.io/goose/docs/guides/context-engineering/hooks

Facts are of the project's guide; nothing was run. Only the gate before a tool and the end of a turn listen to answers:
nothing on standard output is an allow there, and anything that is no decision is one failure of the hook.
"""

from __future__ import annotations

from typing import Final

from ostiary.dialects.base import Dialect, EventSpec, Exits, Life, Place, Registration, Slot, Timeouts, ToolSpec
from ostiary.dialects.forms import EXIT_TWO, GOES_ON, WATCHED, block

_ACTIVITY: Final = Life("activity")
_EXITS: Final = Exits(empty="proceed", invalid="hook-failed", two="block", other="hook-failed", late="proceed")
_REPORTS: Final = _EXITS._replace(two="proceed", invalid="proceed")


def _report(canonical: str, life: Life = _ACTIVITY) -> EventSpec:
    """An event that nothing waits for and no answer stops."""
    return EventSpec(canonical=canonical, life=life, cannot=WATCHED, exits=_REPORTS)


def _twin() -> EventSpec:
    """An event that says once more what the tool events say."""
    return _report("")._replace(register="asked")


_EVENTS: Final[dict[str, EventSpec]] = {
    "PreToolUse": EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        answers={"deny": block()},
        cannot={
            "allow": "an allow is the same as silence",
            "ask": "the agent has no question of a hook",
            "updated_input": "a hook cannot change a call",
        },
    ),
    "PreToolUseResult": _twin(),
    "PostToolUse": _report("PostToolUse"),
    "PostToolUseFailure": _report("PostToolUseFailure"),
    "UserPromptSubmit": _report("UserPromptSubmit", Life("start", "turn")),
    "BeforeReadFile": _twin(),
    "AfterFileEdit": _twin(),
    "BeforeShellExecution": _twin(),
    "AfterShellExecution": _twin(),
    "Stop": EventSpec(
        canonical="Stop", life=Life("finish", "turn", "completed"), answers={"deny": block()}, cannot=GOES_ON
    ),
    "SessionStart": _report("SessionStart", Life("start", "session")),
    "SessionEnd": _report("SessionEnd", Life("finish", "session")),
}

_TOOLS: Final[dict[str, ToolSpec]] = {
    "developer__shell": ToolSpec("bash"),
    "developer__write": ToolSpec("write_file", {"path": "file_path"}),
    "developer__edit": ToolSpec("edit_file", {"path": "file_path", "before": "old_string", "after": "new_string"}),
    "developer__text_editor": ToolSpec(
        "edit_file",
        {"path": "file_path", "old_str": "old_string", "new_str": "new_string", "file_text": "new_string"},
    ),
    "developer__tree": ToolSpec("list_directory"),
    "developer__read_image": ToolSpec("view_image", {"source": "file_path"}),
}

GOOSE: Final = Dialect(
    name="goose",
    title="goose",
    url="https://block.github.io/goose/docs/guides/context-engineering/hooks",
    versions="the guide of November 2026",
    delivery="command",
    fields={
        "event": (("event",),),
        "session": (("session_id",),),
        "call": (("tool_call_id",),),
        "cwd": (("working_dir",),),
        "tool": (("tool_name",),),
        "input": (("tool_input",),),
        "prompt": (("message",),),
    },
    events=_EVENTS,
    tools=_TOOLS,
    mcp_prefix="",
    mcp_joint="__",
    blind=EXIT_TWO,
    stdout_fields=frozenset(("decision", "reason")),
    cannot={
        "ask": "the agent has no question of a hook",
        "defer": "the agent has no question of a hook",
        "halt": "a hook cannot end the session",
        "context": "a hook cannot add context",
        "message": "the agent shows no message of a hook",
    },
    limit=10_000,
    allow_grants=True,
    exits=_EXITS,
    timeouts=Timeouts(unit="seconds", default=30, ours=60),
    registration=Registration(
        shape="groups",
        places=(
            Place("user", "any", "home", ".agents/plugins/ostiary/hooks/hooks.json"),
            Place("project", "any", "project", ".agents/plugins/ostiary/hooks/hooks.json"),
        ),
        entry={"type": "command", "command": Slot.LINE, "timeout": Slot.TIMEOUT},
        closing={"on_failure": "block"},  # for the gate before a tool; ignored elsewhere
        closes=frozenset(("invalid", "other", "dies", "late")),
        review="none",
    ),
    lacks=frozenset(("interactive", "mode", "server", "subagent")),
    always=("event", "session_id"),
    never=("hook_event_name",),
    programs=("goose",),
    folders=(".config/goose",),
    unseen=("prompts cannot be stopped", "what a tool returned is not sent"),
    unverified=(
        "whether a plugin without a `plugin.json` is loaded",
        "that `on_failure` stops a call where a hook crashes or is late",
        "the arguments of `developer__text_editor`, which older versions have",
    ),
)
