"""Pieces of words while they are put together: homes, the working directory, tildes, patterns, paths.

Until a word is finished, its home and the working directory are holes with the names below. A variable may carry them
to another word, and only at that word's start do they become `~` and `.`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ostiary.expressions import expression
from ostiary.words import Hole, Word, joined

UNCHANGED: Final = Word(())
"""The directory that the script starts in."""

_HOMES: Final = frozenset({"~", "$HOME", "${HOME}"})
_HERES: Final = frozenset({"~+", "$PWD", "${PWD}"})
_PLACE: Final = expression(r"~[A-Za-z0-9_.-]*|\.(?=/|\Z)")
_USER: Final = expression(r"~[A-Za-z0-9_.-]+")
# No expansion is written like this one: what a script assigns to `PWD` is something else.
_AT_START: Final = Hole("$PWD at the start", "computed")
_HERE: Final = Hole("$PWD", "outside")
_ELSEWHERE: Final = Hole("${PWD}", "computed")
_WILDCARD: Final = expression(r"\*+|\?")
_PATTERN: Final = expression(r"\*+|\?|\[[!^]?\]?[^\]]*\]")


def named_place(hole: Hole) -> bool:
    """Whether the hole stands for the home or the working directory, now or at the start."""
    outside = hole.source in _HOMES or hole.source in _HERES or hole.source.startswith("~")
    return (hole.kind == "outside" and outside) or hole == _AT_START


def finished(pieces: Sequence[str | Hole], many: bool, cwd: Word) -> Word:
    """The word made of `pieces`: a home at its start is `~` or `~user`, the working directory `.`; a tilde that is
    only text there gets `./` before it."""
    if not pieces:
        return Word((), many)
    if cwd == UNCHANGED:
        pieces = [_HERE if piece == _AT_START else piece for piece in pieces]
    word = joined(list(pieces), many)
    first = word.pieces[0] if word.pieces else ""
    if isinstance(first, str):
        return word if not first.startswith("~") else joined(["./", *word.pieces], many)
    place = _place(first, cwd)
    following = word.pieces[1] if len(word.pieces) > 1 else "/"
    if place and isinstance(following, str) and following.startswith("/"):
        return joined([place, *word.pieces[1:]], many)
    return word


def unfinished(word: Word, cwd: Word = UNCHANGED) -> Word:
    """A finished word as a value that becomes a word again, perhaps in another directory: the home at its start is no
    plain tilde, and `.` may have been the name of the directory then."""
    place = _PLACE.match(word.prefix)
    if place is None:
        return word
    here = _AT_START if cwd == UNCHANGED else _ELSEWHERE
    hole = here if place[0] == "." else Hole(place[0], "outside")
    return joined([hole, word.prefix[place.end() :], *word.pieces[1:]], word.many)


def _place(hole: Hole, cwd: Word) -> str:
    if hole == _AT_START:
        return "." if cwd == UNCHANGED else ""
    if hole.kind != "outside":
        return ""
    if hole.source in _HOMES:
        return "~"
    if hole.source in _HERES:
        return "."
    return hole.source if _USER.fullmatch(hole.source) else ""


def anchored(value: Word, cwd: Word) -> Word:
    """The value as it can be kept while the working directory changes."""
    first = value.pieces[0] if value.pieces else ""
    if not isinstance(first, Hole) or first.kind != "outside" or first.source not in _HERES:
        return value
    known = cwd.text
    if cwd == UNCHANGED:
        return Word((_AT_START, *value.pieces[1:]))
    if known is not None and known.startswith("/"):
        return joined([known, *value.pieces[1:]])
    return Word((_ELSEWHERE, *value.pieces[1:]))


def moves(value: Word) -> bool:
    """Whether a value begins with the directory that the script starts in."""
    return value.pieces[:1] == (_AT_START,)


def globbed(text: str) -> list[str | Hole]:
    """Unquoted text with its pathname patterns as holes."""
    pieces: list[str | Hole] = []
    end = 0
    # An opening bracket behind the last closing one opens nothing; looking for its end again and again takes long.
    limit = text.rfind("]") + 1
    brackets = _PATTERN.finditer(text, 0, limit)
    for match in [*brackets, *_WILDCARD.finditer(text, limit)]:
        pieces += [text[end : match.start()], Hole(match[0], "glob")]
        end = match.end()
    pieces.append(text[end:])
    return [piece for piece in pieces if piece]


def directory(base: Word, target: Word) -> Word:
    """The directory that `cd target` leads to from `base`, `..` taken by name as bash does."""
    if target.pieces and isinstance(target.pieces[0], Hole):
        return Word(target.pieces)
    leading = _normal(list(target.pieces))
    if target.prefix.startswith(("/", "~")) or base == UNCHANGED:
        return leading
    return _normal([*base.pieces, "/", *leading.pieces]) if leading.pieces else base


def _normal(pieces: list[str | Hole]) -> Word:
    word = joined(pieces)
    head, *rest = word.pieces or ("",)
    if isinstance(head, Hole):
        return word
    if not rest:
        return joined([_collapsed(head)])
    folder, slash, name = head.rpartition("/")
    return joined([(_collapsed(folder or slash).rstrip("/") + "/") * bool(slash) + name, *rest])


def _collapsed(path: str) -> str:
    absolute = path.startswith("/")
    home = path.startswith("~")
    kept: list[str] = []
    for name in path.split("/"):
        if name == ".." and len(kept) > home and kept[-1] != "..":
            kept.pop()
        elif name not in ("", ".", "..") or (name == ".." and not absolute):
            kept.append(name)
    text = "/" * absolute + "/".join(kept)
    return "./" + text if text.startswith("~") and not home else text
