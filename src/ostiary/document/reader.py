"""YAML text to a tree of nodes, with every trap of the format refused.

The parser is ruamel.yaml's own in pure Python: the one in C gives other places and other errors, and a rule file must
mean the same on every machine. Its events are enough: composing nodes costs as much again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from ostiary.document import pieces
from ostiary.document.node import MERGE, Node, where
from ostiary.document.syntax import ALIAS, explained, far_escape
from ostiary.document.text import directive
from ostiary.problems import Problem
from ostiary.spelling import shown

DEPTH: Final = 64
"""Levels of collections in a document."""
MOST_PROBLEMS: Final = 100
"""Problems of one sort that are told of one file."""

_CONSTANTS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
# YAML 1.2's core schema. Longer numbers than these are text: nothing in a rule file counts that far.
_WHOLE: Final = re.compile(r"[-+]?[0-9]{1,18}|0o[0-7]{1,18}|0x[0-9a-fA-F]{1,15}", re.ASCII)
_DECIMAL: Final = re.compile(r"[-+]?(\.[0-9]{1,18}|[0-9]{1,18}(\.[0-9]{0,18})?)([eE][-+]?[0-9]{1,2})?", re.ASCII)


_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def scalar(text: str) -> Any:
    """The value of an unquoted scalar by YAML 1.2: None, a boolean, a number or text."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _WHOLE.fullmatch(text):
        return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
    return float(text) if _DECIMAL.fullmatch(text) else text


def read(text: str, file: str) -> tuple[Node | None, list[Problem]]:
    """The document of `text` and what is wrong with its YAML. The node is None for an empty document; after a syntax
    error it holds what came before it."""
    line = directive(text)
    if line:
        return None, [Problem(file, line, 1, "", "directives are refused", "remove the line that starts with `%`")]
    if root := pieces.read(text, _clean):
        return root, []
    builder = _built(text, file)
    return (None if builder.broken else builder.root), builder.problems


def _clean(text: str) -> Node | None:
    """The document of a text with which nothing is wrong, None for any other one."""
    builder = _built(text, "")
    return None if builder.problems else builder.root


def _built(text: str, file: str) -> _Builder:
    builder = _Builder(file)
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            handle = _HANDLERS.get(type(event))
            if handle:
                handle(builder, event)
    except _Enough:
        pass
    except MarkedYAMLError as error:
        builder.broken_by(explained(error, text, file))
    except (OverflowError, ValueError):  # ruamel.yaml passes what `chr` raises
        builder.broken_by(far_escape(text, file))
    return builder


class _Enough(Exception):
    """Reading on would say nothing new."""


class _Open:
    """A collection whose end was not reached. `key` is the key of the value to come, None where a key is to come;
    `drop` says that the value to come belongs to a refused key."""

    __slots__ = ("drop", "key", "key_place", "node")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.key: str | None = None
        self.key_place = (node.line, node.column)
        self.drop = False


