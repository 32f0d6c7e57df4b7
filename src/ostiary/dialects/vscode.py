"""VS Code, its Local harness: https://code.visualstudio.com/docs/agents/reference/hooks-reference

Facts are of the vendor's pages; nothing was run. The other harnesses of VS Code are Copilot CLI, Claude Code and Codex,
each with its own hooks.
"""

from __future__ import annotations

from typing import Final

from ostiary.dialects.base import (
    SILENCE,
    Dialect,
    EventSpec,
    Exits,
    Form,
    Life,
    Place,
    Registration,
    Slot,
    Timeouts,
    ToolSpec,
)
from ostiary.dialects.forms import (
    CONTEXT,
    EXIT_TWO,
    GOES_ON,
    HALT,
    OPEN,
    SILENT,
    UPDATED,
    WATCHED,
    block,
    nested,
    permission,
)
from ostiary.dialects.kin import ForeignHooks

_ACTIVITY: Final = Life("activity")
_EXITS: Final = Exits(empty="proceed", invalid="proceed", two="block", other="hook-failed", late="proceed")
_REPORTS: Final = _EXITS._replace(two="proceed")

_EVENTS: Final[dict[str, EventSpec]] = {
    "PreToolUse": EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        answers={"allow": permission("allow"), "deny": permission("deny")},
        rewrite={"allow": UPDATED},
        extras={**CONTEXT, **HALT},
        halts_with=SILENT,
        beside={"context": OPEN, "halt": SILENT},
        cannot={
            "ask": "a question of a hook was never seen to stop a call",
            "updated_input": "changed arguments go with an allow, and where they do not fit the old ones run",
        },
    ),
    "PostToolUse": EventSpec(canonical="PostToolUse", life=_ACTIVITY, cannot=WATCHED, exits=_REPORTS),
    "UserPromptSubmit": EventSpec(
        canonical="UserPromptSubmit",
        life=Life("start", "turn"),
        gate=True,
        answers={"allow": SILENCE, "deny": Form(status=2, stderr=Slot.PEOPLE)},
        unverified="that exit code 2 stops a prompt",
    ),
    "Stop": EventSpec(
        canonical="Stop",
        life=Life("finish", "turn", "completed"),
        answers={"deny": Form(body=nested(decision="block", reason=Slot.REASON))},
        cannot=GOES_ON,
    ),
    "SubagentStop": EventSpec(
        canonical="SubagentStop", life=Life("finish"), subagent=True, answers={"deny": block()}, cannot=GOES_ON
    ),
    "SubagentStart": EventSpec(
        canonical="SubagentStart", life=Life("start"), subagent=True, cannot=WATCHED, exits=_REPORTS
    ),
    "PreCompact": EventSpec(canonical="PreCompact", life=_ACTIVITY, cannot=WATCHED, exits=_REPORTS),
    "SessionStart": EventSpec(canonical="SessionStart", life=Life("start", "session"), exits=_REPORTS),
}

_FILE: Final = {"filePath": "file_path"}
_REPLACE: Final = {**_FILE, "oldString": "old_string", "newString": "new_string"}

_TOOLS: Final[dict[str, ToolSpec]] = {
    "run_in_terminal": ToolSpec("bash"),
    "read_file": ToolSpec("read_file", _FILE),
    "create_file": ToolSpec("write_file", _FILE),
    "editFiles": ToolSpec("edit_file", {**_FILE, "files": "file_path", "code": "new_string"}, lists={"files": ()}),
    "insert_edit_into_file": ToolSpec("edit_file", {**_FILE, "code": "new_string"}),
    "replace_string_in_file": ToolSpec("edit_file", _REPLACE),
    "apply_patch": ToolSpec("patch_apply", {"input": "patch"}, text="patch"),
    "list_dir": ToolSpec("list_directory"),
    "grep_search": ToolSpec("grep", {"query": "pattern", "includePattern": "glob"}),
    "file_search": ToolSpec("glob", {"query": "pattern"}),
    "fetch_webpage": ToolSpec("web_scrape", {"urls": "url", "query": "prompt"}, lists={"urls": ()}),
    "runSubagent": ToolSpec("agent", {"agentName": "subagent_type"}),
    "manage_todo_list": ToolSpec("todo", {"todoList": "todos"}),
    "get_terminal_output": ToolSpec("wait_for"),
}

VSCODE: Final = Dialect(
    name="vscode",
    title="VS Code (Local harness)",
    url="https://code.visualstudio.com/docs/agents/reference/hooks-reference",
    versions="the hooks reference of October 2026",
    delivery="command",
    fields={
        "event": (("hookEventName",),),
        "session": (("sessionId",),),
        "call": (("tool_use_id",),),
        "cwd": (("cwd",),),
        "transcript": (("transcript_path",),),
        "tool": (("tool_name",),),
        "input": (("tool_input",),),
        "output": (("tool_response",),),
        "prompt": (("prompt",),),
        "subagent_id": (("agent_id",),),
        "subagent_type": (("agent_type",),),
    },
    events=_EVENTS,
    tools=_TOOLS,
    mcp_prefix="mcp_",
    mcp_joint="",
    blind=EXIT_TWO,
    stdout_fields=frozenset(("continue", "stopReason", "decision", "reason", "hookSpecificOutput")),
    cannot={"ask": "the agent has no question here", "defer": "the agent does not know it"},
    limit=10_000,
    allow_grants=True,
    exits=_EXITS,
    timeouts=Timeouts(unit="seconds", default=30, ours=60),
    registration=Registration(
        shape="entries",
        places=(
            Place("user", "any", "home", ".copilot/hooks/ostiary-vscode.json"),
            Place("project", "any", "project", ".github/hooks/ostiary-vscode.json"),
        ),
        entry={"type": "command", "command": Slot.LINE, "timeout": Slot.TIMEOUT},
        review="workspace",
        syntax="commas",
    ),
    lacks=frozenset(("interactive", "mode", "server")),
    runs_hooks_of=(
        ForeignHooks(
            "claude-code",
            (".claude/settings.json", ".claude/settings.local.json"),
            {name: name for name in _EVENTS},
            same_answers=True,  # the vendor lists these files among its own
        ),
        ForeignHooks(
            "copilot-cli",
            (".copilot/hooks/*.json", ".github/hooks/*.json"),
            {
                **{name: name for name in ("PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart")},
                "preToolUse": "PreToolUse",
                "postToolUse": "PostToolUse",
                "userPromptSubmitted": "UserPromptSubmit",
                "sessionStart": "SessionStart",
            },
            same_answers=True,  # these folders are its own too, and it knows these names
        ),
    ),
    mcp_unnamed=True,
    always=("hookEventName", "timestamp"),
    never=("hook_event_name", "traceId", "workspaceRoot"),
    rewrites="checked",
    programs=("code",),
    folders=(".vscode", ".config/Code"),
    unseen=(
        "hooks that Copilot CLI or Claude Code registered run here too, with payloads of this harness",
        "Copilot CLI reads the same folders: its calls come here too, and are judged as its own",
        "the Copilot, Claude and Codex harnesses run the hooks of those agents, not these",
    ),
    unverified=(
        "everything here: the agent was not run",
        "the arguments of its tools, which its pages do not list",
        "the names of MCP tools",
        "context beside a deny, and answers after a tool",
    ),
)
