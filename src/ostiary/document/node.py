"""The tree of a document: plain values, each with its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ostiary.records import NamedTuple

Location = Sequence[str | int]

MERGE: Final = "<<"
"""The key that takes in the keys of another mapping; it is refused."""

_SHOWN: Final = 16


class Node(NamedTuple):
    """One value. `line` and `column` count from 1. `value` is a scalar, a `dict` of keys to nodes or a `list` of nodes;
    `source` a scalar as it was written, without quotes; `keys` the places of a mapping's keys, of a refused merge key
    too."""

    line: int
    column: int
    value: Any
    source: str = ""
    keys: dict[str, tuple[int, int]] | None = None

    @property
    def merges(self) -> bool:
        """Whether it is a mapping with a merge key: its author means keys to be there that are not."""
        return self.keys is not None and MERGE in self.keys


def plain(node: Node) -> Any:
    """The value without places."""
    value = node.value
    if isinstance(value, dict):
        return {key: plain(child) for key, child in value.items()}
    return [plain(child) for child in value] if isinstance(value, list) else value


def child(node: Node, part: str | int) -> Node | None:
    """The node under a key or position, None if there is none."""
    value = node.value
    if isinstance(value, dict):
        return value.get(part) if isinstance(part, str) else None
    if isinstance(value, list) and isinstance(part, int) and part < len(value):
        item: Node = value[part]
        return item
    return None


def children(node: Node) -> Iterator[tuple[str | int, Node]]:
    """The nodes right below, with their keys or positions."""
    value = node.value
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)


def find(root: Node, location: Location) -> tuple[Node, list[str | int]]:
    """The node at a location and the way to it. Parts that name nothing in the document are passed over: a validator
    also names choices and keys that are missing."""
    node, way = root, []
    for part in location:
        below = child(node, part)
        if below is not None:
            node = below
            way.append(part)
    return node, way


def where(way: Location) -> str:
    """A location as people write it: `rules[3].when.command`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in way[:_SHOWN])
    return text.removeprefix(".") + ("..." if len(way) > _SHOWN else "")


def keys(node: Node) -> Iterator[str]:
    """Every key of the tree."""
    if isinstance(node.value, dict):
        yield from node.value
    for _, below in children(node):
        yield from keys(below)


def nulls(node: Node, way: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The locations of nulls that were written out."""
    if node.value is None and node.source:
        yield way
    for part, below in children(node):
        yield from nulls(below, (*way, part))


def found(node: Node) -> str:
    """What a node is, in YAML's words and without its text."""
    value = node.value
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return "a boolean"
    if value is None:
        return "nothing"
    return "a number" if isinstance(value, int | float) else "text"
