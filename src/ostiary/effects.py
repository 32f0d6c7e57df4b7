"""What an answer does to each event in a harness that embeds the engine: the one table of it.

`afk` is the contract of afk's hooks, `claude` that of Claude Code's as agentx implements it. One thing is otherwise: a
new output counts after every tool call, failed ones too, for a redaction that is not heeded gives away what it hides.
An agent with hooks of its own does what its dialect says; this is for a harness that asks the engine itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from ostiary.decision import Outcome, Verdict
from ostiary.records import NamedTuple
from ostiary.visible import CUT_MARK, cut

Contract = Literal["afk", "claude"]
Place = Literal["", "session", "prompt", "next prompt", "result", "task", "parent", "next turn"]
"""Where a text goes: into the session's first message, in front of the prompt or of the next one, into the tool's
result, in front of a subagent's task, to the parent of a subagent, or into one more turn; empty for nowhere."""


class Effects(NamedTuple):
    """What counts on one event. `blocks`: a deny keeps what is announced from happening. `context` is where context
    goes, `reason` where the reason of a deny goes. `rewrites`: new arguments count, `output`: a new output does.
    `halts`: a halt ends the run. `tells`: people see a message. `continues`: a deny makes the agent go on working."""

    blocks: bool = False
    context: Place = ""
    reason: Place = ""
    rewrites: bool = False
    output: bool = False
    halts: bool = True
    tells: bool = True
    continues: bool = False


_NOTHING: Final = Effects(halts=False, tells=False)
_REPORT: Final = Effects(halts=False)

_AFK: Final[Mapping[str, Effects]] = {
    "SessionStart": Effects(blocks=True, context="session"),
    "SessionEnd": _REPORT,
    "SubagentStart": Effects(blocks=True),
    "SubagentStop": Effects(context="parent"),
    "PreToolUse": Effects(blocks=True, context="result", reason="result", rewrites=True),
    "PostToolUse": _REPORT._replace(output=True),
    "PostToolUseFailure": _REPORT._replace(output=True),
    "PreCompact": Effects(blocks=True),
    "Stop": Effects(blocks=True, context="next prompt", reason="next turn", continues=True),
    "UserPromptSubmit": Effects(blocks=True, context="prompt"),
}

_GATE: Final = Effects(blocks=True, context="result", reason="result", rewrites=True)

_CLAUDE: Final[Mapping[str, Effects]] = {
    "SessionStart": Effects(context="session"),
    "SessionEnd": _NOTHING,
    "UserPromptSubmit": Effects(blocks=True, context="prompt"),
    "PreToolUse": _GATE,
    "PermissionRequest": _GATE,
    "PostToolUse": Effects(context="result", reason="result", output=True),
    "PostToolUseFailure": Effects(context="result", reason="result", output=True),
    "Stop": Effects(blocks=True, context="next turn", reason="next turn", continues=True),
    "SubagentStop": Effects(blocks=True, context="next turn", reason="next turn", continues=True),
    "PreCompact": Effects(blocks=True, halts=False, tells=False),
    "PostCompact": _NOTHING,
    "Notification": _REPORT._replace(tells=False),
    "SubagentStart": Effects(context="task"),
}

EFFECTS: Final[Mapping[Contract, Mapping[str, Effects]]] = {"afk": _AFK, "claude": _CLAUDE}
"""By contract and canonical event."""

ELSEWHERE: Final = Effects(blocks=True, context="session", reason="session")
"""What counts on an event that a contract does not know: a harness that dispatches it wants to hear everything."""

STOPS: Final[Mapping[Contract, int]] = {"afk": 2, "claude": 8}
"""How often in a row an agent may be made to go on working."""


LONGEST: Final = 4000
"""UTF-16 units of a reason that makes an agent go on; of a longer one these are told, and that it was cut."""


class Delivery(NamedTuple):
    """One text for the model, and where it goes."""

    place: Place
    text: str


class Effective(NamedTuple):
    """What is to be done about an event. `blocked`: it must not happen; at the end of a turn that means to go on
    working, with the `deliveries` for the next turn. `asks`: a person must permit it first. `input` and `output` are
    what takes the place of the arguments and of the result, None where nothing does. `message` is for people."""

    blocked: bool = False
    asks: bool = False
    deliveries: tuple[Delivery, ...] = ()
    input: Mapping[str, object] | None = None
    output: object = None
    halt: bool = False
    message: str | None = None


def effective(outcome: Outcome, event: str, contract: Contract, may_continue: bool = True) -> Effective:
    """What an outcome does on an event under a contract. `may_continue` is False where an agent was made to go on as
    often as it may be."""
    effects = EFFECTS[contract].get(event, ELSEWHERE)
    denied = outcome.verdict == Verdict.DENY
    reason = (outcome.reason if outcome.model_reason is None else outcome.model_reason) if denied else None
    if reason and effects.reason == "next turn":
        reason = cut(reason, LONGEST + len(CUT_MARK))
    texts = ((effects.reason, reason), (effects.context, outcome.context))
    deliveries = tuple(
        Delivery(place, text) for place, text in texts if place and text and (may_continue or place != "next turn")
    )
    goes_on = any(item.place == "next turn" for item in deliveries)
    blocked = goes_on if effects.continues else denied and effects.blocks
    return Effective(
        blocked=blocked,
        asks=effects.blocks and not effects.continues and outcome.verdict in (Verdict.ASK, Verdict.DEFER),
        deliveries=deliveries,
        input=outcome.updated_input if effects.rewrites and not blocked else None,
        output=outcome.updated_output if effects.output else None,
        halt=outcome.halt and effects.halts,
        message=outcome.message if effects.tells else None,
    )
