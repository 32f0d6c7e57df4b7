"""ZCode: https://zcode.z.ai

Facts are of the released source of 3.14 with command line core 0.16, read in copies; nothing was run.
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
    BESIDE_OPEN,
    CONTEXT,
    EXIT_TWO,
    GOES_ON,
    HALT,
    UPDATED,
    block,
    nested,
    permission,
    tools,
)

_ACTIVITY: Final = Life("activity")
_TOO_LATE: Final = {"deny": "the tool ran already", "ask": "the tool ran already"}

# A known key with a value the schema lacks (`decision: deny`, `permissionDecision: defer`) fails the hook, and a hook
# that failed lets the call run; so each form has exactly its event's keys.
_EVENTS: Final[dict[str, EventSpec]] = {
    "PreToolUse": EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        answers={"none": SILENCE, "allow": permission("allow"), "deny": permission("deny")},
        rewrite={"none": UPDATED, "allow": UPDATED},
        extras=CONTEXT,
        beside=BESIDE_OPEN,
        cannot={"ask": "a question of a hook was never seen to stop a call"},
    ),
    "PermissionRequest": EventSpec(
        canonical="PermissionRequest",
        life=Life("blocked", blocker="permission"),
        gate=True,
        answers={
            "allow": Form(body=nested(decision={"behavior": "allow"})),
            "ask": SILENCE,  # the agent is about to ask
            "deny": Form(body=nested(decision={"behavior": "deny", "message": Slot.REASON})),
        },
        rewrite={"allow": nested(decision={"updatedInput": Slot.INPUT})},
        cannot={"updated_input": "a question shows the call as it was"},
    ),
    "PostToolUse": EventSpec(
        canonical="PostToolUse",
        life=_ACTIVITY,
        fields={"output": (("toolResponse",), ("tool_response",))},
        extras={**CONTEXT, **HALT},
        cannot=_TOO_LATE,
    ),
    "PostToolUseFailure": EventSpec(
        canonical="PostToolUseFailure",
        life=_ACTIVITY,
        fields={"output": (("error",),)},
        extras={**CONTEXT, **HALT},
        cannot=_TOO_LATE,
    ),
    "UserPromptSubmit": EventSpec(
        canonical="UserPromptSubmit",
        life=Life("start", "turn"),
        gate=True,
        answers={
            "allow": SILENCE,
            "deny": Form(body={"continue": False, "stopReason": Slot.PEOPLE, "reason": Slot.PEOPLE}),
        },
        extras=CONTEXT,
        beside=BESIDE_OPEN,
        unverified="which of `reason` and `stopReason` is shown",
    ),
    "Stop": EventSpec(
        canonical="Stop",
        life=Life("finish", "turn", "completed"),
        answers={"deny": block()},  # at most 3 in a row
        cannot=GOES_ON,
    ),
    "SessionStart": EventSpec(canonical="SessionStart", life=Life("start", "session"), extras=CONTEXT),
}

_TOOLS: Final = {
    **tools(
        bash=("Bash",),
        read_file=("Read",),
        write_file=("Write",),
        edit_file=("Edit",),
        glob=("Glob",),
        grep=("Grep",),
        web_scrape=("WebFetch",),
        web_search=("WebSearch",),
        agent=("Agent", "Task"),
        skill=("Skill",),
        todo=("TodoWrite",),
        ask_user=("AskUserQuestion",),
        plan=("EnterPlanMode", "ExitPlanMode"),
        wait_for=("TaskOutput",),
        cancel_background_job=("TaskStop",),
    ),
    "ApplyPatch": ToolSpec("patch_apply", {"patch_text": "patch"}, text="patch"),
}

ZCODE: Final = Dialect(
    name="zcode",
    title="ZCode",
    url="https://zcode.z.ai",
    versions="3.14 (core 0.16)",
    delivery="command",
    fields={
        "event": (("hookEventName",), ("hook_event_name",)),
        "session": (("sessionId",), ("session_id",)),
        "turn": (("turnId",),),
        "call": (("toolCallId",), ("tool_use_id",)),
        "cwd": (("cwd",),),
        "transcript": (("transcriptPath",), ("transcript_path",)),
        "mode": (("mode",), ("permission_mode",)),
        "tool": (("toolName",), ("tool_name",)),
        "input": (("toolInput",), ("tool_input",)),
        "output": (("toolResponse",), ("tool_response",)),
        "prompt": (("prompt",),),
    },
    events=_EVENTS,
    tools=_TOOLS,
    mcp_prefix="mcp__",
    mcp_joint="__",
    blind=EXIT_TWO,
    stdout_fields=frozenset(
        ("continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason", "hookSpecificOutput")
    ),
    cannot={
        "ask": "the agent has no question here",
        "defer": "the agent does not know it, and a hook that says it fails",
    },
    limit=4000,
    allow_grants=True,
    exits=Exits(empty="proceed", invalid="hook-failed", two="block", other="hook-failed", late="proceed"),
    timeouts=Timeouts(unit="milliseconds", default=60_000, ours=60),
    registration=Registration(
        shape="groups",
        places=(
            Place("user", "any", "home", ".zcode/cli/config.json"),
            Place("project", "any", "project", ".zcode/config.json"),
        ),
        entry={"type": "process", "command": Slot.PROGRAM, "args": Slot.ARGUMENTS, "timeoutMs": Slot.TIMEOUT},
        review="content-hash",
        root=("hooks", "events"),
        fixed={"hooks": {"enabled": True}},
    ),
    lacks=frozenset(("interactive", "server", "subagent")),
    env={"session": ("ZCODE_SESSION_ID",)},
    always=("hookEventName", "traceId"),
    copies=frozenset(("event", "session", "call", "mode", "tool", "input", "output")),
    programs=("zcode",),
    folders=(".zcode",),
    overruled="at its permission question the last hook that decides wins, not the strictest",
    unseen=(
        "a run with `-p` of core 0.16.5 ran no hooks at all (one report)",
        "a call that the user allowed for the whole session may skip the hooks (one report)",
        "saving the settings in the application may drop the hooks from the file (one report)",
    ),
    unverified=(
        "everything here: the agent was read, not run",
        "whether hooks of the project run in command line builds",
    ),
)
