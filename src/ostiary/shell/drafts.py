"""Commands as they are collected: their neighbours and what is defined below them become known only later."""

from __future__ import annotations

from ostiary.shell import limits
from ostiary.shell.limits import Budget
from ostiary.shell.model import Assignment, Command, Redirect
from ostiary.shell.scope import Scope, Variables, unknown
from ostiary.shell.syntax import Unreadable
from ostiary.words import Word


class Draft:
    """A command that is not finished."""

    __slots__ = (
        "after", "again", "assignments", "cwd", "defined", "exported", "fallbacks", "feeds", "inherited", "late",
        "reads", "redirects", "text", "unparsed", "variables", "words",
    )  # fmt: skip

    def __init__(self, text: str, scope: Scope, unparsed: str = "") -> None:
        self.text = text
        self.words: tuple[Word, ...] = ()
        self.assignments: tuple[Assignment, ...] = ()
        self.redirects: tuple[Redirect, ...] = scope.redirects
        self.inherited = len(scope.redirects)
        self.exported = tuple(scope.exports.values())
        self.defined = scope.defined
        self.cwd = scope.cwd
        self.fallbacks = scope.fallbacks
        self.variables: Variables | None = None
        self.late = scope.late
        self.reads: list[int] = []
        self.feeds: list[int] = []
        self.unparsed = unparsed
        self.after: tuple[int, ...] = ()
        self.again = scope.late


class Drafts:
    """The commands of a script so far. `group` collects the positions of those that run in the pipeline element at
    hand, `bodies` of those in each function. `assigned` are all variables the script sets, with the value where
    there is only one. `passed` are the commands that have succeeded here, `loops` counts the loops around."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.drafts: list[Draft] = []
        self.group: list[int] = []
        self.bodies: dict[str, list[int]] = {}
        self.assigned: dict[str, Word] = {}
        self.passed: tuple[int, ...] = ()
        self.loops = 0
        self._unseen: dict[str, tuple[Assignment, str]] = {}
        self._links = self._late = 0

    def add(self, draft: Draft) -> int:
        """Add a command; its position. `Unreadable` if there are too many."""
        if len(self.drafts) >= limits.COMMANDS:
            raise Unreadable("the script has too many commands", "commands")
        self._late += draft.late
        self.budget.handle(4 * len(draft.exported) + draft.late * len(self.assigned))
        self.budget.spend(len(draft.redirects))
        self.drafts.append(draft)
        draft.after = self.passed
        draft.again = draft.again or self.loops > 0
        if self._unseen:
            seen = {item.name for item in draft.exported}
            self._unseen = {name: item for name, item in self._unseen.items() if name not in seen}
        position = len(self.drafts) - 1
        self.group.append(position)
        return position

    def note(self, name: str, value: Word | None, text: str) -> None:
        """Remember an assignment that stands alone, until a command runs with it."""
        found = unknown(name) if value is None or self.assigned.get(name, value) != value else value
        self.budget.handle(self._late)
        self.assigned[name] = found
        self._unseen[name] = (Assignment(name, found), text)

    def link(self, before: list[int], after: list[int]) -> None:
        """The commands at `before` write into those at `after`. `Unreadable` if there are too many pairs."""
        if not before or not after:
            return
        before, after = list(dict.fromkeys(before)), list(dict.fromkeys(after))
        self._links += len(before) * len(after)
        if self._links > limits.LINKS:
            raise Unreadable("the script has too many pipes", "links")
        for position in before:
            self.drafts[position].feeds += after
        for position in after:
            self.drafts[position].reads += before

    def called(self, body: list[int], redirects: tuple[Redirect, ...]) -> None:
        """The commands of a function find what its caller gives it to read."""
        given = tuple(item for item in redirects if item.kind not in ("write", "append"))
        if given:
            self.budget.spend(len(given) * len(body))
            for position in body:
                draft = self.drafts[position]
                draft.redirects = given + draft.redirects
                draft.inherited += len(given)

    def commands(self, text: str) -> tuple[Command, ...]:
        """The finished commands; `text` is the whole script's."""
        if self._unseen:
            self.group = []
            draft = Draft("; ".join(dict.fromkeys(text for _, text in self._unseen.values())), Scope(self.budget))
            draft.assignments = tuple(item for item, _ in self._unseen.values())
            self.drafts.append(draft)
        if not self.drafts:
            return (Command(text),)
        everything = frozenset(self.bodies)
        return tuple(self._finished(draft, everything) for draft in self.drafts)

    def _finished(self, draft: Draft, everything: frozenset[str]) -> Command:
        exported, defined = draft.exported, draft.defined
        if draft.late:
            names = {item.name for item in exported}
            exported += tuple(Assignment(name, value) for name, value in self.assigned.items() if name not in names)
            defined = everything
        return Command(
            draft.text,
            draft.words,
            draft.assignments,
            exported,
            draft.redirects,
            defined,
            draft.cwd,
            tuple(dict.fromkeys(draft.reads)) if draft.reads else (),
            tuple(dict.fromkeys(draft.feeds)) if draft.feeds else (),
            draft.unparsed,
            draft.fallbacks,
            after=draft.after,
            again=draft.again,
            inherited=draft.inherited,
            variables=draft.variables,
        )
