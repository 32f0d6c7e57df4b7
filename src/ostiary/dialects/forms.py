"""Keys and answers in the forms that many agents share, as parts of their tables."""

from __future__ import annotations

from typing import Final

from ostiary.dialects.base import Extra, FieldName, Form, Path, Said, Slot, Template, ToolSpec

KEYS: Final[dict[FieldName, tuple[Path, ...]]] = {
    "event": (("hook_event_name",),),
    "session": (("session_id",),),
    "cwd": (("cwd",),),
    "transcript": (("transcript_path",),),
    "mode": (("permission_mode",),),
    "tool": (("tool_name",),),
    "input": (("tool_input",),),
    "output": (("tool_response",),),
    "prompt": (("prompt",),),
}
"""Where Claude Code's payloads have what every event may carry, and those that were made after them."""

TOKEN: Final = "OSTIARY_TOKEN"
"""The variable in which an agent has the token that the service wants of it."""


def nested(**fields: object) -> Template:
    """An object that names its event."""
    return {"hookSpecificOutput": {"hookEventName": Slot.EVENT, **fields}}


def permission(decision: str) -> Form:
    """A decision on a call, with its reason."""
    return Form(body=nested(permissionDecision=decision, permissionDecisionReason=Slot.REASON))


def block(reason: Slot = Slot.REASON) -> Form:
    """A block outside of that object."""
    return Form(body={"decision": "block", "reason": reason})


EXIT_TWO: Final = Form(status=2, stderr=Slot.REASON)
UPDATED: Final = nested(updatedInput=Slot.INPUT)
CONTEXT: Final[dict[Extra, Template]] = {"context": nested(additionalContext=Slot.CONTEXT)}
MESSAGE: Final[dict[Extra, Template]] = {"message": {"systemMessage": Slot.MESSAGE}}
HALT: Final[dict[Extra, Template]] = {"halt": {"continue": False, "stopReason": Slot.PEOPLE}}

SILENT: Final[frozenset[Said]] = frozenset(("none",))
OPEN: Final[frozenset[Said]] = frozenset(("none", "allow"))
BESIDE_OPEN: Final[dict[Extra, frozenset[str]]] = {"context": OPEN}
"""For agents of which nobody saw that context and a deny are both taken."""

DONE: Final = {"ask": "what happened cannot be asked about any more"}
GOES_ON: Final = {"ask": "only a certain deny makes the agent go on working"}
WATCHED: Final = {"deny": "the agent only reports this"}


def tools(**canonical: tuple[str, ...]) -> dict[str, ToolSpec]:
    """Tools whose arguments have the canonical names, by canonical name."""
    return {native: ToolSpec(canonical=name) for name, natives in canonical.items() for native in natives}
