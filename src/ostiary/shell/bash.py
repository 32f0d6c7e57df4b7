"""Bash text to commands: read it, walk it, and say what was not understood."""

from __future__ import annotations

from typing import Final

from ostiary.expressions import expression
from ostiary.shell import limits
from ostiary.shell.drafts import Draft
from ostiary.shell.limits import Budget
from ostiary.shell.model import Command, Script
from ostiary.shell.pieces import unfinished
from ostiary.shell.scope import Record, Scope, Variables
from ostiary.shell.second import read
from ostiary.shell.syntax import Unreadable
from ostiary.shell.walk import Walker
from ostiary.words import Word

# Control characters that terminals or shells treat in their own ways, and those that reorder what people see.
_STRANGE: Final = expression("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def parse_bash(
    text: str, budget: Budget, arguments: tuple[Word, ...] | None = None, variables: Variables | None = None
) -> Script:
    """The commands of a bash text. Reading it and each walk may take the steps that are left; the dearest counts."""
    if len(text) > limits.TEXT:
        return Script((Command(text, unparsed="the text is too long"),), "size")
    steps = budget.steps
    try:
        script, limit = read(text, budget)
    except Unreadable as problem:
        return Script((Command(text, unparsed=problem.reason),), problem.limit)

    def walk(past: Record | None) -> tuple[Walker, Scope, str]:
        scope = Scope(Budget(steps), arguments and tuple(map(unfinished, arguments)))
        if variables is not None:
            scope.share(variables)
        walker = Walker(text, script, scope.budget, past)
        try:
            walker.visit(script, scope)
            walker.settle()
        except Unreadable as problem:
            walker.drafts.append(Draft(text, scope, problem.reason))
            return walker, scope, problem.limit
        return walker, scope, ""

    walker, scope, found = walk(None)
    if walker.deferred:
        scope.record.opaque = scope.record.opaque or bool(found)
        walker, scope, found = walk(scope.record)
    if _STRANGE.search(text):
        walker.drafts.append(Draft(text, Scope(scope.budget), "a control character in the text"))
    budget.steps = min(budget.steps, scope.budget.steps)
    return Script(walker.commands(text), limit or found)
