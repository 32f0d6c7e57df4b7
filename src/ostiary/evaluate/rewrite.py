"""Rewrites: new arguments from templates, and redacted output (law L4).

A template is text with `{{a.b}}` look-ups into `input` and `event`; nothing is evaluated. Inside a command every
looked-up value is quoted for the shell, since the model chose it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from ostiary import patterns
from ostiary.event import Event
from ostiary.expressions import expression
from ostiary.policy.plan import Plan
from ostiary.tools import ToolTable

_LOOKUP: Final = expression(r"\{\{\s*([A-Za-z_][A-Za-z0-9_.]*)\s*\}\}")

REDACT_SECONDS: Final = 1.0
"""Time one replacement in one string may take; then the string is withheld."""
UNREADABLE: Final = "[withheld: this output could not be searched in time]"


class TemplateError(Exception):
    """A template asks for a value that the event does not have."""


def new_input(event: Event, tools: ToolTable, changes: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    """The whole new arguments: the old ones with each named one replaced (None removes it). Raises TemplateError."""
    rewritten = dict(event.input)
    tool = tools.tools.get(event.tool or "")
    for name, template in changes:
        if template is None:
            rewritten.pop(name, None)
        else:
            shell = bool(tool and tool.roles.get(name) == "script")
            rewritten[name] = _filled(template, event, shell)
    return rewritten


def _filled(template: Any, event: Event, shell: bool) -> Any:
    if isinstance(template, str):
        whole = _LOOKUP.fullmatch(template)
        if whole and not shell:
            return _value(whole[1], event)
        return _LOOKUP.sub(lambda match: _text(_value(match[1], event), shell), template)
    if isinstance(template, tuple):  # a list or mapping of the rule file, as the plan keeps it
        kind, items = template
        if kind == "list":
            return [_filled(item, event, shell) for item in items]
        return {key: _filled(item, event, shell) for key, item in items}
    return template


def _text(value: Any, shell: bool) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if not shell:
        return text
    from shlex import quote  # for rewrites of commands alone

    return quote(text)


def _value(path: str, event: Event) -> Any:
    head, *rest = path.split(".")
    fields: Mapping[str, Any] = {
        "input": event.input,
        "event": {
            "agent": event.agent,
            "name": event.name,
            "tool": event.tool,
            "cwd": event.cwd,
            "session": event.session,
            "mode": event.mode,
        },
    }
    value: Any = fields.get(head)
    for key in rest:
        value = value.get(key) if isinstance(value, Mapping) else None
    if value is None:
        raise TemplateError(f"`{{{{{path}}}}}` has no value in this call")
    return value


def redacted(value: Any, plan: Plan) -> Any:
    """The output with what a redaction names replaced in every string; `("set", value)` replaces it whole."""
    if plan[0] == "set":
        return plan[1]
    _, texts, replacement = plan
    return _mapped(value, texts, replacement)


def _mapped(value: Any, texts: Plan, replacement: str) -> Any:
    if isinstance(value, str):
        for text in texts:
            value = _replaced(value, text, replacement)
        return value
    if isinstance(value, dict):
        return {key: _mapped(item, texts, replacement) for key, item in value.items()}
    return [_mapped(item, texts, replacement) for item in value] if isinstance(value, list) else value


def _replaced(value: str, text: Plan, replacement: str) -> str:
    """Each match of an expression, each occurrence of plain text, or the whole string where a glob covers it."""
    if text[0] == "eq":
        return value.replace(text[1], replacement)
    if text[0] == "glob":
        return replacement if patterns.glob_matches(text[1], value) else value
    try:
        # The replacement is text, not a template of groups.
        result: str = patterns.compiled(text[1], text[2]).sub(lambda _: replacement, value, timeout=REDACT_SECONDS)
    except TimeoutError:
        return UNREADABLE
    return result
