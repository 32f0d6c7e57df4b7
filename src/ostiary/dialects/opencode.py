"""OpenCode: https://opencode.ai/docs/plugins/

Both lines. The first (1.x, measured at 1.18.33) and the second (2.x, read in its plugin types and core, never run) have
the same file places and other hooks, so one bridge serves both and puts `v2.` before the hooks of the second. Payloads
are the bridge's: the hook as `type`, what it was called with in `properties`, the session's folder as `directory`.
"""

from __future__ import annotations

from typing import Final

from ostiary.dialects import bridged
from ostiary.dialects.base import (
    Dialect,
    EventSpec,
    Life,
    OutputPlace,
    Place,
    Registration,
    Switch,
    Timeouts,
    ToolSpec,
)

_ACTIVITY: Final = Life("activity")
_PROMPT: Final = Life("start", "turn")

_BEFORE: Final = EventSpec(
    canonical="PreToolUse",
    life=_ACTIVITY,
    gate=True,
    answers=bridged.GATE,
    rewrite=bridged.REWRITE,  # validated afterwards; the object is changed in place, another one has no effect
)
_AFTER: Final = EventSpec(
    canonical="PostToolUse",
    life=_ACTIVITY,
    answers=bridged.WITHHELD,
    extras={**bridged.CONTEXT, **bridged.OUTPUT},
    cannot=bridged.DONE,
)
_CHAT: Final = EventSpec(
    canonical="UserPromptSubmit",
    life=_PROMPT,
    gate=True,
    answers=bridged.GATE,
    extras=bridged.CONTEXT,
)


def _seen(canonical: str = "", life: Life | Switch = _ACTIVITY, asked: bool = False) -> EventSpec:
    """An event of the bus: nothing waits for the answer."""
    over = bridged.OVER if canonical == "Stop" else {}
    return EventSpec(
        canonical=canonical,
        life=life,
        answers=bridged.REPORT,
        cannot=over,
        register="asked" if asked else "always",
    )


_PERMISSION: Final = Life("blocked", blocker="permission")
_STATUS: Final = Switch(
    ("properties", "status", "type"),
    {"busy": _PROMPT, "retry": _ACTIVITY, "idle": Life("finish", "turn")},
    Life("unknown"),
)
_ERROR: Final = Switch(
    ("properties", "error", "name"),
    {"MessageAbortedError": Life("finish", "turn", "cancelled")},
    Life("finish", "turn", "failed"),
)

_EVENTS: Final = {
    "tool.execute.before": _BEFORE,
    "tool.execute.after": _AFTER,
    "chat.message": _CHAT,
    "v2.tool.execute.before": _BEFORE._replace(unverified="a deny and a rewrite in a running agent of the second line"),
    "v2.tool.execute.after": _AFTER._replace(
        extras=bridged.OUTPUT,
        unverified="that an error of this hook keeps the output from the model",
    ),
    "v2.session.prompt": _CHAT._replace(
        extras={},
        unverified="that an error of this hook stops the prompt; it may run again on a retry",
    ),
    "session.created": _seen("SessionStart", Life("start", "session")),
    "session.idle": _seen("Stop", Life("finish", "turn")),
    "session.error": _seen("StopFailure", _ERROR),
    "session.deleted": _seen("SessionEnd", Life("finish", "session")),
    "session.compacted": _seen("PostCompact"),
    "permission.asked": _seen("Notification", _PERMISSION)._replace(aliases=("permission.updated",)),
    "question.asked": _seen("Notification", Life("blocked", blocker="question"))._replace(
        unverified="its payload in a running agent"
    ),
    "session.status": _seen("", _STATUS, asked=True),
    "permission.replied": _seen(asked=True),
    "question.replied": _seen(asked=True),
    "question.rejected": _seen(asked=True),
    "message.updated": _seen(asked=True),
    "message.part.updated": _seen(asked=True),
    "command.executed": _seen(asked=True),
    "file.edited": _seen("FileChanged", asked=True),
    "todo.updated": _seen(asked=True),
    "session.diff": _seen(asked=True),
    "session.updated": _seen(asked=True),
}

