"""A word of a command: text after quoting was resolved, with holes where the text does not tell."""

from __future__ import annotations

from typing import Literal

from ostiary.records import NamedTuple, dataclass

HoleKind = Literal["outside", "computed", "glob", "found", "unparsed"]


TRACKED = "** of git"
"""What stands for the path of a file that git tracks, at any depth."""
FOLLOWED = "** and links"
"""What stands for a path at any depth, also below folders that links lead to."""


class Hole(NamedTuple):
    """A stretch of a word whose value the text does not tell.

    `kind` is `outside` for a variable that the text never sets (`$CC`), `computed` for a substitution or anything
    derived from one, `glob` for a pathname pattern (`source` is the pattern, `*` or `[ab]`), `found` for what a program
    finds in the folder before it (`**`, `TRACKED` and `FOLLOWED` for a path at any depth, anything else for text
    inside of one name), `unparsed` for a stretch that was not understood. `source` is the text as written.
    """

    source: str
    kind: HoleKind


@dataclass(frozen=True, slots=True)
class Word:
    """One word. `many` says that it may become no word or several (unquoted expansions, globs, `"$@"`)."""

    pieces: tuple[str | Hole, ...]
    many: bool = False

    @property
    def text(self) -> str | None:
        """The whole value, or None if the word has a hole."""
        pieces = self.pieces
        if len(pieces) == 1:
            first = pieces[0]
            return first if isinstance(first, str) else None
        return None if pieces else ""

    @property
    def prefix(self) -> str:
        """The known text before the first hole."""
        return self.pieces[0] if self.pieces and isinstance(self.pieces[0], str) else ""

    @property
    def suffix(self) -> str:
        """The known text after the last hole (the whole text of a known word)."""
        return self.pieces[-1] if self.pieces and isinstance(self.pieces[-1], str) else ""

    @property
    def holes(self) -> tuple[Hole, ...]:
        """What the text does not tell, in order."""
        if len(self.pieces) == 1 and isinstance(self.pieces[0], str):
            return ()
        return tuple(piece for piece in self.pieces if isinstance(piece, Hole))

    def after(self, length: int) -> Word:
        """The word without the first `length` characters of its known prefix."""
        head = self.pieces[0]
        assert isinstance(head, str)
        rest = self.pieces[1:] if len(head) == length else (head[length:], *self.pieces[1:])
        return Word(rest, self.many)

    def __str__(self) -> str:
        """The word for people: holes as they were written."""
        text = self.text
        if text is not None:
            return text
        return "".join([piece if isinstance(piece, str) else piece.source for piece in self.pieces])


def word(text: str) -> Word:
    """A word that is wholly known."""
    return Word((text,)) if text else Word(())


def joined(pieces: list[str | Hole], many: bool = False) -> Word:
    """A word from pieces in order; neighbouring texts become one piece, empty ones vanish."""
    merged: list[str | Hole] = []
    for piece in pieces:
        if isinstance(piece, str) and merged and isinstance(merged[-1], str):
            merged[-1] += piece
        elif piece != "":
            merged.append(piece)
    return Word(tuple(merged), many)


def phrase(words: tuple[Word, ...]) -> Word:
    """Several words joined by one blank each, as one word: the subject of compact patterns."""
    pieces: list[str | Hole] = []
    for index, item in enumerate(words):
        pieces.extend([" "] if index else [])
        pieces.extend(item.pieces)
    return joined(pieces)
