"""Arguments that hold several values of their kind: one call that runs several commands or reads several files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ostiary.dialects.base import Path, ToolSpec
from ostiary.dialects.payload import at

Arguments = Mapping[str, Any]


def unpacked(spec: ToolSpec | None, arguments: Arguments) -> tuple[Arguments, bool]:
    """The arguments with the values that stand in lists, and whether all of them were found. One value alone is read
    like a plain one, so that it is the same to a rule; a value that is no list is one. Several are a tuple, which no
    payload can hold."""
    if not spec or not spec.lists:
        return arguments, True
    found = {name: _values(arguments[name], path) for name, path in spec.lists.items() if name in arguments}
    plain = {name: values[0] if len(values) == 1 else tuple(values) for name, values in found.items() if values}
    whole = all(isinstance(value, str) for values in found.values() for value in values)
    return {**arguments, **plain}, whole and plain.keys() == found.keys()


def _values(value: Any, path: Path) -> list[Any]:
    """The values in a list. A list that comes as JSON text is none of ours to read: it is no value."""
    if isinstance(value, list):
        return [at(item, path) for item in value]
    return [None if isinstance(value, str) and value.lstrip().startswith("[") else value]


def packed(spec: ToolSpec | None, sent: Arguments, new: Arguments) -> Arguments | None:
    """New arguments with lists where the agent has them, None where an item holds more than the new value says."""
    if not spec or not spec.lists:
        return new
    plain, _ = unpacked(spec, sent)
    changed = {name: path for name, path in spec.lists.items() if name in new and new[name] != plain.get(name)}
    if any(changed.values()):
        return None
    kept = {name: sent[name] for name in spec.lists if name in sent and name in new}
    lists = {name: list(new[name]) if isinstance(new[name], list | tuple) else [new[name]] for name in changed}
    return {**new, **kept, **lists}
