"""`mcp`: an MCP call by server and tool.

Both come from the payload where it names them. Agents flatten a server's name inside the tool's (`plugin:ops:pager` is
`mcp__plugin_ops_pager__page`); a rule that stops matches either spelling, an allow only the server itself, since two
servers can flatten to one name. Where the agent tells nothing but a flattened name (its events lack `server`), a rule
that stops is flattened too, and the name is split in every possible way. Where not even that tells the server (it is
empty), every server and tool may be meant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ostiary import patterns
from ostiary.answers import MAYBE, NO, YES, Answer
from ostiary.conditions.view import Condition, Plan, Stance, View
from ostiary.event import Event, mcp_pair
from ostiary.expressions import expression
from ostiary.patterns import TextPlan

_Match = Callable[[str], Answer]
_FLATTENED: Final = expression(r"[^A-Za-z0-9_]")
_FLATTENED_GLOB: Final = expression(r"[^A-Za-z0-9_*?]")


def build(plan: Plan, stance: Stance) -> Condition:
    """`("mcp", server texts, tool texts, source texts)`, each None where the rule does not name it.

    The source of a server (`user`, `project`, `plugin`, ...) is what the payload says in `mcp_server.source`; a payload
    without it leaves the source unknown."""
    named = [_matcher(texts) for texts in plan[1:3]]
    flat = [_flat(texts) for texts in plan[1:3]] if stance.wide else named
    source = _matcher(plan[3])

    def condition(view: View) -> Answer:
        event = view.event
        if event.mcp is None:
            return NO
        server, tool = flat if "server" in event.lacks else named
        if not event.mcp[0]:
            return MAYBE
        answer = max(min(server(pair[0]), tool(pair[1])) for pair in (pairs(event) if stance.wide else (event.mcp,)))
        if plan[3]:
            answer = min(answer, source(event.mcp_source) if event.mcp_source else MAYBE)
        return answer

    return condition


def _matcher(texts: tuple[TextPlan, ...] | None) -> _Match:
    return patterns.any_of(texts) if texts else lambda _: YES


def _flat(texts: tuple[TextPlan, ...] | None) -> _Match:
    """Whether a flattened name may be one that the texts name. An expression cannot be flattened, so it may mean any
    name in which something was."""
    plain = tuple(text for text in texts or () if text[0] == "eq" or (text[0] == "glob" and "[" not in text[1]))
    match = _matcher((*(texts or ()), *map(_flattened, plain)))
    if len(plain) == len(texts or ()):
        return match
    return lambda name: max(match(name), MAYBE if "_" in name else NO)


def _flattened(text: TextPlan) -> TextPlan:
    return (text[0], (_FLATTENED if text[0] == "eq" else _FLATTENED_GLOB).sub("_", text[1]))


def pairs(event: Event) -> tuple[tuple[str, str], ...]:
    """Server and tool of an MCP call, as the payload gives them and in every way in which the tool's name holds
    them."""
    whole = mcp_pair(event.tool or "")
    found = [pair for pair in (event.mcp, whole) if pair]
    if whole and "server" in event.lacks:
        words = "__".join(whole).split("__")
        splits = (("__".join(words[:at]), "__".join(words[at:])) for at in range(1, len(words)))
        found.extend(pair for pair in splits if all(pair))
    return tuple(dict.fromkeys(found))


def servers(event: Event) -> tuple[str, ...]:
    """The names that an MCP call's server may have."""
    return tuple(dict.fromkeys(server for server, _ in pairs(event)))
