"""Gemini CLI: https://geminicli.com/docs/hooks/reference/

Facts are of runs and the source of 0.61.0. A hook is read as JSON on any exit code, from standard error where standard
output is empty; a decision stands at the top, and nested ones are ignored (measured).
"""

from __future__ import annotations

from typing import Final

from ostiary.dialects.base import (
    SILENCE,
    Dialect,
    EventSpec,
    Exits,
    Extra,
    Form,
    Life,
    OutputPlace,
    Place,
    Registration,
    Slot,
    Switch,
    Template,
    Timeouts,
    ToolSpec,
)
from ostiary.dialects.forms import CONTEXT, DONE, HALT, MESSAGE, nested

_DENY: Final = Form(body={"decision": "deny", "reason": Slot.REASON})
_DENY_FOR_PEOPLE: Final = Form(body={"decision": "deny", "reason": Slot.PEOPLE})


_ACTIVITY: Final = Life("activity")
_NOTICE: Final = Switch(
    ("notification_type",), {"ToolPermission": Life("blocked", blocker="permission")}, Life("unknown")
)

# Plain text is shown to people. A silent exit 2 opens; `other` is 3 and above with some text, a missing program too.
_EXITS: Final = Exits(
    empty="proceed", invalid="proceed", two="block", other="block", late="proceed", plain="shown", dies="hook-failed"
)
_REPORTS: Final = _EXITS._replace(two="proceed", other="hook-failed")


def _report(canonical: str, life: Life | Switch, extras: dict[Extra, Template] | None = None) -> EventSpec:
    """An event that nothing waits for and no answer stops."""
    return EventSpec(canonical=canonical, life=life, extras=extras or {}, exits=_REPORTS)


_EVENTS: Final[dict[str, EventSpec]] = {
    "BeforeTool": EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        answers={"none": SILENCE, "deny": _DENY},
        # An allow skips neither the agent's policy nor its question. The arguments are taken as a whole.
        rewrite={"none": {"decision": "allow", **nested(tool_input=Slot.INPUT)}},
        extras={**MESSAGE, **HALT},
        cannot={"context": "the agent takes no context before a tool"},
    ),
    "AfterTool": EventSpec(
        canonical="PostToolUse",
        life=_ACTIVITY,
        answers={"deny": _DENY},  # the reason takes the place of the result
        extras={**CONTEXT, **MESSAGE, **HALT},
        halts_with=frozenset(("none",)),
        cannot=DONE,
    ),
    "BeforeAgent": EventSpec(
        canonical="UserPromptSubmit",
        life=Life("start", "turn"),
        gate=True,
        answers={"allow": SILENCE, "deny": _DENY_FOR_PEOPLE},
        extras={**CONTEXT, **MESSAGE, **HALT},
        halts_with=frozenset(("none", "allow")),
    ),
    "AfterAgent": EventSpec(
        canonical="Stop",
        life=Life("finish", "turn"),
        answers={"deny": _DENY},  # the reason is the next prompt; only the number of turns caps how often
        extras={**MESSAGE, **HALT},
        halts_with=frozenset(("none",)),
        cannot={"ask": "only a certain deny makes the agent go on working"},
    ),
    "BeforeModel": EventSpec(
        canonical="PreModel",
        life=_ACTIVITY,
        answers={"deny": _DENY_FOR_PEOPLE},
        extras=MESSAGE,
        register="asked",  # carries the whole conversation, before every request
    ),
    "AfterModel": EventSpec(
        canonical="PostModel",
        life=_ACTIVITY,
        answers={"deny": _DENY_FOR_PEOPLE},
        extras=MESSAGE,
        cannot=DONE,
        register="asked",  # fires for every piece of a streamed answer
    ),
    "BeforeToolSelection": EventSpec(canonical="", life=_ACTIVITY, exits=_REPORTS, register="asked"),
    "SessionStart": _report("SessionStart", Life("start", "session"), {**CONTEXT, **MESSAGE}),
    "SessionEnd": _report("SessionEnd", Life("finish", "session"), MESSAGE),
    "PreCompress": _report("PreCompact", _ACTIVITY, MESSAGE)._replace(
        cannot={"deny": "no answer stops a compaction"},
    ),
    "Notification": _report("Notification", _NOTICE, MESSAGE),
}

_OUTPUT: Final = OutputPlace(("llmContent",), (("returnDisplay",),))
_FOLDER: Final = {"dir_path": "path"}

