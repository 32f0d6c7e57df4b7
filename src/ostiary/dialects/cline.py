"""Cline: https://docs.cline.bot/customization/hooks

Measured at 3.0.65. Hooks are programs that are named after an event. Payloads say the event in a newer spelling than
the programs' names (`tool_call` and `PreToolUse`); older versions say the program's.
"""

from __future__ import annotations

from typing import Final

from ostiary.dialects.base import (
    Dialect,
    EventSpec,
    Exits,
    Extra,
    Form,
    Life,
    Place,
    Registration,
    Said,
    Slot,
    Switch,
    Template,
    Timeouts,
    ToolSpec,
)
from ostiary.dialects.texts import UNASKED

_ACTIVITY: Final = Life("activity")

# The only refusal that was seen to work ends the whole run. Exit codes are ignored.
_CANCEL: Final = Form(body={"cancel": True, "errorMessage": Slot.REASON})
_CANCEL_FOR_PEOPLE: Final = Form(body={"cancel": True, "errorMessage": Slot.PEOPLE})
_GATE: Final[dict[Said, Form]] = {
    "none": Form(body={"cancel": False}),
    "allow": Form(body={"cancel": False, "review": False}),  # grants nothing (measured)
    "deny": _CANCEL,
}
_CONTEXT: Final[dict[Extra, Template]] = {"context": {"contextModification": Slot.CONTEXT}}
_HALT: Final[dict[Extra, Template]] = {"halt": {"cancel": True, "errorMessage": Slot.PEOPLE}}
_OPEN: Final = Exits(empty="proceed", invalid="proceed", two="proceed", other="proceed", late="undocumented")


def _seen(canonical: str, life: Life | Switch, alias: str) -> EventSpec:
    """An event that nothing waits for."""
    return EventSpec(canonical=canonical, life=life, aliases=(alias,))


_DONE: Final = Switch(
    ("turn", "status"),
    {"completed": Life("finish", "turn", "completed"), "aborted": Life("finish", "turn", "cancelled")},
    Life("finish", "turn"),
)

_EVENTS: Final = {
    "tool_call": EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        aliases=("PreToolUse",),
        answers=_GATE,
        rewrite={"allow": {"overrideInput": Slot.INPUT}},  # the whole object, validated
        extras={**_CONTEXT, **_HALT},
        halts_with=frozenset(("none", "allow")),  # a deny ends the run by itself
    ),
    "tool_result": EventSpec(
        canonical="PostToolUse",
        life=_ACTIVITY,
        aliases=("PostToolUse",),
        answers={"none": Form(body={"cancel": False})},
        extras=_CONTEXT,
        cannot={"deny": "a refusal after the tool changes nothing", "ask": "what happened cannot be asked about"},
    ),
    "prompt_submit": EventSpec(
        canonical="UserPromptSubmit",
        life=Life("start", "turn"),
        gate=True,
        aliases=("UserPromptSubmit",),
        fields={"prompt": (("prompt_submit", "prompt"), ("userPromptSubmit", "prompt"), ("prompt",))},
        answers={**_GATE, "deny": _CANCEL_FOR_PEOPLE},
        extras=_CONTEXT,
        unverified="its payload and a deny: it did not fire in runs without a person",
    ),
    "agent_start": _seen("SessionStart", Life("start", "turn"), "TaskStart"),
    "agent_end": _seen("Stop", _DONE, "TaskComplete")._replace(
        cannot={"deny": "a task that is done is not taken up again", "ask": "the turn is over"}
    ),
    "agent_error": _seen("StopFailure", Life("finish", "turn", "failed"), "TaskError"),
    "agent_abort": _seen("", Life("finish", "turn", "cancelled"), "TaskCancel"),
    "agent_resume": _seen("", Life("start", "turn"), "TaskResume")._replace(
        register="asked", unverified="the newer spelling of `TaskResume`"
    ),
    "pre_compact": _seen("PreCompact", _ACTIVITY, "PreCompact")._replace(
        cannot={"deny": "no refusal is documented here"}, unverified="its payload"
    ),
    "session_shutdown": _seen("SessionEnd", Life("finish", "session"), "SessionShutdown"),
}

_FILE: Final = {"path": "file_path"}

