"""Arguments of a program: which way of reading them is the program's."""

from __future__ import annotations

from typing import Final

from ostiary.programs.arguments import Arguments, Reader, by_shape
from ostiary.programs.lookup import program
from ostiary.programs.model import Program
from ostiary.words import Word

_WINDOWS: Final = frozenset({"cmdlet", "net", "slashes"})
"""Ways of reading that programs of Windows have."""


def arguments(words: tuple[Word, ...], language: str = "bash") -> Arguments:
    """What the words mean, the first of them being the program that a shell of this language looks up. Never raises."""
    text = words[0].text if words else None
    data = program(text, language) if text is not None else None
    return _reader(data)(words, data).read() if data else by_shape(words)


def _reader(data: Program) -> type[Reader]:
    if data.traits.isdisjoint(_WINDOWS):
        return Reader
    from ostiary.programs.windows import CmdletReader, MethodReader, SlashReader  # late: few calls need them

    if "cmdlet" in data.traits:
        return CmdletReader
    if "net" in data.traits:
        return MethodReader
    return SlashReader