_TOOLS: Final[dict[str, ToolSpec]] = {
    name: spec._replace(output=_OUTPUT)
    for name, spec in {
        "run_shell_command": ToolSpec(canonical="bash", workdir=("dir_path", "directory")),
        "read_file": ToolSpec(canonical="read_file", renames={"file_path": "file_path", "absolute_path": "file_path"}),
        "write_file": ToolSpec(canonical="write_file"),
        "replace": ToolSpec(canonical="edit_file"),
        "glob": ToolSpec(canonical="glob", renames=_FOLDER),
        "grep_search": ToolSpec(canonical="grep", renames={**_FOLDER, "include_pattern": "glob", "include": "glob"}),
        "search_file_content": ToolSpec(canonical="grep", renames={**_FOLDER, "include": "glob"}),
        "list_directory": ToolSpec(canonical="list_directory", renames=_FOLDER),
        "google_web_search": ToolSpec(canonical="web_search"),
        "web_fetch": ToolSpec(canonical="web_scrape", urls="prompt"),
        "invoke_agent": ToolSpec(canonical="agent", renames={"agent_name": "subagent_type"}),
        "activate_skill": ToolSpec(canonical="skill", renames={"name": "skill"}),
        "ask_user": ToolSpec(canonical="ask_user"),
        "enter_plan_mode": ToolSpec(canonical="plan", renames={"reason": "plan"}),
        "exit_plan_mode": ToolSpec(
            canonical="plan", renames={"plan_filename": "planFilePath", "plan_path": "planFilePath"}
        ),
        "write_todos": ToolSpec(canonical="todo"),
        "read_mcp_resource": ToolSpec(canonical="read_mcp_resource"),
        "list_mcp_resources": ToolSpec(canonical="list_mcp_resources"),
        "list_background_processes": ToolSpec(canonical="wait_for"),
        "read_background_output": ToolSpec(canonical="wait_for"),
    }.items()
}

GEMINI_CLI: Final = Dialect(
    name="gemini-cli",
    title="Gemini CLI",
    url="https://geminicli.com/docs/hooks/reference/",
    versions="0.61.0",
    delivery="command",
    fields={
        "event": (("hook_event_name",),),
        "session": (("session_id",),),
        "cwd": (("cwd",),),
        "transcript": (("transcript_path",),),
        "tool": (("tool_name",),),
        "input": (("tool_input",),),
        "output": (("tool_response",),),
        "prompt": (("prompt",),),
        "server": (("mcp_context", "server_name"),),
        "server_tool": (("mcp_context", "tool_name"),),
    },
    events=_EVENTS,
    tools=_TOOLS,
    own_tools=("complete_task", "get_internal_docs", "read_many_files", "save_memory", "update_topic"),
    mcp_prefix="mcp_",
    mcp_joint="_",
    blind=Form(status=2, stderr=Slot.REASON),  # JSON beside it would undo the exit code
    stdout_fields=frozenset(
        ("continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason", "hookSpecificOutput")
    ),
    cannot={
        "allow": "an allow skips neither the agent's own policy nor its question",
        "ask": "a question hangs a run without a person for ever, and overrules a deny of the agent's own policy",
        "defer": "the agent knows no such answer",
    },
    limit=10_000,
    allow_grants=False,
    exits=_EXITS,
    timeouts=Timeouts(unit="milliseconds", default=60_000, ours=60),
    registration=Registration(
        shape="groups",
        places=(
            Place("user", "any", "home", ".gemini/settings.json"),
            Place("project", "any", "project", ".gemini/settings.json"),
            Place("managed", "linux", "/", "/etc/gemini-cli/settings.json"),
            Place("managed", "macos", "/", "/Library/Application Support/GeminiCli/settings.json"),
            Place("managed", "windows", "/", "C:/ProgramData/gemini-cli/settings.json"),
        ),
        # Without a name: a project's settings can switch hooks off by their names. No matcher, either: it never fits
        # at the start and the end of a session.
        entry={"type": "command", "command": Slot.LINE, "timeout": Slot.TIMEOUT},
        # A project's `.env` reaches the shell, which is bash (measured): `SHELLOPTS=noexec` made it skip every hook.
        closing={"command": Slot.BASH_LINE},
        closes=frozenset(("other", "dies")),
        review="workspace",
        fresh="stops",
        powershell=True,
        syntax="comments",  # read in 0.61.0
    ),
    lacks=frozenset(("interactive", "mode", "subagent")),
    shares=frozenset(("gemini-cli or copilot-cli",)),
    programs=("gemini",),
    env={"session": ("GEMINI_SESSION_ID",), "cwd": ("GEMINI_CWD",)},
    always=("timestamp",),
    never=("permission_mode",),
    unseen=(
        "in a folder that is not trusted no hook of a settings file runs",
        "files named with `@` in a prompt are read without a hook",
        "variables of the project's `.env` reach hooks and the shell that starts them: one that loads code into either "
        "(`LD_PRELOAD`, `PS4` with `SHELLOPTS=xtrace`) can undo an answer",
    ),
    unverified=(
        "server and tool of an MCP call without `mcp_context`: a name is then split at its first `_`",
        "how files are read that `read_many_files` includes by pattern; they are only possible reads",
    ),
)
