"""Bash text to commands: read it, walk it, and say what was not understood."""

from __future__ import annotations

import re
from typing import Final

from ostiary.shell import limits
from ostiary.shell.drafts import Draft
from ostiary.shell.limits import Budget
from ostiary.shell.model import Command, Script
from ostiary.shell.scope import Scope
from ostiary.shell.second import read
from ostiary.shell.syntax import Unreadable
from ostiary.shell.walk import Walker

# Control characters that terminals or shells treat in their own ways, and those that reorder what people see.
_STRANGE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def parse_bash(text: str) -> Script:
    """The commands of a bash text."""
    if len(text) > limits.TEXT:
        return Script((Command(text, unparsed="the text is too long"),), "size")
    budget = Budget()
    script, limit = read(text, budget)
    walker = Walker(text, script, budget)
    scope = Scope()
    budget.steps = limits.STEPS
    try:
        walker.visit(script, scope)
    except Unreadable as problem:
        limit = limit or problem.limit
        walker.drafts.append(Draft(text, scope, problem.reason))
    if _STRANGE.search(text):
        walker.drafts.append(Draft(text, scope, "a control character in the text"))
    return Script(walker.commands(text), limit)