# The first line's text stands in `output`, and again in what the tool says about itself.
_TEXT: Final = OutputPlace(
    ("output",),
    (("metadata", "output"), ("metadata", "preview"), ("metadata", "diff"), ("metadata", "display", "text")),
)
_FILE: Final = {"filePath": "file_path", "path": "file_path"}
_EDIT: Final = {**_FILE, "oldString": "old_string", "newString": "new_string", "replaceAll": "replace_all"}
_PATCH: Final = {"patchText": "patch"}
_AGENT: Final = {"subagent_type": "subagent_type", "agent": "subagent_type"}


def _tool(canonical: str, renames: dict[str, str] | None = None, workdir: tuple[str, ...] = ()) -> ToolSpec:
    return ToolSpec(canonical=canonical, renames=renames or {}, output=_TEXT, workdir=workdir)


_TOOLS: Final = {
    "bash": _tool("bash", workdir=("workdir",)),
    "shell": _tool("bash", workdir=("workdir",)),
    "read": _tool("read_file", _FILE),
    "write": _tool("write_file", _FILE),
    "edit": _tool("edit_file", _EDIT),
    "apply_patch": _tool("patch_apply", _PATCH),
    "patch": _tool("patch_apply", _PATCH),
    "grep": _tool("grep", {"include": "glob"}),
    "glob": _tool("glob"),
    "list": _tool("list_directory"),
    "webfetch": _tool("web_scrape"),
    "websearch": _tool("web_search"),
    "task": _tool("agent", _AGENT),
    "subagent": _tool("agent", _AGENT),
    "skill": _tool("skill", {"name": "skill"}),
    "todowrite": _tool("todo"),
    "question": _tool("ask_user"),
    "plan_enter": _tool("plan"),
    "plan_exit": _tool("plan"),
}

OPENCODE: Final = Dialect(
    name="opencode",
    title="OpenCode",
    url="https://opencode.ai/docs/plugins/",
    versions="1.18.29 to 1.18.33 and 2.0",
    delivery="plugin",
    fields={
        "event": (("type",),),
        "session": (
            ("properties", "sessionID"),
            ("properties", "info", "sessionID"),
            ("properties", "part", "sessionID"),
            ("properties", "info", "id"),
        ),
        "call": (("properties", "callID"), ("properties", "tool", "callID")),
        "cwd": (("directory",), ("properties", "info", "directory")),
        "project": (("directory",),),
        "tool": (("properties", "tool"),),
        "input": (("properties", "args"),),
        "output": (("properties", "result"),),
        "prompt": (("properties", "prompt"),),
        "server": (("properties", "server"),),
        "server_tool": (("properties", "serverTool"),),
    },
    events=_EVENTS,
    tools=_TOOLS,
    own_tools=("execute", "invalid", "lsp", "models"),
    mcp_prefix="",
    mcp_joint="_",
    blind=bridged.DENY,
    stdout_fields=bridged.KEYS,
    cannot={
        "ask": "a plugin cannot make the agent ask in a way that was seen to stop the call",
        "defer": "the agent knows no deferred call",
        "updated_input": "only a call that has not run can be changed",
    },
    limit=10_000,
    allow_grants=False,  # the bridge leaves the agent's own question alone
    exits=bridged.OPEN,
    timeouts=Timeouts(unit="milliseconds", default=None, ours=60),
    registration=Registration(
        shape="plugin",
        places=(
            Place("user", "any", "home", ".config/opencode/plugins/ostiary.js"),
            Place("project", "any", "project", ".opencode/plugins/ostiary.js"),
        ),
        entry=bridged.ENTRY,
        closes=bridged.CLOSES,
        review="none",
        fresh="runs",
        sources=("bridge.js", "opencode.js"),
    ),
    lacks=frozenset(("mode", "subagent", "interactive")),
    always=("type",),
    programs=("opencode",),
    folders=(".config/opencode",),
    unseen=(
        bridged.LATER,
        "an allow does not answer the agent's own question",
        "the reason of a refused prompt is not shown; a person reads `Unexpected server error`",
        "on the second line, calls inside `execute` are seen one by one only where the agent starts them as tools",
        "commands that a person starts with `!` call no hook that can stop them",
        "a plugin that cannot be loaded is left out, and the agent goes on",
    ),
    unverified=(
        "every hook of the second line in a running agent",
        "versions before 1.18.29, which may not load a file for both lines",
        "the server of an MCP tool where the configuration does not name it: names are then split at the first `_`",
        "what replies to questions look like: `question.replied`, `question.rejected`",
    ),
)
