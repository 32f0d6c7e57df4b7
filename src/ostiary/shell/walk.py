"""From the tree of a script to the commands it may run, in one pass with what is known at each place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ostiary.shell import limits
from ostiary.shell.drafts import Draft
from ostiary.shell.effects import Effects
from ostiary.shell.limits import Budget
from ostiary.shell.model import Redirect
from ostiary.shell.scope import UNKNOWN_DIRECTORY, Record, Scope, unknown
from ostiary.shell.survey import Survey, survey
from ostiary.shell.syntax import (
    Arithmetic,
    Background,
    Case,
    Chain,
    Coprocess,
    Counting,
    For,
    Function,
    If,
    Loop,
    Negated,
    Node,
    Pipeline,
    Redirected,
    Sequence,
    Simple,
    Subshell,
    Test,
    Unread,
)
from ostiary.words import Hole, Word

# What commands find that run behind a pipe from the rest of the script.
_COPROCESS: Final = Redirect("here-string", Word((Hole("coproc", "computed"),)), True, "0")


class Walker(Effects):
    """Walks one script."""

    def __init__(self, text: str, script: Sequence, budget: Budget, past: Record | None = None) -> None:
        super().__init__(text, script, budget, past)
        self._copies = 1

    def visit(self, node: Node, scope: Scope) -> None:
        """Take in a node; `scope` becomes the state after it."""
        self.budget.spend()
        self._VISITS[type(node)](self, node, scope)

    def _sequence(self, node: Sequence, scope: Scope) -> None:
        for item in node.items:
            self.visit(item, scope)

    def _own_process(self, node: Background | Subshell, scope: Scope) -> None:
        self.visit(node.body, scope.copy())

    def _coprocess(self, node: Coprocess, scope: Scope) -> None:
        inner = scope.copy()
        inner.redirects += (_COPROCESS,)
        self.visit(node.body, inner)
        scope.taint(node.name)

    def _negated(self, node: Negated, scope: Scope) -> None:
        # What comes next may run because a `cd` failed.
        cwd = scope.cwd
        self.visit(node.body, scope)
        self._unsettle(scope, cwd)

    def _unsettle(self, scope: Scope, cwd: Word) -> None:
        if scope.cwd != cwd:
            scope.cwd, scope.stack = UNKNOWN_DIRECTORY, None

    def _chain(self, node: Chain, scope: Scope) -> None:
        """`success` and `failure` are the states after the last item ran and after it failed, `stopped` the state
        where the chain ended early. A `cd` that is not asked about is taken to succeed; the directory it leaves stays
        a fallback for what follows the chain."""
        left = [scope.cwd]
        around, at = self.passed, len(self.drafts)
        previous: Node | None = node.first
        success, failure, stopped = self._item(node.first, scope)
        for operator, item in node.rest:
            left.append(success.cwd)
            self._pass(previous if operator == "&&" else None, at, around)
            at, previous = len(self.drafts), item if operator == "&&" else None
            if operator == "&&":
                success, failed, ended = self._item(item, success)
                failure = failure.meet(failed)
                stopped = stopped.meet(ended) if stopped and ended else stopped or ended
            else:
                after, failure, stopped = self._item(item, failure)
                success = success.meet(after)
        self.passed = around
        scope.become(success.meet(stopped) if stopped else success)
        if all(operator == "&&" for operator, _ in node.rest):
            scope.stay((*scope.fallbacks, *left))

    def _pass(self, done: Node | None, at: int, around: tuple[int, ...]) -> None:
        """What follows runs only after `done`, whose first command has the position `at`; None if it may also run
        without it. Only the last few are remembered."""
        if done is None:
            self.passed = around
        elif isinstance(done, Simple) and at < len(self.drafts):
            self.passed = (*self.passed, at)[-limits.PASSED :]

    def _item(self, node: Node, scope: Scope) -> tuple[Scope, Scope, Scope | None]:
        """Visit an item of a chain; the states after it ran, after it failed, and after it ended the chain."""
        inner = scope.copy()
        self.visit(node, inner)
        if inner.cwd == scope.cwd:
            return inner, inner, inner
        failed = inner.copy()
        inner.fallbacks = scope.fallbacks
        if isinstance(node, Simple):
            failed.cwd, failed.stack, failed.fallbacks = scope.cwd, scope.stack, scope.fallbacks
            return inner, failed, None
        self._unsettle(failed, scope.cwd)
        return inner, failed, inner

    def _pipeline(self, node: Pipeline, scope: Scope) -> None:
        outer = self.group
        before: list[int] = []
        members: list[int] = []
        inner = scope
        for item in node.items:
            self.group = []
            inner = scope.copy()
            self.visit(item, inner)
            self.link(before, self.group)
            before = self.group
            members += before
        self.group = outer + members
        # Some shells run the last item in their own process.
        inner.dead = scope.dead
        scope.join(inner)

    def _redirected(self, node: Redirected, scope: Scope) -> None:
        before = scope.redirects
        scope.redirects = before + self.redirects(node.redirections, scope)
        inside = len(self.drafts)
        self.visit(node.body, scope)
        if len(self.drafts) == inside:
            self.add(Draft(node.text, scope))
        scope.redirects = before

    def _if(self, node: If, scope: Scope) -> None:
        ends: list[Scope] = []
        for condition, body in node.branches:
            cwd = scope.cwd
            self.visit(condition, scope)
            inner = scope.copy()
            self.visit(body, inner)
            ends.append(inner)
            self._unsettle(scope, cwd)
        if node.otherwise is not None:
            self.visit(node.otherwise, scope)
        for end in ends:
            scope.join(end)

    def _loop(self, node: Loop, scope: Scope) -> None:
        self.disturb(self._survey(node, scope, {}), scope)
        cwd = scope.cwd
        self.loops += 1
        self.visit(node.condition, scope)
        self._unsettle(scope, cwd)
        inner = scope.copy()
        self.visit(node.body, inner)
        self.loops -= 1
        scope.join(inner)

    def _survey(self, node: Node, scope: Scope, values: dict[str, list[Word]]) -> Survey:
        """Survey a loop. A variable that it leaves alone is no builtin if its value, or each of `values`, is none."""
        trusted: set[str] = set()

        def no_builtin(name: str) -> bool:
            known: list[object] = [*values.get(name, ())] or [scope.values.get(name)]
            if all(isinstance(item, Word) and self.is_program(item) for item in known):
                trusted.add(name)
                return True
            return self.outside(name)

        found = survey(node, no_builtin)
        if trusted & found.names:
            found.moves = found.opaque = found.jumps = True
        return found

    def _for(self, node: For, scope: Scope) -> None:
        words = [item for raw in node.words or () for item in self.expander.unfinished(raw, scope)]
        values = self._loop_values(node, words)
        found = self._survey(node.body, scope, {node.name: values or []})
        scope.defined |= found.functions
        if values is None or found.jumps or found.opaque or found.programs & self.functions.keys():
            self._any_order(node, values or [unknown(node.name)], scope, found)
            return
        several = any(item.many for item in words)
        self._copies *= len(values)
        self.loops += several
        for value in values:
            scope.assign(node.name, value)
            self.visit(node.body, scope)
        self.loops -= several
        self._copies //= len(values)

    def _loop_values(self, node: For, words: list[Word]) -> list[Word] | None:
        """What the variable may be, round by round; None if the text does not tell or it is too much."""
        if node.chosen or not 0 < len(words) <= limits.UNROLLED or self._copies * len(words) > limits.UNROLLED**2:
            return None
        split = any(item.many and any(hole.kind != "glob" for hole in item.holes) for item in words)
        return None if split else [Word(item.pieces) for item in words]

    def _any_order(self, node: For, values: list[Word], scope: Scope, found: Survey) -> None:
        """Rounds of which nobody knows which one runs before which."""
        self.disturb(found, scope)
        self._copies *= len(values)
        self.loops += 1
        for value in values:
            inner = scope.copy()
            inner.assign(node.name, value)
            self.visit(node.body, inner)
            inner.dead = False
            scope.join(inner)
        self.loops -= 1
        self._copies //= len(values)

    def _counting(self, node: Counting, scope: Scope) -> None:
        self.disturb(self._survey(node, scope, {}), scope)
        self._arithmetic(node.head, scope)
        inner = scope.copy()
        self.loops += 1
        self.visit(node.body, inner)
        self.loops -= 1
        scope.join(inner)

    def _case(self, node: Case, scope: Scope) -> None:
        self.expander.fields(node.subject, scope)
        ends: list[Scope] = []
        fallen: Scope | None = None
        for item in node.items:
            for pattern in item.patterns:
                self.expander.fields(pattern, scope)
            inner = scope.copy()
            if fallen is not None:
                inner.join(fallen)
            self.visit(item.body, inner)
            ends.append(inner)
            fallen = inner.copy() if item.falls else None
        for end in ends:
            scope.join(end)

    def _function(self, node: Function, scope: Scope) -> None:
        self._define(node.name, scope)
        inner = self.later(scope, node.name)
        outer, self.group = self.group, []
        self.visit(node.body, inner)
        self.bodies[node.name] = list(dict.fromkeys(self.bodies[node.name] + self.group))
        self.group = outer
        self.functions.setdefault(node.name, Survey()).add(survey(node.body, self.outside))

    def _test(self, node: Test, scope: Scope) -> None:
        for raw in node.words:
            self.expander.fields(raw, scope)
        if node.evaluates and self.endangered(scope):
            self.unread(node.text, "the value of a variable is expanded again", scope)

    def _arithmetic(self, node: Arithmetic, scope: Scope) -> None:
        self.evaluate(self.expander.inspect(node.parts, scope), scope)

    def _unread(self, node: Unread, scope: Scope) -> None:
        self.unread(node.text, node.reason, scope)

    _VISITS: Final[dict[type, Callable[[Walker, Any, Scope], None]]] = {
        Simple: Effects.simple,
        Sequence: _sequence,
        Background: _own_process,
        Subshell: _own_process,
        Chain: _chain,
        Coprocess: _coprocess,
        Negated: _negated,
        Pipeline: _pipeline,
        Redirected: _redirected,
        If: _if,
        Loop: _loop,
        For: _for,
        Counting: _counting,
        Case: _case,
        Function: _function,
        Test: _test,
        Arithmetic: _arithmetic,
        Unread: _unread,
    }
