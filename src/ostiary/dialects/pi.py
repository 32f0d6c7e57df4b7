"""Pi: https://pi.dev/docs/extensions

Measured at 1.6.0, whose types were read too. Payloads are the bridge's: the extension's event with the session, the
folder and whether somebody is there (`hasUI`) beside it.
"""

from __future__ import annotations

from typing import Final

from ostiary.dialects import bridged
from ostiary.dialects.base import (
    Dialect,
    EventSpec,
    Form,
    Life,
    Place,
    Registration,
    Said,
    Timeouts,
    ToolSpec,
)

_ACTIVITY: Final = Life("activity")
_START: Final = Life("start", "turn")
_END: Final = Life("finish", "turn")

# The bridge asks by itself and waits; without somebody there the agent answers no (measured), so it is a deny.
_ASK: Final = bridged.ASK._replace(ignored=("hasUI", False))
_GATE: Final[dict[Said, Form]] = {**bridged.GATE, "ask": _ASK}


def _seen(canonical: str = "", life: Life = _ACTIVITY, asked: bool = False) -> EventSpec:
    """An event that nothing waits for."""
    return EventSpec(
        canonical=canonical,
        life=life,
        answers=bridged.REPORT,
        cannot=bridged.OVER if canonical == "Stop" else {},
        register="asked" if asked else "always",
    )


_EVENTS: Final = {
    "tool_call": EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        answers=_GATE,
        rewrite=bridged.REWRITE,  # not validated again
        extras=bridged.MESSAGE,
        cannot={"updated_input": "the question does not show the changed call"},
    ),
    "user_bash": EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        tool="bash",
        fields={"input": ((),)},
        arguments=("command",),
        answers=_GATE,
        extras=bridged.MESSAGE,
        cannot={"updated_input": "a person typed this command"},
        register="asked",  # what a person types is no call of the agent
        unverified="a deny in a running agent",
    ),
    "tool_result": EventSpec(
        canonical="PostToolUse",
        life=_ACTIVITY,
        answers=bridged.WITHHELD,
        extras={**bridged.CONTEXT, **bridged.OUTPUT},
        cannot=bridged.DONE,
    ),
    "input": EventSpec(
        canonical="UserPromptSubmit",
        life=_START,
        gate=True,
        fields={"prompt": (("text",),)},
        answers={**_GATE, "deny": bridged.DENY_TO_PEOPLE},
        extras=bridged.MESSAGE,
    ),
    "session_before_compact": EventSpec(
        canonical="PreCompact",
        life=_ACTIVITY,
        answers=bridged.WITHHELD,
        unverified="a deny in a running agent",
    ),
    "session_start": _seen("SessionStart", Life("start", "session")),
    "session_compact": _seen("PostCompact"),
    "agent_end": _seen("Stop", _END),
    "session_shutdown": _seen("SessionEnd", Life("finish", "session")),
    "before_agent_start": _seen("", _START, asked=True),
    "agent_start": _seen("", _START, asked=True),
    "agent_settled": _seen("", _END, asked=True),
    "turn_start": _seen(asked=True),
    "turn_end": _seen(asked=True),
    "tool_execution_start": _seen(asked=True),
    "tool_execution_end": _seen(asked=True),
    "ui_prompt_start": _seen("Notification", Life("blocked", blocker="question"), asked=True),
    "ui_prompt_end": _seen(asked=True),
}

_FILE: Final = {"path": "file_path"}

_TOOLS: Final = {
    "bash": ToolSpec("bash"),
    "powershell": ToolSpec("powershell"),
    "read": ToolSpec("read_file", _FILE),
    "write": ToolSpec("write_file", _FILE),
    "edit": ToolSpec("edit_file", {**_FILE, "oldText": "old_string", "newText": "new_string"}),
    "grep": ToolSpec("grep"),
    "find": ToolSpec("glob"),
    "ls": ToolSpec("list_directory"),
}

PI: Final = Dialect(
    name="pi",
    title="Pi",
    url="https://pi.dev/docs/extensions",
    versions="1.6.0",
    delivery="plugin",
    fields={
        "event": (("type",),),
        "session": (("sessionId",),),
        "call": (("toolCallId",),),
        "cwd": (("cwd",),),
        "transcript": (("sessionFile",),),
        "tool": (("toolName",),),
        "input": (("input",),),
        "output": (("content",),),
        "interactive": (("hasUI",),),
    },
    events=_EVENTS,
    tools=_TOOLS,
    own_tools=("codemode", "tool_search"),
    mcp_prefix="mcp__",
    mcp_joint="__",
    blind=bridged.DENY,
    stdout_fields=bridged.KEYS,
    cannot={
        "ask": "nobody is there to answer",
        "defer": "the agent knows no deferred call",
        "updated_input": "only a call that has not run can be changed",
    },
    limit=10_000,
    allow_grants=False,  # the agent asks nothing by itself
    exits=bridged.OPEN,
    timeouts=Timeouts(unit="milliseconds", default=None, ours=60),
    registration=Registration(
        shape="plugin",
        places=(
            Place("user", "any", "home", ".pi/agent/extensions/ostiary.js"),
            Place("project", "any", "project", ".pi/extensions/ostiary.js"),
        ),
        entry=bridged.ENTRY,
        closes=bridged.CLOSES,
        review="workspace",
        fresh="skips",
        sources=("bridge.js", "pi.js"),
    ),
    lacks=frozenset(("mode", "subagent")),
    shares=frozenset(("copilot-cli",)),
    always=("type",),
    programs=("pi",),
    folders=(".pi",),
    unseen=(
        bridged.LATER,
        "a script of `codemode` is seen as text, and its calls one by one",
        "commands that a person starts with `!` are judged only where `user_bash` is registered",
        "extensions of a project are left out in folders that nobody trusts",
        "subagents are processes of their own, and load the extension only with the user's files",
    ),
    unverified=(
        "a question that is answered with yes in a running agent",
        "what is shown of a message where the agent runs over RPC",
        "how two servers of MCP whose names fall together are told apart: names then have a suffix",
    ),
)
