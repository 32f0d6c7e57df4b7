"""Claude Code: https://code.claude.com/docs/en/hooks

Facts are of the hooks page at 2.1.240, the types of the Agent SDK 0.3.332, and of runs of 2.1.197 and 2.1.332.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ostiary.dialects.base import (
    SILENCE,
    Dialect,
    EventSpec,
    Exits,
    Extra,
    Form,
    HttpHook,
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
from ostiary.dialects.forms import (
    CONTEXT,
    DONE,
    EXIT_TWO,
    GOES_ON,
    HALT,
    KEYS,
    MESSAGE,
    TOKEN,
    UPDATED,
    block,
    nested,
    permission,
)

# A known key with a value the schema lacks (a top-level `decision: deny`) voids the whole answer (measured), so each
# form has exactly its event's keys.
_OUTPUT: Final[dict[Extra, Template]] = {"output": nested(updatedToolOutput=Slot.OUTPUT)}
_TOLD: Final[dict[Extra, Template]] = {**CONTEXT, **MESSAGE}
_ALL: Final[dict[Extra, Template]] = {**CONTEXT, **HALT, **MESSAGE}

_COMMON: Final = frozenset(("continue", "stopReason", "suppressOutput", "systemMessage", "hookSpecificOutput"))

_ACTIVITY: Final = Life("activity")
_UNKNOWN: Final = Life("unknown")
_EXITS: Final = Exits(empty="proceed", invalid="proceed", two="block", other="hook-failed", late="proceed")
_REPORTS: Final = Exits(empty="proceed", invalid="proceed", two="proceed", other="hook-failed", late="proceed")
_PLAIN_IS_CONTEXT: Final = _EXITS._replace(plain="context")
_PLAIN_REPORT: Final = _REPORTS._replace(plain="context")

_START: Final = Switch(("source",), {"compact": _ACTIVITY}, Life("start", "session"))
_NOTICE: Final = Switch(
    ("notification_type",),
    {
        "permission_prompt": Life("blocked", blocker="permission"),
        "elicitation_dialog": Life("blocked", blocker="elicitation"),
        "elicitation_url_dialog": Life("blocked", blocker="elicitation"),
        "elicitation_complete": _ACTIVITY,
        "elicitation_response": _ACTIVITY,
        "idle_prompt": Life("finish", "turn"),
    },
    _UNKNOWN,
)


def _report(
    canonical: str, life: Life | Switch = _UNKNOWN, extras: Mapping[Extra, Template] | None = None, since: str = ""
) -> EventSpec:
    """An event that nothing waits for and no answer stops."""
    return EventSpec(canonical=canonical, life=life, extras=extras or {}, exits=_REPORTS, since=since)


_SPECS: Final = (
    EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        answers={
            "none": SILENCE,
            "allow": permission("allow"),
            "ask": permission("ask"),
            "deny": permission("deny"),
        },
        # Without a decision the agent's own rules judge the changed call, and ask about it (measured).
        rewrite={"none": UPDATED, "allow": UPDATED, "ask": UPDATED},
        extras=_ALL,
        # `continue: false` alone lets the tool run first (measured), and the vendor says it goes before a decision.
        halts_with=frozenset(("none", "allow")),
    ),
    EventSpec(
        canonical="PermissionRequest",
        life=Life("blocked", blocker="permission"),
        gate=True,
        answers={
            "allow": Form(body=nested(decision={"behavior": "allow"})),
            "ask": SILENCE,  # the agent is about to ask
            "deny": Form(body=nested(decision={"behavior": "deny", "message": Slot.REASON, "interrupt": False})),
        },
        rewrite={"allow": nested(decision={"updatedInput": Slot.INPUT})},
        extras=MESSAGE,
        cannot={"updated_input": "a question shows the call as it was"},
        stdout_fields=_COMMON,
        exits=_REPORTS,  # exit 2 is ignored and its text dropped
    ),
    EventSpec(
        canonical="PreSkillShellCommand",
        life=_ACTIVITY,
        gate=True,
        answers={"deny": permission("deny")},
        extras=MESSAGE,
        cannot={
            "allow": "what an allow grants here is not documented",
            "ask": "a question refuses the command",
            "updated_input": "a changed command is refused",
        },
        since="2.1.332",
    ),
    EventSpec(
        canonical="PostToolUse", life=_ACTIVITY, answers={"deny": block()}, extras={**_ALL, **_OUTPUT}, cannot=DONE
    ),
    EventSpec(
        canonical="PostToolUseFailure",
        life=_ACTIVITY,
        fields={"output": (("error",),)},
        answers={"deny": block()},
        extras=_ALL,
        cannot=DONE,
    ),
    _report("PermissionDenied", _ACTIVITY, MESSAGE, since="2.1.197"),
    EventSpec(
        canonical="PostToolBatch",
        life=_ACTIVITY,
        fields={"output": (("tool_calls",),)},
        answers={"deny": block()},  # stops the turn
        extras=_ALL,
        cannot=DONE,
        since="2.1.197",
    ),
    EventSpec(
        canonical="UserPromptSubmit",
        life=Life("start", "turn"),
        gate=True,
        answers={"allow": SILENCE, "deny": block(Slot.PEOPLE)},
        extras=_ALL,
        exits=_PLAIN_IS_CONTEXT,
    ),
    EventSpec(
        canonical="UserPromptExpansion",
        gate=True,
        answers={"allow": SILENCE, "deny": block(Slot.PEOPLE)},
        extras=_ALL,
        exits=_PLAIN_IS_CONTEXT,
        since="2.1.240",
    ),
    EventSpec(
        canonical="PreModelSwitch",
        gate=True,
        answers={
            "allow": Form(body=nested(permissionDecision="allow")),
            "ask": permission("ask"),
            "deny": permission("deny"),
        },
        extras=MESSAGE,
        since="2.1.251",
    ),
    _report("PostModelSwitch", _UNKNOWN, _TOLD, since="2.1.251"),
    EventSpec(canonical="PreCompact", life=_ACTIVITY, answers={"deny": block(Slot.PEOPLE)}, extras=MESSAGE),
    _report("PostCompact", _ACTIVITY, MESSAGE, since="2.1.240"),
    EventSpec(
        canonical="Stop",
        life=Life("finish", "turn", "completed"),
        answers={"deny": block()},  # at most 8 in a row; the reason tells what is left to do
        extras=_ALL,
        cannot=GOES_ON,
    ),
    EventSpec(
        canonical="SubagentStop",
        life=Life("finish"),
        subagent=True,
        answers={"deny": block()},
        extras=_ALL,
        cannot=GOES_ON,
    ),
    _report("StopFailure", Life("finish", "turn", "failed"), since="2.1.240"),  # its output is dropped
    EventSpec(
        canonical="SubagentStart",
        life=Life("start"),
        subagent=True,
        extras=_TOLD,
        cannot={"deny": "the agent starts the subagent whatever a hook says"},
        exits=_REPORTS,
    ),
    _report("SessionStart", _START, _TOLD)._replace(exits=_PLAIN_REPORT),
    _report("SessionEnd", Life("finish", "session")),
    _report("Setup", _UNKNOWN, _TOLD, since="2.1.240"),
    _report("InstructionsLoaded", since="2.1.240"),
    _report("Notification", _NOTICE, _TOLD),
    _report("MessageDisplay", since="2.1.240")._replace(register="asked"),  # fires for every piece of text
    EventSpec(canonical="TaskCreated", answers={"deny": block()}, extras=MESSAGE, since="2.1.240"),
    EventSpec(canonical="TaskCompleted", answers={"deny": EXIT_TWO}, extras={**HALT, **MESSAGE}, since="2.1.240"),
    EventSpec(canonical="TeammateIdle", answers={"deny": EXIT_TWO}, extras={**HALT, **MESSAGE}, since="2.1.240"),
    EventSpec(
        canonical="Elicitation",
        life=Life("blocked", blocker="elicitation"),
        gate=True,
        answers={"deny": Form(body=nested(action="decline"))},
        extras=MESSAGE,
        cannot={
            "allow": "an answer to the form is not a hook's to give",
            "ask": "the form is no question about policy",
        },
        since="2.1.240",
    ),
    EventSpec(
        canonical="ElicitationResult",
        life=_ACTIVITY,
        gate=True,
        answers={"allow": SILENCE, "deny": Form(body=nested(action="decline", content={}))},
        extras=MESSAGE,
        since="2.1.240",
    ),
    EventSpec(
        canonical="ConfigChange",
        gate=True,
        answers={
            "allow": SILENCE,
            "deny": Form(body=block(Slot.PEOPLE).body, ignored=("source", "policy_settings")),
        },
        extras=MESSAGE,
        cannot={"deny": "a change of managed settings cannot be stopped"},
        since="2.1.240",
    ),
    _report("CwdChanged", since="2.1.240"),
    _report("FileChanged", since="2.1.240")._replace(register="asked"),  # its matcher says which files to watch
    _report("DirectoryAdded", since="2.1.332"),
    EventSpec(
        canonical="WorktreeCreate",
        answers={"deny": Form(status=1, stderr=Slot.REASON)},
        cannot={"allow": "a hook here has to make the worktree itself"},
        exits=Exits(empty="undocumented", invalid="undocumented", two="block", other="block", late="undocumented"),
        register="never",  # a hook takes the place of the agent's own way to make one
        since="2.1.240",
    ),
    EventSpec(
        canonical="WorktreeRemove",
        exits=_REPORTS,
        register="asked",
        since="2.1.240",
        unverified="whether a hook takes the place of the agent's own clean-up",
    ),
)

# Every event has the name it has here: they were this agent's first.
_EVENTS: Final = {spec.canonical: spec for spec in _SPECS}

_OUTPUTS: Final[dict[str, OutputPlace]] = {
    "Bash": OutputPlace(("stdout",), (("stderr",),)),
    "PowerShell": OutputPlace(("stdout",), (("stderr",),)),
    "Read": OutputPlace(("file", "content")),
}

# Only names differ: the tools' arguments have the canonical names.
_CANONICAL: Final[dict[str, tuple[str, ...]]] = {
    "bash": ("Bash",),
    "powershell": ("PowerShell",),
    "monitor": ("Monitor",),
    "read_file": ("Read",),
    "write_file": ("Write",),
    "edit_file": ("Edit", "MultiEdit"),
    "notebook_edit": ("NotebookEdit",),
    "glob": ("Glob",),
    "grep": ("Grep",),
    "list_directory": ("LS",),
    "web_scrape": ("WebFetch",),
    "web_search": ("WebSearch",),
    "agent": ("Agent", "Task"),
    "skill": ("Skill",),
    "ask_user": ("AskUserQuestion",),
    "plan": ("EnterPlanMode", "ExitPlanMode"),
    "todo": ("TodoWrite", "TaskCreate", "TaskUpdate", "TaskGet", "TaskList"),
    "wait_for": ("TaskOutput", "BashOutput"),
    "cancel_background_job": ("TaskStop", "KillShell"),
    "create_schedule": ("CronCreate",),
    "list_schedules": ("CronList",),
    "cancel_schedule": ("CronDelete",),
    "worktree": ("EnterWorktree", "ExitWorktree"),
    "send_message_to_agent": ("SendMessage",),
    "read_mcp_resource": ("ReadMcpResourceTool", "ReadMcpResourceDir"),
    "list_mcp_resources": ("ListMcpResourcesTool",),
}

_TOOLS: Final[dict[str, ToolSpec]] = {
    native: ToolSpec(canonical=canonical, output=_OUTPUTS.get(native))
    for canonical, natives in _CANONICAL.items()
    for native in natives
}

_OWN_TOOLS: Final = (
    "Artifact",
    "LSP",
    "ListAgents",
    "PushNotification",
    "RemoteTrigger",
    "ReportFindings",
    "ScheduleWakeup",
    "SendUserFile",
    "ShareOnboardingGuide",
    "ToolSearch",
    "WaitForMcpServers",
    "Workflow",
)

CLAUDE_CODE: Final = Dialect(
    name="claude-code",
    title="Claude Code",
    url="https://code.claude.com/docs/en/hooks",
    versions="2.1.197 to 2.1.332",
    delivery="command",
    fields={
        **KEYS,
        "turn": (("prompt_id",),),
        "call": (("tool_use_id",),),
        "server": (("mcp_server", "name"),),
        "server_source": (("mcp_server", "source"),),
        # The main session can carry a type too (an agent chosen at the start), never an id.
        "subagent_id": (("agent_id",),),
        "subagent_type": (("agent_type",),),
    },
    events=_EVENTS,
    tools=_TOOLS,
    own_tools=_OWN_TOOLS,
    mcp_prefix="mcp__",
    mcp_joint="__",
    blind=EXIT_TWO,
    stdout_fields=_COMMON | {"decision", "reason"},
    cannot={
        "ask": "the agent has no question here",
        "defer": "it is honoured only in a run without a person, alone in its turn, which no payload tells",
    },
    limit=10_000,
    allow_grants=True,
    exits=_EXITS,
    timeouts=Timeouts(
        unit="seconds",
        default=600,
        events={"UserPromptSubmit": 30, "MessageDisplay": 10, "SessionEnd": 1.5},
        ours=60,
    ),
    registration=Registration(
        shape="groups",
        places=(
            Place("user", "any", "home", ".claude/settings.json"),
            Place("project", "any", "project", ".claude/settings.json"),
            Place("local", "any", "project", ".claude/settings.local.json"),
            Place("managed", "linux", "/", "/etc/claude-code/managed-settings.json"),
            Place("managed", "macos", "/", "/Library/Application Support/ClaudeCode/managed-settings.json"),
            Place("managed", "windows", "/", "C:/Program Files/ClaudeCode/managed-settings.json"),
        ),
        entry={
            "type": "command",
            "command": Slot.PROGRAM,
            "args": Slot.ARGUMENTS,
            "timeout": Slot.TIMEOUT,
        },
        # Since 2.1.295; older versions ignore the key and stay open where a hook cannot run (measured).
        closing={"onFailure": "block"},
        closes=frozenset(("invalid", "other", "dies", "late")),  # measured on 2.1.332
        http=HttpHook(
            entry={
                "type": "http",
                "url": Slot.URL,
                "headers": {"Authorization": f"Bearer ${TOKEN}"},
                "allowedEnvVars": [TOKEN],
                "timeout": Slot.TIMEOUT,
            },
            commands=frozenset(("SessionStart", "Setup")),
        ),
        review="workspace",
        fresh="runs",
    ),
    lacks=frozenset(("interactive",)),
    env={"session": ("CLAUDE_CODE_SESSION_ID",)},
    programs=("claude",),
    never=("timestamp",),
    unseen=(
        "files named with `@` in a prompt are read without a hook",
        "before 2.1.332 commands inside skills (`!`) run without a hook",
        "calls that the agent itself rejects as malformed fire no hook",
    ),
    unverified=(
        "a deny together with `continue: false`",
        "the place of managed settings on Windows (older builds: C:/ProgramData/ClaudeCode)",
        "what an allow grants at PreSkillShellCommand",
    ),
)
