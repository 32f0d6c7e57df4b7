"""Words of the tree to words of a command: what the text tells is put in, the rest becomes holes."""

from __future__ import annotations

import re
from typing import Final, Protocol

from ostiary.expressions import expression
from ostiary.shell.braces import BARE, QUOTED, SPLIT, Atom, TooMany, expanded
from ostiary.shell.limits import PIECES, Budget
from ostiary.shell.outputs import printed
from ostiary.shell.pieces import finished, globbed, named_place
from ostiary.shell.scope import Scope, Value, weight
from ostiary.shell.syntax import Arithmetic, Array, Literal, Parameter, Part, Pattern, RawWord, Substitution
from ostiary.words import Hole, HoleKind, Word, joined, phrase, word

_TILDE: Final = expression(r"~([A-Za-z0-9_.-]*|\+[0-9]*)(?=[/:]|\Z)")
_NAMED_TILDE: Final = expression(r"([A-Za-z_][A-Za-z0-9_]*=)(~[A-Za-z0-9_.+-]*)")
_LATER_TILDE: Final = expression(r"(?<=:)~[A-Za-z0-9_.+-]*")
_BLANKS: Final = expression(r"[ \t\n]+")
_IDENTIFIER: Final = expression(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBERS: Final = frozenset("?#$")
_LISTS: Final = frozenset("@*")


class Runner(Protocol):
    """Who walks the commands inside of words, and knows the whole text."""

    budget: Budget

    def substitute(self, part: Substitution, scope: Scope) -> None:
        """Take in the commands of a substitution."""

    def evaluate(self, source: str, scope: Scope) -> None:
        """Arithmetic takes the text `source` for an expression."""

    def unread(self, text: str, reason: str, scope: Scope) -> None:
        """Take in a stretch that is not understood."""

    def outside(self, name: str) -> bool:
        """Whether the text never sets the variable."""


# Shells take no IFS from outside (bash's manual, 3.5.7).
_SEPARATORS: Final = Word((" \t\n",))


class Expander:
    """Expands words for one script."""

    __slots__ = ("_runner",)

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def fields(self, raw: RawWord, scope: Scope) -> list[Word]:
        """The words that one word of a command becomes."""
        if isinstance(raw, str):
            return [word(raw)]
        return [finished(found.pieces, found.many, scope.cwd) for found in self.unfinished(raw, scope)]

    def unfinished(self, raw: RawWord, scope: Scope) -> list[Word]:
        """The words that one word becomes, before `finished`: for values that are used elsewhere."""
        if isinstance(raw, str):
            return [word(raw)]
        items = self._items(raw, scope)
        if items is not None:
            return items
        atoms = self._atoms(raw, scope)
        if not any(atom.mode == BARE and "{" in str(atom.piece) for atom in atoms):
            return self._split(self._tilde(atoms, scope), scope)
        try:
            choices = expanded(atoms)
        except TooMany:
            return [Word((Hole(_source(atoms), "computed"),), many=True)]
        if choices != [atoms] and any(_extends(part) for part in raw):
            # Braces go first, so `$X{a,b}` is `$Xa $Xb`, and `{$X,b}c` is `$Xc bc`.
            return [Word((Hole(_source(atoms), "computed"),), many=True)]
        return [found for choice in choices for found in self._split(self._tilde(choice, scope), scope)]

    def value(self, raw: RawWord | Array, scope: Scope) -> Word | tuple[Word, ...]:
        """What an assignment of the word stores, before `finished`."""
        if isinstance(raw, Array):
            return self._array(raw, scope)
        if isinstance(raw, str):
            return word(raw)
        return joined([piece for atom in self._tilde(self._atoms(raw, scope), scope) for piece in _paths(atom)])

    def single(self, raw: RawWord, scope: Scope) -> Word:
        """The target of a redirection: one word, or a hole where it becomes several."""
        found = self.fields(raw, scope)
        if len(found) == 1:
            return found[0]
        return Word((Hole(" ".join(map(str, found)), "computed"),))

    def text(self, parts: tuple[Part, ...] | str, scope: Scope) -> Word:
        """A here-document's body or a here-string, where nothing is split and a tilde is only text."""
        if isinstance(parts, str):
            return word(parts)
        return joined([atom.piece for atom in self._atoms(parts, scope)])

    def inspect(self, parts: tuple[Part, ...] | None, scope: Scope) -> str:
        """Take in the commands inside of parts whose value does not matter; their text, `$` for what is not known."""
        return "".join(atom.piece if isinstance(atom.piece, str) else "$" for atom in self._atoms(parts or (), scope))

    def _array(self, raw: Array, scope: Scope) -> Word | tuple[Word, ...]:
        items = [found for item in raw.items for found in self.unfinished(item, scope)]
        if any(map(_keyed, raw.items)) or any(item.many for item in items):
            return Word((Hole(raw.source, "computed"),))
        return tuple(items)

    def _items(self, raw: tuple[Part, ...], scope: Scope) -> list[Word] | None:
        """The items of a known array in `"${name[@]}"`, None for any other word."""
        part = raw[-1] if raw else None
        if len(raw) > 2 or not isinstance(part, Parameter) or part.operation or not part.quoted:
            return None
        if len(raw) == 2 and raw[0] != Literal("", True):
            return None
        value = _positional(part, scope) if part.subscript is None else scope.values.get(part.name)
        at = part.name == "@" if part.subscript is None else part.subscript == (Literal("@", False),)
        if not (isinstance(value, tuple) and at):
            return None
        self._runner.budget.spend(weight(value))
        return list(value)

    def _atoms(self, parts: tuple[Part, ...], scope: Scope) -> list[Atom]:
        atoms: list[Atom] = []
        for part in parts:
            if isinstance(part, Literal):
                atoms.append(Atom(part.text, QUOTED if part.quoted else BARE))
            elif isinstance(part, Parameter):
                atoms += self._parameter(part, scope)
            elif isinstance(part, Substitution):
                atoms += self._substituted(part, scope)
            else:
                atoms.append(self._computed(part, scope))
        return atoms

    def _substituted(self, part: Substitution, scope: Scope) -> list[Atom]:
        self._runner.substitute(part, scope)
        told = None if part.direction else printed(part.body, part.source, scope)
        if told is not None:
            return [Atom(piece, QUOTED) for piece in told]
        return [Atom(Hole(part.source, "computed"), QUOTED if part.quoted or part.direction else SPLIT)]

    def _computed(self, part: Arithmetic | Pattern, scope: Scope) -> Atom:
        text = self.inspect(part.parts, scope)
        if isinstance(part, Pattern):
            return Atom(Hole(part.source, "glob"), SPLIT)
        self._runner.evaluate(text, scope)
        return Atom(Hole(part.source, "computed"), QUOTED)

    def _parameter(self, part: Parameter, scope: Scope) -> list[Atom]:
        operand = self.inspect(part.operand, scope)
        if part.subscript is not None and part.subscript[:1] not in ((Literal("@", False),), (Literal("*", False),)):
            self._runner.evaluate(self.inspect(part.subscript, scope), scope)
        value = None if part.subscript is not None else _value_of(part, scope)
        if part.name == "IFS" and value is None and part.subscript is None and self._kind(part, scope) == "outside":
            value = _SEPARATORS
        if (
            part.operation in ("", "-", ":-", "?", ":?")
            and isinstance(value, Word)
            and (value.pieces or not part.operation)
        ):
            return self._told(value, part)
        self._side_effects(part, operand, scope)
        hole = Hole(part.source, self._kind(part, scope))
        return [Atom(hole, QUOTED if self._whole(part, hole) else SPLIT)]

    def _told(self, value: Word, part: Parameter) -> list[Atom]:
        """A known value, as long as it does not become too many words."""
        fields = 0 if part.quoted else _fields(value)
        self._runner.budget.spend(weight(value) + fields)
        return _value_atoms(value, part.quoted) if fields <= PIECES else [Atom(Hole(part.source, "computed"), SPLIT)]

    def _whole(self, part: Parameter, hole: Hole) -> bool:
        """Whether the expansion is one word, or part of one, whatever its value."""
        if part.name in _LISTS or (part.subscript is not None and part.subscript[:1] == (Literal("@", False),)):
            return False
        length = part.operation == "#" and not part.operand and part.source.startswith("${#")
        return part.quoted or length or hole.kind == "found" or named_place(hole)

    def _kind(self, part: Parameter, scope: Scope) -> HoleKind:
        if part.operation or part.subscript is not None or part.name in scope.values:
            return "computed"
        if part.name in _NUMBERS:
            return "found"
        if scope.opaque and not self._place_known(part.name, scope):
            return "computed"
        if part.name.isdigit() or part.name in _LISTS:
            return "computed" if scope.positional and part.name != "0" else "outside"
        return "outside" if _IDENTIFIER.match(part.name) and self._runner.outside(part.name) else "computed"

    def _place_known(self, name: str, scope: Scope) -> bool:
        """Whether the home and the working directory's variable keep their meaning."""
        return name in ("HOME", "PWD") and not scope.evaluated and self._runner.outside(name)

    def _side_effects(self, part: Parameter, operand: str, scope: Scope) -> None:
        if part.operation in ("=", ":="):
            scope.taint(part.name)
        elif part.operation in ("!", ":"):
            self._runner.evaluate(operand or part.name, scope)
            if part.operation == "!" and "=" in part.source:
                # `${!name:=word}` sets the variable that `name` names.
                scope.clobber()
        elif part.operation == "@" and operand == "P":
            self._runner.unread(part.source, "the value of a variable is expanded again", scope)

    def _tilde(self, atoms: list[Atom], scope: Scope) -> list[Atom]:
        if not atoms or atoms[0].mode != BARE or "~" not in str(atoms[0].piece):
            return atoms
        text = str(atoms[0].piece)
        if not text.startswith("~"):
            return self._tilde_behind_name(text, scope) + atoms[1:]
        match = _TILDE.match(text)
        if match is None or (match.end() == len(text) and len(atoms) > 1):
            return [Atom("~", QUOTED), Atom(text[1:], BARE), *atoms[1:]]
        return [*self._home(match, scope), Atom(text[match.end() :], BARE), *atoms[1:]]

    def _tilde_behind_name(self, text: str, scope: Scope) -> list[Atom]:
        """`of=~/x` stays as it is written, for programs and their data, unless the script changes what it means."""
        match = _NAMED_TILDE.match(text)
        usual = "HOME" not in scope.values and (not scope.opaque or self._place_known("HOME", scope))
        if match is None or usual:
            return [Atom(text, BARE)]
        return [Atom(match[1], BARE), Atom(Hole(match[2], "computed"), QUOTED), Atom(text[match.end() :], BARE)]

    def _home(self, match: re.Match[str], scope: Scope) -> list[Atom]:
        name = match[1]
        variable = {"": "HOME", "+": "PWD"}.get(name)
        value = scope.values.get(variable) if variable else None
        if isinstance(value, Word):
            return _value_atoms(value, quoted=True)
        # Directories that `cd` and `pushd` left.
        numbered = name == "-" or name.lstrip("+-").isdigit()
        known = not numbered and not (variable and scope.opaque and not self._place_known(variable, scope))
        return [Atom(Hole(match[0], "outside" if known else "computed"), QUOTED)]

    def _split(self, atoms: list[Atom], scope: Scope) -> list[Word]:
        collected = _Fields(_split_oddly(scope))
        for atom in _bracketed(atoms):
            collected.add(atom)
        return collected.done()


class _Fields:
    """Words as the atoms of one word come in."""

    __slots__ = ("_many", "_odd", "_pieces", "_present", "_words")

    def __init__(self, odd: bool) -> None:
        self._odd = odd
        self._words: list[Word] = []
        self._start()

    def _start(self) -> None:
        self._pieces: list[str | Hole] = []
        self._many = self._present = False

    def add(self, atom: Atom) -> None:
        piece, mode = atom
        if isinstance(piece, Hole):
            self._take([piece], mode != QUOTED)
        elif mode == QUOTED:
            self._take([piece], False)
        elif mode == BARE:
            self._glob(piece)
        elif self._odd and piece:
            self._take([Hole(piece, "computed")], True)
        else:
            self._spread(piece)

    def _spread(self, text: str) -> None:
        for index, chunk in enumerate(_BLANKS.split(text)):
            if index:
                self._flush()
            if chunk:
                self._glob(chunk)

    def _glob(self, text: str) -> None:
        pieces = globbed(text)
        self._take(pieces, any(isinstance(piece, Hole) for piece in pieces))

    def _take(self, pieces: list[str | Hole], many: bool) -> None:
        self._pieces += pieces
        self._many = self._many or many
        self._present = True

    def _flush(self) -> None:
        if self._present:
            self._words.append(joined(self._pieces, self._many))
        self._start()

    def done(self) -> list[Word]:
        self._flush()
        return self._words


def _value_of(part: Parameter, scope: Scope) -> Value | None:
    """What a parameter holds, None if the text does not tell."""
    value = _positional(part, scope)
    if isinstance(value, tuple):
        as_one = part.name == "*" and not _split_oddly(scope)
        return phrase(value) if as_one or not part.quoted else None
    return value or scope.values.get(part.name)


def _split_oddly(scope: Scope) -> bool:
    """Whether IFS may have another value, so that nobody knows how words are split, or put together by `"$*"`."""
    return scope.opaque or "IFS" in scope.values


def _positional(part: Parameter, scope: Scope) -> Value | None:
    """The positional parameters where they are known; none of them is none."""
    given = scope.arguments
    if given is None:
        return None
    if part.name in _LISTS:
        return given[1:]
    if not part.name.isdigit() or len(part.name) > 4:
        return None
    before = given[: int(part.name) + 1]
    if any(item.many for item in before):
        return Word((Hole(part.source, "computed"),))
    return before[-1] if len(before) > int(part.name) else Word(())


def _paths(atom: Atom) -> list[str | Hole]:
    """The piece of a value, with tildes after colons as holes."""
    if atom.mode != BARE or not isinstance(atom.piece, str):
        return [atom.piece]
    pieces: list[str | Hole] = []
    end = 0
    for match in _LATER_TILDE.finditer(atom.piece):
        pieces += [atom.piece[end : match.start()], Hole(match[0], "outside")]
        end = match.end()
    return [*pieces, atom.piece[end:]]


def _extends(part: Part) -> bool:
    return isinstance(part, Parameter) and not part.quoted and not part.source.startswith("${")


def _keyed(item: RawWord) -> bool:
    return not isinstance(item, str) and isinstance(item[0], Literal) and item[0].text.startswith("[")


def _value_atoms(value: Word, quoted: bool) -> list[Atom]:
    mode = QUOTED if quoted else SPLIT
    return [
        Atom(piece, QUOTED if isinstance(piece, Hole) and named_place(piece) else mode)
        for piece in value.pieces or ("",)
    ]


def _fields(value: Word) -> int:
    """Words and patterns that a value becomes at most where it is not quoted."""
    texts = [piece for piece in value.pieces if isinstance(piece, str)]
    return sum(len(text.split()) + sum(map(text.count, "*?[")) for text in texts)


def _bracketed(atoms: list[Atom]) -> list[Atom]:
    """A bracket pattern that holds quoted or expanded text (`["a"b]`) as one hole with all that follows."""
    closing = max(
        (index for index, atom in enumerate(atoms) if atom.mode != QUOTED and "]" in str(atom.piece)), default=0
    )
    for index, atom in enumerate(atoms[:closing]):
        text = atom.piece if isinstance(atom.piece, str) else ""
        if atom.mode != QUOTED and text.rfind("[") > text.rfind("]"):
            start = text.rfind("[")
            rest = [Atom(text[start:], BARE), *atoms[index + 1 :]]
            return [*atoms[:index], Atom(text[:start], atom.mode), Atom(Hole(_source(rest), "glob"), SPLIT)]
    return atoms


def _source(atoms: list[Atom]) -> str:
    return "".join(atom.piece if isinstance(atom.piece, str) else atom.piece.source for atom in atoms)
