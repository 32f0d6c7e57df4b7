"""Shell text to commands: what a script may run, with which words, where, after what."""

from __future__ import annotations

from ostiary.shell.bash import parse_bash
from ostiary.shell.model import Assignment, Command, Redirect, Script

__all__ = ["Assignment", "Command", "Redirect", "Script", "parse"]


def parse(text: str, language: str = "bash") -> Script:
    """The commands of a shell text, at least one. Never raises: what is not understood is a command that says so.

    `language` is `bash` (for every shell of its family) or the name of a shell whose text is not analysed.
    """
    if language != "bash":
        return Script((Command(text, unparsed=f"{language} text is not analysed"),))
    try:
        return parse_bash(text)
    except RecursionError:
        # Nesting is bounded, but the caller may have used up most of the stack.
        return Script((Command(text, unparsed="the text is nested too deeply"),), "depth")
