"""JSON as text with positions: one member or item is put in, replaced or taken out, every other byte stays.

Settings files belong to their user: layout, order and content that we do not know are not ours to rewrite. So nothing
here prints a whole document.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from ostiary.dialects.payload import too_deep
from ostiary.records import dataclass

Place = tuple[str | int, ...]
"""Keys and indexes from the document's root."""

_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_SCALAR: Final = re.compile(r"[^\s,\]}]+")
_BLANKS: Final = re.compile(r"\s*")
_BOM: Final = "\ufeff"


class JsonTextError(ValueError):
    """The text is not JSON that can be edited. `line` and `column` count from 1."""

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.line, self.column = line, column


@dataclass(frozen=True, slots=True)
class Node:
    """A value of the document at `start` to `end`. `entries` are the members or items of a container, in order."""

    start: int
    end: int
    entries: tuple[Entry, ...] = ()
    container: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One member (`key` is its name) or item (None). `start` is where it begins: at its key, if it has one."""

    key: str | None
    start: int
    node: Node


@lru_cache(maxsize=2)
def scan(text: str) -> Node:
    """The document's tree. Raises JsonTextError for a text that is not JSON."""
    offset = 1 if text.startswith(_BOM) else 0
    body = text[offset:]
    if too_deep(body):
        raise JsonTextError("the file is nested too deep")
    try:
        json.loads(body, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise JsonTextError("the file is not JSON from here on", error.lineno, error.colno) from None
    except ValueError as error:
        raise JsonTextError(str(error)) from None
    return _value(text, _skip(text, offset))


def _refuse(name: str) -> None:
    raise ValueError(f"`{name}` is no JSON")


def _skip(text: str, position: int) -> int:
    found = _BLANKS.match(text, position)
    return found.end() if found else position


def _value(text: str, start: int) -> Node:
    """The value that begins at `start` of a text that is known to be JSON."""
    opening = text[start]
    if opening in "{[":
        entries = tuple(_entries(text, start))
        end = _skip(text, entries[-1].node.end if entries else start + 1) + 1
        return Node(start, end, entries, opening)
    found = (_STRING if opening == '"' else _SCALAR).match(text, start)
    assert found, "the text was checked to be JSON"
    return Node(start, found.end())


def _entries(text: str, start: int) -> Iterator[Entry]:
    position = _skip(text, start + 1)
    while text[position] not in "}]":
        begin, key = position, None
        if text[start] == "{":
            name = _value(text, position)
            key = json.loads(text[name.start : name.end])
            position = _skip(text, _skip(text, name.end) + 1)
        node = _value(text, position)
        yield Entry(key, begin, node)
        position = _skip(text, node.end)
        if text[position] == ",":
            position = _skip(text, position + 1)


def find(text: str, place: Place) -> Node | None:
    """The value at a place, None if there is none. Raises JsonTextError where a key on the way is there twice."""
    node: Node | None = scan(text)
    for step in place:
        if node is None:
            return None
        node = _step(text, node, step)
    return node


def _step(text: str, node: Node, step: str | int) -> Node | None:
    if isinstance(step, int):
        return node.entries[step].node if node.container == "[" and step < len(node.entries) else None
    found = [entry for entry in node.entries if node.container == "{" and entry.key == step]
    if len(found) > 1:
        raise JsonTextError(f"`{step}` is there twice", *position(text, found[1].start))
    return found[0].node if found else None


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def value(text: str, place: Place) -> Any:
    """The data at a place, None if there is nothing."""
    node = find(text, place)
    return json.loads(text[node.start : node.end]) if node else None


def inserted(text: str, place: Place, key: str | None, new: Any) -> str:
    """The text with one more member (`key`) or item (None) at the end of the container at `place`."""
    node = find(text, place)
    assert node, "callers insert into what is there"
    break_, unit = _style(text)
    inside = _indent(text, node) + unit
    broken = not node.entries or break_ in text[node.start : node.entries[0].start]
    written = _written(new, break_ + inside if broken else "", unit)
    member = written if key is None else f"{json.dumps(key)}: {written}"
    if not node.entries:
        return f"{text[: node.start + 1]}{break_}{inside}{member}{break_}{_indent(text, node)}{text[node.end - 1 :]}"
    last = node.entries[-1].node.end
    return f"{text[:last]},{break_ + inside if broken else ' '}{member}{text[last:]}"


def replaced(text: str, place: Place, new: Any) -> str:
    """The text with another value at `place`."""
    node = find(text, place)
    assert node, "callers replace what is there"
    break_, unit = _style(text)
    broken = break_ in text[node.start : node.end]
    return text[: node.start] + _written(new, break_ + _indent(text, node) if broken else "", unit) + text[node.end :]


def removed(text: str, place: Place) -> str:
    """The text without the member or item at `place` and its comma."""
    parent = find(text, place[:-1])
    node = find(text, place)
    assert parent, "callers remove what is there"
    assert node, "callers remove what is there"
    index = next(i for i, entry in enumerate(parent.entries) if entry.node.start == node.start)
    if len(parent.entries) == 1:
        return text[: parent.start + 1] + text[parent.end - 1 :]
    if index == len(parent.entries) - 1:
        return text[: parent.entries[index - 1].node.end] + text[node.end :]
    return text[: parent.entries[index].start] + text[parent.entries[index + 1].start :]


def _style(text: str) -> tuple[str, str]:
    """How lines end and what one level of indentation is, as the document has it."""
    break_ = "\r\n" if "\r\n" in text else "\n"
    root = scan(text)
    first = text[root.start + 1 : root.entries[0].start] if root.entries else ""
    unit = first.rpartition("\n")[2] if "\n" in first else ""
    return break_, unit or "  "


def _indent(text: str, node: Node) -> str:
    """The blanks that begin the line on which a value begins."""
    line = text[text.rfind("\n", 0, node.start) + 1 : node.start]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _written(new: Any, margin: str, unit: str) -> str:
    """The value as text: its members and items each on a line after a margin, but on one line without a margin, and
    where nothing in it holds anything."""
    if not margin or not _holds(new):
        return json.dumps(new)
    inner = margin + unit
    if isinstance(new, Mapping):
        lines = [f"{inner}{json.dumps(key)}: {_written(item, inner, unit)}" for key, item in new.items()]
        return f"{{{','.join(lines)}{margin}}}"
    return f"[{','.join(inner + _written(item, inner, unit) for item in new)}{margin}]"


def _holds(new: Any) -> bool:
    """Whether a value is worth several lines: an object, or a list of more than plain values."""
    return isinstance(new, Mapping) or (isinstance(new, list) and any(isinstance(i, Mapping | list) for i in new))
