"""JSON as text with positions: one member or item is put in, replaced or taken out, every other byte stays.

Settings files belong to their user: layout, order, comments and content that we do not know are not ours to rewrite. So
nothing here prints a whole document. Comments are read as blanks, which keeps every position; `insist` says whether the
agent does so too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from ostiary.dialects.base import Syntax
from ostiary.dialects.payload import too_deep
from ostiary.records import dataclass

Place = tuple[str | int, ...]
"""Keys and indexes from the document's root."""

_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_SCALAR: Final = re.compile(r"[^\s,\]}]+")
_BLANKS: Final = re.compile(r"\s*")
_LETTER: Final = re.compile(r"[^\r\n]")
# A line comment with a lone carriage return in it ends there for some readers and not for others: it is none here.
_COMMENT: Final = re.compile(_STRING.pattern + r"|(?P<comment>//[^\r\n]*+(?=\r?\n|\Z)|/\*.*?\*/)", re.DOTALL)
_LAST_COMMA: Final = re.compile(_STRING.pattern + r"|(?<=[^\s,\[{])(?P<blanks>\s*),(?=\s*[\]}])", re.DOTALL)
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
    """The document's tree. Raises JsonTextError for a text that is not JSON, comments and commas at the end aside."""
    plain = without_comments(text)
    _check(_LAST_COMMA.sub(_without_comma, plain))
    return _value(plain, _skip(plain, _start(plain)))


@lru_cache(maxsize=2)
def insist(text: str, syntax: Syntax) -> None:
    """Raises JsonTextError for a text that a reader of this syntax does not take."""
    scan(text)
    comment = _comment(text)
    if comment and syntax == "json":
        raise JsonTextError("there is a comment", *position(text, comment.start()))
    plain = without_comments(text)
    comma = next((found for found in _LAST_COMMA.finditer(plain) if found["blanks"] is not None), None)
    if comma and syntax != "commas":
        raise JsonTextError("there is a comma after the last entry", *position(text, comma.end() - 1))


def commented(text: str) -> bool:
    """Whether there is a comment."""
    return _comment(text) is not None


def _comment(text: str) -> re.Match[str] | None:
    return next((found for found in _COMMENT.finditer(text) if found["comment"]), None)


@lru_cache(maxsize=2)
def without_comments(text: str) -> str:
    """The text with blanks for comments: every other position holds what it held."""
    return _COMMENT.sub(_blank, text) if "/" in text else text


def _blank(found: re.Match[str]) -> str:
    return _LETTER.sub(" ", found[0]) if found["comment"] else found[0]


def _without_comma(found: re.Match[str]) -> str:
    return found[0] if found["blanks"] is None else found["blanks"] + " "


def _start(text: str) -> int:
    return 1 if text.startswith(_BOM) else 0


