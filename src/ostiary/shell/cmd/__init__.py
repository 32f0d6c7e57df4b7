"""cmd text to commands."""

from __future__ import annotations

from typing import Final

from ostiary.expressions import expression
from ostiary.shell import limits
from ostiary.shell.cmd.commands import Reader
from ostiary.shell.limits import Budget
from ostiary.shell.model import Command, Script
from ostiary.shell.syntax import Unreadable

_STRANGE: Final = expression("[\x00-\x08\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def parse_cmd(text: str, budget: Budget) -> Script:
    """The commands of a cmd text."""
    if len(text) > limits.TEXT:
        return Script((Command(text, unparsed="the text is too long", language="cmd"),), "size")
    reader = Reader(text, budget)
    reason = limit = ""
    try:
        reader.script()
    except Unreadable as problem:
        reason, limit = problem.reason, problem.limit
    commands = reader.drafts.done(text) if reader.drafts.commands or not reason else ()
    if reason:
        commands += (Command(text, unparsed=reason, language="cmd"),)
    if _STRANGE.search(text):
        commands += (Command(text, unparsed="a control character in the text", language="cmd"),)
    return Script(commands, limit)
