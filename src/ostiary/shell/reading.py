"""Words of a bash text: quotes, expansions and substitutions, each with the structure inside."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable
from typing import Final

from ostiary.shell import tokens
from ostiary.shell.limits import MASKED
from ostiary.shell.quoting import ansi_c
from ostiary.shell.scanning import Scanner
from ostiary.shell.syntax import (
    Arithmetic,
    Literal,
    Parameter,
    Part,
    Pattern,
    Quoting,
    RawWord,
    Sequence,
    Substitution,
    Unreadable,
)


class WordReader(Scanner):
    """Reads words. What it meets on the way is left in the scanner's `starts`, `masks` and `intricate`."""

    __slots__ = ()

    def word(self) -> RawWord:
        """The word at this position; `Unreadable` if none starts here."""
        self.budget.spend()
        match = tokens.PLAIN.match(self.text, self.pos)
        if match is None:
            return self.unusual_word()
        self.pos = match.end()
        return match[0]

    def unusual_word(self) -> tuple[Part, ...]:
        """A word with quotes or expansions."""
        start = self.pos
        parts: list[Part] = []
        requoted, self.requoted = self.requoted, False
        while self.pos < self.size and self._part(parts):
            self.budget.spend()
        if not parts and self.pos == start:
            raise Unreadable("a word is missing")
        source = self.text[start : self.pos]
        if self.text.startswith(("<", ">"), self.pos) and tokens.DESCRIPTOR.fullmatch(source.replace("\\\n", "")):
            raise Unreadable("a line join inside a descriptor")
        if self.requoted and tokens.may_list(source):
            raise Unreadable("braces between quotes inside of quotes")
        self.requoted = requoted
        if (self.pending or self.waiting) and "\n" in source:
            raise Unreadable("a here-document waits for its body")
        return tuple(parts)

    def _part(self, parts: list[Part]) -> bool:
        """Read one part of an unquoted word; False at the word's end."""
        match = tokens.RUN.match(self.text, self.pos)
        if match is not None:
            self.pos = match.end()
            if "{" in match[0] or "}" in match[0]:
                self.intricate = True
                self.masks.append((match.start(), match.end(), "x"))
            # Only a line join stands between two such texts, and it is nothing: `~` and `/a` are `~/a`.
            before = parts[-1] if parts else None
            if isinstance(before, Literal) and not before.quoted:
                parts[-1] = Literal(before.text + match[0], False)
            else:
                parts.append(Literal(match[0], False))
            return True
        reader = self._SPECIAL.get(self.text[self.pos])
        return reader is not None and reader(self, parts)

    def _escaped(self, parts: list[Part]) -> bool:
        self.intricate = True
        following = self.text[self.pos + 1 : self.pos + 2]
        self.pos = min(self.pos + 2, self.size)
        if following != "\n":
            parts.append(Literal(following or "\\", True))
        return True

    def _single_quoted(self, parts: list[Part]) -> bool:
        end = self.text.find("'", self.pos + 1)
        if end < 0:
            raise Unreadable("a single quote is not closed")
        body = self.text[self.pos + 1 : end]
        self._plain_quoted(self.pos + 1, end)
        parts.append(Literal(body, True))
        self.pos = end + 1
        return True

    def _plain_quoted(self, start: int, end: int) -> None:
        self.intricate = self.intricate or "\n" in self.text[start:end]
        if end - start > MASKED:
            self.masks.append((start, end, "x"))

    def _double_quoted(self, parts: list[Part]) -> bool:
        self.pos += 1
        self.budget.enter()
        parts.append(Literal("", True))
        while not self.text.startswith('"', self.pos):
            if self.pos >= self.size:
                raise Unreadable("a double quote is not closed")
            self._quoted_part(parts, tokens.QUOTED_RUN, "double")
        self.pos += 1
        self.budget.leave()
        return True

    def document_parts(self) -> tuple[Part, ...]:
        """The whole text as the body of a here-document that is expanded."""
        parts: list[Part] = []
        while self.pos < self.size:
            start = self.pos
            self._quoted_part(parts, tokens.DOCUMENT_RUN, "document")
            if isinstance(parts[-1], Literal):
                self.masks.append((start, self.pos, "x"))
        # The second parser sees the body as one word, and in it the commands it holds.
        self.chunks = [(0, self.size)] if self.starts else []
        self.starts.append(0)
        return tuple(parts)

    def _quoted_part(self, parts: list[Part], run: re.Pattern[str], quoting: Quoting) -> None:
        self.budget.spend()
        match = run.match(self.text, self.pos)
        if match is not None:
            self._plain_quoted(self.pos, match.end())
            self.pos = match.end()
            parts.append(Literal(match[0], True))
        elif self.text[self.pos] == "\\":
            self._escaped_in_quotes(parts, quoting)
        elif self.text[self.pos] == "`":
            self._backticks(parts, quoting)
        else:
            self._dollar(parts, quoting)

    def _escaped_in_quotes(self, parts: list[Part], quoting: Quoting) -> None:
        self.intricate = True
        following = self.text[self.pos + 1 : self.pos + 2]
        self.pos = min(self.pos + 2, self.size)
        if following and following in '$`\\"' and not (following == '"' and quoting == "document"):
            parts.append(Literal(following, True))
        else:
            parts.append(Literal("" if following == "\n" else "\\" + following, True))

    def _unquoted_backticks(self, parts: list[Part]) -> bool:
        return self._backticks(parts, "none")

    def _backticks(self, parts: list[Part], quoting: Quoting) -> bool:
        match = tokens.BACKTICKS.match(self.text, self.pos)
        if match is None:
            raise Unreadable("a backtick is not closed")
        self.intricate = True
        self.masks.append((match.start(), match.end(), "x"))
        self.pos = match.end()
        self.requoted = self.requoted or (quoting == "double" and tokens.UNQUOTED.fullmatch(match[1]) is None)
        escape = tokens.BACKTICK_ESCAPE_IN_QUOTES if quoting == "double" else tokens.BACKTICK_ESCAPE
        self.budget.enter()
        reader = self.nested(escape.sub(r"\1", match[1]))
        parts.append(Substitution(match[0], reader.script(), quoting != "none"))
        self.budget.leave()
        return True

    @abstractmethod
    def script(self) -> Sequence:
        """The whole text as a script; the grammar's part."""

    def _unquoted_dollar(self, parts: list[Part]) -> bool:
        text = self.text
        if text.startswith('$"', self.pos):
            self.intricate = True
            self.pos += 1
            return self._double_quoted(parts)
        match = tokens.ANSI_C.match(text, self.pos)
        if match is not None:
            self.intricate = True
            parts.append(Literal(ansi_c(match[1]), True))
            self.pos = match.end()
            return True
        return self._dollar(parts, "none")

    def _dollar(self, parts: list[Part], quoting: Quoting) -> bool:
        text, start, quoted = self.text, self.pos, quoting != "none"
        if tokens.JOINED.match(text, start + 1):
            raise Unreadable("a line join inside an expansion")
        match = tokens.NAME.match(text, start + 1)
        if match is not None:
            self.pos = match.end()
            parts.append(Parameter(text[start : self.pos], match[0], quoted))
            return True
        self.intricate = True
        if text.startswith("$(", start):
            parts.append(self._arithmetic_or_substitution(quoted))
        elif text.startswith("${", start):
            parts.append(self._expansion(quoting))
        elif text.startswith("$[", start) or (text.startswith("$'", start) and not quoted):
            raise Unreadable("an expansion of an unknown form")
        else:
            self.pos += 1
            parts.append(Literal("$", True))
        return True

    def _arithmetic_or_substitution(self, quoted: bool) -> Part:
        start = self.pos
        if self.text.startswith("$((", start):
            self.pos += 3
            found = self.arithmetic()
            if found is not None:
                source = self.text[start : self.pos]
                if not all(isinstance(part, Literal) for part in found) and not tokens.is_arithmetic(source):
                    raise Unreadable("arithmetic that may be a substitution")
                return Arithmetic(source, found)
        self.pos = start + 2
        self.refuse_join("(")
        return self._substitution(start, quoted, "")

    def _process_substitution(self, parts: list[Part]) -> bool:
        if not self.text.startswith("(", self.pos + 1):
            return False
        self.intricate = True
        start = self.pos
        self.pos += 2
        parts.append(self._substitution(start, False, self.text[start]))
        return True

    def _substitution(self, start: int, quoted: bool, direction: str) -> Substitution:
        self.budget.enter()
        pending, self.pending = self.pending, []
        self.waiting += len(pending)
        self.inside += 1
        announced, self.announced = self.announced, 0
        body = self.sequence(tokens.NO_STOPS)
        if self.pending or not self.text.startswith(")", self.pos):
            raise Unreadable("a substitution is not closed")
        self.pos += 1
        self.inside -= 1
        self.announced = announced
        self.waiting -= len(pending)
        self.pending = pending
        self.budget.leave()
        return Substitution(self.text[start : self.pos], body, quoted, direction)

    def arithmetic(self) -> tuple[Part, ...] | None:
        """What stands before the next `))`, as bash finds it: None if the parentheses close one by one, which makes
        the whole a subshell. Single quotes in arithmetic are an error in some shells, so they are `Unreadable`."""
        start = self.pos
        if start in self.subshells:
            return None
        marks = len(self.starts), len(self.masks), len(self.family)
        parts: list[Part] = []
        closed = self.enclosed(parts, tokens.PARENTHESES, "double")
        self.refuse_join(")")
        if closed and self.text.startswith(")", self.pos):
            self.pos += 1
            if any(isinstance(part, Literal) and "'" in part.text for part in parts):
                raise Unreadable("a quote in arithmetic")
            return tuple(parts)
        # Remembering this keeps nested attempts from doubling the work at every level.
        self.subshells.add(start)
        del self.starts[marks[0] :], self.masks[marks[1] :], self.family[marks[2] :]
        return None

    def enclosed(self, parts: list[Part], pair: tokens.Enclosure, quoting: Quoting) -> bool:
        """Read up to and over the closing bracket; False if there is none."""
        self.budget.enter()
        depth = 0
        while depth >= 0 and self.pos < self.size:
            self.budget.spend()
            char = self.text[self.pos]
            depth += (char == pair.opening) - (char == pair.closing)
            if char in (pair.opening, pair.closing):
                self._enclosed_literal(parts, self.pos + 1, quoting)
            else:
                self._enclosed_part(parts, pair, quoting)
        self.budget.leave()
        if depth < 0:
            parts.pop()
        return depth < 0

    def _enclosed_literal(self, parts: list[Part], end: int, quoting: Quoting) -> None:
        parts.append(Literal(self.text[self.pos : end], quoting != "none"))
        self.pos = end

    def _enclosed_part(self, parts: list[Part], pair: tokens.Enclosure, quoting: Quoting) -> None:
        char = self.text[self.pos]
        match = pair.run.match(self.text, self.pos)
        if match is not None:
            self._enclosed_literal(parts, match.end(), quoting)
        elif char in "<>":
            if quoting != "none" or not self._process_substitution(parts):
                self._enclosed_literal(parts, self.pos + 1, quoting)
        elif char == "'" and quoting != "none":
            self._odd_quote(parts, pair)
        elif quoting == "none" or char == '"':
            self._SPECIAL[char](self, parts)
        else:
            self._quoted_part(parts, tokens.QUOTED_RUN, quoting)

    def _odd_quote(self, parts: list[Part], pair: tokens.Enclosure) -> None:
        """A single quote where shells differ on what it does; arithmetic is given up later, if it is arithmetic."""
        if pair is tokens.BRACES:
            raise Unreadable("a single quote inside of an expansion in double quotes")
        start = self.pos
        self._single_quoted(parts)
        parts[-1] = Literal(self.text[start : self.pos], True)

    def _expansion(self, quoting: Quoting) -> Parameter:
        start = self.pos
        self.pos += 2
        operation = self._prefix()
        name = tokens.BRACED_NAME.match(self.text, self.pos)
        if name is None:
            raise Unreadable("an expansion of an unknown form")
        self.pos = name.end()
        subscript = self.subscript() if self.text.startswith("[", self.pos) else None
        operator = tokens.OPERATOR.match(self.text, self.pos)
        operand: tuple[Part, ...] = ()
        if self.text.startswith("}", self.pos):
            self.pos += 1
        elif operator is None:
            raise Unreadable("an expansion of an unknown form")
        else:
            self.pos = operator.end()
            self.refuse_join(tokens.LONGER.get(operator[0], ""))
            operand = self._closed(tokens.BRACES, quoting, "brace")
            special = "{" if quoting == "none" else '"'
            self.requoted = self.requoted or special in self.text[operator.end() : self.pos]
            operation = operation or operator[0]
        return Parameter(self.text[start : self.pos], name[0], quoting != "none", operation, operand, subscript)

    def _prefix(self) -> str:
        match = tokens.LENGTH.match(self.text, self.pos) or tokens.INDIRECT.match(self.text, self.pos)
        if match is None:
            return ""
        self.pos = match.end()
        return match[0]

    def subscript(self) -> tuple[Part, ...]:
        """What stands between the brackets that open here."""
        self.pos += 1
        return self._closed(tokens.BRACKETS, "none", "bracket")

    def _closed(self, pair: tokens.Enclosure, quoting: Quoting, name: str) -> tuple[Part, ...]:
        parts: list[Part] = []
        if not self.enclosed(parts, pair, quoting):
            raise Unreadable(f"a {name} is not closed")
        return tuple(parts)

    def regular_expression(self) -> tuple[Part, ...]:
        """The operand of `=~`, in which parentheses and bars are plain characters."""
        start, count = self.pos, len(self.starts)
        parts: list[Part] = []
        while self.pos < self.size and self.text[self.pos] not in " \t\n":
            self.budget.spend()
            if self.text[self.pos] == "(":
                self._parenthesised(parts)
            elif match := tokens.REGULAR.match(self.text, self.pos):
                self._enclosed_literal(parts, match.end(), "none")
            elif not self._part(parts):
                raise Unreadable("a regular expression is not clear")
        self._mask_pattern(start, count)
        return tuple(parts)

    def _mask_pattern(self, start: int, count: int) -> None:
        """Hide a pattern that holds no command; `count` programs had been read before it."""
        if len(self.starts) == count:
            self.masks.append((start, self.pos, "x"))

    def _parenthesised(self, parts: list[Part]) -> None:
        self._enclosed_literal(parts, self.pos + 1, "none")
        parts += [*self._closed(tokens.PARENTHESES, "none", "parenthesis"), Literal(")", False)]

    def _extended_pattern(self, parts: list[Part]) -> bool:
        # Only a parenthesis ends a run before one of these characters.
        self.intricate = True
        start, count = self.pos, len(self.starts)
        self.pos += 2
        inner = self._closed(tokens.PARENTHESES, "none", "parenthesis")
        self._mask_pattern(start, count)
        parts.append(Pattern(self.text[start : self.pos], inner))
        return True

    _SPECIAL: Final[dict[str, Callable[[WordReader, list[Part]], bool]]] = {
        "\\": _escaped,
        "'": _single_quoted,
        '"': _double_quoted,
        "`": _unquoted_backticks,
        "$": _unquoted_dollar,
        "<": _process_substitution,
        ">": _process_substitution,
        "?": _extended_pattern,
        "*": _extended_pattern,
        "+": _extended_pattern,
        "@": _extended_pattern,
        "!": _extended_pattern,
    }
