"""What an allow of a program must name besides (closure, law L3)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ostiary.call.layers import Layer
from ostiary.call.model import Opening
from ostiary.expressions import expression
from ostiary.programs import CLOSING_ROLES, Arguments, inert
from ostiary.words import Word


def closing(layer: Layer) -> Iterator[Opening]:
    """What an allow must name (closure, law L3): options that execute, write, load or configure, options that a closed
    program's data does not know, and words that may be such options."""
    given = layer.arguments
    if given.data is None:
        return
    closed = "closed" in given.data.traits
    program = given.data.path[0]
    for used in given.options:
        if used.role in CLOSING_ROLES and not (used.kind == "argv" and used.words):  # `-exec`: a part of its own
            yield Opening("option", used.names, f"`{min(used.names)}` of {program} can {_DOES[used.role]}")
        elif closed and not used.known:
            yield Opening("unknown", used.names, f"{program} has an option `{min(used.names)}` that is not known")
    perhaps = (*given.loose, *_globs(given)) if closed else given.loose if given.data.closes else ()
    for item in perhaps:
        yield Opening("unknown", frozenset(), f"`{item}` may be an option of {program}")
    if closed and given.unknown_subcommand:
        why = f"`{program} {given.subcommand[-1]}` may be an alias or another program"
        yield Opening("word", frozenset(given.subcommand[-1:]), why)
    if "variables" in given.data.traits:
        yield from _variables(given)


def _variables(given: Arguments) -> Iterator[Opening]:
    """Variables of a build file that are set for it: they may hold programs, and text that is expanded."""
    for item in given.operands:
        found = _VARIABLE.match(item.prefix)
        if found and not inert(found[1]) and not (item.text and _SWITCH.fullmatch(item.text, found.end())):
            yield Opening("assignment", frozenset({found[1]}), f"`{found[1]}` is set for it")


_VARIABLE: Final = expression(r"([\w.-]+)\s*[:+?!]*=\s*")
_SWITCH: Final = expression(r"[0-9]*|yes|no|true|false|on|off|y|n", re.IGNORECASE)


def _globs(given: Arguments) -> Iterator[Word]:
    """Pathname patterns at the start of a word find files named like options."""
    return (item for item in given.operands if item.pieces and item.holes and item.pieces[0] == item.holes[0])


_DOES: Final = {
    "execute": "run something",
    "write": "write",
    "delete": "delete",
    "config": "change what it obeys",
    "plugin": "load code",
}
