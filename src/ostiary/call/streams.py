"""Redirections, and what a program finds on its standard input."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ostiary.call.descriptors import READABLE, TEXTS, sources
from ostiary.call.filters import UNTOLD, filtered, holds_code, reads_files
from ostiary.call.gather import Gathered
from ostiary.call.layers import Layer, layers_of
from ostiary.call.model import Access
from ostiary.call.shapes import descriptor, is_process
from ostiary.call.sockets import BASH, touch_file
from ostiary.expressions import expression
from ostiary.shell.model import Command, Redirect
from ostiary.words import Word, joined, phrase, word

_ESCAPE: Final = expression(r"\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{1,3})|([abefnrtv\\]))")
_ECHO: Final = expression(r"-[neE]+")
_DIFFERING: Final = expression(r"\\[abcefnrtvxuU0-9\\]")
_LETTERS: Final = {"a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}


def redirected(redirects: tuple[Redirect, ...], out: Gathered) -> None:
    """The accesses that redirections make, and the texts of here-documents. The shell opens the files, so they are not
    in the directory that an option of the program names."""
    base, out.base = out.base, None
    for redirect in redirects:
        if redirect.kind in TEXTS:
            out.text(redirect.target)
        elif redirect.kind == "read":
            touch_file(out, _named(redirect), ("read",), BASH, "input")
        elif redirect.kind == "both":
            touch_file(out, _named(redirect), ("read", "write"), BASH, "output")
        elif redirect.kind in ("write", "append"):
            touch_file(out, _named(redirect), ("write",), BASH, "output")
    out.base = base


def _named(redirect: Redirect) -> Word:
    """The target of a redirection, where `-` is no stream but a file's name."""
    return word("./-") if redirect.target.text == "-" else redirect.target


def incoming(command: Command, commands: Sequence[Command]) -> tuple[Redirect, ...]:
    """What the scripts that a command starts find on their descriptors."""
    given = tuple(item for item in command.redirects if item.kind in READABLE or item.kind == "descriptor")
    texts = [printed(commands[index], commands) for index in command.reads_from]
    if len(texts) == 1 and texts[0] is not None:
        return (Redirect("here-string", texts[0], number="0"), *given)
    return given


def input_code(
    command: Command,
    commands: Sequence[Command],
    language: str,
    out: Gathered,
    arguments: tuple[Word, ...] | None = None,
) -> None:
    """The standard input of a program that runs it, or another descriptor: text in the script is code, anything else
    code that is not told. `arguments` are what a shell takes for `$0`, `$1` and so on."""
    base, out.base = out.base, None
    number = out.runs_input or "0"
    found, decided = sources(command, number)
    for item in found:
        if is_process(item.target):
            out.accesses.append(Access("execute", item.target, not out.possible))
        elif item.kind in TEXTS:
            out.run(item.target, language, arguments)
        else:
            out.path(item.target, "execute")
    if number != "0" and not found:
        out.accesses.append(Access("execute", UNTOLD, not out.possible))
    if number == "0" and not decided:
        _piped_code(command, commands, language, out, arguments)
    out.base = base


def _piped_code(
    command: Command,
    commands: Sequence[Command],
    language: str,
    out: Gathered,
    arguments: tuple[Word, ...] | None,
) -> None:
    before = [commands[index] for index in command.reads_from]
    files, texts = _passed_files(before, out), [printed(item, commands) for item in before]
    told = [text for text in texts if text is not None]
    if len(texts) > 1 or len(told) + files < len(texts):  # how the texts of several come together is not told
        out.accesses.append(Access("execute", UNTOLD, not out.possible))
    if told:
        out.run(joined([piece for text in told for piece in text.pieces]), language, arguments)


def _passed_files(commands: Sequence[Command], out: Gathered) -> int:
    """Add the files that commands pass on to what runs them; how many they are."""
    files = [file for item in commands if (file := _catted(item)) is not None]
    for file in files:
        out.path(file, "execute")
    return len(files)


def _catted(command: Command) -> Word | None:
    """The one file that a command passes on as it is, None for anything else."""
    if command.unparsed or not command.words or command.redirects:
        return None
    layer = layers_of(command.words, language=command.language)[-1]
    operands = layer.arguments.operands
    one = layer.invocation.name == "cat" and not layer.arguments.options and len(operands) == 1
    plain = one and operands[0].text not in (None, "-") and not descriptor(operands[0])
    return operands[0] if plain else None


def told_input(command: Command, commands: Sequence[Command], language: str, out: Gathered) -> None:
    """A text on the standard input of a program that does what the text says, where the text is in the script."""
    for redirect in incoming(command, commands):
        if redirect.kind in TEXTS:
            out.run(redirect.target, language)


def process_code(command: Command, commands: Sequence[Command], language: str, out: Gathered) -> None:
    """Code that a process substitution prints: `source <(echo x)`."""
    for access in [item for item in out.accesses if item.kind == "execute" and is_process(item.target)]:
        source = access.target.holes[0].source
        inside = [index for index in command.reads_from if commands[index].text in source]
        last = [commands[index] for index in inside if not set(commands[index].feeds) & set(inside)]
        told = [text for item in last if (text := printed(item, commands)) is not None]
        _passed_files(last, out)
        if told:
            out.run(joined([piece for text in told for piece in text.pieces]), language)


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
        return _echoed(layer.invocation.words[1:])
    if name == "printf" and operands:
        return _formatted(operands)
    if name == "exec" and len(layer.invocation.words) == 1:
        return UNTOLD  # `exec > >(sh)`: what later commands print
    if name == "tee" or (name == "cat" and all(item.text in ("-", "/dev/stdin") for item in operands)):
        return passed_on(command, commands, most)
    return _computed(layer, command, commands, most)


def _computed(layer: Layer, command: Command, commands: Sequence[Command], most: int) -> Word | None:
    """What a program makes of a text, or of code in the text, that is all it reads; None for anything else."""
    if reads_files(layer):
        return None
    text = passed_on(command, commands, most)
    if text is not None:
        return filtered(layer, text)
    return UNTOLD if holds_code(layer) and not command.reads_from and not sources(command)[0] else None


def passed_on(command: Command, commands: Sequence[Command], most: int = 8) -> Word | None:
    """The text that a command finds on its standard input, None if the text of the script does not tell."""
    given, decided = sources(command)
    if given:
        told = len(given) == 1 and given[0].kind in TEXTS
        return UNTOLD if command.reads_from and not decided else given[0].target if told else None
    if len(command.reads_from) != 1 or command.reads_from[0] >= len(commands):
        return None
    if not most:
        return UNTOLD
    return printed(commands[command.reads_from[0]], commands, most - 1)


def _echoed(given: tuple[Word, ...]) -> Word | None:
    """Of the first words only those that hold nothing but `n`, `e` and `E` are options; `-x` is printed."""
    count = next((place for place, item in enumerate(given) if not _ECHO.fullmatch(item.text or "")), len(given))
    letters = "".join(item.text or "" for item in given[:count])
    text, end = phrase(given[count:]), "" if "n" in letters else "\n"
    if not any(isinstance(piece, str) and "\\" in piece for piece in text.pieces):
        return joined([*text.pieces, end])
    if "e" not in letters:
        # Shells differ in what a plain echo does with some of them.
        return UNTOLD if _DIFFERING.search(str(text)) else joined([*text.pieces, end])
    if text.text is None:
        return UNTOLD
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
