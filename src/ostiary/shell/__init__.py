"""Shell text to commands: what a script may run, with which words, where, after what."""

from __future__ import annotations

from typing import Final

from ostiary.shell.bash import parse_bash
from ostiary.shell.limits import Budget
from ostiary.shell.model import Assignment, Command, Redirect, Script
from ostiary.shell.scope import Variables
from ostiary.words import Word

__all__ = ["SHELLS", "Assignment", "Command", "Redirect", "Script", "parse"]

SHELLS: Final = {"bash": "bash", "powershell": "powershell", "cmd": "cmd"}
"""Languages that are read here; scripts in them become parts."""


def parse(
    text: str,
    language: str = "bash",
    budget: Budget | None = None,
    arguments: tuple[Word, ...] | None = None,
    variables: Variables | None = None,
) -> Script:
    """The commands of a shell text, at least one. Never raises: what is not understood is a command that says so.

    `language` is `bash` (for every shell of its family), `powershell` or `cmd`. Several texts may share the steps of
    one `budget`; what they cost is taken from it. `arguments` are the parameters that a bash text is run with, `$0`
    first, None if they are not known. `variables` are those that it finds in a shell which runs other texts, too, None
    if it has a shell of its own.
    """
    budget = budget or Budget()
    own = Budget(budget.steps)
    try:
        return (
            parse_bash(text, own, arguments, variables) if language == "bash" else _parse_windows(text, language, own)
        )
    except RecursionError:
        # Nesting is bounded, but the caller may have used up most of the stack.
        command = Command(text, unparsed="the text is nested too deeply", language=language)
        return Script((command,), "depth")
    finally:
        budget.steps = max(0, own.steps)


def _parse_windows(text: str, language: str, budget: Budget) -> Script:
    # The readers of Windows' shells cost a hook 5 ms to import, which calls of other shells need not pay.
    from ostiary.shell.cmd import parse_cmd
    from ostiary.shell.powershell import parse_powershell

    return parse_powershell(text, budget) if language == "powershell" else parse_cmd(text, budget)
