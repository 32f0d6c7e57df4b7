"""What must fit together in a rule file. Works on plain data of any shape, so that it can speak beside the types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from ostiary.document import Flaw
from ostiary.event import EVENTS, GATES
from ostiary.spelling import nearest, shown
from ostiary.tools import TOOLS

LISTS: Final = ("deny", "ask", "allow")
_SPEAKING: Final = ("decision", "run", "context", "update_input", "update_output", "halt", "message")


def flaws(data: dict[str, Any]) -> Iterator[Flaw]:
    """Everything that does not fit together."""
    if "version" not in data:
        yield Flaw((), "the key `version` is missing", "add the line `version: 1` at the top")
    yield from _ordered(data)
    yield from _twice(data)
    yield from _aliases(data)
    yield from _variables(data)
    yield from _includes(data)
    for index, rule in enumerate(_list(data, "rules")):
        if isinstance(rule, dict):
            for flaw in _rule(rule):
                yield flaw._replace(location=("rules", index, *flaw.location))


def _list(data: dict[str, Any], key: str) -> list[Any]:
    value = data.get(key)
    return value if isinstance(value, list) else []


def _mapping(data: dict[str, Any], key: str) -> dict[str, Any]:
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def _ordered(data: dict[str, Any]) -> Iterator[Flaw]:
    """A file in which position decides has no place for lists that are sorted by what they say."""
    if data.get("combine") in ("first", "last"):
        for key in LISTS:
            if key in data:
                message = f"`{key}` has no place in a file with `combine: {data['combine']}`"
                yield Flaw((key,), message, "write its entries as rules, where their order counts", at_key=True)


def _twice(data: dict[str, Any]) -> Iterator[Flaw]:
    seen: set[str] = {"default"} if "default" in data else set()
    for index, rule in enumerate(_list(data, "rules")):
        name = rule.get("id") if isinstance(rule, dict) else None
        if isinstance(name, str):
            if name in seen:
                help = "the file's key `default` makes a rule of that id" if name == "default" else "ids are unique"
                yield Flaw(("rules", index, "id"), f"a second rule has the id `{shown(name)}`", help)
            seen.add(name)


def _aliases(data: dict[str, Any]) -> Iterator[Flaw]:
    for name in _mapping(data, "aliases"):
        if name in TOOLS.all_names:
            help = "an alias adds a name, it never changes one"
            yield Flaw(("aliases", name), f"`{shown(name)}` is the name of a tool already", help, at_key=True)
        elif not name.replace("-", "_").isidentifier() or not name.isascii():
            help = "use letters, digits, `_` and `-`"
            yield Flaw(("aliases", name), f"`{shown(name)}` cannot be the name of a tool", help, at_key=True)


def _includes(data: dict[str, Any]) -> Iterator[Flaw]:
    seen: set[Any] = set()
    for index, item in enumerate(_list(data, "include")):
        target = _target(item)
        if isinstance(item, dict) and ("pack" in item) == ("file" in item):
            yield Flaw(("include", index), "an include names either a `pack` or a `file`")
        elif target in seen and target:
            yield Flaw(("include", index), f"`{shown(target)}` is included twice", "remove one of the two")
        seen.add(target)


def _target(item: Any) -> str:
    """What an include names, `pack:` in front of packs; empty if it names nothing."""
    if isinstance(item, dict):
        return f"pack:{item['pack']}" if isinstance(item.get("pack"), str) else str(item.get("file", ""))
    return item if isinstance(item, str) else ""


def _rule(rule: dict[str, Any]) -> Iterator[Flaw]:
    decision = rule.get("decision")
    speaks = any(key in rule for key in _SPEAKING)
    if not speaks and not any(nearest(key, _SPEAKING, 0.7) for key in rule):  # a mistyped key is told as such
        yield Flaw((), "the rule says nothing", "add `decision: deny`, `ask` or `allow`")
    yield from _uncertain(rule, decision)
    if "yields" in rule and rule.get("default") is not True:
        yield Flaw(("yields",), "only a default yields", "add `default: true` or remove the key", at_key=True)
    if rule.get("default") is True and "decision" not in rule:
        yield Flaw(("default",), "a default needs a `decision`", at_key=True)
    if "trailing" in rule and decision != "allow":
        help = "remove it: a deny or ask sees every option"
        yield Flaw(("trailing",), "`trailing` is for an allow", help, at_key=True)
    if "remember" in rule and decision != "ask":
        help = "remove it: nothing else is permitted by a person"
        yield Flaw(("remember",), "`remember` is for an ask", help, at_key=True)
    run = _mapping(rule, "run")
    if run.get("cwd") == "project" and run.get("accept_project_code") is not True:
        help = "say `accept_project_code: true` if that is meant, or remove `cwd`"
        yield Flaw(("run", "cwd"), "what runs there is code of the project, which an agent may write", help)
    if "run" in rule and "decision" in rule:
        yield Flaw(("run",), "a handler decides in place of `decision`", "remove one of the two", at_key=True)
    for key in ("on_error", "audit"):
        if key in rule and "run" not in rule:
            yield Flaw((key,), f"`{key}` belongs to `run`", "remove it", at_key=True)
    yield from _updates(rule)


def _uncertain(rule: dict[str, Any], decision: Any) -> Iterator[Flaw]:
    if "uncertain" not in rule or decision in ("deny", "ask", "defer"):
        return
    if decision == "allow":
        help = "remove it: an allow acts only where it surely fits"
        yield Flaw(("uncertain",), "`uncertain` has no meaning in an allow", help, at_key=True)
    else:
        yield Flaw(("uncertain",), "`uncertain` needs a `decision` of deny, ask or defer", at_key=True)


def _updates(rule: dict[str, Any]) -> Iterator[Flaw]:
    on = rule.get("on", list(GATES))
    named = [name for name in (on if isinstance(on, list) else [on]) if isinstance(name, str)]
    kinds = [EVENTS[name] for name in named if name in EVENTS]
    if "update_input" in rule and kinds and not any(kind.before_tool for kind in kinds):
        yield Flaw(("update_input",), "arguments can be changed only before a tool runs", "remove `on`", at_key=True)
    if "update_output" in rule and kinds and not any(kind.tool and not kind.before_tool for kind in kinds):
        yield Flaw(("update_output",), "there is no output before the tool ran", "add `on: PostToolUse`", at_key=True)
    update = rule.get("update_output")
    if isinstance(update, dict) and ("redact" in update) == ("set" in update):
        yield Flaw(("update_output",), "`update_output` has either `redact` or `set`")
    yield from _templates(rule.get("update_input"), ("update_input",))


_LOOKUP: Final = re.compile(r"\{\{\s*(input|event)(\.[A-Za-z_][A-Za-z0-9_]*)+\s*\}\}")


def _templates(value: Any, way: tuple[str | int, ...]) -> Iterator[Flaw]:
    """Look-ups that the event cannot answer."""
    if isinstance(value, str):
        if "{{" in _LOOKUP.sub("", value):
            help = "write `{{input.NAME}}` or `{{event.NAME}}`: there are no expressions"
            yield Flaw(way, "the template looks up nothing", help)
        return
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for part, item in below:
        yield from _templates(item, (*way, part))


def _variables(data: dict[str, Any]) -> Iterator[Flaw]:
    for name in _mapping(data, "vars"):
        if not re.fullmatch("[A-Za-z_][A-Za-z0-9_-]*", name):
            help = "use letters, digits, `_` and `-`, a letter first"
            yield Flaw(("vars", name), f"`{shown(name)}` cannot be the name of a variable", help, at_key=True)
