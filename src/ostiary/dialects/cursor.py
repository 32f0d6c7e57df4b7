"""Cursor, the editor and `cursor-agent`: https://cursor.com/docs/hooks

Facts are of the vendor's page, of captures of cursor-agent 2026.10.01 and of reports; nothing here was run. A call
passes two gates (`preToolUse` and that of its kind), and some builds refuse a gate's hook that prints nothing.
"""

from __future__ import annotations

from typing import Any, Final

from ostiary.dialects.base import (
    Dialect,
    EventSpec,
    Exits,
    Extra,
    FieldName,
    Form,
    Life,
    Path,
    Place,
    Registration,
    Slot,
    Switch,
    Template,
    Timeouts,
    ToolSpec,
)
from ostiary.dialects.kin import ForeignHooks

_GO_ON: Final = Form(body={"permission": "allow"})
_NOTHING: Final = Form(body={})


def _deny(**texts: Slot) -> dict[str, Any]:
    """A gate's deny, and the one for events that could not be judged: its exit code closes what reads no body."""
    body: Template = {"permission": "deny", **texts}
    return {"answers": {"none": _GO_ON, "deny": Form(body=body)}, "unread": Form(body, status=2, stderr=Slot.REASON)}


_DENY: Final = _deny(user_message=Slot.PEOPLE, agent_message=Slot.REASON)
# Whether the model is shown the only text these have is not known, so it says nothing that only people may read.
_DENY_PLAINLY: Final = _deny(user_message=Slot.REASON)

_PERMISSION: Final = frozenset(("permission", "user_message", "agent_message"))
_CONTEXT: Final[dict[Extra, Template]] = {"context": {"additional_context": Slot.CONTEXT}}
_AT_ROOT: Final[dict[FieldName, tuple[Path, ...]]] = {"input": ((),)}

_ACTIVITY: Final = Life("activity")
_GATE_EXITS: Final = Exits(empty="undocumented", invalid="block", two="block", other="proceed", late="proceed")
_EXITS: Final = Exits(empty="proceed", invalid="undocumented", two="proceed", other="proceed", late="proceed")

_NO_REWRITE: Final = {"updated_input": "arguments can only be changed at `preToolUse`"}
_ENDS: Final = {"completed": Life("finish", "turn", "completed"), "error": Life("finish", "turn", "failed")}


def _report(canonical: str, life: Life | Switch = _ACTIVITY, **facts: Any) -> EventSpec:
    """An event that nothing waits for; what has no answer of its own is told `{}`."""
    answers = {"none": _NOTHING, **facts.pop("answers", {})}
    return EventSpec(canonical=canonical, life=life, answers=answers, **facts)


