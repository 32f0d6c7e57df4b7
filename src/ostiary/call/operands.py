"""A program's arguments to accesses, by the roles that the program's data gives them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ostiary.call.gather import Gathered, Nested
from ostiary.call.layers import FURTHER, Layer, with_further
from ostiary.call.model import Opening
from ostiary.call.roles import apply
from ostiary.call.shapes import last_segment
from ostiary.programs import (
    ANY_SHAPE,
    CLOSING_ROLES,
    Arguments,
    Program,
    Slots,
    Used,
    applies,
    effective_slots,
    head,
)
from ostiary.words import Word, joined, phrase, word


class Reading(NamedTuple):
    """A word with its role; not `certain` where the text leaves open which of several roles it has."""

    role: str
    item: Word
    certain: bool = True


def touch(layer: Layer, out: Gathered) -> None:
    """Add everything that one layer does by itself."""
    given = layer.arguments
    if given.data is None:
        return _touch_unknown(given, out)
    late = "late" in given.data.traits
    if not late:
        _change_base(given, out)
    values = _value_roles(given)
    for used in given.options:
        _option(used, values, out)
    if late:
        _change_base(given, out)
    readings = list(_readings(given.operands, _slots(given)))
    for reading in readings:
        apply(out, *_keyed(given.data, reading) if given.data.keys else reading)
    _into(readings, given, out)
    _joined_shell(readings, out)
    _always(given, readings, out)
    return None


def _touch_unknown(given: Arguments, out: Gathered) -> None:
    for used in given.options:
        if used.value is not None:
            apply(out, "shape", used.value)
    for item in given.operands:
        apply(out, "shape", item)


def _change_base(given: Arguments, out: Gathered) -> None:
    for used in given.options:
        if used.kind == "cwd" and used.value is not None and used.value.pieces:
            out.base = out.placed(used.value)


def _value_roles(given: Arguments) -> dict[str, str]:
    """Roles of options' values that other options change, by spelling."""
    assert given.data is not None
    changed: dict[str, str] = {}
    for change in given.data.changes:
        if change.values and applies(change, given.options):
            changed.update(change.values)
    return changed


def _option(used: Used, changed: dict[str, str], out: Gathered) -> None:
    if used.role in _EFFECTS or (used.role in CLOSING_ROLES and used.value is None):
        out.effects = True
    if used.words:
        out.nested.append(Nested("words", words=_found(used)))
    if used.value is None or (used.words and used.kind == "argv"):
        return
    role = next((changed[name] for name in changed if name in used.names), used.kind)
    if head(role) != "argv":
        apply(out, role, used.value)


def _found(used: Used) -> tuple[Word, ...]:
    """The command of `-exec`, with what is found in place of `{}`."""
    words = with_further(used.words, "{}")
    return words[:-1] if words[-1] is FURTHER and not used.names & {"-x", "-X"} else words


def _slots(given: Arguments) -> Slots:
    assert given.data is not None
    found = effective_slots(given.data, given.options)
    return ANY_SHAPE if given.unknown_subcommand and found is given.data.operands else found


def _readings(operands: tuple[Word, ...], slots: Slots) -> Iterator[Reading]:
    """Each operand with its role."""
    if any(item.many for item in operands):
        return _open_readings(operands, slots)
    return _by_position(operands, slots)


def _open_readings(operands: tuple[Word, ...], slots: Slots) -> Iterator[Reading]:
    """A word that may become none or several leaves the roles after it open."""
    open_from = next(index for index, item in enumerate(operands) if item.many)
    later = dict.fromkeys([*([slots.rest] if slots.rest else []), *slots.last])
    if open_from < len(slots.first):
        later = dict.fromkeys(slots.first[open_from:]) | later
    for index, item in enumerate(operands):
        if index < min(open_from, len(slots.first)):
            yield Reading(slots.first[index], item)
        else:
            for role in later or ("shape",):
                yield Reading(role, item, certain=len(later) <= 1)


def _by_position(operands: tuple[Word, ...], slots: Slots) -> Iterator[Reading]:
    front = min(len(slots.first), len(operands))
    left = len(operands) - front
    back = min(len(slots.last), left - 1 if slots.rest and left else left)
    for role, item in zip(slots.first, operands[:front], strict=False):
        yield Reading(role, item)
    for item in operands[front : len(operands) - back]:
        yield Reading(slots.rest or "shape", item)
    if back:
        for role, item in zip(slots.last[-back:], operands[-back:], strict=True):
            yield Reading(role, item)


def _keyed(data: Program, reading: Reading) -> Reading:
    """`if=file` of a program whose operands have keys: the key's role for the value."""
    key, equals, _ = reading.item.prefix.partition("=")
    if not equals or key not in data.keys:
        return reading
    return Reading(data.keys[key], reading.item.after(len(key) + 1), reading.certain)


def _into(readings: list[Reading], given: Arguments, out: Gathered) -> None:
    """What is written inside a directory that takes the other operands (`cp .env ..`), where the text shows that it is
    one."""
    if not all(reading.certain for reading in readings):
        return
    places = [reading.item for reading in readings if reading.role == "into"]
    options = [used.value for used in given.options if used.kind == "into" and used.value is not None]
    sources = [reading.item for reading in readings if reading.role in ("read", "move")]
    for place in (*places, *options):
        text = str(place)
        if options or len(sources) > 1 or text.endswith("/") or text in (".", "..", "~"):
            for source in sources:
                if name := last_segment(source):
                    out.path(
                        word(f"{text.rstrip('/')}/{name}") if place.text else joined([*place.pieces, "/", name]),
                        "write",
                    )


def _joined_shell(readings: list[Reading], out: Gathered) -> None:
    """Words that are joined by blanks and given to a shell."""
    words = tuple(reading.item for reading in readings if reading.role == "shell")
    if words:
        out.run(phrase(words), "bash")


def _always(given: Arguments, readings: list[Reading], out: Gathered) -> None:
    """Accesses that need no operand."""
    assert given.data is not None
    also, absent = given.data.also, given.data.absent
    for change in given.data.changes:
        if (change.also is not None or change.absent) and applies(change, given.options):
            also = also if change.also is None else change.also
            absent = change.absent or absent
    for role, path in also:
        apply(out, role, word(path))
    if absent is not None and not any(head(reading.role) in (absent[0], "read", "list") for reading in readings):
        apply(out, absent[0], word(absent[1]))


def closing(layer: Layer) -> Iterator[Opening]:
    """What an allow must name (closure, law L3): options that execute, write, load or configure, options that a closed
    program's data does not know, and words that may be such options."""
    given = layer.arguments
    if given.data is None:
        return
    closed = "closed" in given.data.traits
    program = given.data.path[0]
    for used in given.options:
        if used.role in CLOSING_ROLES:
            yield Opening("option", used.names, f"`{min(used.names)}` of {program} can {_DOES[used.role]}")
        elif closed and not used.known:
            yield Opening("unknown", used.names, f"{program} has an option `{min(used.names)}` that is not known")
    for item in (*given.loose, *_globs(given)) if closed else ():
        yield Opening("unknown", frozenset(), f"`{item}` may be an option of {program}")


def _globs(given: Arguments) -> Iterator[Word]:
    """Pathname patterns at the start of a word find files named like options."""
    return (item for item in given.operands if item.pieces and item.holes and item.pieces[0] == item.holes[0])


_EFFECTS: Final = frozenset({"execute", "config", "plugin", "effect"})
"""Roles of options that do something besides the accesses of their values."""

_DOES: Final = {
    "execute": "run something",
    "write": "write",
    "delete": "delete",
    "config": "change what it obeys",
    "plugin": "load code",
}
