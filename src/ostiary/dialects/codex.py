"""Codex: https://developers.openai.com/codex/hooks

Facts are of runs of 0.171.0 and of the schemas inside its program. An answer is read strictly: one unknown key, a
deny without a reason or an allow alone voids all of it, and the tool runs (measured).
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
    Place,
    Registration,
    Said,
    Slot,
    Switch,
    Template,
    Timeouts,
    ToolSpec,
)
from ostiary.dialects.forms import CONTEXT, DONE, GOES_ON, HALT, KEYS, MESSAGE, block, nested

_STOP: Final[Template] = {"continue": False, "stopReason": Slot.PEOPLE}

# Seen to leave a verdict in force; every other pair was not tried, and what voids an answer opens the gate.
_BESIDE: Final[dict[Extra, frozenset[str]]] = {
    "context": frozenset(("none", "allow", "deny")),
    "message": frozenset(("none", "allow")),
}
_ALONE: Final[frozenset[Said]] = frozenset(("none", "allow"))

_UNIVERSAL: Final = frozenset(("continue", "stopReason", "suppressOutput", "systemMessage"))
_DECIDING: Final = _UNIVERSAL | {"decision", "reason", "hookSpecificOutput"}

_ACTIVITY: Final = Life("activity")
_NO_QUESTION: Final = "the agent takes no question: the hook fails and the call runs"

_EXITS: Final = Exits(empty="proceed", invalid="hook-failed", two="block", other="hook-failed", late="proceed")
_REPORTS: Final = _EXITS._replace(two="proceed")
_PLAIN_IS_CONTEXT: Final = _EXITS._replace(invalid="proceed", plain="context")
_PLAIN_REPORT: Final = _REPORTS._replace(invalid="proceed", plain="context")

_EVENTS: Final[dict[str, EventSpec]] = {
    "PreToolUse": EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        answers={
            "none": SILENCE,
            "deny": Form(body=nested(permissionDecision="deny", permissionDecisionReason=Slot.REASON)),
        },
        # An allow is taken with changed arguments only, and the agent's own approval judges the changed call.
        rewrite={"none": nested(permissionDecision="allow", updatedInput=Slot.INPUT)},
        extras={**CONTEXT, **MESSAGE},
        beside=_BESIDE,
        cannot={"halt": "the agent takes no `continue` here: the hook fails and the call runs"},
        stdout_fields=frozenset(("systemMessage", "hookSpecificOutput", "decision", "reason")),
        always=("turn_id",),
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
        cannot={"updated_input": "changed arguments make the hook fail, and the agent asks about the old ones"},
        stdout_fields=frozenset(("systemMessage", "hookSpecificOutput")),
        always=("turn_id",),
    ),
    "PostToolUse": EventSpec(
        canonical="PostToolUse",
        life=_ACTIVITY,
        answers={"deny": block()},  # the reason takes the place of the result
        extras={**CONTEXT, **MESSAGE},
        beside={"context": _ALONE, "message": _ALONE},
        cannot=DONE,
        stdout_fields=_DECIDING - {"suppressOutput"},
        always=("turn_id",),
    ),
    "UserPromptSubmit": EventSpec(
        canonical="UserPromptSubmit",
        life=Life("start", "turn"),
        gate=True,
        answers={"allow": SILENCE, "deny": block(Slot.PEOPLE)},
        extras={**CONTEXT, **HALT},
        halts_with=_ALONE,
        beside={"context": _ALONE},
        stdout_fields=_DECIDING,
        exits=_PLAIN_IS_CONTEXT,
        always=("turn_id",),
    ),
    "PreModelRequest": EventSpec(
        canonical="PreModel",
        life=_ACTIVITY,
        cannot={"deny": "no answer stops a request to the model"},
        exits=_REPORTS,
        register="asked",
        always=("turn_id",),
        unverified="the vendor does not document this event",
    ),
    "PostModelRequest": EventSpec(
        canonical="PostModel",
        life=_ACTIVITY,
        exits=_REPORTS,
        register="asked",
        always=("turn_id",),
        unverified="the vendor does not document this event",
    ),
    "PreCompact": EventSpec(
        canonical="PreCompact",
        life=_ACTIVITY,
        answers={"deny": Form(body=_STOP)},  # interrupts the whole turn; a block and exit 2 are refused
        extras=MESSAGE,
        beside={"message": _ALONE},
        stdout_fields=_UNIVERSAL,
        exits=_REPORTS,
        always=("turn_id",),
    ),
    "PostCompact": EventSpec(canonical="PostCompact", life=_ACTIVITY, exits=_REPORTS, always=("turn_id",)),
    "Stop": EventSpec(
        canonical="Stop",
        life=Life("finish", "turn"),
        answers={"deny": block()},  # the reason is the next prompt; nothing caps how often
        extras=HALT,
        halts_with=frozenset(("none",)),
        cannot=GOES_ON,
        stdout_fields=_DECIDING - {"hookSpecificOutput"},
        always=("turn_id",),
    ),
    "SubagentStop": EventSpec(
        canonical="SubagentStop",
        life=Life("finish"),
        subagent=True,
        answers={"deny": block()},
        extras=HALT,
        halts_with=frozenset(("none",)),
        cannot=GOES_ON,
        stdout_fields=_DECIDING - {"hookSpecificOutput"},
        always=("turn_id",),
    ),
    "SubagentStart": EventSpec(
        canonical="SubagentStart",
        life=Life("start"),
        subagent=True,
        extras=CONTEXT,
        cannot={"deny": "the agent starts the subagent whatever a hook says"},
        exits=_PLAIN_REPORT,
        always=("turn_id",),
    ),
    "SessionStart": EventSpec(
        canonical="SessionStart",
        life=Switch(("source",), {"compact": _ACTIVITY}, Life("start", "session")),
        extras={**CONTEXT, **HALT},
        exits=_PLAIN_REPORT,
        always=("model", "permission_mode"),
    ),
    "Interrupt": EventSpec(
        canonical="",
        life=Life("finish", "turn", "cancelled"),
        extras=MESSAGE,
        stdout_fields=frozenset(("systemMessage",)),
        exits=_REPORTS,
        always=("turn_id",),
    ),
    "SessionEnd": EventSpec(canonical="SessionEnd", life=Life("finish", "session"), exits=_REPORTS),
}

_PATH: Final = {"path": "file_path"}
_SPAWN: Final = {"task_name": "description", "message": "prompt", "agent_type": "subagent_type"}

_TOOLS: Final[dict[str, ToolSpec]] = {
    # `exec_command` and its elder twins; the folder of a call is the payload's `cwd`.
    "Bash": ToolSpec(canonical="bash"),
    "apply_patch": ToolSpec(canonical="patch_apply", renames={"command": "patch", "input": "patch"}, text="patch"),
    "view_image": ToolSpec(canonical="view_image", renames=_PATH),
    # Tools that a model's own configuration may switch on; their arguments are those of the published source.
    "write_stdin": ToolSpec(canonical="write_stdin", renames={"chars": "input"}),
    "grep_files": ToolSpec(canonical="grep", renames={"include": "glob"}),
    "read_file": ToolSpec(canonical="read_file"),
    "list_dir": ToolSpec(canonical="list_directory", renames={"dir_path": "path"}),
    "request_user_input": ToolSpec(canonical="ask_user"),
    "update_plan": ToolSpec(canonical="todo", renames={"plan": "todos"}),
    "list_mcp_resources": ToolSpec(canonical="list_mcp_resources"),
    "list_mcp_resource_templates": ToolSpec(canonical="list_mcp_resources"),
    "read_mcp_resource": ToolSpec(canonical="read_mcp_resource"),
    # Namespace and name are joined without a sign between them.
    "collaborationspawn_agent": ToolSpec(canonical="agent", renames=_SPAWN),
    "collaborationwait_agent": ToolSpec(canonical="wait_for"),
    "collaborationsend_message": ToolSpec(canonical="send_message_to_agent"),
    "collaborationfollowup_task": ToolSpec(canonical="send_message_to_agent"),
    "collaborationinterrupt_agent": ToolSpec(canonical="cancel_background_job"),
}

CODEX: Final = Dialect(
    name="codex",
    title="Codex",
    url="https://developers.openai.com/codex/hooks",
    versions="0.171.0",
    delivery="command",
    fields={
        **KEYS,
        "turn": (("turn_id",),),
        "call": (("tool_use_id",),),
        "subagent_id": (("agent_id",),),
        "subagent_type": (("agent_type",),),
    },
    events=_EVENTS,
    tools=_TOOLS,
    own_tools=("collaborationlist_agents", "create_goal", "get_goal", "update_goal"),
    mcp_prefix="mcp__",
    mcp_joint="__",
    # Not by the exit code: the shell of Windows makes every code 1, which opens. This old form has no event's name.
    blind=block(),
    stdout_fields=_UNIVERSAL | {"hookSpecificOutput"},
    cannot={
        "allow": "an allow without changed arguments makes the hook fail",
        "ask": _NO_QUESTION,
        "defer": "the agent knows no such answer",
    },
    limit=10_000,
    allow_grants=False,
    exits=_EXITS,
    timeouts=Timeouts(
        unit="seconds",
        default=600,
        events={"SessionEnd": 1, "Interrupt": 1},
        ours=60,
        less={"SessionEnd": 3, "Interrupt": 3},  # the agent cuts longer ones to this
    ),
    registration=Registration(
        shape="groups",
        places=(
            Place("user", "any", "home", ".codex/hooks.json"),
            Place("project", "any", "project", ".codex/hooks.json"),
        ),
        # The agent's review keeps a digest of the entry, so the line must not change with our version.
        entry={"type": "command", "command": Slot.LINE, "timeout": Slot.TIMEOUT},
        closing={"command": Slot.CLOSED_LINE},
        closes=frozenset(("other", "dies")),
        review="content-hash",
        fresh="skips",
        powershell=True,
    ),
    # Characters of a server's name other than letters, digits and `_` come as `_`.
    lacks=frozenset(("interactive", "server")),
    programs=("codex",),
    accepted=(".codex/config.toml", ("hooks", "state")),
    never=("prompt_id", "timestamp"),
    unseen=(
        "text typed into a running process (`write_stdin`) fires no hook",
        "web search of the vendor and the search for tools fire no hook; only the agent's settings switch them off",
        "code mode (`exec`) and the desktop app of Windows run commands without hooks",
        "a patch inside a shell command fires a hook before it, none after it",
        "hooks that nobody reviewed in `/hooks` are skipped without a word, also in `codex exec`",
    ),
    unverified=(
        "a message for people beside a deny, and anything beside changed arguments",
        "answers of hooks on Windows, where every exit code is said to become 1",
        "names of tools of models that the agent does not know (`multi_agent_v1.*`)",
        "the files of managed hooks",
    ),
)
