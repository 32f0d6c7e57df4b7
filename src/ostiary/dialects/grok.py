"""Grok: https://docs.x.ai/build/features/hooks

Facts are of runs of 1.0.41, whose program carries its own manual, and of the public source of 2026-08-19. Two contracts
are in use: payloads of the newer one name the event twice (`hook_event_name` besides `hookEventName`), and only there a
hook may ask, add context before a tool and stop a prompt.
"""

from __future__ import annotations

from typing import Final

from ostiary.dialects.base import (
    SILENCE,
    Dialect,
    EventSpec,
    Exits,
    Form,
    HttpHook,
    Life,
    OutputPlace,
    Place,
    Registration,
    Slot,
    Switch,
    Timeouts,
    ToolSpec,
)
from ostiary.dialects.forms import (
    BESIDE_OPEN,
    CONTEXT,
    DONE,
    GOES_ON,
    HALT,
    SILENT,
    UPDATED,
    WATCHED,
    block,
    permission,
)
from ostiary.dialects.kin import ForeignHooks

_ACTIVITY: Final = Life("activity")
_EXITS: Final = Exits(empty="proceed", invalid="proceed", two="block", other="hook-failed", late="proceed")
_REPORTS: Final = _EXITS._replace(two="proceed")

_TOP_DENY: Final = {"decision": "deny", "reason": Slot.REASON}
_OLD: Final = "the agent's older contract does not read this"

_NOTICE: Final = Switch(
    ("notificationType",), {"permission_prompt": Life("blocked", blocker="permission")}, Life("unknown")
)
_STOP: Final = Switch(
    ("reason",),
    {
        "end_turn": Life("finish", "turn", "completed"),
        "channel_closed": Life("finish", "session"),
        "shutdown": Life("finish", "session"),
    },
    Life("finish", "turn"),
)


def _report(canonical: str, life: Life | Switch) -> EventSpec:
    """An event that nothing waits for and no answer stops."""
    return EventSpec(canonical=canonical, life=life, exits=_REPORTS, cannot=WATCHED)


# By the names under which hooks are registered: the newer contract.
_NEW: Final[dict[str, EventSpec]] = {
    "PreToolUse": EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        answers={
            "none": SILENCE,
            "allow": permission("allow"),
            # Where calls are approved without a question, one of a hook is approved too (measured).
            "ask": permission("ask")._replace(modes=frozenset(("default",))),
            "deny": permission("deny"),
        },
        rewrite={"none": UPDATED, "allow": UPDATED},
        extras=CONTEXT,
        beside=BESIDE_OPEN,
        cannot={"updated_input": "a question was never seen to show a changed call"},
        # The older contract reads only the first pair of this, the newer one both.
        unread=Form(body={**_TOP_DENY, **(permission("deny").body or {})}),
    ),
    "PostToolUse": EventSpec(
        canonical="PostToolUse",
        life=_ACTIVITY,
        answers={"deny": block()},
        extras=CONTEXT,
        beside={"context": SILENT},
        cannot={**DONE, "output": "new output has to be in a form of the agent's own that is not known"},
    ),
    "PostToolUseFailure": EventSpec(
        canonical="PostToolUseFailure",
        life=_ACTIVITY,
        fields={"output": (("error",),)},
        extras=CONTEXT,
        cannot=WATCHED,
        exits=_REPORTS,
    ),
    "PermissionDenied": _report("PermissionDenied", _ACTIVITY),
    "UserPromptSubmit": EventSpec(
        canonical="UserPromptSubmit",
        life=Life("start", "turn"),
        gate=True,
        answers={"allow": SILENCE, "deny": block(Slot.PEOPLE)},
    ),
    "Stop": EventSpec(
        canonical="Stop",
        life=_STOP,
        # At most 8 in a row, and only at the end of a turn. Context would make the agent go on too, so there is none.
        answers={"deny": block()._replace(ignored=("reason", "shutdown"))},
        extras=HALT,
        halts_with=SILENT,
        cannot={**GOES_ON, "deny": "a session that ends does not go on"},
    ),
    "SubagentStop": EventSpec(
        canonical="SubagentStop",
        life=Life("finish"),
        subagent=True,
        answers={"deny": block()},
        extras=HALT,
        halts_with=SILENT,
        cannot=GOES_ON,
    ),
    "SubagentStart": _report("SubagentStart", Life("start"))._replace(subagent=True),
    "StopFailure": _report("StopFailure", Life("finish", "turn", "failed")),
    "StopCancelled": _report("", Life("finish", "turn", "cancelled")),
    "PreCompact": _report("PreCompact", _ACTIVITY),
    "PostCompact": _report("PostCompact", _ACTIVITY),
    "Notification": _report("Notification", _NOTICE),
    "SessionStart": _report("SessionStart", Life("start", "session")),
    "SessionEnd": _report("SessionEnd", Life("finish", "session")),
}

