"""Windsurf (Cascade): https://docs.windsurf.com/windsurf/cascade/hooks

Facts are of the vendor's page and of payloads that others recorded; nothing was run. Only the exit code speaks: 2
before an action stops it, with the text of standard error.
"""

from __future__ import annotations

from typing import Final

from ostiary.dialects.base import (
    SILENCE,
    Dialect,
    EventSpec,
    Exits,
    FieldName,
    Form,
    Life,
    Path,
    Place,
    Registration,
    Slot,
    Timeouts,
    ToolSpec,
)
from ostiary.dialects.forms import EXIT_TWO, WATCHED

_ACTIVITY: Final = Life("activity")
_EXITS: Final = Exits(empty="proceed", invalid="proceed", two="block", other="hook-failed", late="proceed")
_REPORTS: Final = _EXITS._replace(two="proceed")

_MCP: Final[dict[FieldName, tuple[Path, ...]]] = {
    "tool": (("tool_info", "mcp_tool_name"),),
    "input": (("tool_info", "mcp_tool_arguments"),),
    "server": (("tool_info", "mcp_server_name"),),
    "server_tool": (("tool_info", "mcp_tool_name"),),
    "output": (("tool_info", "mcp_result"),),
}


def _gate(tool: str) -> EventSpec:
    return EventSpec(canonical="PreToolUse", life=_ACTIVITY, gate=True, tool=tool, answers={"deny": EXIT_TWO})


def _report(tool: str) -> EventSpec:
    return EventSpec(canonical="PostToolUse", life=_ACTIVITY, tool=tool, exits=_REPORTS)


_EVENTS: Final[dict[str, EventSpec]] = {
    "pre_run_command": _gate("run_command"),
    "pre_write_code": _gate("write_code"),
    "pre_read_code": _gate("read_code"),
    "pre_mcp_tool_use": _gate("")._replace(fields=_MCP, mcp=True),
    "pre_user_prompt": EventSpec(
        canonical="UserPromptSubmit",
        life=Life("start", "turn"),
        gate=True,
        answers={"allow": SILENCE, "deny": Form(status=2, stderr=Slot.PEOPLE)},
    ),
    "post_run_command": _report("run_command"),
    "post_write_code": _report("write_code"),
    "post_read_code": _report("read_code"),
    "post_mcp_tool_use": _report("")._replace(fields=_MCP, mcp=True),
    "post_cascade_response": EventSpec(canonical="Stop", life=Life("finish", "turn"), cannot=WATCHED, exits=_REPORTS),
}

# No payload names a tool; these are the actions.
_TOOLS: Final[dict[str, ToolSpec]] = {
    "run_command": ToolSpec("bash", {"command_line": "command"}, workdir=("cwd",)),
    "write_code": ToolSpec("edit_file"),
    "read_code": ToolSpec("read_file"),
}

WINDSURF: Final = Dialect(
    name="windsurf",
    title="Windsurf",
    url="https://docs.windsurf.com/windsurf/cascade/hooks",
    versions="the hooks page of November 2026",
    delivery="command",
    fields={
        "event": (("agent_action_name",),),
        "session": (("trajectory_id",),),
        "turn": (("execution_id",),),
        "cwd": (("tool_info", "cwd"),),
        "tool": (),
        "input": (("tool_info",),),
        "prompt": (("tool_info", "user_prompt"),),
    },
    events=_EVENTS,
    tools=_TOOLS,
    mcp_prefix="",
    mcp_joint="",
    blind=EXIT_TWO,
    stdout_fields=frozenset(),
    cannot={
        "allow": "only an exit code speaks, and none of them grants anything",
        "ask": "only an exit code speaks, and none of them asks",
        "defer": "only an exit code speaks, and none of them asks",
        "updated_input": "a hook cannot change an action",
        "context": "a hook cannot add context",
        "message": "the agent reads no answer but the exit code",
        "halt": "a hook cannot end the session",
    },
    limit=10_000,
    allow_grants=True,
    exits=_EXITS,
    timeouts=Timeouts(unit="seconds", default=None, ours=30),
    registration=Registration(
        shape="entries",
        places=(
            Place("user", "any", "home", ".codeium/windsurf/hooks.json"),
            Place("project", "any", "project", ".windsurf/hooks.json"),
            Place("managed", "linux", "/", "/etc/windsurf/hooks.json"),
            Place("managed", "macos", "/", "/Library/Application Support/Windsurf/hooks.json"),
            Place("managed", "windows", "/", "C:/ProgramData/Windsurf/hooks.json"),
        ),
        entry={"command": Slot.LINE, "show_output": True},
        untimed=True,
        review="none",
    ),
    lacks=frozenset(("interactive", "mode", "subagent", "tool", "project")),
    always=("agent_action_name", "tool_info"),
    programs=("windsurf",),
    folders=(".codeium/windsurf",),
    unseen=("searches, listings and pages from the web are not sent", "subagents cannot be told from the main session"),
    unverified=(
        "everything here: the agent was not run",
        "how long it waits for a hook",
        "whether builds under the newer product name read `.devin/hooks.json` instead",
    ),
)