class _Builder:
    """Builds the tree from events, without recursion."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.root: Node | None = None
        self.problems: list[Problem] = []
        self.broken = False
        self._documents = 0
        self._anchors: set[str] = set()
        self._stack: list[_Open] = []

    def report(self, line: int, column: int, message: str, help: str = "") -> None:
        """Notes a problem at a place inside the open collections."""
        way: list[str | int] = []
        for level in self._stack[:-1]:
            way.append(len(level.node.value) if level.key is None else level.key)
        self.problems.append(Problem(self.file, line, column, where(way), message, help))
        if len(self.problems) >= MOST_PROBLEMS:
            raise _Enough

    def broken_by(self, problem: Problem) -> None:
        """Notes a syntax error, unless its line was found to be wrong before."""
        self.broken = True
        if all(known.line != problem.line for known in self.problems):
            self.problems.append(problem)

    def document(self, event: DocumentStartEvent) -> None:
        self._documents += 1
        if self._documents > 1:
            line, column = _place(event)
            self.report(line, column, "a file holds one document", "remove the line `---` and what follows it")
            raise _Enough

    def scalar(self, event: ScalarEvent) -> None:
        line, column = _place(event)
        self._refuse_properties(event, line, column)
        source: str = event.value
        value = scalar(source) if event.implicit[0] else source
        if _SURROGATE.search(source):
            self.report(line, column, "an escape in double quotes names no character")
        self._add(Node(line, column, value, source))

    def alias(self, event: AliasEvent) -> None:
        line, column = _place(event)
        if event.anchor in self._anchors:
            self.report(line, column, "aliases are refused", f"write out what `&{shown(event.anchor)}` stands for")
        else:
            self.report(line, column, ALIAS, f'quote it: `"*{shown(event.anchor)}"`')
        self._add(Node(line, column, "", ""), refused=True)

    def mapping(self, event: MappingStartEvent) -> None:
        line, column = _place(event)
        self._open(event, Node(line, column, {}, "", {}))

    def sequence(self, event: SequenceStartEvent) -> None:
        line, column = _place(event)
        self._open(event, Node(line, column, []))

    def end(self, _: MappingEndEvent | SequenceEndEvent) -> None:
        self._add(self._stack.pop().node)

    def _open(self, event: Any, node: Node) -> None:
        self._refuse_properties(event, node.line, node.column)
        self._stack.append(_Open(node))
        if len(self._stack) > DEPTH:
            self.report(node.line, node.column, f"nested deeper than {DEPTH} levels")
            raise _Enough

    def _refuse_properties(self, event: Any, line: int, column: int) -> None:
        if event.anchor is not None:
            self._anchors.add(event.anchor)
            self.report(line, column, "anchors are refused", _ANCHOR_HELP)
        if event.tag is not None:
            self.report(line, column, "tags are refused", "quote a text that starts with `!`")

    def _add(self, node: Node, refused: bool = False) -> None:
        if not self._stack:
            self.root = node
            return
        top = self._stack[-1]
        if isinstance(top.node.value, list):
            self._add_item(top, node)
        elif top.key is None and not top.drop:
            self._add_key(top, node, refused)
        else:
            self._add_value(top, node)

    def _add_item(self, top: _Open, node: Node) -> None:
        if node.value is None and not _deliberate(node):
            self.report(node.line, node.column, "an item of a list has no value", _null_help(node))
            node = node._replace(source="")
        top.node.value.append(node)

    def _add_key(self, top: _Open, node: Node, refused: bool) -> None:
        top.key, top.key_place = node.source, (node.line, node.column)
        top.drop = True
        keys = top.node.keys or {}
        if isinstance(node.value, dict | list) or node.value is None:
            self.report(node.line, node.column, "a key must be text", "quote texts that hold `{`, `}`, `[` or `]`")
        elif node.source == MERGE:
            keys[MERGE] = top.key_place
            self.report(node.line, node.column, "merge keys are refused", "write the keys out")
        elif node.source in keys:
            first = keys[node.source][0]
            message = f"the key `{shown(node.source)}` stands here twice, first on line {first}"
            self.report(node.line, node.column, message, "keep one of them")
        else:
            top.drop = refused

    def _add_value(self, top: _Open, node: Node) -> None:
        key, drop = top.key or "", top.drop
        top.key, top.drop = None, False
        if drop:
            return
        if node.value is None and not _deliberate(node):
            line, column = top.key_place
            self.report(line, column, f"the key `{shown(key)}` has no value", _null_help(node, ":" in key))
            node = node._replace(source="")
        top.node.value[key] = node
        assert top.node.keys is not None
        top.node.keys[key] = top.key_place


_ANCHOR_HELP: Final = "write the value out wherever it is used, or quote a text that starts with `&`"


def _place(event: Any) -> tuple[int, int]:
    return event.start_mark.line + 1, event.start_mark.column + 1


def _deliberate(node: Node) -> bool:
    """Whether a null was written out, and is no slip."""
    return node.source not in ("", "~")


def _null_help(node: Node, glued: bool = False) -> str:
    if glued:
        return "put a blank after the colon"
    return f'quote it: `"{node.source}"`' if node.source else "write a value or remove the line"


_HANDLERS: Final[dict[type, Callable[[_Builder, Any], None]]] = {
    DocumentStartEvent: _Builder.document,
    ScalarEvent: _Builder.scalar,
    AliasEvent: _Builder.alias,
    MappingStartEvent: _Builder.mapping,
    SequenceStartEvent: _Builder.sequence,
    MappingEndEvent: _Builder.end,
    SequenceEndEvent: _Builder.end,
}
