"""Where the next token of a bash text starts: blanks, comments, newlines and the here-documents after them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final, Self

from ostiary.expressions import expression
from ostiary.shell.limits import Budget
from ostiary.shell.syntax import Document, Literal, Part, Sequence, Unreadable

_SKIPPED: Final = frozenset(" \t\\#")
_BLANKS: Final = expression(r"(?:[ \t]|\\\n)*")
_JOINS: Final = expression(r"(?:\\\n)+")

# What setting up a reader costs, in words.
_READER_STEPS: Final = 5


class Scanner(ABC):
    """A position in a text, with what has to be remembered on the way.

    `starts` are the positions of the program words read so far, `masks` the stretches that the second parser must not
    see, with the character that replaces them. `intricate` says that the command being read holds anything two parsers
    could read differently, `chunks` are the stretches with such commands. `broken` says that the text could not be
    read to its end, `limit` which bound was hit then. `waiting` counts here-documents announced outside of the
    substitution being read, `inside` the substitutions around, `announced` those of the innermost substitution so far.
    `requoted` says that the word being read holds quotes or braces that bash pairs up otherwise when it looks for
    brace lists. `subshells` are the places after `((` that proved not
    to be arithmetic. `family` are this scanner and all others that read something nested in the same script, this
    script's own first.
    """

    __slots__ = (
        "announced", "broken", "budget", "chunks", "family", "inside", "intricate", "limit", "masks", "pending",
        "pos", "requoted", "size", "starts", "subshells", "text", "waiting",
    )  # fmt: skip

    def __init__(self, text: str, budget: Budget, family: list[Scanner]) -> None:
        family.append(self)
        self.family = family
        self.text = text
        self.size = len(text)
        self.pos = 0
        self.budget = budget
        self.pending: list[Document] = []
        self.waiting = 0
        self.inside = 0
        self.announced = 0
        self.masks: list[tuple[int, int, str]] = []
        self.starts: list[int] = []
        self.chunks: list[tuple[int, int]] = []
        self.subshells: set[int] = set()
        self.intricate = False
        self.requoted = False
        self.broken = False
        self.limit = ""

    @abstractmethod
    def sequence(self, stops: frozenset[str]) -> Sequence:
        """Commands up to a word of `stops`, a closing parenthesis or the end; the grammar's part."""

    @abstractmethod
    def document_parts(self) -> tuple[Part, ...]:
        """The whole text as the body of a here-document; the words' part."""

    def nested(self, text: str) -> Self:
        """A reader of the same kind for another text on the same budget."""
        self.budget.spend(_READER_STEPS)
        return type(self)(text, self.budget, self.family)

    def blanks(self) -> str:
        """Skip blanks, line joins and a comment; the next character, empty at the end."""
        char = self.text[self.pos : self.pos + 1]
        if char not in _SKIPPED:
            return char
        match = _BLANKS.match(self.text, self.pos)
        assert match is not None
        self.pos = match.end()
        if self.text.startswith("#", self.pos):
            self.intricate = True
            end = self.text.find("\n", self.pos)
            self.pos = self.size if end < 0 else end
        return self.text[self.pos : self.pos + 1]

    def refuse_join(self, following: str) -> None:
        """An operator ends here that would be another one with one of the characters `following` behind it:
        `Unreadable` if nothing but line joins stands between them."""
        match = _JOINS.match(self.text, self.pos)
        if match is not None and self.text[match.end() : match.end() + 1] in set(following):
            raise Unreadable("a line join inside an operator")

    def newlines(self) -> str:
        """Skip blanks and newlines, reading the here-documents that start there; the next character."""
        while (char := self.blanks()) == "\n":
            self.pos += 1
            if self.waiting:
                raise Unreadable("a here-document waits for its body")
            self.read_documents()
        return char

    def close_chunk(self, start: int) -> None:
        """The command that started there ends here."""
        if self.intricate:
            self.chunks.append((start, self.pos))
        self.intricate = False

    def read_documents(self) -> None:
        """Read the bodies of the announced here-documents from here on."""
        for document in self.pending:
            start = self.pos
            lines = self._body_lines(document)
            self.masks.append((start, self.pos, "\n"))
            document.body = self._body_parts("".join(lines), document.quoted)
        self.pending = []

    def _body_lines(self, document: Document) -> list[str]:
        lines: list[str] = []
        while self.pos < self.size:
            line = self._logical_line(document.quoted)
            if document.strip:
                line = line.lstrip("\t")
            if line == document.delimiter:
                break
            # Inside `$(...)` bash ends a here-document also at a delimiter with more behind it.
            if self.inside and line.startswith(document.delimiter):
                raise Unreadable("the end of a here-document is not clear")
            lines.append(line + "\n")
        return lines

    def _logical_line(self, quoted: bool) -> str:
        line = self._physical_line()
        while not quoted and _joins(line) and self.pos < self.size:
            line = line[:-1] + self._physical_line()
        return line

    def _physical_line(self) -> str:
        end = self.text.find("\n", self.pos)
        end = self.size if end < 0 else end
        line = self.text[self.pos : end]
        self.pos = min(end + 1, self.size)
        return line

    def _body_parts(self, body: str, quoted: bool) -> tuple[Part, ...]:
        return (Literal(body, True),) if quoted else self.nested(body).document_parts()


def _joins(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1
