"""afk: https://github.com/griffinwork40/agent-afk

Facts are of its reference of hook events; nothing was run. A command's answer is read only with exit code 0, and it
decides at the top level or not at all; exit code 2 blocks with the text of standard error.
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
    Slot,
    Template,
    Timeouts,
    ToolSpec,
)
from ostiary.dialects.forms import BESIDE_OPEN, EXIT_TWO, GOES_ON, WATCHED, block, tools
from ostiary.tools import KNOWN_NAMES

_ACTIVITY: Final = Life("activity")
_EXITS: Final = Exits(empty="proceed", invalid="proceed", two="block", other="hook-failed", late="proceed")
_REPORTS: Final = _EXITS._replace(two="proceed")

_PASS: Final = Form(body={})
_APPROVE: Final = Form(body={"decision": "approve", "reason": Slot.REASON})
_CONTEXT: Final[dict[Extra, Template]] = {"context": {"hookSpecificOutput": {"additionalContext": Slot.CONTEXT}}}
_UPDATED: Final[Template] = {"hookSpecificOutput": {"updatedInput": Slot.INPUT}}


def _report(canonical: str, life: Life, output: str = "tool_output") -> EventSpec:
    """An event whose answers are only recorded; `output` is the key of what the tool gave."""
    return EventSpec(
        canonical=canonical,
        life=life,
        fields={"output": ((output,),)},
        answers={"none": _PASS},
        cannot=WATCHED,
        exits=_REPORTS,
    )


_EVENTS: Final[dict[str, EventSpec]] = {
    "PreToolUse": EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        answers={"none": _PASS, "allow": _APPROVE, "deny": block()},
        rewrite={"none": _UPDATED, "allow": _UPDATED},
        extras=_CONTEXT,  # beside a block too: earlier context is not carried through one
    ),
    "PostToolUse": _report("PostToolUse", _ACTIVITY),
    "PostToolUseFailure": _report("PostToolUseFailure", _ACTIVITY, "error"),
    "UserPromptSubmit": EventSpec(
        canonical="UserPromptSubmit",
        life=Life("start", "turn"),
        gate=True,
        answers={"none": _PASS, "allow": _PASS, "deny": block(Slot.PEOPLE)},
        # It is put in front of the prompt as it is.
        extras={"context": {"hookSpecificOutput": {"additionalContext": Slot.CONTEXT_LINE}}},
        beside=BESIDE_OPEN,
        exits=_EXITS._replace(late="block"),
    ),
    "SessionStart": EventSpec(
        canonical="SessionStart",
        life=Life("start", "session"),
        answers={"none": _PASS, "deny": block()},
        extras=_CONTEXT,
        beside=BESIDE_OPEN,
    ),
    "SubagentStart": EventSpec(
        canonical="SubagentStart",
        life=Life("start"),
        subagent=True,
        answers={"none": _PASS, "deny": block()},
    ),
    "SubagentStop": _report("SubagentStop", Life("finish"))._replace(subagent=True, extras=_CONTEXT),
    "PreCompact": EventSpec(canonical="PreCompact", life=_ACTIVITY, answers={"none": _PASS, "deny": block()}),
    "Stop": EventSpec(
        canonical="Stop",
        life=Life("finish", "turn", "completed"),
        answers={"none": _PASS, "deny": block()},  # at most 2 in a row
        extras=_CONTEXT,  # for the next prompt
        beside=BESIDE_OPEN,
        cannot=GOES_ON,
    ),
    "SessionEnd": _report("SessionEnd", Life("finish", "session")),
}

_TOOLS: Final = {
    **tools(
        **{
            name: (name,)
            for name in (
                *("bash", "read_file", "view_image", "extract_document", "write_file", "edit_file", "patch_apply"),
                *("glob", "list_directory", "web_scrape", "web_request", "agent", "wait_for", "cancel_background_job"),
                *("create_schedule", "list_schedules", "cancel_schedule", "worktree", "send_message_to_agent"),
            )
        }
    ),
    "grep": ToolSpec("grep", {"include": "glob"}),
    "skill": ToolSpec("skill", {"name": "skill", "arguments": "args"}),
    "ask_question": ToolSpec("ask_user"),
}

AFK: Final = Dialect(
    name="afk",
    title="afk",
    url="https://github.com/griffinwork40/agent-afk",
    versions="the reference of hook events with `updatedInput`",
    delivery="command",
    fields={
        "event": (("hook_event_name",),),
        "session": (("session_id",),),
        "cwd": (("cwd",),),
        "transcript": (("transcript_path",),),
        "tool": (("tool_name",),),
        "input": (("tool_input",),),
        "output": (("tool_output",),),
        "prompt": (("prompt",),),
    },
    events=_EVENTS,
    tools=_TOOLS,
    own_tools=tuple(sorted(KNOWN_NAMES.difference(_TOOLS))),
    mcp_prefix="mcp__",
    mcp_joint="__",
    blind=EXIT_TWO,
    stdout_fields=frozenset(("continue", "decision", "reason", "hookSpecificOutput")),
    cannot={
        "ask": "the agent has no question of a hook",
        "halt": "`continue: false` only blocks",
        "message": "the agent shows no message of a hook",
        "defer": "the agent has no question of a hook",
    },
    limit=500,  # of what is longer it takes the beginning
    allow_grants=False,
    exits=_EXITS,
    timeouts=Timeouts(unit="milliseconds", default=30_000, events={"Stop": 5_000}, ours=30, less={"Stop": 5}),
    registration=Registration(
        shape="groups",
        places=(
            Place("user", "any", "home", ".afk/config/afk.config.json", {"enableShellHooks": True}),
            Place("project", "any", "project", "afk.config.json"),
        ),
        entry={"type": "command", "command": Slot.LINE, "timeout_ms": Slot.TIMEOUT},
        review="none",
    ),
    lacks=frozenset(("interactive", "mode", "server", "subagent")),
    env={"event": ("AFK_HOOK_EVENT",), "session": ("AFK_SESSION_ID",)},
    always=("cwd", "transcript_path"),
    never=("permission_mode", "timestamp", "tool_use_id", "turn_id"),
    programs=("afk",),
    folders=(".afk",),
    unseen=(
        "hooks run only where the user's settings say `enableShellHooks: true`, those of a project only with "
        "`allowProjectHooks: true` too",
        "calls of subagents look like those of the main session",
        "how the nodes of `compose` are judged is not known",
    ),
    unverified=(
        "builds of August 2026 may leave out `updatedInput`, and run the call as it was",
        "which of its two user files is meant to hold the switch",
    ),
)
