"""Arguments of a program: which way of reading them is the program's."""

from __future__ import annotations

from ostiary.programs.arguments import Arguments, Reader, by_shape
from ostiary.programs.lookup import program
from ostiary.programs.model import Program
from ostiary.programs.windows import CmdletReader, MethodReader, SlashReader
from ostiary.words import Word


def arguments(words: tuple[Word, ...], language: str = "bash") -> Arguments:
    """What the words mean, the first of them being the program that a shell of this language looks up. Never raises."""
    text = words[0].text if words else None
    data = program(text, language) if text is not None else None
    return _reader(data)(words, data).read() if data else by_shape(words)


def _reader(data: Program) -> type[Reader]:
    if "cmdlet" in data.traits:
        return CmdletReader
    if "net" in data.traits:
        return MethodReader
    return SlashReader if "slashes" in data.traits else Reader
