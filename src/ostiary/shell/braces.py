"""Brace lists of bash: `{a,b}` and `{1..3}` (its manual, section 3.5.1)."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final, TypeAlias

from ostiary.expressions import expression
from ostiary.records import NamedTuple
from ostiary.shell.limits import BRACES
from ostiary.words import Hole


class Atom(NamedTuple):
    """A piece of a word with how it was written: `quoted` (nothing in it is special), `bare` (unquoted text of the
    script) or `split` (the unquoted value of an expansion)."""

    piece: str | Hole
    mode: str


QUOTED: Final = "quoted"
BARE: Final = "bare"
SPLIT: Final = "split"

_Item: TypeAlias = str | Atom
_NUMBERS: Final = expression(r"(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})(?:\.\.(-?[0-9]{1,9}))?")
_LETTERS: Final = expression(r"([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?[0-9]{1,9}))?")


class TooMany(Exception):
    """The braces make more words than the bound allows."""


def expanded(atoms: list[Atom]) -> list[list[Atom]]:
    """The words that the braces in a word's bare text make, in order. `TooMany` beyond the bound."""
    items: list[_Item] = []
    _check(sum(atom.piece.count("{") for atom in atoms if isinstance(atom.piece, str)))
    for atom in atoms:
        if atom.mode == BARE and isinstance(atom.piece, str):
            items.extend(atom.piece)
        else:
            items.append(atom)
    return [_atoms(found) for found in _expand(items)]


def _atoms(items: list[_Item]) -> list[Atom]:
    atoms: list[Atom] = []
    text = ""
    for item in items:
        if isinstance(item, Atom):
            atoms += [Atom(text, BARE), item] if text else [item]
            text = ""
        else:
            text += item
    return [*atoms, Atom(text, BARE)] if text else atoms


def _expand(items: list[_Item]) -> list[list[_Item]]:
    for start, item in enumerate(items):
        if item == "{":
            end, commas = _closing(items, start)
            choices = _choices(items, start, end, commas) if end else None
            if choices is not None:
                return _combined(items[:start], choices, _expand(items[end + 1 :]))
    return [items]


def _closing(items: list[_Item], start: int) -> tuple[int, list[int]]:
    """The position of the brace that closes the one at `start` (0 if none does), and of the commas between them."""
    depth = 0
    commas: list[int] = []
    for index in range(start + 1, len(items)):
        item = items[index]
        if item == "}" and depth == 0:
            return index, commas
        if item == "," and depth == 0:
            commas.append(index)
        depth += (item == "{") - (item == "}")
    return 0, []


def _choices(items: list[_Item], start: int, end: int, commas: list[int]) -> list[list[_Item]] | None:
    if not commas:
        return _counted(items[start + 1 : end])
    bounds = [start, *commas, end]
    choices: list[list[_Item]] = []
    for left, right in pairwise(bounds):
        choices += _expand(items[left + 1 : right])
        _check(len(choices))
    return choices


def _counted(items: list[_Item]) -> list[list[_Item]] | None:
    text = "".join(item for item in items if isinstance(item, str))
    if len(text) != len(items):
        return None
    if match := _NUMBERS.fullmatch(text):
        return [list(number) for number in _numbers(match)]
    if match := _LETTERS.fullmatch(text):
        return [[chr(code)] for code in _range(ord(match[1]), ord(match[2]), match[3])]
    return None


def _numbers(match: re.Match[str]) -> list[str]:
    first, last = match[1], match[2]
    padded = any(re.match("-?0[0-9]", text) for text in (first, last))
    width = max(len(first), len(last)) if padded else 0
    return [f"{number:0{width}d}" if width else str(number) for number in _range(int(first), int(last), match[3])]


def _range(first: int, last: int, step: str | None) -> range:
    width = abs(int(step or 1)) or 1
    _check(abs(last - first) // width + 1)
    return range(first, last + 1, width) if first <= last else range(first, last - 1, -width)


def _combined(prefix: list[_Item], choices: list[list[_Item]], rests: list[list[_Item]]) -> list[list[_Item]]:
    _check(len(choices) * len(rests))
    return [prefix + choice + rest for choice in choices for rest in rests]


def _check(count: int) -> None:
    if count > BRACES:
        raise TooMany
