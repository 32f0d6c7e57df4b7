"""GitHub Copilot CLI: https://docs.github.com/en/copilot/reference/hooks-reference

Facts are of runs of 1.0.102 and of the vendor's reference. An event that is registered in camel case sends camel case
without the event's name, and reads flat answers; one in Pascal case sends snake case with Claude Code's names for some
tools, and reads nested answers. Any exit code but 0 denies a call, and its text on standard error reaches nobody.
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
    FieldName,
    Form,
    HttpHook,
    Life,
    OutputPlace,
    Path,
    Place,
    Registration,
    Slot,
    Switch,
    Template,
    Timeouts,
    ToolSpec,
)
from ostiary.dialects.forms import BESIDE_OPEN, CONTEXT, GOES_ON, UPDATED, WATCHED, block, permission
from ostiary.dialects.kin import ForeignHooks

_ACTIVITY: Final = Life("activity")
_GATE: Final = Exits(empty="proceed", invalid="proceed", two="block", other="block", late="proceed")
_REPORTS: Final = Exits(empty="proceed", invalid="proceed", two="proceed", other="hook-failed", late="proceed")

_FLAT: Final[dict[Extra, Template]] = {"context": {"additionalContext": Slot.CONTEXT}}
_DENY: Final[Template] = {"permissionDecision": "deny", "permissionDecisionReason": Slot.REASON}
# Both styles read the flat deny, and another agent that runs this hook understands the exit code.
_CLOSED: Final = Form(body=_DENY, status=2, stderr=Slot.REASON)
_SUBAGENT: Final = Life("finish")

_PASCAL: Final[Mapping[FieldName, tuple[Path, ...]]] = {
    "session": (("session_id",),),
    "tool": (("tool_name",),),
    "input": (("tool_input",),),
    "output": (("tool_result",),),
    "transcript": (("transcript_path",),),
}
_NOTICE: Final = Switch(
    ("notification_type",), {"permission_prompt": Life("blocked", blocker="permission")}, Life("unknown")
)


def _report(canonical: str, life: Life | Switch, extras: Mapping[Extra, Template] | None = None) -> EventSpec:
    """An event that nothing waits for and no answer stops."""
    return EventSpec(canonical=canonical, life=life, extras=extras or {}, cannot=WATCHED, exits=_REPORTS)


def _finish(canonical: str, life: Life) -> EventSpec:
    return EventSpec(
        canonical=canonical, life=life, answers={"deny": block()}, cannot=GOES_ON, exits=_REPORTS
    )  # at most 8 in a row


_CAMEL_EVENTS: Final[dict[str, EventSpec]] = {
    "preToolUse": EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        answers={
            "allow": Form(body={"permissionDecision": "allow"}),
            "ask": Form(body={**_DENY, "permissionDecision": "ask"}),
            "deny": Form(body=_DENY),
        },
        rewrite={"allow": {"modifiedArgs": Slot.INPUT}},
        cannot={
            "context": "the agent reads no context before a tool",
            "updated_input": "changed arguments are taken with an allow only, and not where they came as text",
        },
        exits=_GATE,
        unread=_CLOSED,
        always=("toolName",),
    ),
    "permissionRequest": EventSpec(
        canonical="PermissionRequest",
        life=Life("blocked", blocker="permission"),
        gate=True,
        aliases=("PermissionRequest",),
        answers={
            "allow": Form(body={"behavior": "allow"}),
            "ask": SILENCE,  # the agent is about to ask
            "deny": Form(body={"behavior": "deny", "message": Slot.REASON}),
        },
        cannot={"updated_input": "a question shows the call as it was"},
        exits=_GATE,
        unread=Form(body={"behavior": "deny", "message": Slot.REASON}, status=2, stderr=Slot.REASON),
        always=("toolName",),
    ),
    "postToolUse": _report("PostToolUse", _ACTIVITY, {**_FLAT, "output": {"modifiedResult": Slot.OUTPUT}}),
    "postToolUseFailure": _report("PostToolUseFailure", _ACTIVITY)._replace(fields={"output": (("error",),)}),
    "userPromptSubmitted": _report("UserPromptSubmit", Life("start", "turn")),
    "userPromptTransformed": _report("", _ACTIVITY)._replace(register="asked"),
    "agentStop": _finish("Stop", Life("finish", "turn", "completed")),
    "subagentStop": _finish("SubagentStop", _SUBAGENT)._replace(subagent=True),
    "subagentStart": _report("SubagentStart", Life("start"), _FLAT)._replace(subagent=True),
    "sessionStart": _report("SessionStart", Life("start", "session"), _FLAT),
    "sessionEnd": _report("SessionEnd", Life("finish", "session")),
    "preCompact": _report("PreCompact", _ACTIVITY),
    "notification": _report("Notification", _NOTICE, _FLAT)._replace(aliases=("Notification",)),
    "errorOccurred": _report("", _ACTIVITY),
}

_PASCAL_EVENTS: Final[dict[str, EventSpec]] = {
    "PreToolUse": EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        answers={"none": SILENCE, "allow": permission("allow"), "ask": permission("ask"), "deny": permission("deny")},
        rewrite={"none": UPDATED, "allow": UPDATED},
        extras=CONTEXT,
        beside=BESIDE_OPEN,
        cannot={"updated_input": "a question was never seen to show a changed call"},
        exits=_GATE,
        unread=_CLOSED,
        always=("tool_name",),
    ),
    "PostToolUse": _report("PostToolUse", _ACTIVITY),
    "UserPromptSubmit": _report("UserPromptSubmit", Life("start", "turn")),
    "Stop": _finish("Stop", Life("finish", "turn", "completed")),
    "SessionStart": _report("SessionStart", Life("start", "session")),
    "SessionEnd": _report("SessionEnd", Life("finish", "session")),
}

_EVENTS: Final = {
    **_CAMEL_EVENTS,
    **{name: spec._replace(fields=_PASCAL, register="asked") for name, spec in _PASCAL_EVENTS.items()},
}

_TEXT: Final = OutputPlace(("textResultForLlm",))


def _tool(canonical: str, text_tool: str = "", **renames: str) -> ToolSpec:
    return ToolSpec(canonical, renames, text="patch" if text_tool else "", text_tool=text_tool, output=_TEXT)


# With some models every edit is a patch, under the name of its tool or that of an edit; it comes as bare text.
_EDIT: Final = _tool(
    "edit_file", "patch_apply", path="file_path", old_str="old_string", new_str="new_string", diff="new_string"
)
_CREATE: Final = _tool("write_file", "patch_apply", path="file_path", file_text="content")
_VIEW: Final = _tool("read_file", path="file_path")

_TOOLS: Final[dict[str, ToolSpec]] = {
    "bash": _tool("bash"),
    "powershell": _tool("powershell"),
    "view": _VIEW,
    "create": _CREATE,
    "edit": _EDIT,
    "apply_patch": _tool("patch_apply", "patch_apply"),
    "grep": _tool("grep"),
    "rg": _tool("grep"),
    "glob": _tool("glob"),
    "web_fetch": _tool("web_scrape"),
    "web_search": _tool("web_search"),
    "task": _tool("agent", agent_type="subagent_type"),
    "skill": _tool("skill"),
    "ask_user": _tool("ask_user"),
    "update_todo": _tool("todo"),
    "read_bash": _tool("wait_for"),
    "stop_bash": _tool("cancel_background_job"),
    "Bash": _tool("bash"),
    "Read": _VIEW,
    "Write": _CREATE,
    "Edit": _EDIT,
}

COPILOT_CLI: Final = Dialect(
    name="copilot-cli",
    title="GitHub Copilot CLI",
    url="https://docs.github.com/en/copilot/reference/hooks-reference",
    versions="1.0.102",
    delivery="command",
    fields={
        "event": (("hook_event_name",), ("hookName",)),
        "session": (("sessionId",), ("session_id",)),
        "cwd": (("cwd",),),
        "transcript": (("transcriptPath",),),
        "tool": (("toolName",),),
        "input": (("toolArgs",), ("toolInput",)),
        "output": (("toolResult",),),
        "prompt": (("prompt",),),
    },
    events=_EVENTS,
    tools=_TOOLS,
    own_tools=(
        "fetch_copilot_cli_documentation",
        "list_agents",
        "list_bash",
        "read_agent",
        "session_store_sql",
        "sql",
        "write_agent",
    ),
    mcp_prefix="",
    mcp_joint="",  # `server-tool`, and both may hold hyphens
    blind=_CLOSED,
    stdout_fields=frozenset(
        (
            *("permissionDecision", "permissionDecisionReason", "modifiedArgs", "behavior", "message", "interrupt"),
            *("modifiedResult", "additionalContext", "decision", "reason", "hookSpecificOutput"),
        )
    ),
    cannot={
        "ask": "the agent has no question here",
        "defer": "the agent does not know it",
        "halt": "the call runs in spite of it",
        "message": "the agent shows no message of a hook",
    },
    limit=10_000,
    allow_grants=True,
    exits=_REPORTS,
    timeouts=Timeouts(unit="seconds", default=30, ours=60),
    registration=Registration(
        shape="entries",
        places=(
            Place("user", "any", "home", ".copilot/hooks/ostiary.json"),
            Place("project", "any", "project", ".github/hooks/ostiary.json"),
        ),
        entry={"type": "command", "bash": Slot.LINE, "powershell": Slot.LINE, "timeoutSec": Slot.TIMEOUT},
        http=HttpHook(unfit="it sends what comes before a tool to no port of this machine"),
        review="workspace",
        fresh="skips",
        fixed={"version": 1},
        powershell=True,
    ),
    lacks=frozenset(("event", "interactive", "mode", "server", "subagent")),
    shares=frozenset(("gemini-cli or copilot-cli",)),
    runs_hooks_of=(
        ForeignHooks(
            "claude-code",
            (".claude/settings.json", ".claude/settings.local.json"),
            {name: name for name in _PASCAL_EVENTS},
        ),
        ForeignHooks(
            "vscode",
            (".copilot/hooks/*.json", ".github/hooks/*.json"),
            {name: name for name in _PASCAL_EVENTS},
            same_answers=True,  # these folders are its own too, and it reads such names (measured)
        ),
    ),
    mcp_unnamed=True,
    always=("timestamp", "cwd"),
    never=("hookEventName", "permission_mode"),
    programs=("copilot",),
    folders=(".copilot",),
    unseen=(
        "a hook that runs out of time lets the call run, though it printed a deny",
        "calls at the same time wait for each other's hooks",
        "hooks of the project run only in trusted folders, and are skipped without a word before",
        "VS Code reads the same folders: its calls come here too, and are judged as its own",
        "hooks do not run for questions about reading files",
    ),
    unverified=(
        "versions 1.0.53 to 1.0.56 are said to have answered a hook's question themselves",
        "the key `powershell` of an entry (`bash` was measured)",
        "context and changed results of the events in Pascal case after a tool",
    ),
)
