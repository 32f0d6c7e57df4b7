"""Settings files of afk: https://github.com/griffinwork40/agent-afk

Facts are of its reference of hook events. Hooks run one after the other, commands only; times are milliseconds, 30 000
at most.
"""

from __future__ import annotations

from typing import Final

from ostiary.foreign import Origin, options
from ostiary.foreign.cursor import Cursor
from ostiary.foreign.formats import EVERYTHING, NOTHING, TOOL, Format, Hook, Subject, program
from ostiary.foreign.options import A_TEXT, Option
from ostiary.matchers.tool import LONGEST, compile_foreign_tool
from ostiary.policy import HandlerPlan
from ostiary.policy.plan import Plan
from ostiary.spelling import shown

_LONGEST_SECONDS: Final = 30.0
_LONGEST_AT_STOP: Final = 5.0
"""What a hook may take, and has where it says nothing."""

EVENTS: Final = {
    **dict.fromkeys(("SessionStart", "SessionEnd", "SubagentStart", "SubagentStop"), NOTHING),
    **dict.fromkeys(("PreToolUse", "PostToolUse", "PostToolUseFailure"), TOOL),
    **dict.fromkeys(("PreCompact", "Stop", "UserPromptSubmit"), NOTHING),
}

_TIMES: Final = ("timeout_ms", "timeout")

_COMMAND: Final = (Option("command", "command", options.text, A_TEXT, must=True),)
_KEYS: Final = frozenset(("type", "command", "timeout", "timeout_ms"))


def matcher(cursor: Cursor, subject: Subject) -> Plan | None:
    """The condition that a matcher is, which is one on tools. At other events it is not looked at, but an invalid one
    is told all the same."""
    value = cursor.value
    if not isinstance(value, str | None):
        cursor.warn("a matcher is one text: without one the group is for every tool", 'write names as `"Edit|Write"`')
        return EVERYTHING
    if value is not None and len(value) > LONGEST:
        cursor.warn(f"the matcher has more than {LONGEST} characters: it fits only a tool of that very name")
        return ("tool", "literal", value) if subject == TOOL else EVERYTHING
    plan, warning = compile_foreign_tool(value)
    if warning:
        cursor.warn(warning)
    return plan if subject == TOOL else EVERYTHING


def hook(entry: Cursor, event: str, origin: Origin) -> Hook | None:
    """One entry, None for one that is skipped."""
    kind = entry.member("type").value
    if isinstance(kind, str) and kind != "command":
        entry.member("type").warn(f"the hook is skipped: the type `{shown(kind)}` is not supported", "use `command`")
        return None
    if kind is None:
        entry.warn("the hook is skipped: it has no `type`", 'add `"type": "command"`')
        return None
    spec = options.read(entry, _COMMAND)
    if spec is None:
        return None
    options.unread(entry, _KEYS)
    return Hook(HandlerPlan("command", program(spec, origin), origin.folder, _timeout(entry, event)))


def _timeout(entry: Cursor, event: str) -> float:
    """Seconds: `timeout_ms` if that is a positive number, else `timeout`, which is in seconds as Claude Code has it."""
    milliseconds, whole = (options.seconds(entry.member(key).value) for key in _TIMES)
    found = milliseconds / 1000 if milliseconds is not None else whole
    most = _LONGEST_AT_STOP if event == "Stop" else _LONGEST_SECONDS
    return min(found, most) if found is not None else most


AFK: Final = Format("afk", EVENTS, told=False, matcher=matcher, hook=hook)
