"""What is legal in a rule file and yet does not do what it seems to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any, TypeVar

from ostiary import patterns
from ostiary.document import MOST_PROBLEMS, Flaw
from ostiary.event import EVENTS
from ostiary.matchers import Condition
from ostiary.rules import Rule, RuleFile
from ostiary.spelling import shown

T = TypeVar("T")

_LISTS = ("deny", "ask", "allow")


def warnings(file: RuleFile, names: frozenset[str]) -> Iterator[Flaw]:
    """What deserves a warning, up to a number; `names` are the tools known. Items that are None are passed over."""
    found = chain(_entries(file, names), _rules(file, names), _exceptions(file, names))
    for flaw in islice(found, MOST_PROBLEMS):
        yield flaw._replace(severity="warning")


def _there(items: Iterable[T]) -> Iterator[tuple[int, T]]:
    return ((index, item) for index, item in enumerate(items) if item is not None)


def aliases(data: Any) -> frozenset[str]:
    """The names that a file gives to tools, also where something else in it is wrong."""
    given = data.get("aliases") if isinstance(data, dict) else None
    return frozenset(given if isinstance(given, dict) else ())


def texts(data: Any) -> Iterator[Flaw]:
    """Texts of conditions that look like regular expressions and are none."""
    for key in ("rules", "exceptions") if isinstance(data, dict) else ():
        for index, item in enumerate(data[key]) if isinstance(data.get(key), list) else ():
            for name in ("tool", "when", "unless") if isinstance(item, dict) else ():
                for flaw in islice(_texts(item.get(name), (key, index, name)), MOST_PROBLEMS):
                    yield flaw._replace(severity="warning")


def _texts(value: Any, way: tuple[str | int, ...]) -> Iterator[Flaw]:
    if isinstance(value, str) and (flags := _mistaken(value)):
        help = "flags are `i`, `m`, `s` and `x`; a text that begins with a slash is written `[/]...`"
        yield Flaw(way, f"this is compared as it stands: `{shown(flags)}` are no flags of `/.../`", help)
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in below:
        if key not in _PATHS:
            yield from _texts(item, (*way, key))


_PATHS = ("reads", "writes", "deletes", "executes", "cwd", "connects", "equals", "in")
_SLASHES = re.compile(r"/(?P<body>.+)/(?P<flags>[A-Za-z]{1,5})", re.DOTALL)
_SIGNS = re.compile(r"[()|^$+\\{}]|\[[^\]]|\.\*")


def _mistaken(text: str) -> str:
    """The letters behind what looks like `/.../` where they are no flags, empty if it does not look so: `/usr/bin` is a
    path as good as any."""
    match = _SLASHES.fullmatch(text)
    if not match or patterns.explicit(text):
        return ""
    flags, short = match["flags"], len(match["flags"]) == 1
    repeated = set(flags) <= set("gimsuxy")
    return flags if short or repeated or _SIGNS.search(match["body"]) else ""


def _entries(file: RuleFile, names: frozenset[str]) -> Iterator[Flaw]:
    for key in _LISTS:
        seen: set[str] = set()
        for index, entry in _there(getattr(file, key)):
            for message, help in (*entry.lints, *entry.unknown(names)):
                yield Flaw((key, index), message, help)
            if entry.text in seen:
                yield Flaw((key, index), f"`{shown(entry.text)}` stands here twice", "remove one of the two")
            seen.add(entry.text)
    yield from _outweighed(file)


def _outweighed(file: RuleFile) -> Iterator[Flaw]:
    """Allows of tools that another list of the file names whole: the stricter entry takes every call."""
    for index, entry in _there(file.allow):
        tool = entry.text.partition("(")[0]
        for key in ("deny", "ask"):
            whole = next((other.text for _, other in _there(getattr(file, key)) if other.text in ("*", tool)), "")
            if whole:
                message = f"this never acts: `{whole}` under `{key}` is stricter, in whatever order they stand"
                help = f"write `default: {key}` in its place: that speaks where no rule does"
                yield Flaw(("allow", index), message, help)
                break


def _rules(file: RuleFile, names: frozenset[str]) -> Iterator[Flaw]:
    for index, rule in _there(file.rules):
        way = ("rules", index)
        for key in ("tool", "when", "unless"):
            for lint in getattr(rule, key).lints(names) if getattr(rule, key) else ():
                yield Flaw((*way, key, *lint.location), lint.message, lint.help)
        for flaw in _events(rule):
            yield flaw._replace(location=(*way, *flaw.location))


def _events(rule: Rule) -> Iterator[Flaw]:
    """What the events of a rule make useless."""
    kinds = [EVENTS[name] for name in rule.on]
    if rule.halt and rule.decision != "deny" and any(kind.before_tool for kind in kinds):
        message = "`halt` stops the session, not the call: agents may run the tool first"
        yield Flaw(("halt",), message, "add `decision: deny`", at_key=True)
    if rule.tool and not any(kind.tool for kind in kinds):
        yield Flaw(("tool",), "`tool` is ignored: these events have no tool", "remove it", at_key=True)
    if rule.when and not any(kind.tool for kind in kinds) and (named := rule.when.used(*_OF_CALLS)):
        message = f"`{named}` never holds: nothing is called on these events"
        yield Flaw(("when",), message, "remove `on`: without it a rule is about calls", at_key=True)
    if _uses_output(rule.when) and all(kind.before_tool for kind in kinds):
        yield Flaw(("when",), "there is no `output` before the tool ran", "add `on: PostToolUse`", at_key=True)


_OF_CALLS = ("command", "script", "reads", "writes", "deletes", "connects", "executes", "mcp", "input")


def _uses_output(when: Condition | None) -> bool:
    return when is not None and bool(when.used("output"))


def _exceptions(file: RuleFile, names: frozenset[str]) -> Iterator[Flaw]:
    for index, exemption in _there(file.exceptions):
        way = ("exceptions", index)
        if not exemption.reason:
            yield Flaw(way, "the exception does not say why", "add `reason`")
        for lint in exemption.when.lints(names) if exemption.when else ():
            yield Flaw((*way, "when", *lint.location), lint.message, lint.help)
