"""`mcp`: an MCP call by server and tool.

Both come from the payload where it names them. Agents flatten a server's name inside the tool's (`plugin:ops:pager` is
`mcp__plugin_ops_pager__page`); a rule that stops matches either spelling, an allow only the server itself, since two
servers can flatten to one name.
"""

from __future__ import annotations

from ostiary import patterns
from ostiary.answers import MAYBE, NO, YES, Answer
from ostiary.conditions.view import Condition, Plan, Stance, View
from ostiary.event import Event, mcp_pair


def build(plan: Plan, stance: Stance) -> Condition:
    """`("mcp", server texts, tool texts, source texts)`, each None where the rule does not name it.

    The source of a server (`user`, `project`, `plugin`, ...) is what the payload says in `mcp_server.source`; a payload
    without it leaves the source unknown."""
    server, tool, source = (patterns.any_of(texts) if texts else None for texts in plan[1:4])

    def condition(view: View) -> Answer:
        if view.event.mcp is None:
            return NO
        answers: list[Answer] = [YES]
        if server:
            names = servers(view.event) if stance.wide else view.event.mcp[:1]
            answers.append(max(server(name) for name in names))
        if tool:
            answers.append(tool(view.event.mcp[1]))
        if source:
            answers.append(source(view.event.mcp_source) if view.event.mcp_source else MAYBE)
        return min(answers)

    return condition


def servers(event: Event) -> tuple[str, ...]:
    """The names of an MCP call's server: as the payload gives it, and as the tool's name holds it."""
    flat = mcp_pair(event.tool or "")
    return tuple(pair[0] for pair in (event.mcp, flat) if pair)
