"""Event names as a rule file writes them."""

from __future__ import annotations

from typing import Any, Final

from ostiary.event import EVENTS
from ostiary.matchers.base import refuse, text
from ostiary.spelling import nearest_help, shown

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
_FOLDED: Final = {name.lower(): name for name in EVENTS}


def event(value: Any) -> str:
    """A canonical event name. Raises the error of `matchers.base.refuse` for any other."""
    name = text(value)
    if name in EVENTS:
        return name
    folded = "".join(char for char in name.lower() if char.isalnum())
    canonical = _FOLDED.get(folded) or FOREIGN.get(folded)
    message = f"unknown event `{shown(name)}`"
    if canonical:
        raise refuse(message, f"its name here is `{canonical}`")
    raise refuse(message, nearest_help(name, EVENTS))
