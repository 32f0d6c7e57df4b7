"""Commands of a cmd text: lists, groups, `if`, `for`, redirections, and what its own commands change."""

from __future__ import annotations

import re
from typing import Final

from ostiary.expressions import expression
from ostiary.shell.cmd.words import BLANKS, SEPARATORS, WordReader
from ostiary.shell.limits import Budget
from ostiary.shell.model import Assignment, Command, Redirect
from ostiary.shell.syntax import Unreadable
from ostiary.words import Hole, Word, joined, word

_BUILTINS: Final = frozenset(
    (
        *("assoc", "break", "call", "cd", "chdir", "cls", "color", "copy", "date", "del", "dir", "echo"),
        *("endlocal", "erase", "exit", "for", "ftype", "goto", "if", "md", "mkdir", "mklink", "move"),
        *("path", "pause", "popd", "prompt", "pushd", "rd", "rem", "ren", "rename", "rmdir", "set"),
        *("setlocal", "shift", "start", "time", "title", "type", "ver", "verify", "vol"),
    )
)
"""cmd's own commands (`help`), whose operands also end at `, ; =` and whose options need no blank before them."""

_GLUED: Final = expression(r"([A-Za-z]+)([/\\.:;,+=(\[\]].*)", re.DOTALL)
_LOOKS_BACK: Final = frozenset(
    {"cd", "chdir", "echo", "md", "mkdir", "dir", "rd", "rmdir", "type", "del", "erase", "pushd"}
)
"""Those of them that also take a path without a blank before it."""

_WHOLE: Final = frozenset({"echo", "set", "call", "start", "title", "rem", "prompt", "path"})
"""Those of them whose operands are text, which blanks alone end."""

_DESCRIPTOR: Final = expression(r"[0-9]?(?:(>>|>|<)(?:&([0-9]))?)")
_FOR: Final = expression(r"%%?[^\s%]\s+in\s*\(", re.IGNORECASE)
_JUMPS: Final = expression(r"\bgoto\b|\bcall\s*:", re.IGNORECASE)
_ELSE: Final = expression(r"else(?=[ \t(])", re.IGNORECASE)
_COMPARED: Final = frozenset({"equ", "neq", "lss", "leq", "gtr", "geq"})