# What the older contract says otherwise. It names an event of its own in no answer.
_OLD_ANSWERS: Final[dict[str, EventSpec]] = {
    "PreToolUse": EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        # A question, a block or only the nested decision is an unknown value here: the call runs.
        answers={"none": SILENCE, "allow": Form(body={"decision": "allow"}), "deny": Form(body=_TOP_DENY)},
        rewrite={"none": UPDATED},
        cannot={"ask": _OLD, "context": _OLD, "updated_input": "changed arguments go with no decision here"},
    ),
    "PostToolUse": _report("PostToolUse", _ACTIVITY),
    "PostToolUseFailure": _report("PostToolUseFailure", _ACTIVITY)._replace(fields={"output": (("error",),)}),
    "UserPromptSubmit": _report("UserPromptSubmit", Life("start", "turn")),
}


def _wire(name: str) -> str:
    """The name that payloads give an event: in small letters, with underscores."""
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name).lstrip("_")


_EVENTS: Final = {
    **_NEW,
    **{
        _wire(name): _OLD_ANSWERS.get(name, spec)._replace(registered_as=name, register="never")
        for name, spec in _NEW.items()
    },
}

_TOOLS: Final[dict[str, ToolSpec]] = {
    "run_terminal_command": ToolSpec("bash", output=OutputPlace(("output_for_prompt",))),
    "run_terminal_cmd": ToolSpec("bash"),
    "Shell": ToolSpec("bash"),
    "monitor": ToolSpec("monitor"),
    "read_file": ToolSpec("read_file", {"target_file": "file_path"}),
    "search_replace": ToolSpec("edit_file"),
    "write": ToolSpec("write_file"),
    "apply_patch": ToolSpec("patch_apply", {"input": "patch"}, text="patch"),
    "list_dir": ToolSpec("list_directory", {"target_directory": "path"}),
    "grep": ToolSpec("grep"),
    "web_search": ToolSpec("web_search"),
    "web_fetch": ToolSpec("web_scrape"),
    "todo_write": ToolSpec("todo"),
    "spawn_subagent": ToolSpec("agent"),
    "get_command_or_subagent_output": ToolSpec("wait_for"),
    "kill_command_or_subagent": ToolSpec("cancel_background_job"),
    "ask_user_question": ToolSpec("ask_user"),
    "AskQuestion": ToolSpec("ask_user"),
    "enter_plan_mode": ToolSpec("plan"),
    "exit_plan_mode": ToolSpec("plan"),
    "scheduler_create": ToolSpec("create_schedule"),
    "scheduler_list": ToolSpec("list_schedules"),
    "scheduler_delete": ToolSpec("cancel_schedule"),
}

_CLAUDE_EVENTS: Final = {name: name for name in _NEW if name != "StopCancelled"}

_CURSOR_EVENTS: Final = {
    "preToolUse": "PreToolUse",
    "postToolUse": "PostToolUse",
    "beforeSubmitPrompt": "UserPromptSubmit",
    "stop": "Stop",
    "subagentStart": "SubagentStart",
    "subagentStop": "SubagentStop",
    "preCompact": "PreCompact",
    "sessionStart": "SessionStart",
    "sessionEnd": "SessionEnd",
}

