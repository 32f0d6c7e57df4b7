"""Redirections, and what a program finds on its standard input."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ostiary.call.filters import UNTOLD, filtered, holds_code, reads_files
from ostiary.call.gather import Gathered
from ostiary.call.layers import Layer, layers_of
from ostiary.call.model import Access
from ostiary.call.shapes import is_process
from ostiary.call.sockets import BASH, touch_file
from ostiary.expressions import expression
from ostiary.shell.model import Command, Redirect
from ostiary.words import Word, joined, phrase, word

_ESCAPE: Final = expression(r"\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{1,3})|([abefnrtv\\]))")
_LETTERS: Final = {"a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
_TEXTS: Final = ("here-document", "here-string")


def redirected(redirects: tuple[Redirect, ...], out: Gathered) -> None:
    """The accesses that redirections make, and the texts of here-documents."""
    for redirect in redirects:
        if redirect.kind in _TEXTS:
            out.text(redirect.target)
        elif redirect.kind == "read":
            touch_file(out, redirect.target, ("read",), BASH, "input")
        elif redirect.kind == "both":
            touch_file(out, redirect.target, ("read", "write"), BASH, "output")
        elif redirect.kind in ("write", "append"):
            touch_file(out, redirect.target, ("write",), BASH, "output")


def incoming(command: Command, commands: Sequence[Command]) -> tuple[Redirect, ...]:
    """What a command, and what it starts, finds on the standard input; empty where the text does not tell."""
    given = tuple(_given(command))
    texts = [printed(commands[index], commands) for index in command.reads_from]
    if given or len(texts) != 1 or texts[0] is None:
        return given
    return (Redirect("here-string", texts[0]),)


def input_code(
    command: Command,
    commands: Sequence[Command],
    language: str,
    out: Gathered,
    arguments: tuple[Word, ...] | None = None,
) -> None:
    """The standard input of a program that runs it: text in the script is code, anything else code that is not told.
    `arguments` are what a shell takes for `$0`, `$1` and so on."""
    given = _given(command)
    if given:
        last = given[-1]
        if is_process(last.target):
            out.accesses.append(Access("execute", last.target, not out.possible))
        elif last.kind == "read":
            out.path(last.target, "execute")
        else:
            out.run(last.target, language, arguments)
        return
    if len(command.reads_from) == 1 and (file := _catted(commands[command.reads_from[0]])) is not None:
        out.path(file, "execute")
        return
    texts = [printed(commands[index], commands) for index in command.reads_from]
    told = [text for text in texts if text is not None]
    if len(texts) > 1 or len(told) < len(texts):  # how the texts of several commands come together is not told
        out.accesses.append(Access("execute", UNTOLD, not out.possible))
    if told:
        out.run(joined([piece for text in told for piece in text.pieces]), language, arguments)


def _catted(command: Command) -> Word | None:
    """The one file that a command passes on as it is, None for anything else."""
    if command.unparsed or not command.words or command.redirects:
        return None
    layer = layers_of(command.words, language=command.language)[-1]
    operands = layer.arguments.operands
    one = layer.invocation.name == "cat" and not layer.arguments.options and len(operands) == 1
    return operands[0] if one and operands[0].text not in (None, "-") else None


def told_input(command: Command, commands: Sequence[Command], language: str, out: Gathered) -> None:
    """A text on the standard input of a program that does what the text says, where the text is in the script."""
    for redirect in incoming(command, commands):
        if redirect.kind in _TEXTS:
            out.run(redirect.target, language)


def process_code(command: Command, commands: Sequence[Command], language: str, out: Gathered) -> None:
    """Code that a process substitution prints: `source <(echo x)`."""
    for access in [item for item in out.accesses if item.kind == "execute" and is_process(item.target)]:
        text = access.target.holes[0].source[2:-1]
        sources = [commands[index] for index in command.reads_from if commands[index].text in text]
        texts = [printed(source, commands) for source in sources if len(source.feeds) == 1]
        told = [found for found in texts if found is not None]
        if told:
            out.run(joined([piece for found in told for piece in found.pieces]), language)


def printed(command: Command, commands: Sequence[Command] = (), most: int = 8) -> Word | None:
    """What `echo`, `printf`, or `cat` and `tee` of a text print, None if the text does not tell. `commands` are those
    of the script, `most` is how many of them a text is followed through."""
    if command.unparsed or not command.words:
        return None
    layer = layers_of(command.words, language=command.language)[-1]
    name, operands = layer.invocation.name, layer.arguments.operands
    if name == "Write-Output":
        return operands[0] if len(operands) == 1 and not operands[0].holes else None
    if name == "echo" and command.language == "cmd":
        return phrase(operands)
    if name == "echo":
        used = frozenset[str]().union(*(option.names for option in layer.arguments.options))
        return _echoed(operands, "-e" in used, "" if "-n" in used else "\n")
    if name == "printf" and operands:
        return _formatted(operands)
    if name == "tee" or (name == "cat" and all(item.text == "-" for item in operands)):
        return _passed_on(command, commands, most)
    return _computed(layer, command, commands, most)


def _computed(layer: Layer, command: Command, commands: Sequence[Command], most: int) -> Word | None:
    """What a program makes of a text, or of code in the text, that is all it reads; None for anything else."""
    if reads_files(layer):
        return None
    text = _passed_on(command, commands, most)
    if text is not None:
        return filtered(layer, text)
    return UNTOLD if holds_code(layer) and not command.reads_from and not _given(command) else None


def _given(command: Command) -> list[Redirect]:
    return [item for item in command.redirects if item.kind in (*_TEXTS, "read")]


def _passed_on(command: Command, commands: Sequence[Command], most: int) -> Word | None:
    given = _given(command)
    if given:
        return given[-1].target if given[-1].kind in _TEXTS else None
    if len(command.reads_from) != 1 or command.reads_from[0] >= len(commands):
        return None
    if not most:
        return UNTOLD
    return printed(commands[command.reads_from[0]], commands, most - 1)


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