class Reader(WordReader):
    """Reads a whole text; its commands are in `drafts`."""

    def __init__(self, text: str, budget: Budget) -> None:
        super().__init__(text, budget)
        self.drafts.again = _JUMPS.search(text) is not None
        self.exported: dict[str, Assignment] = {}

    def script(self) -> None:
        """The whole text."""
        while self.pos < self.size:
            self._list()

    def _list(self) -> list[int]:
        """Commands up to a closing parenthesis or the end; the positions of all of them."""
        found: list[int] = []
        while self._skip_lines() and not (self.char() == ")" and self.depth):
            self.budget.spend()
            if self.char() in "&|":
                if self.text.startswith("||", self.pos) or self.char() == "|":
                    raise Unreadable("a command is missing")
                self.pos += 1
                continue
            found += self._chain()
        return found

    def _skip_lines(self) -> str:
        return self.skip(SEPARATORS | frozenset("\r\n@\f\v"))

    def _chain(self) -> list[int]:
        before = self.drafts.fallbacks
        found = self._pipeline()
        left: tuple[Word, ...] = ()
        while self.skip(BLANKS) and self.text.startswith(("&&", "||"), self.pos):
            left += self.drafts.fallbacks
            if self.text.startswith("&&", self.pos):
                self.drafts.fallbacks = before
            self.pos += 2
            self._skip_lines()
            found += self._pipeline()
        self.drafts.stay(left + self.drafts.fallbacks)
        if self.char() == "&":
            self.pos += 1
        return found

    def _pipeline(self) -> list[int]:
        members = self._one()
        found = list(members)
        while self.skip(BLANKS) == "|" and not self.text.startswith("||", self.pos):
            self.pos += 1
            self._skip_lines()
            following = self._one()
            self.drafts.link(members, following)
            members = following
            found += following
        return found

    def _one(self) -> list[int]:
        """A group or a command; the positions of what runs."""
        self.skip(SEPARATORS | frozenset("@"))
        if self.char() == "(":
            return self._group()
        start = self.pos
        redirects = self._redirections()
        self.skip(SEPARATORS | frozenset("@"))
        if self.char() == ":":
            return self._label()
        program = self.word(SEPARATORS | frozenset("("))
        if not program.pieces and self.char() in ("", "&", "|", "\r", "\n", ")"):
            raise Unreadable("a command is missing")
        name = (program.text or "").lower()
        if name == "if":
            return self._if()
        if name == "for":
            return self._for()
        return [self._command(start, program, redirects)]

    def _label(self) -> list[int]:
        while self.char() not in ("", "\r", "\n"):
            self.pos += 1
        return []

    def _group(self) -> list[int]:
        self.pos += 1
        self.depth += 1
        self.budget.enter()
        found = self._list()
        if self.char() != ")":
            raise Unreadable("a parenthesis is not closed")
        self.pos += 1
        self.depth -= 1
        self.budget.leave()
        start = self.pos
        if redirects := self._redirections():
            found.append(self._add(self.text[start : self.pos].strip(), (), redirects))
        return found

    def _redirections(self) -> list[Redirect]:
        found: list[Redirect] = []
        while self.skip(BLANKS) and (match := _DESCRIPTOR.match(self.text, self.pos)):
            found += self._redirection(match)
        return found

    def _redirection(self, match: re.Match[str]) -> list[Redirect]:
        self.pos = match.end()
        if match[2]:
            return [Redirect("descriptor", word("&" + match[2]))]
        self.skip(SEPARATORS)
        target = self.word(SEPARATORS)
        if not target.pieces:
            raise Unreadable("a redirection leads nowhere")
        if (target.text or "").lower().rstrip(":") == "nul":
            return []
        return [Redirect("read" if match[1] == "<" else "append" if match[1] == ">>" else "write", target)]

    def _command(self, start: int, program: Word, redirects: list[Redirect]) -> int:
        words = _split_builtin(program)
        name = (words[0].text or "").lower()
        ends = SEPARATORS if name in _BUILTINS - _WHOLE else BLANKS
        ends = ends | {"+"} if name == "copy" else ends
        if name == "start" and self.skip(ends) == '"':
            self.word(ends)  # the title of its window
        while sign := self.skip(ends):
            if match := _DESCRIPTOR.match(self.text, self.pos):
                redirects += self._redirection(match)
            elif self._stops(sign, frozenset()):
                break
            else:
                words.append(self.word(ends))
        text = self.text[start : self.pos].rstrip()
        position = self._add(text, tuple(words), redirects)
        self._effects(name, words)
        return position

    def _add(self, text: str, words: tuple[Word, ...], redirects: list[Redirect]) -> int:
        exported = tuple(self.exported.values())
        return self.drafts.add(Command(text, words, exported=exported, redirects=tuple(redirects)))

    def _effects(self, name: str, words: list[Word]) -> None:
        operands = [item for item in words[1:] if not (item.text or "").startswith("/")]
        if name in ("cd", "chdir", "pushd") and operands:
            target = operands[0] if len(operands) == 1 else joined(_spaced(operands))
            self.drafts.moved(target)
        elif name == "popd":
            self.drafts.moved(None)
        elif re.fullmatch("[a-z]:", name):
            self.drafts.moved(word(name + "/") if self.drafts.cwd.prefix[:2].lower() != name else self.drafts.cwd)
        elif name == "set" and operands:
            self._set(joined(_spaced(operands)))

    def _set(self, item: Word) -> None:
        variable, equals, _ = item.prefix.partition("=")
        if equals:
            value = item.after(len(variable) + 1)
            self.exported[variable.upper()] = Assignment(variable.strip(), value)
        elif item.holes:  # the name, too, may be in a variable
            self.exported[""] = Assignment(str(item), Word((Hole(str(item), "computed"),)))

    def _if(self) -> list[int]:
        """`if [/i] [not] condition command [else command]`."""
        self._condition()
        before = self.drafts.cwd
        found = self._one()
        self.drafts.unsettled(before)
        at = self.pos
        self.skip(SEPARATORS | frozenset("\r\n") if self.text[at - 1 : at] == ")" else BLANKS)
        if match := _ELSE.match(self.text, self.pos):
            self.pos = match.end()
            found += self._one()
            self.drafts.unsettled(before)
        else:
            self.pos = at
        return found

    def _condition(self) -> None:
        ends = SEPARATORS | frozenset("(")
        first = self._next(ends)
        while (first.text or "").lower() in ("/i", "not"):
            first = self._next(ends)
        if (first.text or "").lower() in ("exist", "defined", "errorlevel", "cmdextversion"):
            self._next(ends)
            return
        self.skip(BLANKS)
        if self.text.startswith("==", self.pos) or (self._next(ends).text or "").lower() in _COMPARED:
            self._next(ends)
        else:
            raise Unreadable("a condition is not clear")

    def _next(self, ends: frozenset[str]) -> Word:
        self.skip(SEPARATORS)
        found = self.word(ends)
        if not found.pieces and self.char() in ("", "&", "|", "(", "\r", "\n"):
            raise Unreadable("a condition is not clear")
        return found

    def _for(self) -> list[int]:
        """`for [/d|/l|/r path|/f options] %v in (set) do command`; with `/f` the set may be a command, or
        files whose lines are read."""
        start = self.pos
        while self.skip(BLANKS) == "/" or self.char() == '"' or not _FOR.match(self.text, self.pos):
            if not self.word(BLANKS).pieces and self.char() not in (" ", "\t"):
                raise Unreadable("the head of a loop is not clear")
        head = _FOR.match(self.text, self.pos)
        assert head is not None
        options = self.text[start : head.start()].lower()
        self.pos = head.end()
        end = self._set_end()
        inner = self.text[self.pos : end].strip()
        self.pos = end + 1
        found: list[int] = []
        if inner[:1] in ("'", "`"):
            found += self._inner(inner[1:-1])
        elif inner and "/f" in options and (inner[0] != '"' or "usebackq" in options):
            found += self._inner(f"type {inner}")
        self.skip(BLANKS)
        if self.text[self.pos : self.pos + 2].lower() != "do":
            raise Unreadable("the head of a loop is not clear")
        self.pos += 2
        before, again = self.drafts.cwd, self.drafts.again
        self.drafts.again = True
        found += self._one()
        self.drafts.again = again
        self.drafts.unsettled(before)
        return found

    def _set_end(self) -> int:
        at, quoted = self.pos, False
        while at < self.size and (quoted or self.text[at] != ")"):
            quoted = quoted != (self.text[at] == '"')
            at += 1
        if at >= self.size:
            raise Unreadable("a parenthesis is not closed")
        return at

    def _inner(self, text: str) -> list[int]:
        """A command whose output a loop reads."""
        self.budget.enter()
        reader = Reader(text.replace("^|", "|").replace("^&", "&"), self.budget)
        reader.drafts.commands, reader.drafts.cwd = self.drafts.commands, self.drafts.cwd
        reader.exported, count = self.exported, len(self.drafts.commands)
        reader.script()
        self.budget.leave()
        return list(range(count, len(self.drafts.commands)))


def _split_builtin(program: Word) -> list[Word]:
    """`cd..`, `del/s` and `echo.text` are a command of cmd and its first operand."""
    match = _GLUED.fullmatch(program.prefix)
    if match is None or match[1].lower() not in _BUILTINS:
        return [program]
    name, rest = match[1], match[2]
    if rest[0] in "\\.:" and name.lower() not in _LOOKS_BACK:
        return [program]
    if name.lower() == "echo":
        rest = rest[1:]
    return [word(name), joined([rest, *program.pieces[1:]])]


def _spaced(items: list[Word]) -> list[str | Hole]:
    pieces: list[str | Hole] = []
    for index, item in enumerate(items):
        pieces += [" ", *item.pieces] if index else list(item.pieces)
    return pieces
