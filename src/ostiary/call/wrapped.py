"""What a program may run if it is a wrapper: the scripts among its words."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ostiary import programs
from ostiary.call.gather import Gathered, Nested
from ostiary.call.layers import Layer, layers_of
from ostiary.call.shapes import reads_as_command
from ostiary.records import replace
from ostiary.shell import SHELLS
from ostiary.words import Word

Toucher = Callable[[tuple[Layer, ...], Gathered], None]


def wrapped(layers: tuple[Layer, ...], touch: Toucher, known: tuple[Nested, ...]) -> tuple[Nested, ...]:
    """The scripts that the innermost program may run if it is unknown, or known to run some of its words: texts that
    begin as a command does, and what a known program among its words would run (`mywrap sh -c "rm a"`); without those
    that are `known` to run."""
    if not layers or not layers[-1].invocation.may_run:
        return ()
    words = layers[-1].invocation.words[1:]
    found = dict.fromkeys((*_texts(layers[-1]), *_inside(words, touch)))
    return tuple(item for item in found if all(item.code != other.code for other in known))


def _texts(layer: Layer) -> Iterator[Nested]:
    values = [used.value for used in layer.arguments.options if used.value is not None]
    for item in (*values, *layer.arguments.operands):
        if reads_as_command(item.text or item.prefix):
            yield Nested("code", item, possible=True)


def _inside(words: tuple[Word, ...], touch: Toucher) -> Iterator[Nested]:
    for start, item in enumerate(words):
        if item.text is not None and programs.known_as(programs.base_name(item.text)) is not None:
            out = Gathered()
            touch(layers_of(words[start:]), out)
            for nested in out.nested:
                if nested.kind == "code" and nested.language in SHELLS:
                    yield replace(nested, possible=True)
