"""What an answer says: the writer the other way round, for probes and tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from ostiary.dialects.base import SILENCE, Dialect, Form, Said, Slot
from ostiary.dialects.bodies import Answer

# The strictest first: a deny may have everything that silence has, and more.
_SAID: Final[tuple[Said, ...]] = ("deny", "ask", "allow", "none")


def heard(dialect: Dialect, native: str, answer: Answer) -> Said | None:
    """The verdict that an answer to a native event says, None if it is no answer there."""
    spec = dialect.events[native]
    forms: dict[Said, Form] = {"none": SILENCE, **spec.answers}
    if spec.unread and fits(spec.unread, answer):
        return "deny"
    return next((said for said in _SAID if said in forms and fits(forms[said], answer)), None)


def fits(form: Form, answer: Answer) -> bool:
    """Whether an answer has everything of a form. A slot stands for any value, and silence for nothing besides what is
    said with it: not for a verdict."""
    if answer.status != form.status or (form.stderr and not answer.stderr):
        return False
    body = _document(answer.stdout)
    return body is not False and (form.body is None or covers(form.body, body))


def _document(text: str) -> Any:
    """The document that was printed, None if nothing was, False if it is none."""
    try:
        return json.loads(text) if text.strip() else None
    except (ValueError, RecursionError):
        return False


def covers(template: Any, value: Any) -> bool:
    """Whether a value has everything of a template."""
    if isinstance(template, Slot):
        return value is not None
    if isinstance(template, Mapping):
        return isinstance(value, dict) and all(key in value and covers(template[key], value[key]) for key in template)
    if isinstance(template, list | tuple):
        return isinstance(value, list) and len(value) == len(template) and all(map(covers, template, value))
    return bool(template == value)
