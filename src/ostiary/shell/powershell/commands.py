"""Pipelines and commands of a PowerShell text."""

from __future__ import annotations

import re
from typing import Final

from ostiary import programs
from ostiary.expressions import expression
from ostiary.shell.limits import Budget
from ostiary.shell.model import Command, Redirect, RedirectKind
from ostiary.shell.powershell import tokens
from ostiary.shell.powershell.expressions import ExpressionReader
from ostiary.shell.syntax import Unreadable
from ostiary.words import Hole, Word, joined, phrase, word

_EXPRESSION_STARTS: Final = frozenset("$(@{[+!,") | set(tokens.SINGLE) | set(tokens.DOUBLE) | set(tokens.DASHES)
_DRIVE: Final = expression(r"(?:alias|function|variable):", re.IGNORECASE)
_ITEMS: Final = frozenset(
    {"Set-Item", "New-Item", "Set-Content", "Copy-Item", "Move-Item", "Rename-Item", "Import-Alias"}
)
_CHANGES: Final = frozenset({"Set-Location", "Push-Location"})


class CommandReader(ExpressionReader):
    """Reads pipelines; their commands are in `drafts`. `aliases` are the commands that the text's aliases stand for."""

    def __init__(self, text: str, budget: Budget) -> None:
        super().__init__(text, budget)
        self.aliases: dict[str, Word] = {}

    def chain(self) -> Word | None:
        """Pipelines joined by `&&` and `||`. What follows `&&` runs only if the directory was changed."""
        before = self.drafts.fallbacks
        value = self._pipeline()
        left: tuple[Word, ...] = ()
        while self.spaces() and self.text.startswith(("&&", "||"), self.pos):
            left += self.drafts.fallbacks
            if self.text.startswith("&&", self.pos):
                self.drafts.fallbacks = before
            self.pos += 2
            self.lines()
            self.blocks += 1
            self._pipeline()
            self.blocks -= 1
            value = None
        self.drafts.stay(left + self.drafts.fallbacks)
        if self.char() == "&":
            self.masks.append((self.pos, self.pos + 1, ";"))
            self.pos += 1
        elif self.char() and self.char() not in ";\r\n)}#":
            raise Unreadable("the end of a statement is not clear")
        return value

    def _pipeline(self) -> Word | None:
        before: list[int] = []
        value: Word | None = None
        first = True
        while True:
            self.spaces()
            start, inside = self.pos, len(self.drafts.commands)
            held, members = self._element()
            end = self.pos
            more = self._piped()
            if held is not None or (not members and more):
                if more and first:
                    members = [self._printed(self.text[start:end].rstrip(), held)]
                    self.drafts.link(list(range(inside, members[0])), members)
                value = held
            self.drafts.link(before, members)
            before = members
            if not more:
                return value if first else None
            first = False
            self.lines()

    def _piped(self) -> bool:
        self.spaces()
        if match := tokens.CONTINUED.match(self.text, self.pos):
            self.pos = match.end()
            return True
        return False

    def _printed(self, text: str, held: Word | None) -> int:
        """A value that goes into a pipeline, as the command that would send it."""
        item = self.placed(held) if held is not None else Word((Hole(text, "computed"),))
        return self._add(text, (word("Write-Output"), item), ())

    def _add(self, text: str, words: tuple[Word, ...], redirects: tuple[Redirect, ...]) -> int:
        exported = tuple(self.variables.exported.values())
        return self.drafts.add(Command(text, words, exported=exported, redirects=redirects))

    def _element(self) -> tuple[Word | None, list[int]]:
        """One element of a pipeline: the value of an expression, or the positions of its command."""
        start, sign = self.pos, self.char()
        following = self.text[start + 1 : start + 2]
        if sign == "&" or (sign == "." and (following.isspace() or following in "$({'\"" or following == "")):
            self.pos += 1
            self.spaces()
            return None, [self._command(start, called=True)]
        if sign in _EXPRESSION_STARTS or tokens.NUMBER.match(self.text, start):
            return self._value(start)
        if not sign or sign in "|;)}&\r\n":
            raise Unreadable("a command is missing")
        return None, [self._command(start, called=False)]

    def _value(self, start: int) -> tuple[Word | None, list[int]]:
        if match := tokens.ASSIGNMENT.match(self.text, start):
            self._assignment(match)
            return None, []
        held = self.expression()
        redirects = self._redirections()
        if redirects:
            return held, [self._add(self.text[start : self.pos], (word("Write-Output"),), redirects)]
        return held, []

    def _assignment(self, match: re.Match[str]) -> None:
        simple = match["operator"] == "=" and not self.blocks
        self.pos = match.end()
        self.lines()
        held = self.statement()
        name = match["braced"] or match["plain"]
        if name.lower().startswith("alias:"):
            self._stand_for(name.partition(":")[2], held)
        elif name.lower().startswith("function:"):
            raise Unreadable("a command is defined in a way that is not analysed")
        self.variables.set(name, held if match["operator"] == "=" else None, simple=simple)

    def _redirections(self) -> tuple[Redirect, ...]:
        found: list[Redirect] = []
        while self.spaces() and (match := tokens.REDIRECTION.match(self.text, self.pos)):
            found += self._redirection(match.end(), match["operator"] or "", match["merge"] or "")
        return tuple(found)

    def _redirection(self, end: int, operator: str, merge: str) -> list[Redirect]:
        if not operator:
            raise Unreadable("`<` does not redirect")
        self.intricate = True
        self.pos = end
        if merge:
            return [Redirect("descriptor", word(merge))]
        self.spaces()
        empty = self.text[self.pos : self.pos + 5].lower() == "$null"
        target = self._one()
        kind: RedirectKind = "append" if operator == ">>" else "write"
        return [] if empty else [Redirect(kind, target)]

    def _command(self, start: int, *, called: bool) -> int:
        """A command; `called` with `&` or `.`, where any value may name the program."""
        self.starts.append(start)
        block = self.char() == "{"
        words: list[Word] = [self._one() if called else self._program()]
        redirects: list[Redirect] = []
        while (sign := self.spaces()) and sign not in "|;)}&\r\n#":
            self.budget.spend()
            if match := tokens.STOP_PARSING.match(self.text, self.pos):
                self.pos = match.end()
                self.masks.append((match.start(), match.end(), "x"))
                words += _raw_words(match[1])
            elif match := tokens.REDIRECTION.match(self.text, self.pos):
                redirects += self._redirection(match.end(), match["operator"] or "", match["merge"] or "")
            else:
                words += self._argument(words)
        if block:  # what it runs was read inside
            words[0] = word("Invoke-Command")
        words[0] = self.aliases.get((words[0].text or "").lower(), words[0])
        text = self.text[start : self.pos].rstrip()
        position = self._add(text, tuple(words), tuple(redirects))
        self._effects(words)
        return position

    def _program(self) -> Word:
        begin = self.pos
        held = self.bare()
        self.masks = [mask for mask in self.masks if mask[0] != begin]
        self.masks.append((begin, self.pos, "x"))
        return held

    def _argument(self, words: list[Word]) -> list[Word]:
        """One argument: a word, or several joined by commas or in brackets. A parameter before several of them stands
        before each."""
        start = self.pos
        found = [self._one()]
        if literal := tokens.TEXTS.fullmatch(self.text, start, self.pos):
            found = [word(match[0].strip("'\"")) for match in tokens.TEXT.finditer(literal[0])]
        while self._comma():
            found.append(self._one())
        if len(found) == 1:
            return found
        parameter = words[-1] if len(words) > 1 and words[-1].prefix.startswith("-") else None
        if parameter is None:
            return found
        return [found[0], *(item for value in found[1:] for item in (parameter, value))]

    def _comma(self) -> bool:
        at = self.pos
        if self.spaces() != ",":
            self.pos = at
            return False
        start = self.pos
        self.pos += 1
        self.lines()
        self.masks.append((start, self.pos, " "))
        return True

    def _one(self) -> Word:
        """One value in a command's arguments."""
        start = self.pos
        if match := tokens.SPLAT.match(self.text, start):
            self.pos = match.end()
            return Word((Hole(match[0], "computed"),), many=True)
        held = self.primary()
        if held is not None:
            return self.placed(held)
        if self.char() == "$" and (held := self._reference(start)) is not None:
            return held
        found = self.bare()
        if self.char() in ("{", "("):
            self.masks.append((self.pos - 1, self.pos, " "))
        text = found.prefix
        if text[:1] and text[0] in tokens.DASHES and text[0] != "-":
            return Word((tokens.dashed(text), *found.pieces[1:]))
        return found

    def _reference(self, start: int) -> Word | None:
        """A variable with its members, where nothing else follows; None for the start of a longer word."""
        held = self.variable()
        if held is None:  # `$` alone, or `$(`, which was read before
            return None
        if self.char() == "." or self.char() == "[" or self.text.startswith("::", self.pos):
            mark = len(self.starts)
            held = self.postfix(held, start)
            if len(self.starts) == mark and self.pos < self.size and self.char() not in tokens.BARE_END:
                self.pos = start
                return None
        elif self.pos < self.size and self.char() not in tokens.BARE_END:
            self.pos = start
            return None
        if "(" not in self.text[start : self.pos]:
            self.masks.append((start, self.pos, "x"))
        known = held.text is not None or held.holes[0].kind == "outside"
        return self.placed(held) if known else Word(held.pieces, many=held.many)

    def _effects(self, words: list[Word]) -> None:
        """What a command changes for those after it: the directory, names that it defines."""
        name = programs.own_name(words[0].text or "", "powershell")
        if name in _CHANGES:
            self.drafts.moved(_target(words))
        elif name == "Pop-Location":
            self.drafts.moved(None)
        elif name in ("Set-Alias", "New-Alias"):
            self._alias(words)
        elif name == "New-Object":
            self._constructed(words)
        elif name == "ForEach-Object" and len(words) > 1 and words[1].prefix[:1] not in ("{", "-"):
            method = joined([".", *words[1].pieces])
            self._add(str(phrase(tuple(words))), (method, Word((Hole("$_", "computed"),)), *words[2:]), ())
        elif name in _ITEMS and any(_DRIVE.match(item.prefix) for item in words[1:]):
            raise Unreadable("a command is defined in a way that is not analysed")

    def _constructed(self, words: list[Word]) -> None:
        """`New-Object TYPE VALUE` is `[TYPE]::new(VALUE)`, where it is known what that does."""
        given = programs.arguments(tuple(words), "powershell")
        named = [used.value for used in given.options if "-TypeName" in used.names and used.value is not None]
        values = [used.value for used in given.options if "-ArgumentList" in used.names and used.value is not None]
        kind, *others = (*named, *given.operands) or (word(""),)
        program = f"[{(kind.text or '').lower().removeprefix('system.')}]::new"
        if programs.known_as(program):
            self._add(str(phrase(tuple(words))), (word(program), *others, *values), ())

    def _alias(self, words: list[Word]) -> None:
        """An alias, for commands after it; every name in the call that can be the alias is none the script trusts."""
        given = programs.arguments(tuple(words), "powershell")
        named = {name: used.value for used in given.options for name in used.names if name in ("-Name", "-Value")}
        operands = list(given.operands)
        name = named.get("-Name") or (operands.pop(0) if operands else None)
        value = named.get("-Value") or (operands.pop(0) if operands else None)
        self._stand_for(None if name is None else name.text, value)

    def _stand_for(self, name: str | None, value: Word | None) -> None:
        if name is None or value is None or name.lower() in self.aliases:
            raise Unreadable("an alias is only known when the script runs")
        self.drafts.defined.update((name, name.lower()))
        self.aliases[name.lower()] = value


def _target(words: list[Word]) -> Word | None:
    """The directory that a command changes to, None if the text does not tell."""
    values = [item for item in words[1:] if not item.prefix.startswith("-")]
    if len(values) != 1 or values[0].many or values[0].text in ("", "-", "+"):
        return None
    return values[0]


def _raw_words(text: str) -> list[Word]:
    """Words behind `--%`, which goes to the program as it stands but for `%variables%`."""
    if any(sign in text for sign in "&;"):
        raise Unreadable("the text behind `--%` is not clear")
    return [joined([item.strip('"')]) for item in text.split()]
