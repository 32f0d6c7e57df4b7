"""What tokens of a bash text look like, as patterns."""

from __future__ import annotations

import re
from typing import Final

from ostiary.expressions import expression
from ostiary.records import NamedTuple

NO_STOPS: Final[frozenset[str]] = frozenset()

# A word of these characters is itself; the look-ahead is the end of a word.
PLAIN: Final = expression(r"[A-Za-z0-9_./,:@%+=^-]+(?=[ \t\n|&;)]|[<>](?!\()|\Z)")
# Such words with blanks before them, none of them the number of a redirection's descriptor.
PLAIN_WORDS: Final = expression(r"(?:[ \t]++[A-Za-z0-9_./,:@%+=^-]++(?=[ \t\n|&;)]|\Z))+")
RUN: Final = expression(r"(?:[^\\'\"`$|&;()<> \t\n?*+@!]|[?*+@!](?!\())+")
QUOTED_RUN: Final = expression(r"[^\\\"`$]+")
DOCUMENT_RUN: Final = expression(r"[^\\`$]+")
REGULAR: Final = expression(r"(?:[^\\'\"`$()<> \t\n]|[<>](?!\())+")
BACKTICKS: Final = expression(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
# A line join inside of backticks is nothing, also between quotes.
BACKTICK_ESCAPE: Final = expression(r"\\(?:([$`\\])|\n)")
BACKTICK_ESCAPE_IN_QUOTES: Final = expression(r"\\(?:([$`\\\"])|\n)")
ANSI_C: Final = expression(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
# Text without a double quote that is not escaped.
UNQUOTED: Final = expression(r"(?:[^\"\\]|\\.)*", re.DOTALL)
NAME: Final = expression(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
# A line join before a name or inside of it.
JOINED: Final = expression(r"\\\n|[A-Za-z_][A-Za-z0-9_]*(?:\\\n)+[A-Za-z0-9_]")
DESCRIPTOR: Final = expression(r"[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\}")
BRACED_NAME: Final = expression(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-]")
LENGTH: Final = expression(r"#(?=(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])[}\[])")
INDIRECT: Final = expression(r"!(?=[A-Za-z0-9_@*#])")
OPERATOR: Final = expression(r":?[-=+?]|[#%]{1,2}|/[/#%]?|\^\^?|,,?|@(?=[A-Za-z]\})|[@*](?=\})|:")
# Characters that make another operator of these.
LONGER: Final = {":": "-=+?", "#": "#", "%": "%", "/": "/#%", "^": "^", ",": ","}


class Enclosure(NamedTuple):
    """How to read up to a closing bracket: brackets inside pair up, `run` is text without anything special."""

    opening: str
    closing: str
    run: re.Pattern[str]


PARENTHESES: Final = Enclosure("(", ")", expression(r"[^\\'\"`$()<>]+"))
BRACKETS: Final = Enclosure("[", "]", expression(r"[^\\'\"`$\[\]<>]+"))
BRACES: Final = Enclosure("", "}", expression(r"[^\\'\"`$}<>]+"))


_EXPANSION: Final = expression(r"\$\{[^{},]*\}")
_BRACE_LIST: Final = expression(r"\{.*(?:,|\.\.).*\}", re.DOTALL)
_QUOTED: Final = expression(r"(?<!\$)'[^']*'|\"(?:[^\"\\`$]|\\.|\$(?![({])|\$\{[\w@*#]+\})*\"", re.DOTALL)
_BRACKET: Final = expression("[()]")
_NO_ARITHMETIC: Final = expression(r"['\"\\]|<<|(?<![^\s;&|()])#|\besac\b")


def is_arithmetic(text: str) -> bool:
    """Whether bash surely takes `$((...))` for arithmetic: it counts the parentheses that are not quoted, also those
    inside of substitutions, and where they do not pair up it runs the text. False for whatever makes the count unsure:
    patterns of `case`, here-documents, comments, escapes and quotes in quotes."""
    text = _QUOTED.sub("", text)
    depth = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket == "(" else -1
        if depth < 0:
            return False
    return depth == 0 and not _NO_ARITHMETIC.search(text)


def may_list(text: str) -> bool:
    """Whether the word may hold a brace list, whatever is quoted in it."""
    return _BRACE_LIST.search(_EXPANSION.sub("", text)) is not None
