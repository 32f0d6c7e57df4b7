"""Bytes of a payload to data, strictly: what two readers could understand differently is not read at all."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, Final, Never

from ostiary.dialects.base import Path, Unreadable
from ostiary.expressions import expression

BOM: Final = b"\xef\xbb\xbf"
MAX_BYTES: Final = 16 * 1024 * 1024
MAX_DEPTH: Final = 100

_BRACKETS: Final = expression(r"[\[{]+|[\]}]+")


class _Refused(ValueError):
    """JSON for some readers, but not for this one; the message ends the sentence about it."""


def parse(raw: bytes, repair: bool = False) -> Mapping[str, Any] | Unreadable:
    """The JSON object in `raw`, or why it is not read.

    Leading byte order marks are skipped (several agents send one or two). `repair` replaces halves of surrogate pairs
    instead of refusing them: for events that only report, where a text cut in the middle of a character would
    otherwise hide the event from every rule.
    """
    if len(raw) > MAX_BYTES:
        return Unreadable(f"the hook's input is longer than {MAX_BYTES} bytes")
    while raw.startswith(BOM):
        raw = raw[len(BOM) :]
    try:
        return _object(raw.decode("utf-8"), repair)
    except UnicodeDecodeError:
        return Unreadable("the hook's input is not UTF-8")
    except _Refused as refusal:
        return Unreadable(f"the hook's input {refusal}")
    except (ValueError, RecursionError):
        return Unreadable("the hook's input is not JSON")


def _object(text: str, repair: bool) -> Mapping[str, Any]:
    if not text.strip():
        raise _Refused("is empty")
    if too_deep(text):
        raise _Refused(f"is nested more than {MAX_DEPTH} deep")
    value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite)
    if not isinstance(value, dict):
        raise _Refused("is not a JSON object")
    # Bytes that are UTF-8 hold no surrogates, so only an escape can have made one.
    return _whole(value, repair) if "\\ud" in text or "\\uD" in text else value


def too_deep(text: str) -> bool:
    """Whether arrays and objects of a JSON text nest deeper than `MAX_DEPTH`. Looks at the text only, so that no
    parser has to survive it."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    depth = 0
    # Without escapes, every second stretch between quotes is outside of strings.
    for outside in text.replace("\\\\", "").replace('\\"', "").split('"')[::2]:
        for run in _BRACKETS.findall(outside):
            depth += len(run) if run[0] in "[{" else -len(run)
            if depth > MAX_DEPTH:
                return True
    return False


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Refused("has the same key twice in an object")
    return value


def _no_constant(_name: str) -> Never:
    raise _Refused("has a number that is not finite")


def _finite(text: str) -> float:
    number = float(text)
    return number if isfinite(number) else _no_constant(text)


def _whole(value: dict[str, Any], repair: bool) -> dict[str, Any]:
    """The value without halves of surrogate pairs."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        if not repair:
            raise _Refused("has half of a surrogate pair in a text") from None
        repaired: dict[str, Any] = json.loads(text.encode("utf-8", "replace"))
        return repaired
    return value


def strings(value: Any) -> Iterator[str]:
    """Every string of a JSON value, keys included."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            pending.extend(item.keys())
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)


def at(payload: Any, path: Path) -> Any:
    """The value at a path, None where there is none."""
    for key in path:
        if isinstance(payload, Mapping):
            payload = payload.get(key)
        elif isinstance(payload, list) and key.isdecimal() and int(key) < len(payload):
            payload = payload[int(key)]
        else:
            return None
    return payload


def text_at(payload: Any, paths: tuple[Path, ...]) -> str | None:
    """The first non-empty string along the paths; a value of another type is absent."""
    return next((value for path in paths if isinstance(value := at(payload, path), str) and value), None)
