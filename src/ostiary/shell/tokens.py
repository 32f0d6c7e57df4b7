"""What tokens of a bash text look like, as patterns."""

from __future__ import annotations

import re
from typing import Final

from ostiary.records import NamedTuple

NO_STOPS: Final[frozenset[str]] = frozenset()

# A word of these characters is itself; the look-ahead is the end of a word.
PLAIN: Final = re.compile(r"[A-Za-z0-9_./,:@%+=^-]+(?=[ \t\n|&;)]|[<>](?!\()|\Z)")
RUN: Final = re.compile(r"(?:[^\\'\"`$|&;()<> \t\n?*+@!]|[?*+@!](?!\())+")
QUOTED_RUN: Final = re.compile(r"[^\\\"`$]+")
DOCUMENT_RUN: Final = re.compile(r"[^\\`$]+")
REGULAR: Final = re.compile(r"(?:[^\\'\"`$()<> \t\n]|[<>](?!\())+")
BACKTICKS: Final = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
BACKTICK_ESCAPE: Final = re.compile(r"\\([$`\\])")
BACKTICK_ESCAPE_IN_QUOTES: Final = re.compile(r"\\([$`\\\"])")
ANSI_C: Final = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
BRACED_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-]")
LENGTH: Final = re.compile(r"#(?=(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])[}\[])")
INDIRECT: Final = re.compile(r"!(?=[A-Za-z0-9_@*#])")
OPERATOR: Final = re.compile(r":?[-=+?]|[#%]{1,2}|/[/#%]?|\^\^?|,,?|@(?=[A-Za-z]\})|[@*](?=\})|:")


class Enclosure(NamedTuple):
    """How to read up to a closing bracket: brackets inside pair up, `run` is text without anything special."""

    opening: str
    closing: str
    run: re.Pattern[str]


PARENTHESES: Final = Enclosure("(", ")", re.compile(r"[^\\'\"`$()<>]+"))
BRACKETS: Final = Enclosure("[", "]", re.compile(r"[^\\'\"`$\[\]<>]+"))
BRACES: Final = Enclosure("", "}", re.compile(r"[^\\'\"`$}<>]+"))
