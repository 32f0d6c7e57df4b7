"""A settings file of another agent to rules of ours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from ostiary.digests import sha256
from ostiary.foreign import AgentName, Origin
from ostiary.foreign.afk import AFK
from ostiary.foreign.claude import CLAUDE
from ostiary.foreign.cursor import Cursor, top
from ostiary.foreign.formats import EVERYTHING, Format
from ostiary.foreign.switches import PASSED, SWITCHES, is_kept
from ostiary.foreign.text import parse
from ostiary.matchers.base import both
from ostiary.policy import SEMANTICS, FilePlan, RulePlan
from ostiary.policy.plan import Plan
from ostiary.problems import Problem
from ostiary.records import NamedTuple
from ostiary.spelling import nearest, shown

FORMATS: Final[Mapping[AgentName, Format]] = {"claude-code": CLAUDE, "afk": AFK}

_GATES: Final = {
    "enableShellHooks": "enable_shell_hooks",
    "allowProjectHooks": "allow_project_hooks",
    "enablePluginHooks": "enable_plugin_hooks",
}

# What a registration of ours runs; whoever reads these hooks is asked already.
_OURS: Final = re.compile(r"(?i:\bostiary(\.exe)?['\"]?)\s+hook\s(.*\s)?--agent[\s=]", re.DOTALL)


class ForeignHooks(NamedTuple):
    """What a settings file holds for us: its hooks as a plan of rules, the gates of ours that it wants to be open, and
    what was skipped or means nothing, by place."""

    plan: FilePlan
    gates: tuple[str, ...]
    warnings: tuple[Problem, ...]


def compile_hooks(raw: bytes, label: str, origin: Origin) -> ForeignHooks:
    """The hooks of a settings file; `label` is its name for people. Raises `PolicyError` for a file that is not JSON,
    or not the same JSON to every reader; whatever else is wrong in it is skipped with a warning."""
    document = top(label, parse(raw, label))
    format = FORMATS[origin.agent]
    gates = tuple(_gates(document))
    _switches(document, origin)
    rules = tuple(_rules(document, format, origin)) if _counts(document, origin) else ()
    plan = FilePlan(
        name=origin.plugin or f"{origin.agent}-{_stem(label)}",
        label=label,
        digest=_digest(document, origin),
        combine="strictest",
        rules=rules,
        contract=format.contract,
    )
    more = Problem(label, 0, 0, "", "more may be wrong in it than is told here", "", "warning")
    return ForeignHooks(plan, gates, tuple(sorted({*document.warnings, *([more] if document.full else [])})))


def _digest(document: Cursor, origin: Origin) -> str:
    """SHA-256 (hex) of what hooks come of: a review need not be given again for a new permission in the same file."""
    said = [document.member(key).value for key in ("hooks", "disableAllHooks")]
    return sha256(json.dumps([*said, origin, SEMANTICS]).encode()).hexdigest()


def _stem(label: str) -> str:
    return re.split(r"[\\/]", label)[-1].removesuffix(".json")


def _gates(document: Cursor) -> Iterator[str]:
    """The gates that the file would open if it could: it would have to be exactly `true`."""
    for name, gate in _GATES.items():
        cursor = document.member(name)
        if cursor.value is True:
            cursor.warn("it opens nothing here", f"write `{gate}: true` in Ostiary's own settings")
            yield gate


def _switches(document: Cursor, origin: Origin) -> None:
    """Say what of the switches for plugins is not read. (`foreign.switches` reads them.)"""
    for name in SWITCHES if origin.agent == "afk" else ():
        cursor = document.member(name)
        if cursor.value is None:
            continue
        if origin.tier != "user":
            cursor.warn("it is not read here: only the user's own settings say this")
        elif not isinstance(cursor.value, dict):
            cursor.warn(f"it is not read: `{name}` must be an object of lists, by plugin")
        else:
            for plugin in cursor.value:
                if not isinstance(cursor.value[plugin], list):
                    cursor.warn("a plugin is passed over: its value must be a list of texts")
                elif name == PASSED and any(map(is_kept, cursor.value[plugin])):
                    cursor.warn("a variable that holds a credential is passed to no plugin")


def _counts(document: Cursor, origin: Origin) -> bool:
    """Whether the hooks of the file count at all."""
    if not isinstance(document.value, dict):
        document.warn("nothing in it counts: the document is no object")
        return False
    off = document.member("disableAllHooks")
    if origin.off:
        document.warn(f"its hooks do not run: {origin.off}")
    elif off.value is True and origin.agent == "claude-code":
        off.warn("the hooks of this file do not run")
    else:
        return True
    return False


def _rules(document: Cursor, format: Format, origin: Origin) -> Iterator[RulePlan]:
    hooks = document.member("hooks")
    if hooks.value is None:
        return
    if not isinstance(hooks.value, dict):
        hooks.warn("no hook in it counts: `hooks` must be an object of events")
        return
    for event in hooks.value:
        if event in format.events:
            for group in _listed(hooks.member(event), "the event is skipped: it must be a list of groups"):
                yield from _group(group, event, format, origin)
        elif format.told and not hooks.full:
            near = nearest(event, format.events)
            hooks.warn(f"unknown event `{shown(event)}` is skipped", f"did you mean `{near}`?" if near else "")


def _listed(cursor: Cursor, wrong: str) -> Iterator[Cursor]:
    if isinstance(cursor.value, list):
        yield from cursor.items()
    else:
        cursor.warn(wrong)


def _group(group: Cursor, event: str, format: Format, origin: Origin) -> Iterator[RulePlan]:
    """The rules of one group: one for each hook in it, with what the group's matcher says."""
    if not isinstance(group.value, dict):
        group.warn("the group is skipped: it must be an object with `hooks`")
        return
    if _switched_off(group, event, origin):
        group.warn("the group is skipped: `disabledPluginHooks` in the user's settings names it")
        return
    entries = list(_listed(group.member("hooks"), "the group is skipped: `hooks` must be a list"))
    rules = [rule for entry in entries if (rule := _rule(entry, event, format, origin))]
    fits = format.matcher(group.member("matcher"), format.events[event]) if rules else None
    if fits:
        for rule in rules:
            yield rule._replace(when=_all(_elsewhere(origin), fits, rule.when))


