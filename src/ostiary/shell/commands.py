"""Simple commands of the tree as commands: their words, redirections, assignments, and what those run or change."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Final

from ostiary.expressions import expression
from ostiary.shell.drafts import Draft, Drafts
from ostiary.shell.expand import Expander
from ostiary.shell.limits import Budget
from ostiary.shell.model import Assignment, Redirect, RedirectKind
from ostiary.shell.pieces import finished
from ostiary.shell.scope import Scope, Value, self_set, weight
from ostiary.shell.survey import set_by_arithmetic, smuggles
from ostiary.shell.syntax import (
    Array,
    Assign,
    Document,
    Literal,
    Node,
    Redirection,
    Sequence,
    Simple,
    Substitution,
)
from ostiary.words import Hole, Word, joined

_KINDS: Final[dict[str, RedirectKind]] = {
    "<": "read",
    ">": "write",
    ">|": "write",
    "&>": "write",
    ">>": "append",
    "&>>": "append",
    "<>": "both",
}
_PLACES: Final = frozenset({"HOME", "PWD"})
_DESCRIPTOR: Final = expression(r"[0-9]+-?|-")
# POSIX shells other than bash keep assignments before these builtins.
_KEEPING: Final = frozenset(
    {".", ":", "eval", "exec", "export", "readonly", "return", "set", "shift", "source", "times", "trap", "unset"}
)
# Programs that print or run what stands among their words, or in a text that is their input.
_PASSING: Final = frozenset(
    "eval source . sh bash dash zsh ksh fish ssh echo printf cat python python3 node perl ruby php".split()  # noqa: SIM905
)
# Arrays of bash whose entries are hashed programs and aliases.
_TABLES: Final = frozenset({"BASH_CMDS", "BASH_ALIASES"})
# What runs a text in its own shell, and what may stand before it.
_CARRYING: Final = frozenset(
    {
        *("eval", "source", ".", "trap", "mapfile", "readarray", "compgen", "complete", "alias", "bind"),
        *("builtin", "command"),
    }
)
_FUNCTION: Final = expression(r"\([ \t]*\)|\bfunction\b")
_EXPANDING: Final = expression(r"[$`'\"\\]|\A\./~")
_NAMED: Final = expression(r"[A-Za-z_$]")
# A name that stands somewhere without a dollar before it may be set there.
_MENTION: Final = expression(
    r"(?<![A-Za-z0-9_$])(?<!\$\{)(?<!\$\{[!#])[A-Za-z_][A-Za-z0-9_]*|(?<=\$\{)[A-Za-z_][A-Za-z0-9_]*(?=:?=)"
)


class Commands(Drafts, ABC):
    """Takes in simple commands, and what stands inside of words."""

    def __init__(self, text: str, script: Sequence, budget: Budget) -> None:
        super().__init__(budget)
        self.text = text
        self.script = script
        self.expander = Expander(self)
        self._processes: list[tuple[str, list[int]]] = []
        self._mentioned: frozenset[str] | None = None
        self._smuggles: bool | None = None
        self._defines = _FUNCTION.search(text) is not None

    @abstractmethod
    def visit(self, node: Node, scope: Scope) -> None:
        """Take in a node; `scope` becomes the state after it. The walker's part."""

    @abstractmethod
    def effects(self, words: tuple[Word, ...], scope: Scope, declared: tuple[str, ...]) -> None:
        """What a command does to the state of its shell; `declared` are the variables that were assigned among its
        words, which are not in `words`. The builtins' part."""

    @abstractmethod
    def carry(self, draft: Draft, node: Simple, scope: Scope) -> None:
        """The command may run a text in its own shell."""

    @abstractmethod
    def calls(
        self, name: str, scope: Scope, given: tuple[Word, ...] | None = None, assigned: Iterable[str] = ()
    ) -> None:
        """What may be a function is called here, with the arguments `given`, None if they are not known, and variables
        `assigned` for it."""

    def substitute(self, part: Substitution, scope: Scope) -> None:
        """Take in the commands of a substitution; those of `<(...)` and `>(...)` are neighbours of its command, and
        what `$(...)` prints is as good as read by a command that prints or runs its words."""
        outer, self.group = self.group, []
        self.visit(part.body, scope.copy())
        self._processes.append((part.direction, self.group))
        self.group = outer

    def evaluate(self, source: str, scope: Scope) -> None:
        """Arithmetic takes `source` for an expression, in which `$` stands for what is not known: it may set the
        variables named there, and it runs what their values hold between brackets."""
        if _NAMED.search(source) and self.endangered(scope):
            self.unread(source, "the value of a variable is expanded again", scope)
        for name in set_by_arithmetic(source):
            scope.taint(name)

    def endangered(self, scope: Scope) -> bool:
        """Whether some variable's value may be a text that arithmetic runs."""
        self.budget.spend(sum(map(weight, scope.values.values())) // 4)
        if self._smuggles is None:
            self._smuggles = smuggles(self.script)
        return self._smuggles or any(
            isinstance(piece, str) and ("$(" in piece or "`" in piece)
            for value in scope.values.values()
            for item in (value if isinstance(value, tuple) else (value,))
            for piece in item.pieces
        )

    def unread(self, text: str, reason: str, scope: Scope) -> None:
        """Take in a stretch that is not understood."""
        scope.record.opaque = True
        self.add(Draft(text, scope, reason))

    def outside(self, name: str) -> bool:
        """Whether the text never sets the variable."""
        if self._mentioned is None:
            self._mentioned = frozenset(_MENTION.findall(self.text))
        return name not in self._mentioned and (name in _PLACES or not self_set(name))

    def simple(self, node: Simple, scope: Scope) -> None:
        """Take in a simple command."""
        if not node.words:
            self._wordless(node, scope)
            return
        draft = Draft(node.text, scope, "the text was not read to its end")
        position = self.add(draft)
        outer, self._processes = self._processes, []
        words: list[Word] = []
        declared: list[tuple[str, int]] = []
        for raw in node.words:
            if isinstance(raw, str):
                words.append(Word((raw,)))
            elif isinstance(raw, Assign):
                declared.append((raw.name, len(words)))
                words.append(self._declaration(raw, scope))
            else:
                words += self.expander.fields(raw, scope)
        self.budget.handle(len(words))
        draft.words = tuple(words)
        if node.redirections:
            draft.redirects += self.redirects(node.redirections, scope)
        if node.assignments:
            draft.assignments = tuple(self._assignment(item, scope) for item in node.assignments)
        draft.unparsed = ""
        if self._processes:
            self.link_processes(position, any(word.text in _PASSING for word in words))
        self._processes = outer
        self._after(node, draft, declared, scope)

    def link_processes(self, position: int, passing: bool = False) -> None:
        """The process substitutions met last are neighbours of the command at this position; with `passing` the other
        substitutions too."""
        for direction, inner in self._processes:
            if direction == "<" or (passing and not direction):
                self.link(inner, [position])
            elif direction:
                self.link([position], inner)

    def _after(self, node: Simple, draft: Draft, declared: list[tuple[str, int]], scope: Scope) -> None:
        name = draft.words[0].text if draft.words else ""
        if name is None:
            # Any function may have that name.
            scope.record.opaque = scope.record.opaque or self._defines
        elif self._defines:
            self.calls(name, scope, draft.words[1:], (item.name for item in node.assignments))
        if name in _CARRYING:
            self.carry(draft, node, scope)
        if name in self.bodies:
            self.budget.handle(len(self.bodies[name]))
            self.group += self.bodies[name]
            self.called(self.bodies[name], draft.redirects)
        if name in scope.meanings:
            self._meant(name, node, scope)
        if name == "exec" and len(draft.words) == 1:
            scope.redirects = draft.redirects
        if not draft.words:
            self._assign_all(node, scope)
        elif name in _KEEPING:
            for item in node.assignments:
                scope.taint(item.name)
        words = draft.words
        if declared:
            places = {place for _, place in declared}
            words = tuple(word for place, word in enumerate(words) if place not in places)
        self.effects(words, scope, tuple([name for name, _ in declared]))

    def _meant(self, name: str, node: Simple, scope: Scope) -> None:
        """Take in what an alias or a hashed program stands for, with the command's own arguments."""
        meaning = scope.meanings[name]
        self.budget.enter()
        inner = scope.copy()
        inner.meanings = {key: item for key, item in scope.meanings.items() if key != name}
        words = (*meaning.words, *node.words[1:])
        redirections = (*meaning.redirections, *node.redirections)
        self.simple(Simple(node.text, meaning.assignments, words, redirections), inner)
        self.budget.leave()

    def _wordless(self, node: Simple, scope: Scope) -> None:
        if not node.redirections:
            self._assign_all(node, scope)
            return
        draft = Draft(node.text, scope)
        draft.redirects += self.redirects(node.redirections, scope)
        draft.assignments = tuple(self._assignment(item, scope) for item in node.assignments)
        for item in node.assignments:
            self.assign(item, scope)
        self.add(draft)

    def _assign_all(self, node: Simple, scope: Scope) -> None:
        for item in node.assignments:
            self.assign(item, scope)
            self.note(item.name, scope.exports[item.name].value, node.text)

    def assign(self, item: Assign, scope: Scope) -> Value:
        """Carry an assignment out; the value that was assigned."""
        value = self.expander.value(item.value, scope)
        if (item.name in scope.changing or item.name == "PS4") and self.endangered(scope):
            self.unread(item.name, "the value of a variable is expanded again", scope)
        if item.subscript is not None:
            if item.name in _TABLES:
                self.unread(item.name, "a name stands for a computed program", scope)
            self.evaluate(self.expander.inspect(item.subscript, scope), scope)
            scope.taint(item.name)
        elif item.append:
            scope.append(item.name, value)
        else:
            scope.assign(item.name, value)
        return value

    def _assignment(self, item: Assign, scope: Scope) -> Assignment:
        value = self.expander.value(item.value, scope)
        scope.record.note(item.name, None)
        if not isinstance(value, Word) or item.subscript is not None or item.append:
            return Assignment(item.name, Word((Hole("$" + item.name, "computed"),)))
        return Assignment(item.name, finished(value.pieces, False, scope.cwd))

    def _declaration(self, raw: Assign, scope: Scope) -> Word:
        value = self.assign(raw, scope)
        if isinstance(raw.value, tuple) and any(isinstance(part, Literal) and "{" in part.text for part in raw.value):
            # Braces make several words of an argument, though not of an assignment before a command.
            value = Word((Hole(str(value), "computed"),))
            scope.taint(raw.name)
        self.note(raw.name, scope.exports[raw.name].value, "")
        shown: Word = value if isinstance(value, Word) else _array_word(raw)
        sign = "+=" if raw.append else "="
        return joined([raw.name + sign, *finished(shown.pieces, False, scope.cwd).pieces])

    def redirects(self, items: tuple[Redirection, ...], scope: Scope) -> tuple[Redirect, ...]:
        """The redirections of a command."""
        return tuple(self._redirect(item, scope) for item in items)

    def _redirect(self, item: Redirection, scope: Scope) -> Redirect:
        target = item.target
        number = item.descriptor or ("0" if item.operator[0] == "<" else "1")
        if item.variable:
            scope.taint(item.variable)
            number = "{" + item.variable + "}"
        if isinstance(target, Document):
            return Redirect("here-document", self.expander.text(target.body, scope), not target.quoted, number)
        if item.operator == "<<<":
            return Redirect("here-string", self.expander.text(target, scope), True, number)
        found = self.expander.single(target, scope)
        if item.operator == ">&" and any(isinstance(piece, str) and _EXPANDING.search(piece) for piece in found.pieces):
            # Bash expands such a file's name a second time, and takes its quotes away.
            self.unread(str(found), "an operand is expanded again", scope)
        if item.operator in _KINDS:
            return Redirect(_KINDS[item.operator], found, number=number)
        copies = item.operator == "<&" or (found.text is not None and _DESCRIPTOR.fullmatch(found.text))
        return Redirect("descriptor" if copies else "write", found, number=number)


def _array_word(item: Assign) -> Word:
    assert isinstance(item.value, Array)
    return Word((Hole(item.value.source, "computed"),))
