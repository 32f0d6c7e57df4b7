"""What the commands of a database's client do to files: sqlite's dots, and SQL that names files."""

from __future__ import annotations

import re
import shlex
from typing import Final

from ostiary.call.gather import Gathered
from ostiary.call.model import AccessKind
from ostiary.expressions import expression
from ostiary.words import word

_DOT: Final = expression(r"^\s*\.([a-z]+)[ \t]+(.+)$", re.IGNORECASE | re.MULTILINE)
_INTO: Final = expression(r"\bvacuum\b[^;']*?\binto\s+'([^']+)'", re.IGNORECASE)
_ATTACH: Final = expression(r"\battach\s+(?:database\s+)?'([^']+)'", re.IGNORECASE)
_WRITTEN: Final = expression(r"\bwritefile\s*\(\s*'([^']+)'|\binto\s+(?:out|dump)file\s+'([^']+)'", re.IGNORECASE)
_READ: Final = expression(
    r"\b(?:readfile|load_file|pg_read_file|read_csv\w*|read_parquet|read_json\w*)\s*\(\s*'([^']+)'"
    r"|\bload\s+(?:data|xml)\b[^;']*?\binfile\s+'([^']+)'",
    re.IGNORECASE,
)
_COPY: Final = expression(r"\bcopy\b[^;']*?\b(to|from)\s+'([^']+)'", re.IGNORECASE)

# Commands of sqlite that name a file, which may be abbreviated: where it stands, and what happens to it.
_COMMANDS: Final[dict[str, tuple[int, tuple[AccessKind, ...]]]] = {
    "backup": (-1, ("write",)),
    "save": (-1, ("write",)),
    "clone": (0, ("write",)),
    "output": (-1, ("write",)),
    "once": (-1, ("write",)),
    "log": (0, ("write",)),
    "trace": (-1, ("write",)),
    "open": (-1, ("read", "write")),
    "restore": (-1, ("read",)),
    "import": (-2, ("read",)),
    "read": (0, ("read", "execute")),
}


def touched_by_sql(text: str, out: Gathered) -> None:
    """Add the files that are named."""
    for found in _DOT.finditer(text):
        _command(found[1].lower(), found[2], out)
    for pattern, kinds in _PATTERNS:
        for found in pattern.finditer(text):
            out.path(
                word(next(filter(None, found.groups()))), *kinds, origin="output" if "write" in kinds else "argument"
            )
    for found in _COPY.finditer(text):
        if found[1].lower() == "to":
            out.path(word(found[2]), "write", origin="output")
        else:
            out.path(word(found[2]), "read")


_PATTERNS: Final[tuple[tuple[re.Pattern[str], tuple[AccessKind, ...]], ...]] = (
    (_INTO, ("write",)),
    (_ATTACH, ("read", "write")),
    (_WRITTEN, ("write",)),
    (_READ, ("read",)),
)


def _command(name: str, rest: str, out: Gathered) -> None:
    meant = [one for command, one in _COMMANDS.items() if len(name) > 1 and command.startswith(name)]
    try:
        words = [item for item in shlex.split(rest) if not item.startswith("-")]
    except ValueError:
        words = rest.replace('"', "").replace("'", "").split()
    for at, kinds in meant:
        if words:
            out.path(
                word(words[at] if -len(words) <= at else words[0]),
                *kinds,
                origin="output" if "write" in kinds else "argument",
            )
