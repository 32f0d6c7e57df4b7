"""What is legal in a rule file and yet does not do what it seems to."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from ostiary.document import MOST_PROBLEMS, Flaw
from ostiary.event import EVENTS
from ostiary.matchers import Condition
from ostiary.rules import Rule, RuleFile
from ostiary.spelling import shown

_LISTS = ("deny", "ask", "allow")


def warnings(file: RuleFile, names: frozenset[str]) -> Iterator[Flaw]:
    """What deserves a warning, up to a number; `names` are the tools known."""
    found = chain(_entries(file, names), _rules(file, names), _exceptions(file, names))
    for flaw in islice(found, MOST_PROBLEMS):
        yield flaw._replace(severity="warning")


def _entries(file: RuleFile, names: frozenset[str]) -> Iterator[Flaw]:
    for key in _LISTS:
        seen: set[str] = set()
        for index, entry in enumerate(getattr(file, key)):
            for message, help in (*entry.lints, *entry.unknown(names)):
                yield Flaw((key, index), message, help)
            if entry.text in seen:
                yield Flaw((key, index), f"`{shown(entry.text)}` stands here twice", "remove one of the two")
            seen.add(entry.text)


def _rules(file: RuleFile, names: frozenset[str]) -> Iterator[Flaw]:
    for index, rule in enumerate(file.rules):
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
    if _uses_output(rule.when) and all(kind.before_tool for kind in kinds):
        yield Flaw(("when",), "there is no `output` before the tool ran", "add `on: PostToolUse`", at_key=True)


def _uses_output(when: Condition | None) -> bool:
    return when is not None and when.uses("output")


def _exceptions(file: RuleFile, names: frozenset[str]) -> Iterator[Flaw]:
    for index, exemption in enumerate(file.exceptions):
        way = ("exceptions", index)
        if not exemption.reason:
            yield Flaw(way, "the exception does not say why", "add `reason`")
        for lint in exemption.when.lints(names) if exemption.when else ():
            yield Flaw((*way, "when", *lint.location), lint.message, lint.help)
