"""Amp: https://ampcode.com/manual/plugin-api

Facts are of the vendor's plugin page and its types, which call themselves experimental; nothing was run. Payloads are
the bridge's: the plugin's event with its name as `type` and the folder of the plugin's process beside it.
"""

from __future__ import annotations

from typing import Final

from ostiary.dialects import bridged
from ostiary.dialects.base import Dialect, EventSpec, Life, Place, Registration, Timeouts, ToolSpec

_ACTIVITY: Final = Life("activity")

_EVENTS: Final = {
    "tool.call": EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        answers=bridged.GATE,
        rewrite=bridged.REWRITE,
    ),
    "tool.result": EventSpec(
        canonical="PostToolUse",
        life=_ACTIVITY,
        answers=bridged.WITHHELD,
        extras=bridged.OUTPUT,
        cannot=bridged.DONE,
        unverified="that a result of the plugin takes the place of the tool's",
    ),
    "agent.start": EventSpec(
        canonical="UserPromptSubmit",
        life=Life("start", "turn"),
        answers=bridged.REPORT,
        extras=bridged.CONTEXT,
        cannot={"deny": "the agent starts whatever a plugin says", "ask": "a plugin cannot hold a prompt back"},
    ),
    "agent.end": EventSpec(
        canonical="Stop",
        life=Life("finish", "turn"),
        answers=bridged.REPORT,
        cannot=bridged.OVER,
    ),
    "session.start": EventSpec(
        canonical="SessionStart",
        life=Life("start", "session"),
        answers=bridged.REPORT,
    ),
}

_COMMAND: Final = {"cmd": "command"}
_FILE: Final = {"path": "file_path"}

_TOOLS: Final = {
    "Bash": ToolSpec("bash", _COMMAND, workdir=("cwd",)),
    "shell_command": ToolSpec("bash", _COMMAND, workdir=("cwd",)),
    "async_shell_command": ToolSpec("bash", _COMMAND, workdir=("cwd",)),
    "Read": ToolSpec("read_file", _FILE),
    "create_file": ToolSpec("write_file", _FILE),
    "edit_file": ToolSpec("edit_file", {**_FILE, "old_str": "old_string", "new_str": "new_string"}),
    "read_web_page": ToolSpec("web_scrape"),
    "web_search": ToolSpec("web_search"),
    "Grep": ToolSpec("grep"),
    "glob": ToolSpec("glob"),
    "Task": ToolSpec("agent"),
}

AMP: Final = Dialect(
    name="amp",
    title="Amp",
    url="https://ampcode.com/manual/plugin-api",
    versions="the plugin API of 2026, documented",
    delivery="plugin",
    fields={
        "event": (("type",),),
        "session": (("thread", "id"),),
        "call": (("toolUseID",),),
        "cwd": (("cwd",),),
        "tool": (("tool",),),
        "input": (("input",),),
        "output": (("output",),),
        "prompt": (("message",),),
    },
    events=_EVENTS,
    tools=_TOOLS,
    own_tools=("finder", "librarian", "oracle"),
    mcp_prefix="mcp__",
    mcp_joint="__",
    blind=bridged.DENY,
    stdout_fields=bridged.KEYS,
    cannot={
        "ask": "a plugin's question was never seen to stop a call",
        "defer": "the agent knows no deferred call",
        "updated_input": "only a call that has not run can be changed",
    },
    limit=10_000,
    allow_grants=False,
    exits=bridged.OPEN,
    timeouts=Timeouts(unit="milliseconds", default=None, ours=60),
    registration=Registration(
        shape="plugin",
        places=(
            Place("user", "any", "home", ".config/amp/plugins/ostiary.ts"),
            Place("project", "any", "project", ".amp/plugins/ostiary.ts"),
        ),
        entry=bridged.ENTRY,
        closes=bridged.CLOSES,
        review="none",
        sources=("bridge.js", "amp.js"),
    ),
    lacks=frozenset(("mode", "subagent", "interactive")),
    always=("type",),
    programs=("amp",),
    folders=(".config/amp",),
    unseen=(
        bridged.LATER,
        "builds that need the variable `PLUGINS=all` run no plugin without it, and say nothing",
    ),
    unverified=(
        "everything: no run of this agent was seen",
        "the names of the tools' arguments, apart from `cmd` and `command`",
        "that the plugin's process is in the folder of the thread",
        "what a plugin that cannot be loaded does to the agent",
    ),
)