_EVENTS: Final[dict[str, EventSpec]] = {
    "preToolUse": EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        **_DENY,
        rewrite={"none": {"updated_input": Slot.INPUT}},
        keeps=frozenset(("Write",)),
        cannot={"updated_input": "the agent is reported to write the file as it was"},
        stdout_fields=_PERMISSION | {"updated_input"},
        exits=_GATE_EXITS,
    ),
    "beforeShellExecution": EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        tool="Shell",
        fields=_AT_ROOT,
        arguments=("command", "cwd"),
        **_DENY,
        cannot=_NO_REWRITE,
        exits=_GATE_EXITS,
    ),
    "beforeMCPExecution": EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        mcp=True,
        fields={"server": (("mcp_server_name",),), "server_tool": (("tool_name",),)},
        **_DENY,
        cannot=_NO_REWRITE,
        exits=_GATE_EXITS,
    ),
    "beforeReadFile": EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        tool="Read",
        fields=_AT_ROOT,
        arguments=("file_path",),
        **_DENY_PLAINLY,
        cannot=_NO_REWRITE,
        exits=_GATE_EXITS,
    ),
    "beforeTabFileRead": EventSpec(
        canonical="PreToolUse",
        life=Life("unknown"),
        gate=True,
        tool="Read",
        fields=_AT_ROOT,
        arguments=("file_path",),
        **_DENY_PLAINLY,
        cannot=_NO_REWRITE,
        exits=_GATE_EXITS,
        unverified="whether a text beside its deny is read",
    ),
    "beforeSubmitPrompt": EventSpec(
        canonical="UserPromptSubmit",
        life=Life("start", "turn"),
        gate=True,
        answers={
            "none": Form(body={"continue": True}),
            "allow": Form(body={"continue": True}),
            "deny": Form(body={"continue": False, "user_message": Slot.PEOPLE}),
        },
        unread=Form(body={"continue": False, "user_message": Slot.PEOPLE}, status=2, stderr=Slot.REASON),
        cannot={"context": "the agent documents no field for it here"},
        stdout_fields=frozenset(("continue", "user_message")),
        exits=_GATE_EXITS._replace(invalid="undocumented"),
    ),
    "subagentStart": EventSpec(
        canonical="SubagentStart",
        life=Life("start"),
        gate=True,
        subagent=True,
        **_DENY_PLAINLY,
        exits=_GATE_EXITS,
    ),
    "postToolUse": _report(
        "PostToolUse",
        fields={"output": (("tool_output",),)},
        extras=_CONTEXT,
        cannot={"deny": "no answer takes a tool's result away"},
        stdout_fields=frozenset(("additional_context", "updated_mcp_tool_output")),
    ),
    "postToolUseFailure": _report("PostToolUseFailure", fields={"output": (("error_message",),)}),
    # The next four tell again what `postToolUse` has told.
    "afterShellExecution": _report(
        "PostToolUse",
        tool="Shell",
        fields={**_AT_ROOT, "output": (("output",),)},
        arguments=("command",),
        register="asked",
    ),
    "afterMCPExecution": _report(
        "PostToolUse",
        mcp=True,
        fields={
            "server": (("mcp_server_name",),),
            "server_tool": (("tool_name",),),
            "output": (("result_json",),),
        },
        register="asked",
        unverified="whether every build names the server",
    ),
    "afterFileEdit": _report(
        "PostToolUse", tool="StrReplace", fields=_AT_ROOT, arguments=("file_path", "edits"), register="asked"
    ),
    "afterTabFileEdit": _report(
        "PostToolUse",
        Life("unknown"),
        tool="StrReplace",
        fields=_AT_ROOT,
        arguments=("file_path", "edits"),
        register="asked",
    ),
    "stop": _report(
        "Stop",
        Switch(("status",), {**_ENDS, "aborted": Life("finish", "turn", "cancelled")}, Life("finish", "turn")),
        answers={"deny": Form(body={"followup_message": Slot.REASON})},  # at most `loop_limit` in a row
        cannot={"ask": "only a certain deny makes the agent go on working"},
        stdout_fields=frozenset(("followup_message",)),
    ),
    "subagentStop": _report(
        "SubagentStop",
        Life("finish"),
        subagent=True,
        answers={"deny": Form(body={"followup_message": Slot.REASON})},
        cannot={"ask": "only a certain deny makes the agent go on working"},
        stdout_fields=frozenset(("followup_message",)),
    ),
    "sessionStart": _report(
        "SessionStart",
        Life("start", "session"),
        extras=_CONTEXT,
        stdout_fields=frozenset(("env", "additional_context")),
    ),
    "sessionEnd": _report("SessionEnd", Life("finish", "session")),
    "preCompact": _report(
        "PreCompact",
        extras={"message": {"user_message": Slot.MESSAGE}},
        cannot={"deny": "no answer stops a compaction"},
        stdout_fields=frozenset(("user_message",)),
    ),
    "afterAgentResponse": _report("MessageDisplay", register="asked"),
    "afterAgentThought": _report("", register="asked"),
    "workspaceOpen": _report("", Life("unknown"), fields={"session": ()}, register="asked"),
}

# Names of hooks differ from those of transcripts; both are accepted.
_PATH: Final = {"file_path": "file_path", "path": "file_path"}
_TREE: Final = {"file_path": "path", "target_directory": "path"}

_TOOLS: Final[dict[str, ToolSpec]] = {
    "Shell": ToolSpec(canonical="bash", workdir=("cwd", "working_directory")),
    "Read": ToolSpec(canonical="read_file", renames={**_PATH, "target_file": "file_path"}),
    # Every edit comes as the whole new file.
    "Write": ToolSpec(canonical="write_file", renames={**_PATH, "contents": "content"}),
    "StrReplace": ToolSpec(canonical="edit_file", renames=_PATH),
    "Delete": ToolSpec(canonical="delete_file", renames=_PATH),
    "Grep": ToolSpec(canonical="grep", renames=_TREE),
    "Glob": ToolSpec(canonical="glob", renames={**_TREE, "glob_pattern": "pattern"}),
    "LS": ToolSpec(canonical="list_directory", renames=_TREE),
    "Task": ToolSpec(canonical="agent"),
    "WebFetch": ToolSpec(canonical="web_scrape"),
    "WebSearch": ToolSpec(canonical="web_search", renames={"search_term": "query"}),
    "TodoWrite": ToolSpec(canonical="todo"),
}