GROK: Final = Dialect(
    name="grok",
    title="Grok",
    url="https://docs.x.ai/build/features/hooks",
    versions="the source of 2026-08-19 to 1.0.41",
    delivery="command",
    fields={
        "event": (("hook_event_name",), ("hookEventName",)),
        "session": (("session_id",), ("sessionId",)),
        "turn": (("promptId",),),
        "call": (("tool_use_id",), ("toolUseId",)),
        "cwd": (("cwd",),),
        "project": (("workspaceRoot",),),
        "transcript": (("transcript_path",), ("transcriptPath",)),
        "mode": (("permission_mode",), ("permissionMode",)),
        "tool": (("tool_name",), ("toolName",)),
        "input": (("tool_input",), ("toolInput",)),
        "truncated": (("toolInputTruncated",),),  # above 128 KiB
        "output": (("tool_response",), ("toolResult",)),
        "prompt": (("prompt",),),
        "subagent_id": (("subagentId",),),
        "subagent_marker": (("subagentType",),),  # a call of a subagent carries the type alone
        "subagent_type": (("subagentType",),),
    },
    events=_EVENTS,
    tools=_TOOLS,
    own_tools=(
        "image_edit",
        "image_gen",
        "image_to_video",
        "reference_to_video",
        "search_tool",
        "send_feedback",
        "update_goal",
        "use_tool",
        "workflow",
    ),
    mcp_prefix="",
    mcp_joint="__",
    blind=Form(body=_TOP_DENY, status=2, stderr=Slot.REASON),
    stdout_fields=frozenset(("decision", "reason", "hookSpecificOutput", "continue", "stopReason")),
    cannot={
        "ask": "only in the mode `default` a question of a hook was seen to stop the call",
        "halt": "the call runs in spite of it",
        "defer": "the agent takes it as no opinion",
    },
    limit=256,  # what is longer is cut
    allow_grants=False,
    exits=_EXITS,
    timeouts=Timeouts(
        unit="seconds",
        default=5,
        events={"UserPromptSubmit": 30, "PostToolUse": 600, "Stop": 600, "SubagentStop": 600, "SessionEnd": 1.5},
        ours=60,
    ),
    registration=Registration(
        shape="groups",
        places=(
            Place("user", "any", "home", ".grok/hooks/ostiary.json"),
            Place("project", "any", "project", ".grok/hooks/ostiary.json"),
        ),
        entry={"type": "command", "command": Slot.LINE, "timeout": Slot.TIMEOUT},
        closing={"command": Slot.CLOSED_LINE},
        closes=frozenset(("other", "dies")),
        http=HttpHook(unfit="it sends nothing to a port of this machine"),
        review="workspace",
        fresh="skips",
    ),
    lacks=frozenset(("interactive", "server")),
    runs_hooks_of=(
        ForeignHooks(
            "claude-code",
            (".claude/settings.json", ".claude/settings.local.json"),
            _CLAUDE_EVENTS,
            same_answers=True,  # a deny of such a hook was seen to hold
        ),
        ForeignHooks("cursor", (".cursor/hooks.json",), _CURSOR_EVENTS),
    ),
    always=("hookEventName", "cwd"),
    copies=frozenset(("event", "session", "mode", "tool", "input", "call")),
    env={"event": ("GROK_HOOK_EVENT",), "session": ("GROK_SESSION_ID",)},
    programs=("grok",),
    folders=(".grok",),
    unseen=(
        "a hook that runs out of time lets the call run, though it printed a deny",
        "hooks of the project run only after the folder was trusted, and are skipped without a word before",
        "Claude's and Cursor's hook files are run too",
    ),
    unverified=(
        "which released versions have the older contract",
        "the arguments of MCP calls: they may stand inside `tool_input` of a wrapper",
        "the name of the patch in the input of `apply_patch`, and what `monitor` takes",
        "whether a blocked prompt shows its reason",
    ),
)
