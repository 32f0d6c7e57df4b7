"""Qwen Code: https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks/

Facts are of runs of 0.24.4 and of the vendor's page. Hooks look like Claude Code's and are merged otherwise: of nested
decisions the last one wins, whichever hook it is from, and it wins over exit code 2 (measured).
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
from ostiary.dialects.forms import CONTEXT, GOES_ON, KEYS, block, nested, permission

# The only deny that was seen to hold beside another hook's allow, before or after it; the run goes on.
_DENY: Final = Form(
    body={
        **nested(permissionDecision="deny", permissionDecisionReason=Slot.REASON),
        "decision": "deny",
        "continue": False,
        "stopReason": Slot.REASON,
    }
)


_ACTIVITY: Final = Life("activity")
_NO_RESULT: Final = {
    "ask": "what happened cannot be asked about any more",
    "deny": "a block after a tool was seen to do nothing",
}

# A silent exit 2 opens (measured).
_EXITS: Final = Exits(empty="proceed", invalid="proceed", two="block", other="hook-failed", late="proceed")
_REPORTS: Final = _EXITS._replace(two="proceed")

_NOTICE: Final = Switch(
    ("notification_type",),
    {"permission_prompt": Life("blocked", blocker="permission"), "idle_prompt": Life("finish", "turn")},
    Life("unknown"),
)
_START: Final = Switch(("source",), {"compact": _ACTIVITY}, Life("start", "session"))


def _report(canonical: str, life: Life | Switch, extras: dict[Extra, Template] | None = None) -> EventSpec:
    """An event that nothing waits for and no answer stops."""
    return EventSpec(canonical=canonical, life=life, extras=extras or {}, exits=_REPORTS)


_EVENTS: Final[dict[str, EventSpec]] = {
    "PreToolUse": EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        answers={"allow": permission("allow"), "ask": permission("ask"), "deny": _DENY},
        cannot={
            "updated_input": "the agent runs the call as it was, whatever arguments a hook gives back",
            "context": "context before a tool was seen not to arrive",
            "halt": "the agent refuses one call at `continue: false`, and the run goes on",
        },
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
        cannot={"updated_input": "changed arguments were never seen to be taken"},
        unverified="all of it: the event was never seen",
    ),
    "PostToolUse": EventSpec(canonical="PostToolUse", life=_ACTIVITY, extras=CONTEXT, cannot=_NO_RESULT),
    "PostToolUseFailure": EventSpec(
        canonical="PostToolUseFailure",
        life=_ACTIVITY,
        fields={"output": (("error",),)},
        extras=CONTEXT,
        cannot=_NO_RESULT,
    ),
    "UserPromptSubmit": EventSpec(
        canonical="UserPromptSubmit",
        # Also for the results of tools, with an empty prompt.
        life=Life("start", "turn"),
        gate=True,
        answers={"allow": SILENCE, "deny": block(Slot.PEOPLE)},
        extras=CONTEXT,
        exits=_EXITS._replace(plain="context"),
    ),
    "Stop": EventSpec(
        canonical="Stop", life=Life("finish", "turn", "completed"), answers={"deny": block()}, cannot=GOES_ON
    ),
    "SubagentStop": EventSpec(
        canonical="SubagentStop", life=Life("finish"), subagent=True, answers={"deny": block()}, cannot=GOES_ON
    ),
    "SubagentStart": EventSpec(
        canonical="SubagentStart",
        life=Life("start"),
        subagent=True,
        extras=CONTEXT,
        cannot={"deny": "the vendor names no answer that stops a subagent"},
        exits=_REPORTS,
    ),
    "SessionStart": _report("SessionStart", _START, CONTEXT),
    "SessionEnd": _report("SessionEnd", Life("finish", "session")),
    "PreCompact": _report("PreCompact", _ACTIVITY)._replace(cannot={"deny": "no answer stops a compaction"}),
    "Notification": _report("Notification", _NOTICE),
}

_FILE: Final = {"file_path": "file_path", "absolute_path": "file_path"}
_OUTPUT: Final = OutputPlace(("llmContent",), (("returnDisplay",),))

_TOOLS: Final[dict[str, ToolSpec]] = {
    name: spec._replace(output=_OUTPUT)
    for name, spec in {
        "run_shell_command": ToolSpec(canonical="bash", workdir=("directory",)),
        "read_file": ToolSpec(canonical="read_file", renames=_FILE),
        "zoom_image": ToolSpec(canonical="view_image"),
        "write_file": ToolSpec(canonical="write_file"),
        "edit": ToolSpec(canonical="edit_file"),
        "replace": ToolSpec(canonical="edit_file"),
        "notebook_edit": ToolSpec(canonical="notebook_edit"),
        "glob": ToolSpec(canonical="glob"),
        "grep_search": ToolSpec(canonical="grep"),
        "search_file_content": ToolSpec(canonical="grep", renames={"include": "glob"}),
        "list_directory": ToolSpec(canonical="list_directory"),
        "web_fetch": ToolSpec(canonical="web_scrape", urls="prompt"),
        "web_search": ToolSpec(canonical="web_search"),
        "agent": ToolSpec(canonical="agent"),
        "task": ToolSpec(canonical="agent"),
        "skill": ToolSpec(canonical="skill"),
        "ask_user_question": ToolSpec(canonical="ask_user"),
        "enter_plan_mode": ToolSpec(canonical="plan"),
        "exit_plan_mode": ToolSpec(canonical="plan"),
        "todo_write": ToolSpec(canonical="todo"),
        "task_create": ToolSpec(canonical="todo"),
        "task_get": ToolSpec(canonical="todo"),
        "task_list": ToolSpec(canonical="todo"),
        "task_update": ToolSpec(canonical="todo"),
        "task_output": ToolSpec(canonical="wait_for"),
        "task_stop": ToolSpec(canonical="cancel_background_job"),
        "cron_create": ToolSpec(canonical="create_schedule"),
        "cron_list": ToolSpec(canonical="list_schedules"),
        "cron_delete": ToolSpec(canonical="cancel_schedule"),
        "enter_worktree": ToolSpec(canonical="worktree"),
        "exit_worktree": ToolSpec(canonical="worktree"),
    }.items()
}

QWEN_CODE: Final = Dialect(
    name="qwen-code",
    title="Qwen Code",
    url="https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks/",
    versions="0.24.4",
    delivery="command",
    fields={
        **KEYS,
        "turn": (("prompt_id",),),
        "call": (("tool_use_id",),),
        "subagent_id": (("agent_id",),),
        "subagent_type": (("agent_type",),),
    },
    events=_EVENTS,
    tools=_TOOLS,
    own_tools=("get_goal", "list_agents", "lsp", "save_memory", "tool_call", "tool_search", "update_goal"),
    mcp_prefix="mcp__",
    mcp_joint="__",
    blind=Form(status=2, stderr=Slot.REASON),
    stdout_fields=frozenset(
        ("continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason", "hookSpecificOutput")
    ),
    cannot={
        "allow": "the agent takes no allow here",
        "ask": "the agent has no question here",
        "defer": "the agent knows no such answer",
    },
    limit=10_000,
    allow_grants=True,
    exits=_EXITS,
    # The agent reads seconds below 1000 and milliseconds from there on; the vendor's page knows milliseconds only. So
    # what is registered has to be right either way.
    timeouts=Timeouts(unit="milliseconds", default=60_000, ours=60),
    registration=Registration(
        shape="groups",
        places=(
            Place("user", "any", "home", ".qwen/settings.json"),
            Place("project", "any", "project", ".qwen/settings.json"),
        ),
        entry={"type": "command", "command": Slot.LINE, "timeout": Slot.TIMEOUT},
        # A project's `.env` reaches the shell, which is bash (measured): `SHELLOPTS=noexec` made it skip every hook.
        closing={"command": Slot.BASH_LINE},
        closes=frozenset(("other", "dies")),
        http=HttpHook(unfit="it lets calls run where no server answers, and nothing makes it stop"),
        review="workspace",
        fresh="runs",
        syntax="comments",  # read in 0.24.4
    ),
    # A server's name is flattened inside the tool's.
    lacks=frozenset(("interactive", "server")),
    programs=("qwen",),
    overruled="a nested allow of another hook wins over exit code 2; the deny that is sent here was seen to hold",
    always=("timestamp",),
    unseen=(
        "`disableAllHooks` in a settings file switches all hooks off",
        "variables of the project's `.env` reach hooks and the shell that starts them: one that loads code into either "
        "(`LD_PRELOAD`, `PS4` with `SHELLOPTS=xtrace`) can undo an answer",
        "in its default mode without a person the agent offers no shell and no tools that write",
    ),
    unverified=(
        "a question in a run with a person",
        "which arguments a hook sees of a tool that was called by way of `tool_call`",
        "long names of MCP tools, which the agent cuts in the middle",
        "a deny at the end of a turn",
        "the settings of the system",
    ),
)