_TOOLS: Final = {
    # One call holds several commands or files; each command runs in a shell of its own.
    "run_commands": ToolSpec("bash", {"commands": "command"}, lists={"commands": ()}),
    "read_files": ToolSpec("read_file", {"files": "file_path"}, lists={"files": ("path",)}),
    "editor": ToolSpec("edit_file", {**_FILE, "old_text": "old_string", "new_text": "new_string"}),
    "search_codebase": ToolSpec("grep"),
    "fetch_web_content": ToolSpec("web_scrape"),
    "ask_question": ToolSpec("ask_user"),
    "spawn_agent": ToolSpec("agent"),
    "execute_command": ToolSpec("bash"),
    "write_to_file": ToolSpec("write_file", _FILE),
    "read_file": ToolSpec("read_file", _FILE),
    "search_files": ToolSpec("grep", {"regex": "pattern", "file_pattern": "glob"}),
}

_TEAM: Final = (
    *("spawn_teammate", "shutdown_teammate", "status", "task", "run_task", "cancel_run", "list_runs", "await_runs"),
    *("send_message", "broadcast", "read_mailbox", "mission_log", "cleanup", "create_outcome"),
    *("attach_outcome_fragment", "review_outcome_fragment", "finalize_outcome", "list_outcomes"),
)

CLINE: Final = Dialect(
    name="cline",
    title="Cline",
    url="https://docs.cline.bot/customization/hooks",
    versions="3.0.65",
    delivery="command",
    fields={
        "event": (("hookName",),),
        "session": (("sessionContext", "rootSessionId"), ("taskId",)),
        "turn": (("taskId",),),
        "cwd": (("workspaceInfo", "rootPath"), ("workspaceRoots", "0"), ("workspacePath",)),
        "project": (("workspaceInfo", "rootPath"), ("workspaceRoots", "0"), ("workspacePath",)),
        "workdirs": (("workspaceRoots",),),
        # The older copy of a call has every value as text, so it is read only where it stands alone.
        "call": (("tool_call", "id"), ("tool_result", "id")),
        "version": (("clineVersion",),),
        "tool": (
            *(("tool_call", "name"), ("tool_result", "name")),
            *(("preToolUse", "toolName"), ("postToolUse", "toolName"), ("preToolUse", "tool")),
        ),
        "input": (
            *(("tool_call", "input"), ("tool_result", "input")),
            *(("preToolUse", "parameters"), ("postToolUse", "parameters")),
        ),
        "output": (("tool_result", "output"), ("postToolUse", "result")),
        # Every run has an id; one that another run started names that one too.
        "subagent_marker": (("parent_agent_id",),),
        "subagent_type": (("agent_id",),),
    },
    events=_EVENTS,
    tools=_TOOLS,
    own_tools=tuple(f"team_{name}" for name in _TEAM),
    mcp_prefix="mcp__",
    mcp_joint="__",
    blind=_CANCEL,
    stdout_fields=frozenset(("cancel", "errorMessage", "contextModification", "overrideInput", "review")),
    cannot={
        "ask": "a run that approves by itself goes on past a question",
        "defer": "the agent knows no deferred call",
        "updated_input": "only a call that has not run can be changed",
    },
    limit=10_000,
    allow_grants=False,
    exits=_OPEN,
    timeouts=Timeouts(unit="seconds", default=None, ours=30),
    registration=Registration(
        shape="scripts",
        places=(
            Place("user", "linux", "home", ".cline/hooks"),
            Place("user", "macos", "home", ".cline/hooks"),
            Place("project", "linux", "project", ".clinerules/hooks"),
            Place("project", "macos", "project", ".clinerules/hooks"),
        ),
        entry={"program": Slot.PROGRAM, "arguments": Slot.ARGUMENTS},
        closing={"cancel": True, "errorMessage": UNASKED},
        closes=frozenset(("two", "other", "dies")),
        review="none",
        fresh="runs",
        scripts={native: f"{spec.aliases[0]}.sh" for native, spec in _EVENTS.items()},
    ),
    lacks=frozenset(("mode", "interactive")),
    copies=frozenset(("tool",)),
    always=("hookName", "taskId"),
    programs=("cline",),
    folders=(".cline",),
    unseen=(
        "a refusal ends the whole run, and the model never reads why",
        "a hook that prints no answer lets the tool run, whatever its exit code is",
        "variables of a project's `.env` reach the hook",
    ),
    unverified=(
        "hooks on Windows",
        "how MCP tools are named",
        "the arguments of `search_codebase`, `fetch_web_content` and the `team_` tools",
        "whether a program of the same event with another ending runs too",
    ),
)
