"""Code of interpreters in the text (`python -c`, `node -e`, `sed`, `awk`): what its known calls touch and run."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Final

from ostiary.call.code.tables import CALLS
from ostiary.call.gather import Gathered, Nested
from ostiary.call.model import Opening
from ostiary.expressions import expression
from ostiary.words import Word

MAX_CODE: Final = 65_536
"""Characters of interpreter code that are read."""

_SQL_ESCAPE: Final = expression(
    r"\\(?:!|(?:o|out|i|ir|include|w|write|copy|lo_\w+)\b|g\w*\s*[|/.])|^\s*\.(?:sh|sy|imp|out|onc|loa|exc|edi)"
    r"|^\s*(?:system|source|pager|tee|edit)\s|\bprogram\b|load_extension",
    re.I | re.M,
)


def read_code(code: Word, language: str, out: Gathered) -> None:
    """Add what code of a language that is no shell does. A text with holes is read with the holes as they were written;
    no allow covers what they may hold, and code that is nothing but a hole is not told."""
    text = str(code)
    if not code.pieces:
        return
    if code.holes:
        nothing_else = not (code.prefix.strip() or code.suffix.strip())
        if nothing_else or _computed_in(code, language):
            out.nested.append(Nested("unknown", code, reason="code that is only known when it runs"))
        if nothing_else:
            return
        out.openings.append(Opening("unknown", frozenset(), f"`{code.holes[0].source}` may hold further code"))
    if len(text) > MAX_CODE:
        out.nested.append(Nested("unknown", reason="code longer than what is analysed"))
    elif language in _READERS:
        module, _, reader = _READERS[language].partition(".")
        getattr(import_module(f"{__name__}.{module}"), reader)(text, out)
    elif language in CALLS:
        from ostiary.call.code.calls import read_calls

        read_calls(text, language, out)
    else:
        _read_other(code, language, out)


# Each is imported where its language is met: a hook pays for what it imports.
_READERS: Final = {
    "sed": "sed.read_sed",
    "awk": "awk.read_awk",
    "ex": "ex.read_ex",
    "diff": "diff.read_diff",
    "fzf": "typed.read_bindings",
    "sent": "typed.read_sent",
    "sftp": "transfers.read_transfers",
    "lftp": "transfers.read_lftp",
}


def _read_other(code: Word, language: str, out: Gathered) -> None:
    if language == "sql":
        from ostiary.call.code.sql import touched_by_sql

        touched_by_sql(str(code), out)
    if language != "sql" or _SQL_ESCAPE.search(str(code)):
        out.nested.append(Nested("unknown", code, reason=f"{_NAMES.get(language, language)} code is not analysed"))


def _computed_in(code: Word, language: str) -> bool:
    return language not in _READERS and any(hole.kind != "outside" for hole in code.holes)


_NAMES: Final = {"other": "this program's", "base64": "encoded", "sql": "SQL that leaves the database:"}
