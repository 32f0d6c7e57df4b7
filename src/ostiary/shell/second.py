"""Reading a text twice: our own grammar, and a second opinion from an independent one (tree-sitter-bash).

Each of the two misses commands in texts that the other reads well (backticks in here-documents, line joins inside of
words, redirections that swallow a program). So a text that holds anything but plain commands counts as read only if
both find programs at the same places. Stretches that the tree grammar is known not to read are masked for it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Any, Final

from ostiary.expressions import expression
from ostiary.shell import limits
from ostiary.shell.grammar import Reader
from ostiary.shell.limits import Budget
from ostiary.shell.scanning import Scanner
from ostiary.shell.syntax import Sequence, Unread

# What setting up two parsers costs, in words.
_TEXT_STEPS: Final = 16

_OTHER: Final = expression(r"[^\t\n\x20-\x7e]")
_PROGRAMS: Final = frozenset({"command_name", "declaration_command", "unset_command"})

_RUNS: Final = re.compile(rb"x{2,}|[ \n]{2,}")
_parsers: Final[list[Any]] = []


def read(text: str, budget: Budget) -> tuple[Sequence, str]:
    """The structure of a bash text, and the name of the bound that was hit, if one was. What could not be read is in
    it as unread."""
    budget.spend(_TEXT_STEPS + len(text) // limits.CHARACTERS)
    family: list[Scanner] = []
    script = Reader(text, budget, family).script()
    reason = "" if family[0].broken else _difference(family)
    if reason:
        script = Sequence((*script.items, Unread(text, reason)))
    return script, family[0].limit


def _difference(family: list[Scanner]) -> str:
    for reader in family:
        if reader.chunks:
            text, starts = _masked(reader), sorted(reader.starts)
            for start, end in reader.chunks:
                inside = starts[bisect_left(starts, start) : bisect_left(starts, end)]
                reason = _chunk_difference(text[start:end], [place - start for place in inside])
                if reason:
                    return reason
    return ""


def _masked(reader: Scanner) -> bytes:
    text = bytearray(_OTHER.sub("x", reader.text), "ascii")
    for start, end, filler in reader.masks:
        text[start:end] = filler.encode("ascii") * (end - start)
    return bytes(text)


def _chunk_difference(text: bytes, starts: list[int]) -> str:
    if len(_RUNS.sub(b"x", text)) > limits.CHUNK:
        return "a command is too long to be read twice"
    root = _parser().parse(text).root_node
    if root.has_error:
        return "two readings of the text differ"
    if _program_starts(root) != starts:
        return "two readings of the text find different commands"
    return ""


def _program_starts(root: Any) -> list[int]:
    """Where programs start, in order."""
    found: list[int] = []
    cursor = root.walk()
    while True:
        node = cursor.node
        if node.type in _PROGRAMS or (node.type == "test_command" and node.children[0].type == "["):
            found.append(node.start_byte)
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return sorted(found)


def _parser() -> Any:
    if not _parsers:
        # Importing the grammar takes 20 ms, which a call without an intricate script need not pay.
        from tree_sitter import Language, Parser
        from tree_sitter_bash import language

        _parsers.append(Parser(Language(language())))
    return _parsers[0]