def _check(text: str) -> None:
    body = text[_start(text) :]
    if too_deep(body):
        raise JsonTextError("the file is nested too deep")
    try:
        json.loads(body, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise JsonTextError("the file is not JSON from here on", error.lineno, error.colno) from None
    except ValueError as error:
        raise JsonTextError(str(error)) from None


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
        return Node(start, _close(text, entries[-1].node.end if entries else start + 1) + 1, entries, opening)
    found = (_STRING if opening == '"' else _SCALAR).match(text, start)
    assert found, "the text was checked to be JSON"
    return Node(start, found.end())


def _close(text: str, behind: int) -> int:
    """Where the next bracket is, behind the last entry and maybe a comma."""
    position = _skip(text, behind)
    return _skip(text, position + 1) if text[position] == "," else position


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
    return _data(text, node) if node else None


def _data(text: str, node: Node) -> Any:
    return json.loads(_LAST_COMMA.sub(_without_comma, without_comments(text)[node.start : node.end]))


def insist_unique(text: str, place: Place) -> None:
    """Raises JsonTextError where an object at or below a place has a key twice: readers differ in which one counts."""
    node = find(text, place)
    waiting = [node] if node else []
    while waiting:
        node = waiting.pop()
        seen: set[str] = set()
        for entry in node.entries:
            if entry.key in seen:
                raise JsonTextError(f"`{entry.key}` is there twice", *position(text, entry.start))
            seen |= {entry.key} if entry.key is not None else set()
            waiting.append(entry.node)


def inserted(text: str, place: Place, key: str | None, new: Any) -> str:
    """The text with one more member (`key`) or item (None) at the end of the container at `place`, behind the comments
    that are there."""
    node = find(text, place)
    assert node, "callers insert into what is there"
    gap = _last_gap(text, node)
    break_, unit = _style(text)
    outer = break_ + _indent(text, node)
    broken = gap.lined or not node.entries or break_ in text[node.start : node.entries[0].start]
    written = _written(new, outer + unit if broken else "", unit)
    member = (outer + unit if broken else " ") + (written if key is None else f"{json.dumps(key)}: {written}")
    if not node.entries:
        return f"{text[: gap.behind]}{member}{'' if gap.lined else outer}{text[gap.behind :]}"
    if gap.comma is not None:
        return f"{text[: gap.behind]}{member},{text[gap.behind :]}"
    return f"{text[: gap.start]},{text[gap.start : gap.behind]}{member}{text[gap.behind :]}"


@dataclass(frozen=True, slots=True)
class _Gap:
    """What stands between two entries, or an entry and a bracket. `comma` is where its comma is, `behind` the end of
    its last comment and of the comma, `lined` whether that comment reaches to the end of its line."""

    start: int
    end: int
    comma: int | None
    commented: bool
    behind: int
    lined: bool

    def rest(self, text: str) -> str:
        """All of it but its comma."""
        if self.comma is None:
            return text[self.start : self.end]
        return text[self.start : self.comma] + text[self.comma + 1 : self.end]


def _gap(text: str, start: int, end: int) -> _Gap:
    plain = without_comments(text)
    comma = plain.find(",", start, end)
    comments = [found for found in _COMMENT.finditer(text, start, end) if found["comment"]]
    last = comments[-1] if comments else None
    behind = max(start, comma + 1, last.end() if last else 0)
    lined = last is not None and last.end() == behind and last[0].startswith("//")
    return _Gap(start, end, comma if comma >= 0 else None, last is not None, behind, lined)


def _last_gap(text: str, node: Node) -> _Gap:
    """The gap before the bracket that closes a container."""
    return _gap(text, node.entries[-1].node.end if node.entries else node.start + 1, node.end - 1)


def replaced(text: str, place: Place, new: Any) -> str:
    """The text with another value at `place`."""
    node = find(text, place)
    assert node, "callers replace what is there"
    break_, unit = _style(text)
    broken = break_ in text[node.start : node.end]
    return text[: node.start] + _written(new, break_ + _indent(text, node) if broken else "", unit) + text[node.end :]


def removed(text: str, place: Place) -> str:
    """The text without the member or item at `place` and its comma. Comments around it stay."""
    parent = find(text, place[:-1])
    node = find(text, place)
    assert parent, "callers remove what is there"
    assert node, "callers remove what is there"
    entries = parent.entries
    index = next(i for i, entry in enumerate(entries) if entry.node.start == node.start)
    start, last = entries[index].start, index == len(entries) - 1
    before = _gap(text, entries[index - 1].node.end if index else parent.start + 1, start)
    after = _gap(text, node.end, parent.end - 1 if last else entries[index + 1].start)
    rest = after.rest(text)
    if not last:
        return text[:start] + (rest if after.commented else "") + text[after.end :]
    break_ = _style(text)[0]
    if before.lined:
        rest = rest if rest.lstrip(" \t").startswith(break_) else break_ + rest
    elif not index:
        rest = rest.removeprefix(break_ + _indent(text, parent))
    if before.comma is None or after.comma is not None:
        return text[: before.behind] + rest + text[after.end :]
    return text[: before.comma] + text[before.comma + 1 : before.behind] + rest + text[after.end :]


def _style(text: str) -> tuple[str, str]:
    """How lines end and what one level of indentation is, as the document has it."""
    break_ = "\r\n" if "\r\n" in text else "\n"
    root = scan(text)
    first = root.entries[0] if root.entries else None
    unit = _indent(text, first.node) if first and "\n" in text[root.start : first.start] else ""
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
