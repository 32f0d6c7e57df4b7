"""What hooks say to the bridges in `ostiary/plugins`, which run inside agents that call no command.

The bridges are ours, so every verdict is said in full and silence is a failure: at a gate the bridge then stops the
call. What a bridge cannot make its agent do is left out of that agent's table.
"""

from __future__ import annotations

from typing import Final

from ostiary.dialects.base import Exits, Extra, Form, Said, Slot, Template, Way

NONE: Final = Form(body={"decision": "none"})
ALLOW: Final = Form(body={"decision": "allow"})
ASK: Final = Form(body={"decision": "ask", "reason": Slot.REASON, "people": Slot.PEOPLE})
DENY: Final = Form(body={"decision": "deny", "reason": Slot.REASON})
DENY_TO_PEOPLE: Final = Form(body={"decision": "deny", "reason": Slot.REASON, "people": Slot.PEOPLE})

GATE: Final[dict[Said, Form]] = {"none": NONE, "allow": ALLOW, "deny": DENY}
REPORT: Final[dict[Said, Form]] = {"none": NONE}
WITHHELD: Final[dict[Said, Form]] = {"none": NONE, "deny": DENY}  # the reason takes the place of a tool's output

REWRITE: Final[dict[Said, Template]] = {"allow": {"input": Slot.INPUT}}
CONTEXT: Final[dict[Extra, Template]] = {"context": {"context": Slot.CONTEXT}}
MESSAGE: Final[dict[Extra, Template]] = {"message": {"message": Slot.MESSAGE}}
OUTPUT: Final[dict[Extra, Template]] = {"output": {"output": Slot.OUTPUT}}

KEYS: Final = frozenset(("decision", "reason", "people", "input", "context", "message", "output"))

OPEN: Final = Exits(empty="proceed", invalid="proceed", two="proceed", other="proceed", late="proceed")

CLOSES: Final[frozenset[Way]] = frozenset(("empty", "invalid", "two", "other", "dies", "late"))
"""What a bridge makes of no answer at a gate, unless settings say that calls go on then."""

ENTRY: Final[Template] = {
    "program": Slot.PROGRAM,
    "arguments": Slot.ARGUMENTS,
    "timeout": Slot.TIMEOUT,
    "onError": Slot.ON_ERROR,
}

DONE: Final = {"ask": "what happened cannot be asked about any more"}
OVER: Final = {"deny": "the agent does not go on working because a plugin says so", "ask": "the turn is over"}
LATER: Final = "a plugin that is loaded later can change a call after policy saw it"
"""A way around every bridge."""
