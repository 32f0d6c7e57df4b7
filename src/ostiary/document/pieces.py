"""Long lists of a document, item by item, so that of a file that was read before only what changed is parsed again.

A list that is a value at the top of the document is cut where a line begins an item of it. The parser is given what is
not known, as a list of its own; what it makes of that is taken only if each piece turns out to be one item and nothing
is wrong with any: then nothing was open at either end of a piece, no quote and no bracket, and the same text means the
same wherever it stands. In every other case the whole text is parsed, and whatever is wrong is said as always.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from ostiary.document.node import Node
from ostiary.records import NamedTuple

Parse = Callable[[str], Node | None]
"""The document of a text, None if anything is wrong with it."""

_FEWEST: Final = 32
"""Items of the longest list for which this is worth while."""
_MOST: Final = 1 << 14  # pieces that are kept

_BREAKS: Final = re.compile("[\r\x85\u2028\u2029]")  # line ends that only the parser knows
_SECTION: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*:(?= |$)")
_LIST: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*: *(#.*)?")
_ITEM: Final = re.compile(r"( *)- ")
_NOTHING: Final = re.compile(r" *(#.*)?")


class _Piece(NamedTuple):
    """Lines of a document: the number of the first, and their text."""

    line: int
    text: str


class _Section(NamedTuple):
    """A key at the top with its value: its lines, and where they are cut if the value is a list (its first line aside),
    with the column of the items."""

    lines: _Piece
    items: tuple[_Piece, ...] = ()
    indent: int = 0


_known: dict[tuple[int, str], tuple[int, Node]] = {}
"""What was made of pieces, by column and text, with the line that it stood in."""


def read(text: str, parse: Parse) -> Node | None:
    """The document of a text, None where it has to be parsed as a whole."""
    if text.count("\n") < _FEWEST or not text.endswith("\n") or _BREAKS.search(text):
        return None
    sections = _sections(text[:-1].split("\n"))
    if not sections or max(len(section.items) for section in sections) < _FEWEST:
        return None
    values: dict[str, Node] = {}
    places: dict[str, tuple[int, int]] = {}
    for section in sections:
        found = _listed(section, parse) if section.items else _plain(section, parse)
        key = section.lines.text.partition(":")[0]
        if found is None or key in values:
            return None
        values[key], places[key] = found, (section.lines.line, 1)
    return Node(sections[0].lines.line, 1, values, "", places)


def _sections(lines: list[str]) -> list[_Section] | None:
    """The sections of a text, None where its top is not made of keys alone."""
    starts = [number for number, line in enumerate(lines) if line[:1] not in ("", " ", "#", "-")]
    top = all(_NOTHING.fullmatch(line) for line in lines[: starts[0] if starts else None])
    if not starts or not top or not all(_SECTION.match(lines[start]) for start in starts):
        return None
    if any(line.startswith("---") for line in lines):
        return None
    ends = [*starts[1:], len(lines)]
    return [_section(lines[start:end], start + 1) for start, end in zip(starts, ends, strict=True)]


def _section(lines: list[str], line: int) -> _Section:
    whole = _Piece(line, "\n".join(lines) + "\n")
    first = next((number for number, text in enumerate(lines) if number and not _NOTHING.fullmatch(text)), 0)
    item = _ITEM.match(lines[first])
    if not first or not item or not _LIST.fullmatch(lines[0]):
        return _Section(whole)
    start = item[0]
    cuts = [number for number, text in enumerate(lines) if text.startswith(start)]
    ends = [*cuts[1:], len(lines)]
    items = (_Piece(line + cut, "\n".join(lines[cut:end]) + "\n") for cut, end in zip(cuts, ends, strict=True))
    return _Section(whole, tuple(items), len(item[1]))


def _plain(section: _Section, parse: Parse) -> Node | None:
    """The value of a section."""
    found = parse(section.lines.text)
    if found is None or not isinstance(found.value, dict) or len(found.value) != 1:
        return None
    return _moved(next(iter(found.value.values())), section.lines.line - 1)


def _listed(section: _Section, parse: Parse) -> Node | None:
    """The value of a section that is a list."""
    fresh = [piece for piece in section.items if (section.indent, piece.text) not in _known]
    for run in _runs(fresh):
        if not _learned(run, section.indent, parse):
            return None
    found = [item for piece in section.items if (item := _item(piece, section.indent))]
    _bound()
    whole = len(found) == len(section.items)  # another thread may have made room
    return Node(section.items[0].line, section.indent + 1, found) if whole else None


def _runs(pieces: list[_Piece]) -> Iterator[list[_Piece]]:
    """Pieces that stand one behind the other, together."""
    run: list[_Piece] = []
    for piece in pieces:
        if run and run[-1].line + run[-1].text.count("\n") != piece.line:
            yield run
            run = []
        run.append(piece)
    if run:
        yield run


def _learned(run: list[_Piece], indent: int, parse: Parse) -> bool:
    """Takes note of what pieces are; False unless each of them is one item."""
    found = parse("k:\n" + "".join(piece.text for piece in run))
    items = found.value.get("k") if found and isinstance(found.value, dict) and len(found.value) == 1 else None
    if items is None or not isinstance(items.value, list) or len(items.value) != len(run):
        return False
    offset = run[0].line - 2
    for piece, item in zip(run, items.value, strict=True):
        node = _moved(item, offset)
        if not piece.line <= node.line < piece.line + piece.text.count("\n"):
            return False
        _known[indent, piece.text] = (piece.line, node)
    return True


def _item(piece: _Piece, indent: int) -> Node | None:
    """What a known piece is in its line, None if it is not known. What is used last goes last."""
    known = _known.pop((indent, piece.text), None)
    if known is None:
        return None
    line, node = known
    if line != piece.line:
        node = _moved(node, piece.line - line)
    _known[indent, piece.text] = (piece.line, node)
    return node


def _bound() -> None:
    while len(_known) > _MOST:
        del _known[next(iter(_known))]


def _moved(node: Node, by: int) -> Node:
    """The same so many lines further down."""
    value, keys = node.value, node.keys
    if isinstance(value, dict):
        value = {key: _moved(child, by) for key, child in value.items()}
    elif isinstance(value, list):
        value = [_moved(child, by) for child in value]
    if keys is not None:
        keys = {key: (line + by, column) for key, (line, column) in keys.items()}
    return Node(node.line + by, node.column, value, node.source, keys)
