"""Words of a cmd text: carets, quotes, percent signs (what `cmd /?` and `help` say, and the parser's phases).

Quotes toggle: between them operators and carets are text. Values of `%variables%` are put in before anything else is
read, so what they hold is not told.
"""

from __future__ import annotations

import re
from typing import Final

from ostiary.expressions import expression
from ostiary.shell.collecting import Drafts
from ostiary.shell.limits import Budget
from ostiary.words import Hole, Word, joined

_VARIABLE: Final = expression(
    r"%(?:~[a-zA-Z$:]*)?(?:[0-9*]|[^%\s:=\"&|<>^]+(?::[^%\r\n]*)?%)|%%?(?:~[a-zA-Z$:]*)?[A-Za-z]|![^!\s]+!"
    r"|@(?:path|file|fname|ext|relpath)\b"
)
"""The last kind is put in by `forfiles`."""
_SET: Final = expression(r"\bset\s+(?:/[ap]\s+)?\"?([^=\"\s&|]+)\s*[-+*/%&|^]?=", re.IGNORECASE)
_JOIN: Final = expression(r"\^\r?\n")
_NAME: Final = expression(r"%([^%:~]+)%")
_RUN: Final = expression(r"[^\s\"^%!&|<>(),;=]+")
_ADDED: Final = expression(r"[^\s\"^%!&|<>(),;=+]+")
"""Text up to the next sign that may end it; `+` joins the files that `copy` reads."""
_HOMES: Final = frozenset({"userprofile", "home"})
OPERATORS: Final = frozenset("&|<>\r\n")
SEPARATORS: Final = frozenset(" \t,;=")
BLANKS: Final = frozenset(" \t")
HOME: Final = Hole("$HOME", "outside")


class WordReader:
    """A position in a text. `set_here` are the variables that the text sets, in lower case; `depth` counts the
    parentheses around."""

    def __init__(self, text: str, budget: Budget) -> None:
        self.text = text
        self.size = len(text)
        self.pos = 0
        self.budget = budget
        self.drafts = Drafts("cmd")
        self.depth = 0
        self.set_here = {name.lower() for name in _SET.findall(text)}

    def char(self) -> str:
        """The next character, empty at the end."""
        return self.text[self.pos : self.pos + 1]

    def skip(self, signs: frozenset[str]) -> str:
        """Skip signs and line joins; the next character."""
        while self.pos < self.size:
            if self.char() in signs:
                self.pos += 1
            elif match := _JOIN.match(self.text, self.pos):
                self.pos = match.end()
            else:
                break
        return self.char()

    def word(self, ends: frozenset[str]) -> Word:
        """The word that starts here, up to one of `ends` or an operator; empty where none does."""
        pieces: list[str | Hole] = []
        quoted = False
        while sign := self.char():
            self.budget.spend()
            if sign in "\r\n" or (not quoted and self._stops(sign, ends)):
                break
            if sign == '"':
                quoted = not quoted
                self._quote(pieces)
            elif sign == "^" and not quoted:
                self._caret(pieces)
            elif match := _VARIABLE.match(self.text, self.pos):
                self.pos = match.end()
                pieces.append(self._held(match[0]))
            elif match := (_RUN if quoted or "+" not in ends else _ADDED).match(self.text, self.pos):
                self.pos = match.end()
                pieces.append(match[0])
            else:
                self.pos += 1
                pieces.append(sign)
        return _placed(joined(pieces))

    def _stops(self, sign: str, ends: frozenset[str]) -> bool:
        return sign in ends or sign in OPERATORS or (sign == ")" and self.depth > 0)

    def _quote(self, pieces: list[str | Hole]) -> None:
        """A quote is no part of a word, unless a program takes it for one: behind a backslash."""
        self.pos += 1
        last = pieces[-1] if pieces else ""
        if isinstance(last, str) and last.endswith("\\") and self.char() not in ("", " ", "&", "\n"):
            pieces.append(Hole('\\"', "unparsed"))

    def _caret(self, pieces: list[str | Hole]) -> None:
        following = self.text[self.pos + 1 : self.pos + 2]
        self.pos += 2
        if following == '"':
            pieces.append(Hole('^"', "unparsed"))  # a quote to the program, none to cmd
        elif following not in "\r\n":
            pieces.append(following)

    def _held(self, source: str) -> str | Hole:
        if source[0] == "@":
            return Hole(source, "outside")
        name = _NAME.fullmatch(source)
        if name is None or name[1].lower() in self.set_here:
            return Hole(source, "computed")
        if name[1].lower() == "comspec":
            return "cmd.exe"
        return HOME if name[1].lower() in _HOMES else Hole(source, "outside")


def _placed(held: Word) -> Word:
    """The home at the start of a path is written as other shells write it."""
    pieces = list(held.pieces)
    if pieces[:1] != [HOME]:
        return held
    if len(pieces) == 1:
        return joined(["~"])
    following = pieces[1]
    if isinstance(following, str) and following[:1] in ("\\", "/"):
        return joined(["~/" + following[1:], *pieces[2:]])
    return held
