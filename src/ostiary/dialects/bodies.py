"""Templates to answers: slots filled, forms merged, one JSON document printed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ostiary.decision import Degraded
from ostiary.dialects.base import Form, Said, Slot, Template
from ostiary.records import NamedTuple

Values = Mapping[Slot, Any]


class Answer(NamedTuple):
    """What a hook prints and how it exits. `degraded` says what the agent could not be told as the outcome has it,
    `waits` that a call was denied only because nobody can be asked about it here. `said` is the verdict as the agent is
    told it."""

    stdout: str = ""
    stderr: str = ""
    status: int = 0
    degraded: tuple[Degraded, ...] = ()
    waits: bool = False
    said: Said = "none"


def answer(
    form: Form, values: Values, extras: tuple[Template, ...] = (), degraded: tuple[Degraded, ...] = ()
) -> Answer:
    """The answer that says `form` with `extras` beside it."""
    body = form.body
    for extra in extras:
        body = merged(body or {}, extra)
    return Answer(
        stdout="" if body is None else dumps(filled(body, values)) + "\n",
        stderr=f"{values[form.stderr]}\n" if form.stderr else "",
        status=form.status,
        degraded=degraded,
    )


def merged(first: Template, second: Template) -> Template:
    """Both templates in one, key by key; where both have a value that is no mapping, the second one's."""
    whole = dict(first)
    for key, value in second.items():
        before = whole.get(key)
        both = isinstance(before, Mapping) and isinstance(value, Mapping)
        whole[key] = merged(before, value) if both and isinstance(before, Mapping) else value
    return whole


def filled(template: Any, values: Values) -> Any:
    """The template with its slots replaced."""
    if isinstance(template, Slot):
        return values[template]
    if isinstance(template, Mapping):
        return {key: filled(value, values) for key, value in template.items()}
    return [filled(value, values) for value in template] if isinstance(template, list | tuple) else template


def slots(template: Any) -> frozenset[Slot]:
    """The slots in a template."""
    if isinstance(template, Slot):
        return frozenset((template,))
    parts = (
        template.values() if isinstance(template, Mapping) else template if isinstance(template, list | tuple) else ()
    )
    return frozenset[Slot]().union(*map(slots, parts))


def says(form: Form, slot: Slot) -> bool:
    """Whether the form carries what belongs into the slot."""
    return form.stderr is slot or slot in slots(form.body)


def dumps(value: Any) -> str:
    """One line of ASCII JSON. Raises TypeError, ValueError or RecursionError for what JSON cannot say."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def sayable(value: Any) -> bool:
    """Whether JSON can say the value."""
    try:
        dumps(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True
