"""Factory Droid: https://docs.factory.ai/harness/hooks

Facts are of runs of 0.215.0 and of the vendor's pages.
"""

from __future__ import annotations

from typing import Final

from ostiary.dialects.base import (
    SILENCE,
    Dialect,
    EventSpec,
    Exits,
    Life,
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
    EXIT_TWO,
    GOES_ON,
    HALT,
    KEYS,
    OPEN,
    UPDATED,
    WATCHED,
    block,
    permission,
    tools,
)

_ACTIVITY: Final = Life("activity")
_EXITS: Final = Exits(empty="proceed", invalid="proceed", two="block", other="hook-failed", late="proceed")
_REPORTS: Final = _EXITS._replace(two="proceed")

# The first hook in the file that decides wins, so a deny may lose to an allow; exit code 2 always wins (measured).
_DENY: Final = permission("deny")._replace(status=2, stderr=Slot.REASON)

_EVENTS: Final[dict[str, EventSpec]] = {
    "PreToolUse": EventSpec(
        canonical="PreToolUse",
        life=_ACTIVITY,
        gate=True,
        answers={"none": SILENCE, "allow": permission("allow"), "deny": _DENY},
        rewrite={"none": UPDATED, "allow": UPDATED},
        extras=HALT,  # the call does not run, and the run ends
        halts_with=OPEN,
        beside={"halt": OPEN},
        cannot={
            "ask": "a question of a hook was never seen to stop a call: it runs",
            "context": "the agent reads no context before a tool",
            "updated_input": "the agent merges changed arguments into the old ones, so none can be left out",
        },
    ),
    "PostToolUse": EventSpec(
        canonical="PostToolUse",
        life=_ACTIVITY,
        extras=CONTEXT,
        cannot={**WATCHED, "ask": "what happened cannot be asked about any more"},
        exits=_REPORTS,
    ),
    "UserPromptSubmit": EventSpec(
        canonical="UserPromptSubmit",
        life=Life("start", "turn"),
        gate=True,
        answers={"allow": SILENCE, "deny": block(Slot.PEOPLE)},
        extras=CONTEXT,
        beside=BESIDE_OPEN,
        exits=_EXITS._replace(plain="context"),
        unverified="`droid exec` does not send this event, so no answer to it was tried",
    ),
    "Stop": EventSpec(
        canonical="Stop",
        life=Life("finish", "turn", "completed"),
        answers={"deny": block()},
        cannot=GOES_ON,
        unverified="no answer was tried",
    ),
    "SubagentStop": EventSpec(
        canonical="SubagentStop",
        life=Life("finish"),
        subagent=True,
        answers={"deny": block()},
        cannot=GOES_ON,
        unverified="no answer was tried",
    ),
    "PreCompact": EventSpec(canonical="PreCompact", life=_ACTIVITY, cannot=WATCHED, exits=_REPORTS),
    "Notification": EventSpec(
        canonical="Notification",
        life=Switch(
            ("notification_type",), {"permission_prompt": Life("blocked", blocker="permission")}, Life("unknown")
        ),
        exits=_REPORTS,
    ),
    "SessionStart": EventSpec(
        canonical="SessionStart", life=Life("start", "session"), exits=_REPORTS._replace(plain="context")
    ),
    "SessionEnd": EventSpec(canonical="SessionEnd", life=Life("finish", "session"), exits=_REPORTS),
}

_TOOLS: Final = {
    **tools(
        bash=("Execute",),
        read_file=("Read",),
        write_file=("Create", "Write"),
        grep=("Grep",),
        glob=("Glob",),
        web_scrape=("WebFetch", "FetchUrl"),
        web_search=("WebSearch",),
        agent=("Task",),
        skill=("Skill",),
        todo=("TodoWrite",),
        wait_for=("TaskOutput",),
        cancel_background_job=("TaskStop",),
    ),
    "Edit": ToolSpec("edit_file", {"old_str": "old_string", "new_str": "new_string", "change_all": "replace_all"}),
    "ApplyPatch": ToolSpec("patch_apply", {"input": "patch"}, text="patch"),
    "LS": ToolSpec("list_directory", {"directory_path": "path"}),
}

FACTORY_DROID: Final = Dialect(
    name="factory-droid",
    title="Factory Droid",
    url="https://docs.factory.ai/harness/hooks",
    versions="0.215.0",
    delivery="command",
    fields=KEYS,
    events=_EVENTS,
    tools=_TOOLS,
    own_tools=("ToolSearch",),
    mcp_prefix="mcp__",
    mcp_joint="__",
    blind=EXIT_TWO,
    stdout_fields=frozenset(("continue", "stopReason", "decision", "reason", "hookSpecificOutput")),
    cannot={"ask": "the agent has no question here", "defer": "the agent does not know it"},
    limit=10_000,
    allow_grants=True,
    exits=_EXITS,
    timeouts=Timeouts(unit="seconds", default=60, ours=60),
    registration=Registration(
        shape="groups",
        places=(
            Place("user", "any", "home", ".factory/settings.json"),
            Place("project", "any", "project", ".factory/settings.json"),
        ),
        entry={"type": "command", "command": Slot.LINE, "timeout": Slot.TIMEOUT},
        closing={"command": Slot.CLOSED_LINE},
        closes=frozenset(("other", "dies")),
        review="none",
        fresh="runs",
        syntax="comments",  # these two: read in 0.215.0
        hidden_by=("hooks.json", "hooks/hooks.json"),
    ),
    lacks=frozenset(("interactive", "server", "subagent")),
    always=("permission_mode", "transcript_path"),
    never=("tool_use_id", "timestamp", "turn_id", "prompt_id"),
    rewrites="merged",
    programs=("droid",),
    overruled="the first hook that decides wins, so another one's allow can run a changed call; the deny that is sent "
    "here was seen to hold",
    folders=(".factory",),
    unseen=(
        "events that a `hooks.json` beside the settings names are not read from the settings",
        "hooks in `settings.local.json` are not read",
        "a hook that runs out of time lets the call run, unless it had printed a deny",
        "`droid exec` sends no prompt to hooks",
    ),
    unverified=(
        "the default time-out",
        "older versions with keys in camel case, which are refused here",
        "the arguments of LS, Grep, Glob, ApplyPatch and the web tools, and the names of MCP tools",
    ),
)
