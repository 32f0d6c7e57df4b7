"""Redirections, and what a program finds on its standard input."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ostiary.call.gather import Gathered
from ostiary.call.layers import layers_of
from ostiary.call.model import Access
from ostiary.shell.model import Command, Redirect
from ostiary.words import Hole, Word, joined, phrase, word

_ESCAPE: Final = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{1,3})|([abefnrtv\\]))")
_LETTERS: Final = {"a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
_TEXTS: Final = ("here-document", "here-string")
UNTOLD: Final = Word((Hole("|", "computed"),))
"""Code that arrives through a pipe and is not in the text."""


def redirected(redirects: tuple[Redirect, ...], out: Gathered) -> None:
    """The accesses that redirections make, and the texts of here-documents."""
    for redirect in redirects:
        if redirect.kind in _TEXTS:
            out.text(redirect.target)
        elif redirect.kind == "read":
            out.path(redirect.target, "read", origin="input")
        elif redirect.kind == "both":
            out.path(redirect.target, "read", "write", origin="output")
        elif redirect.kind in ("write", "append"):
            out.path(redirect.target, "write", origin="output")


def input_code(command: Command, commands: Sequence[Command], language: str, out: Gathered) -> None:
    """The standard input of a program that runs it: text in the script is code, anything else code that is not told."""
    given = [item for item in command.redirects if item.kind in (*_TEXTS, "read")]
    if given:
        last = given[-1]
        if last.kind == "read":
            out.path(last.target, "execute")
        else:
            out.run(last.target, language)
        return
    texts = [printed(commands[index]) for index in command.reads_from]
    told = [text for text in texts if text is not None]
    if len(texts) > 1 or len(told) < len(texts):  # how the texts of several commands come together is not told
        out.accesses.append(Access("execute", UNTOLD, not out.possible))
    if told:
        out.run(joined([piece for text in told for piece in text.pieces]), language)


def printed(command: Command) -> Word | None:
    """What `echo`, `printf` or `cat` of a here-document prints, None if the text does not tell."""
    if command.unparsed or not command.words:
        return None
    layer = layers_of(command.words)[-1]
    name, operands = layer.invocation.name, layer.arguments.operands
    if name == "echo":
        used = frozenset[str]().union(*(option.names for option in layer.arguments.options))
        return _echoed(operands, "-e" in used, "" if "-n" in used else "\n")
    if name == "printf" and operands:
        return _formatted(operands)
    if name == "cat" and not operands:
        texts = [item.target for item in command.redirects if item.kind in _TEXTS]
        return texts[-1] if texts else None
    return None


def _echoed(operands: tuple[Word, ...], escapes: bool, end: str) -> Word | None:
    text = phrase(operands)
    if not any(isinstance(piece, str) and "\\" in piece for piece in text.pieces):
        return joined([*text.pieces, end])
    if text.text is None or not escapes:
        return None  # shells differ in what a plain echo does with a backslash
    return word(_unescaped(text.text) + end)


def _formatted(operands: tuple[Word, ...]) -> Word | None:
    template, *values = operands
    if template.text is None or any(value.text is None for value in values):
        return None
    texts = [value.text or "" for value in values]
    shape = _unescaped(template.text.replace("%%", "%\0"))
    places = re.findall(r"%(?!\0)[^a-zA-Z]*[a-zA-Z]", shape)
    if any(place not in ("%s", "%b") for place in places):
        return None
    rounds = max(1, -(-len(texts) // len(places))) if places else 1
    filled = [*texts, *[""] * (rounds * len(places) - len(texts))]
    out = [re.sub(r"%[sb]", lambda _: filled.pop(0), shape) for _ in range(rounds)]
    return word("".join(out).replace("%\0", "%"))


def _unescaped(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        return chr(int(match[2], 8) & 255) if match[2] else _LETTERS[match[3]]

    return _ESCAPE.sub(one, text)
