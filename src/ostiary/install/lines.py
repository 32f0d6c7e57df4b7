"""The line that a shell runs for a hook, and the same line made to close a gate where the hook cannot. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Final

from ostiary.dialects.base import Dialect, Slot
from ostiary.dialects.texts import UNASKED

_QUOTED: Final = re.compile(r"[^A-Za-z0-9_.:=/\\-]")  # what PowerShell does not take as it is
_QUOTE: Final = "'"
_SHELL: Final = ("/bin/sh", "-c")
_NOT_RUN: Final = "\nexit $?\n)"  # bash reads the bracket, an error with code 2, only where it ran nothing before
_ELSE: Final = '"$0" "$@" || '
_CLOSED: Final = (
    *_SHELL,
    f'{_ELSE}{{ [ $? = 2 ] || echo "{UNASKED}" >&2; exit 2; }}',
)


def shell_line(words: Sequence[str], *, powershell: bool = False) -> str:
    """The words as one line for a shell: a POSIX one, or one of Windows where the program is one of Windows. Words that
    need no quotes have none, so that PowerShell and the command prompt read such a line alike."""
    if words[0].startswith("/"):
        return shlex.join(words)
    if not any(map(_QUOTED.search, words)):
        return " ".join(words)
    if powershell:
        return f"& {' '.join(_in(_QUOTE, word.replace(_QUOTE, _QUOTE * 2)) for word in words)}"
    return " ".join(_in('"', word) for word in words)  # no path of Windows holds this sign


def closed_line(words: Sequence[str], *, powershell: bool = False) -> str:
    """`shell_line` for agents that stop a call at exit code 2 alone: a program that dies, or that is gone, leaves
    another one. Only for POSIX shells; the script is one word, so that shells of other kinds pass it on as it is."""
    return shell_line((*_CLOSED, *words) if words[0].startswith("/") else words, powershell=powershell)


def bash_line(words: Sequence[str], *, powershell: bool = False) -> str:
    """`closed_line` for agents that start bash with an environment that a project may have a say in."""
    return closed_line(words, powershell=powershell) + (_NOT_RUN if words[0].startswith("/") else "")


def or_else(words: Sequence[str], text: str) -> tuple[str, ...]:
    """The words of a command that prints a text where the words themselves are no program that ends well."""
    return (*_SHELL, f"{_ELSE}printf %s {shlex.quote(text)}", *words)


def bare(line: str) -> str:
    """A line of `bash_line` without what is not run; any other one as it is."""
    return line.removesuffix(_NOT_RUN)


def unclosed(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words that a `closed_line` or `or_else` was made of."""
    closed = words[:2] == _SHELL and len(words) > len(_CLOSED) and words[2].startswith(_ELSE)
    return words[len(_CLOSED) :] if closed else words


def _in(quote: str, word: str) -> str:
    return f"{quote}{word}{quote}" if _QUOTED.search(word) else word


def closes(dialect: Dialect, program: str) -> bool:
    """Whether what closes gates does so where that program is registered."""
    lines = {Slot.CLOSED_LINE, Slot.BASH_LINE}
    return program.startswith("/") or lines.isdisjoint(dialect.registration.closing.values())
