"""`tool`: the name of the tool, by one of four readings (law L1), or as settings files of other agents read it."""

from __future__ import annotations

from ostiary import patterns
from ostiary.answers import MAYBE, NO, YES, Answer
from ostiary.conditions.view import Condition, Plan, Stance, View

MAX_NAME = 256
"""Characters of a tool name that a regular expression is tried on; a longer name is *maybe*."""


def build(plan: Plan, stance: Stance) -> Condition:
    """`("tool", reading, ...)`; on an event without a tool the condition holds."""
    reading = plan[1]
    if reading == "all":
        return lambda view: YES
    if reading == "exact":
        return _exact(frozenset(plan[2]), stance.shells)
    if reading == "literal":
        return lambda view: YES if view.event.tool in (None, plan[2]) else NO
    if reading == "search":
        return _search(plan[2], plan[3])
    if reading == "find":
        return _find(plan[2], stance.shells)
    return _cover(plan[2], len(plan) > 3 and plan[3], stance)


def _exact(names: frozenset[str], shells: bool) -> Condition:
    def condition(view: View) -> Answer:
        if view.event.tool is None or not names.isdisjoint(candidates(view, shells)):
            return YES
        return NO

    return condition


def candidates(view: View, shells: bool) -> tuple[str, ...]:
    """The names a rule may call this tool by. A rule about commands that names `bash` means every shell, and every tool
    whose arguments read as commands."""
    tool = view.event.tool or ""
    known = view.tools.tools.get(tool)
    if shells and (view.part.possible or (known is not None and known.language)):
        return view.tools.names(tool) + view.tools.names("bash")
    return view.tools.names(tool)


def _search(body: str, flags: str) -> Condition:
    def condition(view: View) -> Answer:
        tool = view.event.tool
        if tool is None:
            return YES
        return MAYBE if len(tool) > MAX_NAME else patterns.search(body, flags, tool)

    return condition


def _find(body: str, shells: bool) -> Condition:
    """The expression is found in any name of the tool, its native one too."""

    def condition(view: View) -> Answer:
        if view.event.tool is None:
            return YES
        names = dict.fromkeys((*candidates(view, shells), view.event.native_tool or view.event.tool))
        if any(len(name) > MAX_NAME for name in names):
            return MAYBE
        return max(patterns.search(body, "", name) for name in names)

    return condition


def _cover(body: str, every: bool, stance: Stance) -> Condition:
    """The expression covers a whole name: any of the tool's names, or with `every` (it looks around for what must not
    be there) all of them, so that an alias does not slip past a negation. Where the agent tells an MCP tool's flattened
    name only, a rule that stops is flattened too."""
    plain = stance.wide and not every and body.startswith("mcp__") and "[" not in body
    flat = body.replace("\\-", "_").replace("-", "_") if plain else body

    def condition(view: View) -> Answer:
        if view.event.tool is None:
            return YES
        names = candidates(view, stance.shells)
        if any(len(name) > MAX_NAME for name in names):
            return MAYBE
        answers = [patterns.covers(body, name) for name in names]
        if flat != body and "server" in view.event.lacks:
            answers.append(patterns.covers(flat, view.event.tool))
        return min(answers) if every else max(answers)

    return condition
