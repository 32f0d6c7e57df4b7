"""Words of a PowerShell text: strings, variables, sub-expressions, bare words (its specification, 2.3)."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ostiary.shell.collecting import Drafts
from ostiary.shell.limits import Budget
from ostiary.shell.pieces import finished
from ostiary.shell.powershell import tokens
from ostiary.shell.powershell.variables import HERE, HOME, Variables
from ostiary.shell.syntax import Unreadable
from ostiary.words import Hole, Word, joined, word

Piece = str | Hole


class WordReader(ABC):
    """A position in a text. `masks` are the stretches that the second parser need not read, with what replaces them;
    `starts` where commands start; `blocks` counts the blocks around."""

    def __init__(self, text: str, budget: Budget) -> None:
        self.text = text
        self.size = len(text)
        self.pos = 0
        self.budget = budget
        self.drafts = Drafts("powershell")
        self.variables = Variables(text)
        self.masks: list[tuple[int, int, str]] = []
        self.starts: list[int] = []
        self.blocks = 0
        self.intricate = False

    @abstractmethod
    def statements(self, closer: str) -> Word | None:
        """Statements up to and over the closing bracket; their value if they are one expression that the text tells."""

    @abstractmethod
    def hashtable(self) -> None:
        """The entries of a hashtable up to and over its closing brace."""

    @abstractmethod
    def postfix(self, held: Word, start: int) -> Word:
        """Members, indexes and calls behind a value that starts at `start`; what they come to."""

    def char(self) -> str:
        """The next character, empty at the end."""
        return self.text[self.pos : self.pos + 1]

    def spaces(self) -> str:
        """Skip blanks, line joins and block comments; the next character."""
        if match := tokens.SPACES.match(self.text, self.pos):
            self.pos = match.end()
        return self.char()

    def lines(self) -> str:
        """Skip blanks, newlines and comments; the next character."""
        if match := tokens.LINES.match(self.text, self.pos):
            self.pos = match.end()
        return self.char()

    def nested(self, closer: str, *, block: bool = False) -> Word | None:
        """Statements inside of brackets whose opening one was read."""
        self.budget.enter()
        self.intricate = True
        self.blocks += block
        before, again = self.drafts.cwd, self.drafts.again
        self.drafts.again = again or block
        found = self.statements(closer)
        if block:
            self.drafts.unsettled(before)
        self.blocks -= block
        self.drafts.again = again
        self.budget.leave()
        return found

    def computed(self, start: int) -> Word:
        """What stands between `start` and here, as a value that the text does not tell."""
        return Word((Hole(self.text[start : self.pos], "computed"),))

    def primary(self) -> Word | None:
        """A value that starts with a sign: a string, a variable, brackets; None if a bare word starts here."""
        start, sign, text = self.pos, self.char(), self.text
        if match := tokens.HERE.match(text, start):
            return self.postfix(self._here_string(match.end(), match[1]), start)
        if sign and sign in tokens.SINGLE:
            return self.postfix(word(self._verbatim()), start)
        if sign and sign in tokens.DOUBLE:
            return self.postfix(self._expandable(), start)
        if text.startswith(("$(", "@("), start):
            self.pos += 2
            self.nested(")")
            return self.postfix(self.computed(start), start)
        if sign == "(":
            self.pos += 1
            held = self.nested(")")
            return self.postfix(held or self.computed(start), start)
        if text.startswith("@{", start):
            self.pos += 2
            self.hashtable()
            return self.postfix(self.computed(start), start)
        if sign == "{":
            self.pos += 1
            self.nested("}", block=True)
            return self.postfix(word(text[start : self.pos]), start)
        return None

    def variable(self) -> Word | None:
        """The value of the variable that starts here, None if none does."""
        match = tokens.VARIABLE.match(self.text, self.pos)
        if match is None:
            return None
        self.pos = match.end()
        return self.variables.value(match["braced"] or match["plain"], match[0])

    def _verbatim(self) -> str:
        out: list[str] = []
        self.pos += 1
        start = self.pos
        while self.pos < self.size:
            if self.char() in tokens.SINGLE:
                if self.text[self.pos + 1 : self.pos + 2] not in (*tokens.SINGLE,):
                    self.masks.append((start, self.pos, "x"))
                    self.pos += 1
                    return "".join(out)
                self.pos += 1
            out.append(self.char())
            self.pos += 1
        raise Unreadable("a single quote is not closed")

    def _expandable(self) -> Word:
        pieces: list[Piece] = []
        self.pos += 1
        start, count = self.pos, len(self.starts)
        while self.pos < self.size:
            sign = self.char()
            if sign in tokens.DOUBLE:
                if self.text[self.pos + 1 : self.pos + 2] not in (*tokens.DOUBLE,):
                    self._mask(start, count)
                    self.pos += 1
                    return joined(pieces)
                pieces.append(sign)
                self.pos += 2
            else:
                self._expanded(pieces)
        raise Unreadable("a double quote is not closed")

    def _mask(self, start: int, count: int) -> None:
        """Hide text that holds no command; `count` of them started before it."""
        if len(self.starts) == count:
            self.masks.append((start, self.pos, "x"))

    def _expanded(self, pieces: list[Piece], stop: int | None = None) -> None:
        """One piece of an expandable string that ends before `stop`."""
        self.budget.spend()
        if match := tokens.STRING_RUN.match(self.text, self.pos, self.size if stop is None else stop):
            self.pos = match.end()
            pieces.append(match[0])
        elif self.char() == "`":
            self._escape(pieces)
        elif self.char() == "$":
            self._dollar(pieces)
        else:
            pieces.append(self.char())
            self.pos += 1

    def _escape(self, pieces: list[Piece]) -> None:
        following = self.text[self.pos + 1 : self.pos + 2]
        self.pos += 2
        pieces.append(tokens.escaped(following))

    def _dollar(self, pieces: list[Piece]) -> None:
        start = self.pos
        if self.text.startswith("$(", start):
            self.pos += 2
            self.nested(")")
            pieces.extend(self.computed(start).pieces)
        elif (held := self.variable()) is not None:
            pieces.extend(held.pieces)
        else:
            self.pos += 1
            pieces.append("$")

    def _here_string(self, start: int, quote: str) -> Word:
        single = quote in tokens.SINGLE
        # The end may follow at once: the newline before the body ends an empty one.
        end = tokens.HERE_END["'" if single else '"'].search(self.text, start - 1)
        if end is None:
            raise Unreadable("a here-string is not closed")
        self.intricate = True
        if single:
            self.masks.append((start, end.start(), "x"))
            self.pos = end.end()
            return word(self.text[start : max(start, end.start())])
        return self._expandable_here(start, end.start(), end.end())

    def _expandable_here(self, start: int, stop: int, end: int) -> Word:
        pieces: list[Piece] = []
        self.pos = start
        count = len(self.starts)
        while self.pos < stop:
            self._expanded(pieces, stop)
        if self.pos > max(start, stop):
            raise Unreadable("the end of a here-string is not clear")
        self._mask(start, count)
        self.pos = end
        return joined(pieces)

    def bare(self) -> Word:
        """A bare word: text, variables and quoted pieces up to a blank or an operator; `Unreadable` if there is none.
        A home at its start is `~`, the working directory `.`."""
        start, count = self.pos, len(self.starts)
        pieces: list[Piece] = []
        while self.pos < self.size and (sign := self.char()) not in tokens.BARE_END:
            self.budget.spend()
            if match := tokens.PLAIN.match(self.text, self.pos):
                self.pos = match.end()
                pieces.append(match[0])
            elif sign == "`":
                if self.text[self.pos + 1 : self.pos + 2] in ("\r", "\n", ""):
                    break
                self._escape(pieces)
            elif sign == "$":
                self._dollar(pieces)
            else:
                self._quoted(pieces)
        if self.pos == start:
            raise Unreadable("a word is missing")
        self._mask(start, count)
        return self.placed(joined(pieces))

    def _quoted(self, pieces: list[Piece]) -> None:
        if self.char() in tokens.SINGLE:
            pieces.append(self._verbatim())
        else:
            pieces.extend(self._expandable().pieces)

    def placed(self, held: Word) -> Word:
        """A word whose home or working directory, at its start, is written as other shells write it."""
        pieces = list(held.pieces)
        following = pieces[1] if pieces[:1] in ([HOME], [HERE]) and len(pieces) > 1 else ""
        if isinstance(following, str) and following.startswith("\\"):
            return finished([pieces[0], "/" + following[1:], *pieces[2:]], held.many, self.drafts.cwd)
        if held.prefix.startswith("~"):
            return Word((held.prefix.replace("~\\", "~/", 1), *pieces[1:]), held.many)
        return finished(pieces, held.many, self.drafts.cwd)
