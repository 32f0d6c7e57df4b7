"""A second opinion on PowerShell texts, from an independent grammar (tree-sitter-powershell).

A text that holds anything but plain commands counts as read only if both find commands at the same places.
"""

from __future__ import annotations

import re
from typing import Any, Final

from ostiary.expressions import expression
from ostiary.shell import limits
from ostiary.shell.powershell.words import WordReader

_OTHER: Final = expression(r"[^\t\r\n\x20-\x7e]")
_RUNS: Final = re.compile(rb"x{2,}|[ \n]{2,}")
_parsers: Final[list[Any]] = []


def difference(reader: WordReader) -> str:
    """Why the second reading differs, empty if it does not."""
    text = _masked(reader)
    if len(_RUNS.sub(b"x", text)) > limits.CHUNK:
        return "a command is too long to be read twice"
    root = _parser().parse(text).root_node
    if root.has_error:
        return "two readings of the text differ"
    if _starts(root) != sorted(reader.starts):
        return "two readings of the text find different commands"
    return ""


def _masked(reader: WordReader) -> bytes:
    text = bytearray(_OTHER.sub("x", reader.text), "ascii")
    for start, end, filler in reader.masks:
        text[start:end] = filler.encode("ascii") * (end - start)
    return bytes(text)


def _starts(root: Any) -> list[int]:
    """Where commands start, in order."""
    found: list[int] = []
    cursor = root.walk()
    while True:
        node = cursor.node
        if node.type == "command":
            found.append(node.start_byte)
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return sorted(found)


def _parser() -> Any:
    if not _parsers:
        # Importing the grammar takes time that a call without an intricate script need not pay.
        from tree_sitter import Language, Parser
        from tree_sitter_powershell import language

        _parsers.append(Parser(Language(language())))
    return _parsers[0]
