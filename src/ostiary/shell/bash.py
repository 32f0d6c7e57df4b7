"""Bash text to commands: read it, walk it, and say what was not understood."""

from __future__ import annotations

from typing import Final

from ostiary.expressions import expression
from ostiary.shell import limits
from ostiary.shell.drafts import Draft
from ostiary.shell.limits import Budget
from ostiary.shell.model import Command, Script
from ostiary.shell.pieces import unfinished
from ostiary.shell.scope import Scope
from ostiary.shell.second import read
from ostiary.shell.syntax import Unreadable
from ostiary.shell.walk import Walker
from ostiary.words import Word

# Control characters that terminals or shells treat in their own ways, and those that reorder what people see.
_STRANGE: Final = expression("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def parse_bash(text: str, budget: Budget, arguments: tuple[Word, ...] | None = None) -> Script:
    """The commands of a bash text. Reading and walking it may each take the steps that are left; the dearer one
    counts."""
    if len(text) > limits.TEXT:
        return Script((Command(text, unparsed="the text is too long"),), "size")
    walking = Budget(budget.steps)
    try:
        script, limit = read(text, budget)
    except Unreadable as problem:
        return Script((Command(text, unparsed=problem.reason),), problem.limit)
    walker = Walker(text, script, walking)
    scope = Scope(walking, arguments and tuple(map(unfinished, arguments)))
    try:
        walker.visit(script, scope)
    except Unreadable as problem:
        limit = limit or problem.limit
        walker.drafts.append(Draft(text, scope, problem.reason))
    if _STRANGE.search(text):
        walker.drafts.append(Draft(text, scope, "a control character in the text"))
    budget.steps = min(budget.steps, walking.steps)
    return Script(walker.commands(text), limit)