_CLAUDE_HOOKS: Final = ForeignHooks(
    agent="claude-code",
    files=(".claude/settings.json", ".claude/settings.local.json"),
    events={
        "SessionStart": "sessionStart",
        "UserPromptSubmit": "beforeSubmitPrompt",
        "PreToolUse": "preToolUse",
        "PostToolUse": "postToolUse",
        "PreCompact": "preCompact",
        "SubagentStop": "subagentStop",
        "Stop": "stop",
        "SessionEnd": "sessionEnd",
    },
)

CURSOR: Final = Dialect(
    name="cursor",
    title="Cursor",
    url="https://cursor.com/docs/hooks",
    versions="3.12; cursor-agent 2026.10.01",
    delivery="command",
    fields={
        "event": (("hook_event_name",),),
        "session": (("conversation_id",), ("session_id",)),
        "turn": (("generation_id",),),
        "call": (("tool_use_id",),),
        "version": (("cursor_version",),),
        "cwd": (("cwd",), ("workspace_roots", "0")),
        "project": (("workspace_roots", "0"),),
        "workdirs": (("workspace_roots",),),
        "transcript": (("transcript_path",),),
        "tool": (("tool_name",),),
        "input": (("tool_input",),),
        "prompt": (("prompt",),),
        "subagent_id": (("subagent_id",),),
        "subagent_type": (("subagent_type",),),
    },
    events=_EVENTS,
    tools=_TOOLS,
    mcp_prefix="MCP:",
    mcp_joint="",  # the server is named at `beforeMCPExecution` only
    blind=Form(status=2, stderr=Slot.REASON),
    stdout_fields=_PERMISSION,
    cannot={
        "allow": "an allow skips neither the agent's own lists nor its question",
        "ask": "a question is not enforced, or is overridden by the agent's own list",
        "defer": "the agent knows no such answer",
    },
    limit=10_000,
    allow_grants=False,
    exits=_EXITS,
    timeouts=Timeouts(unit="seconds", default=None, ours=30),
    registration=Registration(
        shape="entries",
        places=(
            Place("user", "any", "home", ".cursor/hooks.json"),
            Place("project", "any", "project", ".cursor/hooks.json"),
            Place("managed", "linux", "/", "/etc/cursor/hooks.json"),
            Place("managed", "macos", "/", "/Library/Application Support/Cursor/hooks.json"),
            Place("managed", "windows", "/", "C:/ProgramData/Cursor/hooks.json"),
        ),
        # No matcher: how it is compared is not documented.
        entry={"type": "command", "command": Slot.LINE, "timeout": Slot.TIMEOUT},
        closing={"failClosed": True},
        closes=frozenset(("invalid", "other", "dies", "late")),
        fixed={"version": 1},
        review="workspace",
    ),
    lacks=frozenset(("interactive", "mode", "subagent")),
    runs_hooks_of=(_CLAUDE_HOOKS,),
    env={"transcript": ("CURSOR_TRANSCRIPT_PATH",)},
    env_marks=("CURSOR_VERSION",),
    programs=("cursor-agent", "cursor"),
    always=("cursor_version",),
    drives=True,
    unseen=(
        "`cursor-agent -p` fires no event for prompts, answers and the end of a turn",
        "agents in the cloud run no hooks of the user, none for MCP, and none in their first turns",
        "files attached to a prompt or to a read are not judged",
        "before an MCP call `preToolUse` names the tool and no server",
        "on Windows a hook of cursor-agent that is late is said to lose its deny",
    ),
    unverified=(
        "all of it: no build was run",
        "on which builds a gate refuses a hook that prints nothing",
        "that `failClosed` stops a call where a hook crashes, is late or says what is no answer",
        "changed arguments of tools other than `Shell`",
        "arguments of Task, WebFetch, WebSearch and TodoWrite, and tools not named here",
        "the longest time a hook may take",
        "which shell runs the command on Windows",
    ),
)
