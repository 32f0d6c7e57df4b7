"""Which rules can say anything about an event: by event, program, tool and MCP server; cost follows those rules.

The index only leaves out rules that answer *no* for certain; a property test compares it with a scan of all rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from ostiary.call.model import Call
from ostiary.conditions.accesses import KIND_OF
from ostiary.conditions.mcp import servers
from ostiary.conditions.named import programs_of
from ostiary.event import Event
from ostiary.policy.plan import Plan
from ostiary.policy.rule import Rule
from ostiary.records import dataclass
from ostiary.tools import ToolTable
from ostiary.words import word

K = TypeVar("K")
Need = tuple[str, str]
"""Something a rule cannot do without: `("program", "git")`, `("tool", "Bash")`, `("server", "github")`,
`("access", "read")`."""


@dataclass(frozen=True, slots=True)
class Index:
    """The rules of one event name by what they need; `free` ones need nothing that can be looked up."""

    free: tuple[int, ...]
    by_need: Mapping[Need, tuple[int, ...]]
    needing: Mapping[str, tuple[int, ...]]

    def candidates(self, event: Event, call: Call, tools: ToolTable) -> list[int]:
        """Positions of the rules to judge, in the order of the walk."""
        found = set(self.free)
        for need in _offers(event, call, tools):
            found.update(self.needing.get(need, ()) if isinstance(need, str) else self.by_need.get(need, ()))
        return sorted(found)


def _offers(event: Event, call: Call, tools: ToolTable) -> Iterator[Need | str]:
    """What an event has of the things that rules need; a bare kind where it may have any of them."""
    if event.tool is None:
        yield "tool"  # without a tool the condition `tool` always holds
    else:
        for name in tools.names(event.tool):
            yield ("tool", name)
        known = tools.tools.get(event.tool)
        # a rule about commands that names bash means every shell, and what reads as commands elsewhere
        if (known and known.language) or any(part.possible for part in call.parts):
            for name in tools.names("bash"):
                yield ("tool", name)
    if event.mcp and "server" in event.lacks:  # rules are compared with flattened names
        yield "server"
    for server in servers(event):
        yield ("server", server)
    if call.limit or any(part.unparsed for part in call.parts):
        yield from ("program", "access")
        return
    for kind in {access.kind for part in call.parts for access in part.accesses}:
        yield ("access", kind)
    programs = _programs(call)
    if programs is None:
        yield "program"
    else:
        for program in programs:
            yield ("program", program)


def _programs(call: Call) -> set[str] | None:
    """The programs that run or may run in a call; None if the text does not tell. Any word of an unknown program may be
    one: that program may be a wrapper."""
    found: set[str] = set()
    for part in call.parts:
        for invocation in part.invocations:
            if invocation.name is None:
                return None
            found.add(invocation.name)
            if invocation.folds:
                found.update((invocation.name.lower(), *invocation.aliases))
            if invocation.may_run:
                from ostiary.call.layers import program_name  # late: reads what programs do, and most are known

                texts = (text for item in invocation.words[1:] for text in (item.text or "").split())
                names = {program_name(word(text))[0] or "" for text in texts}
                found |= names | {name.lower() for name in names}
    return found


class Indexes:
    """An index per event name over the rules that act or observe, each made when it is first asked for: a hook asks for
    one."""

    __slots__ = ("_made", "_rules")

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self._rules = rules
        self._made: dict[str, Index] = {}

    def of(self, name: str) -> Index:
        """The index of an event name."""
        found = self._made.get(name)
        if found is None:
            found = _index([rule for rule in self._rules if rule.state != "untrusted" and name in rule.plan.on])
            self._made[name] = found
        return found


def _index(rules: list[Rule]) -> Index:
    free: list[int] = []
    by_need: dict[Need, list[int]] = {}
    needing: dict[str, list[int]] = {}
    for rule in rules:
        needs = _needs(rule.plan.when)
        if needs is None:
            free.append(rule.order)
            continue
        for need in needs:
            by_need.setdefault(need, []).append(rule.order)
        for kind in {kind for kind, _ in needs}:
            needing.setdefault(kind, []).append(rule.order)
    return Index(tuple(free), _frozen(by_need), _frozen(needing))


def _frozen(lists: dict[K, list[int]]) -> dict[K, tuple[int, ...]]:
    return {key: tuple(items) for key, items in lists.items()}


def _needs(plan: Plan) -> frozenset[Need] | None:
    """Things of which one is needed for the condition to answer more than *no*; None if it can do without."""
    match plan[0]:
        case "all":
            found = [needs for child in plan[1] if (needs := _needs(child)) is not None]
            return min(found, key=lambda needs: (_BREADTH[next(iter(needs), ("", ""))[0]], len(needs)), default=None)
        case "any":
            some = [needs for child in plan[1] if (needs := _needs(child)) is not None]
            return frozenset[Need]().union(*some) if some and len(some) == len(plan[1]) else None
        case "command":
            programs = programs_of(plan[1])
            return (
                None
                if programs is None
                else frozenset(("program", one) for name in programs for one in (name, name.lower()))
            )
        case "tool" if plan[1] == "exact":
            return frozenset(("tool", name) for name in plan[2])
        case name if name in KIND_OF:
            return frozenset({("access", KIND_OF[name])})
        case "mcp" if plan[1] and all(text[0] == "eq" for text in plan[1]):
            return frozenset(("server", text[1]) for text in plan[1])
        case _:
            return None


_BREADTH = {"": 0, "program": 1, "server": 2, "tool": 3, "access": 4}
"""Which kind of need leaves out more rules: few calls run a given program, many use a given tool."""
