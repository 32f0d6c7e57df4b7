"""A command's words as layers: each wrapper, and the program it runs."""

from __future__ import annotations

from typing import Final, NamedTuple

from ostiary import programs
from ostiary.call.model import Invocation, Option
from ostiary.programs import Arguments
from ostiary.words import Hole, Word, joined, word

MAX_LAYERS: Final = 24
"""Wrappers inside wrappers; beyond, the rest is an unknown program."""

FURTHER: Final = Word((Hole("...", "computed"),), many=True)
"""Arguments that a program like `xargs` adds and the text does not tell."""


class Layer(NamedTuple):
    """One layer: the invocation as rules see it, and the arguments with what is known about them."""

    invocation: Invocation
    arguments: Arguments


def layers_of(words: tuple[Word, ...], via: tuple[str, ...] = ()) -> tuple[Layer, ...]:
    """The layers of a command, outermost first; `via` names the programs that are outside of the command itself."""
    found: list[Layer] = []
    transparent = True
    while words and len(found) < MAX_LAYERS:
        arguments = programs.arguments(words)
        invocation = _invocation(words, arguments, via, transparent)
        found.append(Layer(invocation, arguments))
        if arguments.inner is None:
            break
        via = (*via, invocation.name or str(words[0]))
        transparent = transparent and is_inert(arguments)
        words = _inner_words(words, arguments)
    return tuple(found)


def invocation_of(words: tuple[Word, ...]) -> Invocation:
    """The outermost layer of a command."""
    return _invocation(words, programs.arguments(words), (), True)


def _invocation(words: tuple[Word, ...], given: Arguments, via: tuple[str, ...], transparent: bool) -> Invocation:
    name, bare = program_name(words[0]) if words else (None, False)
    return Invocation(
        words,
        name,
        name is None and all(hole.kind == "outside" for hole in words[0].holes) if words else False,
        bare,
        via,
        transparent,
        given.data is not None,
        tuple(Option(used.names, used.value, used.role, used.ambiguous) for used in given.options),
        given.subcommand,
        given.operands,
        given.loose,
        given.plain,
        programs.refs(given),
    )


def program_name(item: Word) -> tuple[str | None, bool]:
    """Base name of the program a word names, None if the text does not tell; and whether it was written without a
    folder. A name that only a volume without case finds (`GIT`) is not bare."""
    text = item.text
    if text is None:
        tail = item.suffix.rpartition("/")[2] if "/" in item.suffix else ""
        return programs.base_name(tail) or None, False
    name = programs.base_name(text)
    bare = "/" not in text and "\\" not in text
    if name != name.lower() and programs.known_as(name) == programs.known_as(name.lower()) is not None:
        return (name, bare) if name in _MIXED_CASE else (name.lower(), False)
    return name, bare


_MIXED_CASE: Final = frozenset({"R", "Rscript"})


def is_inert(given: Arguments) -> bool:
    """Whether a wrapper changes nothing about what it runs; `env` alone, without variables or options, is one."""
    assert given.data is not None
    return "inert" in given.data.traits or (given.data.path == ("env",) and not given.options and not given.assignments)


def _inner_words(words: tuple[Word, ...], given: Arguments) -> tuple[Word, ...]:
    assert given.data is not None
    assert given.inner is not None
    inner = words[given.inner :]
    if given.data.path[0] == "parallel":
        inner = inner[: next((index for index, item in enumerate(inner) if item.prefix.startswith(":::")), None)]
    return with_further(inner, _placeholder(given)) if "appends" in given.data.traits else inner


def _placeholder(given: Arguments) -> str:
    """The text that stands for the further arguments (`xargs -I X`), empty if they are added at the end."""
    for used in given.options:
        if used.names & {"-I", "-J"} and used.value is not None:
            return used.value.text or ""
        if used.names & {"-i", "--replace"}:
            return (used.value.text if used.value else "{}") or "{}"
    return "{}" if given.data and given.data.path[0] in ("parallel", "fd") else ""


def with_further(words: tuple[Word, ...], placeholder: str) -> tuple[Word, ...]:
    """The words with unknown text in place of every placeholder, or further words at the end if there is none."""
    if placeholder and any(placeholder in str(item) for item in words):
        return tuple(_filled(item, placeholder) for item in words)
    return (*words, FURTHER)


def _filled(item: Word, placeholder: str) -> Word:
    pieces: list[str | Hole] = []
    for piece in item.pieces:
        if isinstance(piece, str) and placeholder in piece:
            for index, text in enumerate(piece.split(placeholder)):
                pieces.extend([Hole(placeholder, "computed")] if index else [])
                pieces.extend([text] if text else [])
        else:
            pieces.append(piece)
    return joined(pieces, item.many) if pieces else word("")
