"""Statements of a PowerShell text: lists, conditions, loops, functions, hashtables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ostiary.shell.powershell import tokens
from ostiary.shell.powershell.commands import CommandReader
from ostiary.shell.syntax import Unreadable
from ostiary.words import Word


class Reader(CommandReader):
    """Reads a whole text."""

    def statements(self, closer: str) -> Word | None:
        """Reads statements up to `closer`; their value if they are a single one that has one."""
        value: Word | None = None
        count = 0
        while True:
            if match := tokens.NEWLINES.match(self.text, self.pos):
                self.pos = match.end()
            sign = self.char()
            if sign == closer:
                self.pos += len(closer)
                return value if count == 1 else None
            if not sign:
                raise Unreadable("a bracket is not closed")
            if sign in ")}]":
                raise Unreadable("a bracket does not belong here")
            self.budget.spend()
            value = self.statement()
            count += 1

    def statement(self) -> Word | None:
        """Reads one statement; its value, None if it has none."""
        while tokens.ATTRIBUTE.match(self.text, self.pos):
            self.attribute()
            self.lines()
        match = tokens.KEYWORD.match(self.text, self.pos)
        if match is not None:
            reader = self._KEYWORDS.get(match[1].lower())
            if reader is None:
                raise Unreadable(f"`{match[1]}` is not analysed")
            self.intricate = True
            self.pos = match.end()
            reader(self)
            return None
        return self.chain()

    def _condition(self) -> None:
        """`(...)` and a block, and the branches after it."""
        self._parenthesis()
        self._block()
        self._branches()

    def _branches(self) -> None:
        """`elseif`, `else`, `catch`, `finally` after a block."""
        at = self.pos
        while self.lines() and (match := tokens.BRANCH.match(self.text, self.pos)):
            self.pos = match.end()
            if match[1].lower() == "elseif":
                self._parenthesis()
            if match[1].lower() == "catch":
                self._types()
            self._block()
            at = self.pos
        self.pos = at

    def _try(self) -> None:
        self._block()
        self._branches()

    def _parenthesis(self) -> None:
        if self.lines() != "(":
            raise Unreadable("a parenthesis is missing")
        self.pos += 1
        self.nested(")")

    def _block(self) -> None:
        if self.lines() != "{":
            raise Unreadable("a block is missing")
        self.pos += 1
        self.nested("}", block=True)

    def _loop(self) -> None:
        """`while (...) {...}`, or the end of `do {...} while (...)`."""
        self._parenthesis()
        at = self.pos
        if self.lines() == "{":
            self._block()
        else:
            self.pos = at

    def _foreach(self) -> None:
        self.lines()
        if match := tokens.LOOP_HEAD.match(self.text, self.pos):
            self.pos = match.end()
            self.nested(")")
        else:
            raise Unreadable("the head of a loop is not clear")
        self._block()

    def _switch(self) -> None:
        start = self.pos
        while self.spaces() and self.char() in tokens.DASHES:
            self._one()
        self.masks.append((start, self.pos, " "))
        self._parenthesis()
        if self.lines() != "{":
            raise Unreadable("a block is missing")
        self.pos += 1
        self.budget.enter()
        before = self.drafts.cwd
        self.blocks += 1
        while self._clause():
            self.budget.spend()
        self.blocks -= 1
        self.drafts.unsettled(before)
        self.budget.leave()

    def _clause(self) -> bool:
        if match := tokens.NEWLINES.match(self.text, self.pos):
            self.pos = match.end()
        if self.char() == "}":
            self.pos += 1
            return False
        self._one()
        self._block()
        self._apart()
        return True

    def _trap(self) -> None:
        self._types()
        self._block()

    def _types(self) -> None:
        while self.lines() == "[" or self.char() == ",":
            match = tokens.TYPE.match(self.text, self.pos)
            self.pos = match.end() if match else self.pos + 1

    def _function(self) -> None:
        self.lines()
        match = tokens.FUNCTION.match(self.text, self.pos)
        if match is None:
            raise Unreadable("a function has no name")
        self.pos = match.end()
        self.drafts.defined.add(match[0].rpartition(":")[2])
        if self.lines() == "(":
            self._parenthesis()
        self._block()

    def _value_after(self) -> None:
        """`return`, `throw`, `exit` and what they give."""
        if self.spaces() and self.char() not in ";\r\n)}#":
            self.chain()

    def _jump(self) -> None:
        self.spaces()
        if match := tokens.NAME.match(self.text, self.pos):
            self.pos = match.end()

    def hashtable(self) -> None:
        """Reads the inside of `@{...}`, whose values may hold commands."""
        self.budget.enter()
        self.intricate = True
        while True:
            if match := tokens.NEWLINES.match(self.text, self.pos):
                self.pos = match.end()
            if self.char() == "}":
                break
            self._key()
            if self.lines() != "=":
                raise Unreadable("a hashtable is not clear")
            self.pos += 1
            self.lines()
            self.statement()
        self.pos += 1
        self.budget.leave()

    def _key(self) -> None:
        if match := tokens.KEY.match(self.text, self.pos):
            self.masks.append((match.start(), match.end(), "x"))
            self.pos = match.end()
        else:
            self.primary() or self.variable() or self.bare()

    def _param(self) -> None:
        self._parenthesis()
        self._apart()

    def _apart(self) -> None:
        """Here a statement ends; the second grammar wants to see it."""
        if self.char() in (" ", "\t"):
            self.masks.append((self.pos, self.pos + 1, ";"))

    _KEYWORDS: Final[dict[str, Callable[[Reader], None]]] = {
        **dict.fromkeys(("if", "for"), _condition),
        **dict.fromkeys(("while", "until"), _loop),
        **dict.fromkeys(("do", "begin", "process", "end", "dynamicparam"), _block),
        **dict.fromkeys(("function", "filter"), _function),
        **dict.fromkeys(("return", "throw", "exit"), _value_after),
        **dict.fromkeys(("break", "continue"), _jump),
        "try": _try,
        "trap": _trap,
        "foreach": _foreach,
        "switch": _switch,
        "param": _param,
    }
    """Those without a reader change what the text after them means."""
