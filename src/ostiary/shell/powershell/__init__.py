"""PowerShell text to commands: read by our own grammar, and where it is intricate by a second one."""

from __future__ import annotations

from typing import Final

from ostiary.expressions import expression
from ostiary.shell import limits
from ostiary.shell.limits import Budget
from ostiary.shell.model import Command, Script
from ostiary.shell.powershell.second import difference
from ostiary.shell.powershell.statements import Reader
from ostiary.shell.syntax import Unreadable

_STRANGE: Final = expression(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
)


def parse_powershell(text: str, budget: Budget) -> Script:
    """The commands of a PowerShell text."""
    if len(text) > limits.TEXT:
        return Script((Command(text, unparsed="the text is too long", language="powershell"),), "size")
    reader = Reader(text, budget)
    limit = ""
    try:
        reader.statements("")
        reason = difference(reader) if reader.intricate else ""
    except Unreadable as problem:
        reason, limit = problem.reason, problem.limit
    commands = reader.drafts.done(text) if reader.drafts.commands or not reason else ()
    if reason:
        commands += (Command(text, unparsed=reason, language="powershell"),)
    if _STRANGE.search(text):
        commands += (Command(text, unparsed="a control character in the text", language="powershell"),)
    return Script(commands, limit)
