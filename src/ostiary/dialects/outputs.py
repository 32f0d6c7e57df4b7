"""New tool output in the shape of the old one. Agents ignore output of another shape, and the old one would stay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ostiary.dialects.base import OutputPlace, Path
from ostiary.dialects.payload import at


def fitted(place: OutputPlace | None, old: Any, new: Any) -> Any:
    """`new` in the shape of `old`, None if it cannot be brought into it. A plain text that is to replace structured
    output takes the place of the output's text."""
    if isinstance(new, str) and isinstance(old, Mapping):
        return _placed(place, old, new) if place else None
    return new if same_shape(old, new) else None


def same_shape(old: Any, new: Any) -> bool:
    """Whether both values have the same keys and types throughout. Numbers are one type; a list may only change its
    items."""
    if isinstance(old, Mapping):
        return isinstance(new, Mapping) and old.keys() == new.keys() and all(same_shape(old[k], new[k]) for k in old)
    if isinstance(old, list):
        return isinstance(new, list) and len(old) == len(new) and all(map(same_shape, old, new))
    return _kind(old) == _kind(new)


def _kind(value: Any) -> type:
    return float if isinstance(value, int) and not isinstance(value, bool) else type(value)


def _placed(place: OutputPlace, old: Mapping[str, Any], text: str) -> Any:
    if not isinstance(at(old, place.text), str):
        return None
    value = _with(old, place.text, text)
    for path in place.blank:
        value = _with(value, path, "") if isinstance(at(value, path), str) else value
    return value


def _with(value: Mapping[str, Any], path: Path, text: str) -> Mapping[str, Any]:
    head, *rest = path
    return {**value, head: _with(value[head], tuple(rest), text) if rest else text}
