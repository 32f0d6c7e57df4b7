"""Expressions of a PowerShell text: what they come to where the text tells it, and the calls they make.

Operators and their order do not matter here: an expression is read for the commands inside its brackets and for the
methods it calls. A method is a command whose program is `.Name` or `[Type]::Name`, the object its first argument.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from ostiary.shell.model import Command
from ostiary.shell.powershell import tokens
from ostiary.shell.powershell.words import WordReader
from ostiary.shell.syntax import Unreadable
from ostiary.words import Hole, Word, joined, word

INERT_METHODS: Final = frozenset(
    (
        *("tostring", "trim", "trimstart", "trimend", "tolower", "toupper", "replace", "split"),
        *("substring", "contains", "startswith", "endswith", "indexof", "lastindexof", "padleft"),
        *("padright", "insert", "gettype", "equals", "compareto", "format", "join", "concat", "length"),
        *("count", "add", "addrange", "adddays", "addhours", "addminutes", "addseconds", "containskey"),
        *("containsvalue", "tochararray", "toarray", "sort", "reverse", "getenumerator"),
        *("tolowerinvariant", "toupperinvariant", "match", "matches", "ismatch", "foreach", "where"),
        *("hashcode", "clone", "isnullorempty", "isnullorwhitespace", "frombase64string"),
        *("tobase64string", "getstring", "getbytes", "parse", "tryparse", "max", "min", "abs", "round"),
        *("floor", "ceiling", "pow", "sqrt", "combine", "getfilename", "getextension"),
        *("getdirectoryname", "getfilenamewithoutextension", "now", "newguid"),
        *("getenvironmentvariable", "exists"),
    )
)
"""Methods of strings, numbers, lists and paths that touch nothing outside of the script. `foreach` and `where` take
blocks, which are read where they stand."""

_NEWER: Final = frozenset({"..", "??", "?", ":"})
"""Operators that the second grammar does not know."""

_ASSIGNS: Final = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "??="})
_ENDS: Final = frozenset("|;)}]&")


class ExpressionReader(WordReader):
    """Reads expressions."""

    @abstractmethod
    def statement(self) -> Word | None:
        """One statement; its value if it is an expression that the text tells."""

    def expression(self, *, argument: bool = False) -> Word | None:
        """An expression up to the end of its element (or, as an argument, to a comma); its value if the text tells."""
        values: list[Word | None] = []
        operators: list[str] = []
        while (sign := self.spaces()) and not self._ends(sign, operators, len(values), argument=argument):
            self.budget.spend()
            held, operator = self._operand(), ""
            if held is None:
                operator = self._operator(sign)
                operators.append(operator)
                self._continue(operator)
                if operator in _ASSIGNS:
                    self.statement()
                    return None
            elif len(operators) < len(values):
                raise Unreadable("the end of an expression is not clear")
            else:
                values.append(held)
        known = [held for held in values if held is not None]
        if len(values) == 1 and not operators:
            return known[0] if known else None
        if operators and set(operators) == {"+"} and len(operators) == len(values) - 1 and _texts(known):
            return joined([piece for held in known for piece in held.pieces])
        return None

    def _ends(self, sign: str, operators: list[str], count: int, *, argument: bool) -> bool:
        if sign in _ENDS or (argument and sign == ","):
            return True
        if sign in "\r\n#":
            return not operators or len(operators) < count
        return sign == ">"

    def _continue(self, operator: str) -> None:
        if operator not in ("++", "--"):
            self.lines()

    def _operand(self) -> Word | None:
        start = self.pos
        if (held := self.primary()) is not None:
            return held
        if (held := self.variable()) is not None:
            return self.postfix(held, start)
        if tokens.ATTRIBUTE.match(self.text, start):
            self.attribute()
            self.lines()
            return self._operand() or self.computed(start)
        if match := tokens.TYPE.match(self.text, start):
            self.intricate = True
            self.pos = match.end()
            return self._type(match[1], start)
        if match := tokens.NUMBER.match(self.text, start):
            self.pos = match.end()
            return word(match[0])
        if match := tokens.SPLAT.match(self.text, start):
            self.pos = match.end()
            return self.computed(start)
        return None

    def attribute(self) -> None:
        """`[Name(...)]` before a parameter or a block of them; its values may be blocks, which run."""
        self.intricate = True
        opening = tokens.ATTRIBUTE.match(self.text, self.pos)
        assert opening is not None
        self.pos = opening.end()
        self.budget.enter()
        while self.lines() != ")":
            start = self.pos
            if match := tokens.NAMED.match(self.text, self.pos):
                self.pos = match.end()
            if self.lines() not in (",", ")"):
                self.expression(argument=True)
            self.pos += self.lines() == ","
            if self.pos == start:
                raise Unreadable("an attribute is not clear")
        self.pos += 1
        self.budget.leave()
        if self.lines() != "]":
            raise Unreadable("an attribute is not clear")
        self.pos += 1

    def _type(self, name: str, start: int) -> Word | None:
        """A type: its member is a value, before a value it only converts."""
        kind = "[" + name.lower().replace(" ", "").removeprefix("system.") + "]"
        if self.text.startswith("::", self.pos):
            return self.postfix(word(kind), start)
        self.spaces()
        if self.pos < self.size and self.char() not in "\r\n)|;}],=-":
            return self._operand()
        return self.computed(start)

    def _operator(self, sign: str) -> str:
        self.intricate = True
        match = tokens.OPERATOR.match(self.text, self.pos)
        if match is None:
            raise Unreadable(f"`{sign}` is not expected in an expression")
        self.pos = match.end()
        if match[0] in _NEWER:
            self.masks += [(match.start(), match.start() + 1, "+"), (match.start() + 1, match.end(), " ")]
        return tokens.dashed(match[0]).lower()

    def postfix(self, held: Word, start: int) -> Word:
        """The value after the indexes, members and methods that follow it; `start` is where it began."""
        while True:
            if self.char() == "[":
                self._index()
                held = self.computed(start)
            elif match := tokens.MEMBER.match(self.text, self.pos):
                self.pos = match.end()
                held = self._member(held, match[0], start)
            else:
                return held

    def _index(self) -> None:
        self.intricate = True
        self.pos += 1
        self.budget.enter()
        while self.lines() != "]":
            self.expression()
            if self.char() != "]" and self.lines() != "]":
                raise Unreadable("a bracket is not closed")
        self.pos += 1
        self.budget.leave()

    def _member(self, held: Word, operator: str, start: int) -> Word:
        self.intricate = True
        name = self._member_name()
        if self.char() == "(":
            self.pos += 1
            arguments = self._arguments()
            self._call(held, operator, name, arguments, start)
        return self.computed(start)

    def _member_name(self) -> Word:
        if match := tokens.NAME.match(self.text, self.pos):
            self.pos = match.end()
            return word(match[0])
        start = self.pos
        sign = self.char()
        if sign in tokens.SINGLE or sign in tokens.DOUBLE:
            pieces: list[str | Hole] = []
            self._quoted(pieces)
            return joined(pieces)
        if sign == "(":
            self.pos += 1
            return self.nested(")") or self.computed(start)
        return self.variable() or self.computed(start)

    def _arguments(self) -> list[Word]:
        found: list[Word] = []
        self.budget.enter()
        while self.lines() != ")":
            start = self.pos
            held = self.expression(argument=True)
            if self.pos == start:
                raise Unreadable("an argument of a method is not clear")
            found.append(self.placed(held) if held is not None else self.computed(start))
            if self.lines() == ",":
                self.pos += 1
            elif self.char() != ")":
                raise Unreadable("the arguments of a method are not clear")
        self.pos += 1
        self.budget.leave()
        return found

    def _call(self, held: Word, operator: str, name: Word, arguments: list[Word], start: int) -> None:
        known = name.text
        if known is not None and known.lower() in INERT_METHODS:
            return
        static = operator == "::" and held.text is not None
        if known is None:
            program = Word((f"{held.text if static else ''}{operator}", *name.holes))
        else:
            program = word(f"{held.text}::{known}" if static else f".{known}")
        words = (program, *arguments) if static else (program, held, *arguments)
        text = self.text[start : self.pos]
        self.drafts.add(Command(text, tuple(words), exported=tuple(self.variables.exported.values())))


def _texts(known: list[Word]) -> bool:
    """Whether the first operand is text, so that `+` joins."""
    return bool(known) and not (known[0].text or "x").replace(".", "").isdigit()
