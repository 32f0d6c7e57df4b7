"""Event names as a rule file writes them."""

from __future__ import annotations

from typing import Any, Final

from ostiary.event import EVENTS, unknown_event
from ostiary.matchers.base import refuse, text

# What other tools call an event; written here, each is an error that offers the canonical name.
FOREIGN: Final = {
    "beforetool": "PreToolUse",
    "beforetooluse": "PreToolUse",
    "beforetoolcall": "PreToolUse",
    "beforeshellexecution": "PreToolUse",
    "beforemcpexecution": "PreToolUse",
    "beforereadfile": "PreToolUse",
    "pretool": "PreToolUse",
    "toolexecutebefore": "PreToolUse",
    "aftertool": "PostToolUse",
    "aftertooluse": "PostToolUse",
    "aftertoolcall": "PostToolUse",
    "aftershellexecution": "PostToolUse",
    "aftermcpexecution": "PostToolUse",
    "afterfileedit": "PostToolUse",
    "posttool": "PostToolUse",
    "toolexecuteafter": "PostToolUse",
    "errortool": "PostToolUseFailure",
    "permissionask": "PermissionRequest",
    "beforeagent": "UserPromptSubmit",
    "beforesubmitprompt": "UserPromptSubmit",
    "userpromptsubmitted": "UserPromptSubmit",
    "chatmessage": "UserPromptSubmit",
    "afteragent": "Stop",
    "agentstop": "Stop",
    "beforemodel": "PreModel",
    "aftermodel": "PostModel",
    "precompress": "PreCompact",
    "sessioncompacting": "PreCompact",
    "sessioncreated": "SessionStart",
}
_SWITCHES: Final = ("yes", "no", "on", "off", "y", "n")
_FOLDED: Final = {name.lower(): name for name in EVENTS}


def event(value: Any) -> str:
    """A canonical event name. Raises the error of `matchers.base.refuse` for any other."""
    if isinstance(value, bool) or value in _SWITCHES:
        raise refuse("`on` names events, and switches nothing", "without it a rule is judged before every tool call")
    name = text(value)
    if name in EVENTS:
        return name
    folded = "".join(char for char in name.lower() if char.isalnum())
    canonical = _FOLDED.get(folded) or FOREIGN.get(folded)
    message, help = unknown_event(name)
    raise refuse(message, f"its name here is `{canonical}`" if canonical else help)
