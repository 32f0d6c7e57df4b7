"""Kiro: https://kiro.dev/docs/cli/v3/hooks/

Facts are of the vendor's pages; nothing was run. The exit code is the whole contract: 2 before a tool stops it, with
the text of standard error. Hooks inside an agent's own file (before version 3) have the same contract and other names.
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
from ostiary.dialects.forms import EXIT_TWO, WATCHED

_ACTIVITY: Final = Life("activity")
_EXITS: Final = Exits(empty="proceed", invalid="proceed", two="block", other="hook-failed", late="proceed")
_REPORTS: Final = _EXITS._replace(two="proceed")

_EVENTS: Final[dict[str, EventSpec]] = {
    "PreToolUse": EventSpec(
        canonical="PreToolUse", life=_ACTIVITY, gate=True, aliases=("preToolUse",), answers={"deny": EXIT_TWO}
    ),
    "PostToolUse": EventSpec(
        canonical="PostToolUse", life=_ACTIVITY, aliases=("postToolUse",), cannot=WATCHED, exits=_REPORTS
    ),
    "UserPromptSubmit": EventSpec(
        canonical="UserPromptSubmit",
        life=Life("start", "turn"),
        gate=True,
        aliases=("userPromptSubmit",),
        answers={"allow": SILENCE, "deny": Form(status=2, stderr=Slot.PEOPLE)},
        exits=_EXITS._replace(plain="context"),
        unverified="before version 3 a prompt is not stopped",
    ),
    "Stop": EventSpec(canonical="Stop", life=Life("finish", "turn"), aliases=("stop",), cannot=WATCHED, exits=_REPORTS),
    "SessionStart": EventSpec(
        canonical="SessionStart",
        life=Life("start", "session"),
        aliases=("agentSpawn",),
        exits=_REPORTS._replace(plain="context"),
    ),
}

# The `command` of this tool is a verb (create, str_replace, insert, append), no command for a shell.
_WRITE: Final = ToolSpec(
    "edit_file",
    {"path": "file_path", "old_str": "old_string", "new_str": "new_string", "file_text": "new_string"},
)
_READ: Final = ToolSpec("read_file", {"path": "file_path"})

_TOOLS: Final[dict[str, ToolSpec]] = {
    "execute_bash": ToolSpec("bash"),
    "shell": ToolSpec("bash"),
    "fs_write": _WRITE,
    "write": _WRITE,
    "fs_read": _READ,
    "read": _READ,
    "grep": ToolSpec("grep"),
    "glob": ToolSpec("glob"),
}

KIRO: Final = Dialect(
    name="kiro",
    title="Kiro",
    url="https://kiro.dev/docs/cli/v3/hooks/",
    versions="command line 2 and 3, IDE 1",
    delivery="command",
    fields={
        "event": (("hook_event_name",),),
        "session": (("session_id",),),
        "cwd": (("cwd",),),
        "tool": (("tool_name",),),
        "input": (("tool_input",),),
        "output": (("tool_response",),),
        "prompt": (("prompt",),),
    },
    events=_EVENTS,
    tools=_TOOLS,
    own_tools=("use_aws",),
    mcp_prefix="@",
    mcp_joint="/",
    blind=EXIT_TWO,
    stdout_fields=frozenset(),
    cannot={
        "allow": "only an exit code speaks, and none of them grants anything",
        "ask": "only an exit code speaks, and none of them asks",
        "defer": "only an exit code speaks, and none of them asks",
        "updated_input": "a hook cannot change a call",
        "context": "context is plain text of a hook that says nothing else",
        "message": "the agent reads no answer but the exit code",
        "halt": "a hook cannot end the session",
    },
    limit=10_000,
    allow_grants=True,
    exits=_EXITS,
    timeouts=Timeouts(unit="seconds", default=60, ours=60),
    registration=Registration(
        shape="list",
        places=(
            Place("user", "any", "home", ".kiro/hooks/ostiary.json"),
            Place("project", "any", "project", ".kiro/hooks/ostiary.json"),
        ),
        entry={
            "name": "ostiary",
            "trigger": Slot.EVENT,
            "action": {"type": "command", "command": Slot.LINE},
            "timeout": Slot.TIMEOUT,
            "enabled": True,
        },
        review="none",
        fixed={"version": "v1"},
    ),
    lacks=frozenset(("interactive", "mode", "session", "subagent")),
    always=("hook_event_name", "cwd"),
    never=("permission_mode", "timestamp", "transcript_path", "tool_use_id"),
    programs=("kiro-cli", "kiro"),
    folders=(".kiro",),
    unseen=(
        "one test of version 2 saw a file written in spite of exit code 2",
        "IDE versions before 1 send hooks nothing at all",
        "saved files and tasks have triggers of their own",
    ),
    unverified=(
        "everything here: the agent was not run",
        "payloads of version 3 in full, and whether its events are spelled as they are registered",
        "the arguments of its reading tool",
        "whether all versions read hooks in the user's folder",
    ),
)
