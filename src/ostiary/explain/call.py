"""What a call was taken for: its parts, their words, what is not known, what they touch. As a tree, or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Final

from ostiary.call.model import Access, Call, Invocation, Opening, Option, Origin, Part
from ostiary.explain.lines import Branch, Line, span
from ostiary.words import HoleKind, Word

HOLES: Final[Mapping[HoleKind, str]] = {
    "outside": "a variable from outside",
    "computed": "computed",
    "glob": "a pattern",
    "found": "what is found in a folder",
    "unparsed": "not understood",
}
"""What a stretch is whose value the text does not tell."""

ORIGINS: Final[Mapping[Origin, str]] = {
    "argument": "",
    "input": "by `<`",
    "output": "by an output redirection",
    "implied": "implied by the edit",
}
"""Where an access comes from; nothing is said of plain arguments."""


PIPED: Final = "|"
"""The target of an access to what another command prints."""


def drawn(call: Call, tool: str | None) -> Branch:
    """The call as a tree: a branch for each part, below it the programs that run, outermost first, and the accesses."""
    notes = [
        *((span(f"  a limit was hit: {call.limit}", "maybe"),) if call.limit else ()),
        *((span("  what its arguments mean is not known", "maybe"),) if call.unmapped else ()),
    ]
    parts = tuple(_part(number, part) for number, part in enumerate(call.parts, 1))
    return Branch((span("call", "title"), span(f"  {tool}" if tool else ""), *notes), parts)


def _part(number: int, part: Part) -> Branch:
    where = "" if part.cwd is None else f"  in {part.cwd}"
    line = (span(f"{number}  ", "label"), span(part.text or "(nothing runs)"), span(where, "quiet"))
    return Branch(line, (*_remarks(part), *_layers(part.invocations), *_accesses(part), *map(_opening, part.openings)))


def _remarks(part: Part) -> Iterator[Branch]:
    if part.unparsed:
        yield _leaf("not understood", part.unparsed, doubtful=True)
    if part.source is not None:
        yield _leaf("from file", part.source.label)
    if part.possible:
        yield _leaf("perhaps", "runs only if a text is what it looks like", doubtful=True)
    for folder in part.fallbacks:
        yield _leaf("or in", folder or "a folder that is not known", doubtful=True)
    if part.repository is not None:
        yield _leaf("repository", part.repository)
    for name, value in part.environment:
        yield _leaf("variable", f"{name}={value}", value)
    for label, others in (("reads from", part.pipes_from), ("feeds", part.pipes_to)):
        if others:
            yield _leaf(label, f"part {', '.join(str(other + 1) for other in others)}")
    if part.complete and not part.accesses:
        yield _leaf("does", "nothing to files and hosts")
    elif part.complete or part.pure:
        yield _leaf("does", "nothing but read what is listed" if part.pure else "nothing but what is listed")
    if part.idle:
        yield _leaf("allows", "owe it nothing: it only steers the script")


def _layers(invocations: tuple[Invocation, ...]) -> Iterator[Branch]:
    """The outermost program, with the one that it runs below it, and so on."""
    below: tuple[Branch, ...] = ()
    for layer in reversed(invocations):
        below = (Branch(_program(layer), (*_arguments(layer), *below)),)
    yield from below


def _program(layer: Invocation) -> Line:
    chosen = layer.subcommand if layer.known else ()  # else they are among the operands
    words = " ".join((layer.name or str(layer.words[0]) if layer.words else "", *chosen))
    return (
        span("program  ", "label"),
        span(words, "title"),
        *_doubts(layer.words[:1]),
        *(() if layer.known or layer.name is None else (span("  not known", "maybe"),)),
        *((span("  may run what its words name", "maybe"),) if layer.may_run else ()),
    )


def _arguments(layer: Invocation) -> Iterator[Branch]:
    for option in layer.options:
        yield _option(option)
    if layer.inner is None:
        for operand in layer.operands:
            yield _leaf("operand", operand)
    if layer.refs is not None:
        named = " ".join(map(str, layer.refs)) or "the branch that is checked out"
        yield _leaf("refs", named, *layer.refs)


def _option(option: Option) -> Branch:
    names = ", ".join(sorted(_unabbreviated(option.names), key=lambda name: (len(name), name)))
    value = "" if option.value is None else f" = {option.value}"
    role = (span(f"  {option.role}", "quiet"),) if option.role else ()
    unclear = (span("  which one is not clear", "maybe"),) if option.ambiguous else ()
    doubts = _doubts((option.value,)) if option.value is not None else ()
    return Branch((span("option  ", "label"), span(f"{names}{value}"), *doubts, *role, *unclear))


def _unabbreviated(names: frozenset[str]) -> list[str]:
    """The names that are not the start of another one: a cmdlet takes every start, without case."""
    return [name for name in names if not any(_begins(name, other) for other in names)]


def _begins(name: str, other: str) -> bool:
    return (other.lower().startswith(name.lower()) and len(other) > len(name)) or (
        len(name) > len("-x") and other.lower() == name.lower() and other < name
    )


def _accesses(part: Part) -> Iterator[Branch]:
    for access in part.accesses:
        yield Branch(_access(access))


def _access(access: Access) -> Line:
    tree = () if access.tree is None else (span("  and what lies below", "quiet"),)
    origin = (span(f"  {ORIGINS[access.origin]}", "quiet"),) if ORIGINS[access.origin] else ()
    possible = () if access.certain else (span("  possible", "maybe"),)
    piped = str(access.target) == PIPED
    return (
        span(f"{access.kind}  ", "label"),
        *(
            (span("what comes through the pipe", "maybe"),)
            if piped
            else (span(access.target), *_doubts((access.target,)))
        ),
        *tree,
        *origin,
        *possible,
    )


def _opening(opening: Opening) -> Branch:
    return _leaf("an allow must name", opening.why)


def _leaf(label: str, said: Word | str, *about: Word, doubtful: bool = False) -> Branch:
    """A label and a text. What is not known of the text, or of the words it is `about`, stands behind it."""
    doubts = _doubts((said,) if isinstance(said, Word) else about)
    return Branch((span(f"{label}  ", "label"), span(said, "maybe" if doubtful else "text"), *doubts))


def _doubts(words: tuple[Word, ...]) -> Line:
    """What is not known of some words, each thing once; by name unless it is the whole word."""
    holes = dict.fromkeys((hole, str(item) == hole.source) for item in words for hole in item.holes)
    told = ((HOLES[hole.kind] if whole else f"{hole.source}: {HOLES[hole.kind]}") for hole, whole in holes)
    return tuple(span(f"  {text}", "maybe") for text in told)


def call_json(call: Call) -> str:
    """The call as one JSON document, in ASCII. What is as usual is left out; a word that is wholly known is a string,
    any other a list of strings and of holes with their `kind` and `source`; part numbers count from zero."""
    return json.dumps(_json(call), indent=2)


def _json(value: Any) -> Any:
    if isinstance(value, Word):
        return value.text if value.text is not None else [_json(piece) for piece in value.pieces]
    if is_dataclass(value):
        named = {one.name: (getattr(value, one.name), one.default) for one in fields(value)}
        return {name: _json(said) for name, (said, usual) in named.items() if usual is MISSING or said != usual}
    if hasattr(value, "_asdict"):
        return {name: _json(said) for name, said in value._asdict().items()}
    if isinstance(value, frozenset):
        return sorted(value)
    return [_json(item) for item in value] if isinstance(value, tuple) else value
