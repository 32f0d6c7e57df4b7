"""Simple commands of a bash text: assignments, words and redirections in any order (bash's manual, section 3.7.1)."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Final

from ostiary.expressions import expression
from ostiary.shell import tokens
from ostiary.shell.limits import Budget
from ostiary.shell.reading import WordReader
from ostiary.shell.scanning import Scanner
from ostiary.shell.syntax import (
    Array,
    Assign,
    Document,
    Function,
    Literal,
    Pattern,
    RawWord,
    Redirection,
    Simple,
    Unreadable,
    plain_text,
)

DECLARATIONS: Final = frozenset({"export", "declare", "typeset", "local", "readonly"})
"""Builtins whose arguments may be assignments."""

WORD_END: Final = r"(?=(?:\\\n)*(?:[ \t\n|&;()]|[<>](?!\()|\Z))"
"""What a reserved word is followed by; a process substitution is part of the word before it."""

RESERVED: Final = expression(
    r"(?:if|then|elif|else|fi|while|until|for|select|do|done|case|esac|function|coproc|\[\[|[{}])" + WORD_END
)

_REDIRECTION: Final = expression(
    r"(?:[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})?(<<<|<<-|<<|<>|<&|>>|>\||>&|[<>](?!\())|(&>>|&>)"
)
_ASSIGNMENT: Final = expression(r"([A-Za-z_][A-Za-z0-9_]*)(?:(\+?=)|(?=\[))")
_EQUALS: Final = expression(r"\+?=")
_REDIRECTING: Final = frozenset("<>&{0123456789")
_ENDS: Final = frozenset({"", "\n", ";", "|", ")"})


class SimpleReader(WordReader):
    """Reads simple commands. `simples` are those read so far, kept for a text that breaks off later."""

    __slots__ = ("simples",)

    def __init__(self, text: str, budget: Budget, family: list[Scanner]) -> None:
        super().__init__(text, budget, family)
        self.simples: list[Simple] = []

    @abstractmethod
    def function_body(self, name: str) -> Function:
        """What follows a function's name and parentheses; the grammar's part."""

    def redirections(self) -> tuple[Redirection, ...]:
        """The redirections from here on."""
        found: list[Redirection] = []
        while self.blanks() and (match := _REDIRECTION.match(self.text, self.pos)):
            found.append(self._redirection(match))
        return tuple(found)

    def _redirection(self, match: re.Match[str]) -> Redirection:
        operator = match[1] or match[2]
        variable = match[0][1 : match.start(1) - match.start() - 1] if match[0].startswith("{") else ""
        if variable:
            self.intricate = True
            self.masks.append((match.start(), match.start(1), " "))
        if operator == "<>":
            self.intricate = True
            self.masks.append((match.start(1) + 1, match.end(), " "))
        elif operator == "<<<":
            self.masks.append((match.start(1) + 1, match.end(), " "))
        self.pos = match.end()
        if operator == "<<":
            self.refuse_join("-")
        self.blanks()
        descriptor = "" if variable or match[1] is None else self.text[match.start() : match.start(1)]
        if operator in ("<<", "<<-"):
            return Redirection("<<", self._document(match.start(), operator == "<<-"), variable, descriptor)
        if operator in ("<&", ">&") and self.text.startswith("-", self.pos):
            # Bash ends the redirection here, whatever follows: `>&-rm x` runs `rm x`.
            self.pos += 1
            return Redirection(operator, "-", variable, descriptor)
        return Redirection(operator, self.word(), variable, descriptor)

    def _document(self, mark: int, strip: bool) -> Document:
        self.intricate = True
        start = self.pos
        word = self.word()
        source = self.text[start : self.pos]
        parts = (Literal(word, False),) if isinstance(word, str) else word
        texts = [part.text for part in parts if isinstance(part, Literal)]
        if len(texts) != len(parts) or "\n" in source or "$" in source:
            raise Unreadable("the end of a here-document is not clear")
        document = Document("".join(texts), any(part.quoted for part in parts if isinstance(part, Literal)), strip)
        self.pending.append(document)
        self.announced += 1
        self.masks += [(mark, self.pos, "x"), (mark, mark + 1, "<")]
        return document

    def simple(self) -> Simple | Function:
        """The simple command that starts here, or the function whose name does."""
        start = self.pos
        assignments: list[Assign] = []
        words: list[RawWord | Assign] = []
        redirections: list[Redirection] = []
        end = start
        while (char := self.blanks()) not in _ENDS:
            if char == "(":
                if len(words) == 1 and not assignments and not redirections:
                    return self._function_after_name(words[0])
                raise Unreadable("a parenthesis does not belong here")
            if char in _REDIRECTING and (match := _REDIRECTION.match(self.text, self.pos)):
                redirections.append(self._redirection(match))
            elif char == "&":
                break
            else:
                self._simple_word(assignments, words)
            end = self.pos
        if end == start:
            raise Unreadable("a command is missing")
        node = Simple(self.text[start:end], tuple(assignments), tuple(words), tuple(redirections))
        self.simples.append(node)
        return node

    def _simple_word(self, assignments: list[Assign], words: list[RawWord | Assign]) -> None:
        declares = bool(words) and isinstance(words[0], str) and words[0] in DECLARATIONS
        match = _ASSIGNMENT.match(self.text, self.pos) if declares or not words else None
        assign = self._assignment(match) if match is not None else None
        if assign is None:
            if not words:
                self.starts.append(self.pos)
            words.append(self._checked_word(not words))
            if not (isinstance(words[0], str) and words[0] in DECLARATIONS):
                words += self._plain_words()
        elif declares:
            words.append(assign)
        else:
            assignments.append(assign)

    def _plain_words(self) -> list[str]:
        """The plain words that follow, all at once."""
        match = tokens.PLAIN_WORDS.match(self.text, self.pos)
        if match is None:
            return []
        found = match[0].split()
        self.budget.spend(len(found))
        self.pos = match.end()
        return found

    def _checked_word(self, first: bool) -> RawWord:
        start = self.pos
        word = self.word()
        if first and isinstance(word, tuple) and "\\\n" in self.text[start : self.pos]:
            # What a line join is inside of is for bash what it is without it.
            text = self.text[start : self.pos].replace("\\\n", "")
            if RESERVED.fullmatch(text) or text in ("!", "time"):
                raise Unreadable("a line join inside a reserved word")
            if _ASSIGNMENT.match(text):
                raise Unreadable("a line join inside an assignment")
        return word

    def _assignment(self, match: re.Match[str]) -> Assign | None:
        """The assignment that starts here; None if it is a word after all."""
        start = self.pos
        subscript = None
        self.pos = match.end()
        operator = match[2]
        if operator is None:
            marks = len(self.starts), len(self.masks), len(self.family)
            subscript = self.subscript()
            equals = _EQUALS.match(self.text, self.pos)
            if equals is None:
                self.pos = start
                del self.starts[marks[0] :], self.masks[marks[1] :], self.family[marks[2] :]
                return None
            self.intricate = True
            self.pos, operator = equals.end(), equals[0]
        return Assign(match[1], self._assigned(), operator == "+=", subscript)

    def _assigned(self) -> RawWord | Array:
        if self.text.startswith("(", self.pos):
            return self._array()
        following = self.text[self.pos : self.pos + 1]
        ends = following in _ENDS or following in " \t&" or _REDIRECTION.match(self.text, self.pos)
        return "" if ends else self.word()

    def _array(self) -> Array:
        self.intricate = True
        start = self.pos
        self.pos += 1
        items: list[RawWord] = []
        while self.newlines() != ")":
            items.append(self.word())
            # Without `extglob` bash drops the line here, and runs a here-document behind it as commands.
            if any(isinstance(part, Pattern) for part in items[-1]):
                raise Unreadable("a pattern in an array that only a setting permits")
        self.pos += 1
        return Array(self.text[start : self.pos], tuple(items))

    def _function_after_name(self, name: RawWord | Assign) -> Function:
        self.intricate = True
        self.starts.pop()
        self.pos += 1
        plain = plain_text(name)
        if self.blanks() != ")" or plain is None:
            raise Unreadable("a parenthesis does not belong here")
        self.pos += 1
        return self.function_body(plain)
