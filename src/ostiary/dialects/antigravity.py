"""Antigravity: https://antigravity.google/docs/hooks

Facts are of reports of its command line 1.0.8 to 1.1.11; nothing was run. Every call asks its user, unless a hook says
something: no answer, or one it does not understand, is a question. An allow does not skip it.
"""

from __future__ import annotations

from typing import Final

from ostiary.dialects.base import Dialect, EventSpec, Exits, Form, Life, Place, Registration, Slot, Timeouts, ToolSpec
from ostiary.dialects.forms import WATCHED

_ACTIVITY: Final = Life("activity")
_DENY: Final = Form(body={"decision": "deny", "reason": Slot.REASON})
_UNKNOWN: Final = Exits(
    empty="undocumented", invalid="undocumented", two="undocumented", other="undocumented", late="undocumented"
)

_EVENTS: Final[dict[str, EventSpec]] = {
    "PreToolUse": EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        answers={
            # What the agent does without an answer too, but for calls that its user allowed for good.
            "none": Form(body={"decision": "ask"}),
            "allow": Form(body={"decision": "allow"}),
            "deny": _DENY,
        },
        cannot={
            "ask": "a question of a hook was never seen to stop a call in a run without a person",
            "updated_input": "a hook cannot change a call",
        },
    ),
    "PostToolUse": EventSpec(
        canonical="PostToolUse", life=_ACTIVITY, cannot=WATCHED, unverified="its call is empty in 1.0.8"
    ),
}

_TARGET: Final = {"TargetFile": "file_path"}

_TOOLS: Final[dict[str, ToolSpec]] = {
    "run_command": ToolSpec("bash", {"CommandLine": "command"}, workdir=("Cwd",)),
    "view_file": ToolSpec("read_file", {"AbsolutePath": "file_path"}),
    "write_to_file": ToolSpec("write_file", {**_TARGET, "CodeContent": "content"}),
    "replace_file_content": ToolSpec(
        "edit_file", {**_TARGET, "TargetContent": "old_string", "ReplacementContent": "new_string"}
    ),
    "multi_replace_file_content": ToolSpec("edit_file", {**_TARGET, "ReplacementChunks": "edits"}),
    "list_dir": ToolSpec("list_directory", {"DirectoryPath": "path"}),
    "find_by_name": ToolSpec("glob", {"SearchDirectory": "path", "Pattern": "pattern"}),
    "grep_search": ToolSpec("grep", {"SearchPath": "path", "Query": "pattern"}),
    "read_url_content": ToolSpec("web_scrape", {"Url": "url"}),
    "search_web": ToolSpec("web_search"),
    "invoke_subagent": ToolSpec("agent"),  # seen in issue 640 of its public repository
}

ANTIGRAVITY: Final = Dialect(
    name="antigravity",
    title="Antigravity",
    url="https://antigravity.google/docs/hooks",
    versions="1.0.8 to 1.1.11",
    delivery="command",
    fields={
        "event": (),
        "session": (("conversationId",),),
        "cwd": (("workspacePaths", "0"),),
        "project": (("workspacePaths", "0"),),
        "workdirs": (("workspacePaths",),),
        "transcript": (("transcriptPath",),),
        "tool": (("toolCall", "name"),),
        "input": (("toolCall", "args"),),
    },
    events=_EVENTS,
    tools=_TOOLS,
    mcp_prefix="",
    mcp_joint="",
    blind=_DENY,
    stdout_fields=frozenset(("decision", "reason", "permissionOverrides")),
    cannot={
        "ask": "the agent has no question here",
        "defer": "the agent does not know it",
        "halt": "a hook cannot end the session",
        "context": "a hook cannot add context",
        "message": "the agent shows no message of a hook",
    },
    limit=10_000,
    allow_grants=False,
    exits=_UNKNOWN,
    timeouts=Timeouts(unit="seconds", default=None, ours=60),
    registration=Registration(
        shape="groups",
        places=(
            Place("user", "any", "home", ".gemini/config/hooks.json"),
            Place("project", "any", "project", ".agents/hooks.json"),
        ),
        entry={"type": "command", "command": Slot.LINE, "timeout": Slot.TIMEOUT},
        review="none",
        root=("ostiary",),
    ),
    lacks=frozenset(("event", "interactive", "mode", "server", "subagent")),
    mcp_unnamed=True,
    always=("conversationId", "stepIdx"),
    programs=("agy", "antigravity"),
    folders=(".gemini/config", ".antigravity"),
    unseen=("one report says that 1.1.11 reads hooks of installed plugins only",),
    unverified=(
        "everything here: the agent was not run",
        "the unit of a hook's time",
        "whether `force_ask` stops a call where nobody is there; reports say that it asks",
        "the arguments of tools other than `run_command`",
        "what exit codes mean",
    ),
)