def _switched_off(group: Cursor, event: str, origin: Origin) -> bool:
    """Whether the user switched off this group of a plugin: by its event, or with its matcher as it is written. A group
    without one is `Event:undefined`."""
    if not origin.disabled:
        return False
    written = group.value.get("matcher", "undefined")
    for specifier in origin.disabled:
        name, colon, rest = specifier.partition(":")
        if name.strip() == event and (not colon or rest.strip() == written):
            return True
    return False


def _rule(entry: Cursor, event: str, format: Format, origin: Origin) -> RulePlan | None:
    if not isinstance(entry.value, dict):
        entry.warn("the hook is skipped: it must be an object")
        return None
    if _is_ours(entry):
        return None
    hook = format.hook(entry, event, origin)
    if hook is None:
        return None
    _, _, group, _, index = entry.place
    return RulePlan(
        id=f"{event}[{group}].hooks[{index}]",
        line=entry.line,
        on=(event,),
        when=hook.when,
        handler=hook.handler,
        on_error=hook.on_error,
    )


def _is_ours(entry: Cursor) -> bool:
    command, arguments = entry.value.get("command"), entry.value.get("args")
    words = [command, *(arguments if isinstance(arguments, list) else ())]
    return _OURS.search(" ".join(word for word in words if isinstance(word, str))) is not None


def _elsewhere(origin: Origin) -> Plan:
    """In other agents: the one that the file was written for runs its hooks itself."""
    return ("not", ("agent", (("eq", origin.agent),)))


def _all(*plans: Plan) -> Plan:
    return both([plan for plan in plans if plan != EVERYTHING])
