"""A program's arguments to accesses, by the roles that the program's data gives them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ostiary import urls
from ostiary.call.aliases import aliased, configured
from ostiary.call.found import found_before
from ostiary.call.gather import Gathered, Nested
from ostiary.call.layers import Layer, inner_words, with_further
from ostiary.call.roles import apply
from ostiary.call.settings import configure
from ostiary.call.shapes import last_segment
from ostiary.call.windows import PATHS, expanded, is_no_file, started
from ostiary.expressions import expression
from ostiary.programs import (
    ANY_SHAPE,
    CLOSING_ROLES,
    Arguments,
    Program,
    Slots,
    Used,
    applying,
    head,
)
from ostiary.records import NamedTuple, replace
from ostiary.words import Hole, Word, joined, phrase, word


class Reading(NamedTuple):
    """A word with its role; not `certain` where the text leaves open which of several roles it has."""

    role: str
    item: Word
    certain: bool = True


def touch(layer: Layer, out: Gathered, language: str = "bash") -> None:
    """Add everything that one layer does by itself; `language` is the shell's that it was given to."""
    given, data = layer.arguments, layer.arguments.data
    if data is None:
        apply(out, "uri", layer.invocation.words[0])  # `npx https://...`
        return _touch_unknown(given, out)
    late = "late" in data.traits
    if not late:
        _change_base(given, out)
    meant = _meant(given)
    finds = not data.traits.isdisjoint(_FINDING)
    for used in map(_expanded_value, given.options) if finds else given.options:
        _option(used, layer.invocation.words, meant.values, out)
    if late:
        _change_base(given, out)
    if given.unknown_subcommand and (given.subcommand[-1].startswith((".", "~")) or "/" in given.subcommand[-1]):
        apply(out, "shape", word(given.subcommand[-1]))
    readings = _readings(given.operands, meant.slots)
    if finds:
        readings = [_expanded(reading) for reading in readings]
        out.nested.extend(_started(layer, readings, language))
    if data.path == ("git", "checkout"):
        readings = _checked_out(layer, readings)
    for reading in readings:
        apply(out, *_keyed(data, reading) if data.keys else reading)
    roles = {reading.role for reading in readings}
    if data.stdin == "code:bash":
        _positional(layer, readings, out)
    if _takes(meant, roles, given):
        _into(readings, given, meant, out)
    if _DOWNLOAD in meant.also:
        _downloads(readings, given, out)
    if not roles.isdisjoint(_JOINED):
        _joined_shell(readings, out)
    if given.inner is not None and "joins" in data.traits:
        _joined_inner(layer, out)
    if data.path[0] == "git":
        out.nested.extend((*aliased(layer), *configured(layer)))
        configure(given, out)
    _always(meant, roles, out)
    if given.options:
        _narrow(given, out)
    return None


_TAKING: Final = frozenset({"into", "remote-write", "remote-mirror"})
"""Roles of what takes the other operands."""

_JOINED: Final = frozenset({"shell", "keys"})
"""Roles of words that come to one text."""

_DOWNLOAD: Final = ("download", ".")

_FINDING: Final = frozenset({"cmdlet", "net", "slashes"})
"""Ways to read arguments in which programs look for wildcards themselves, or start what they are given."""


def _expanded(reading: Reading) -> Reading:
    if reading.role not in PATHS:
        return reading
    if is_no_file(reading.item):
        return reading._replace(role="effect")
    return reading._replace(item=expanded(reading.item))


def _expanded_value(used: Used) -> Used:
    if used.value is not None and used.kind in PATHS and is_no_file(used.value):
        return used._replace(kind="effect")
    literal = "-LiteralPath" in used.names or used.value is None
    return used if literal or used.kind not in PATHS else used._replace(value=expanded(used.value or word("")))


def _started(layer: Layer, readings: list[Reading], language: str) -> Iterator[Nested]:
    values = [(used.kind, used.value) for used in layer.arguments.options if used.value is not None]
    return started(layer, [*values, *((reading.role, reading.item) for reading in readings)], language)


def _touch_unknown(given: Arguments, out: Gathered) -> None:
    for used in given.options:
        if used.value is not None:
            apply(out, "shape", used.value)
        for name in used.names if used.value is None else ():
            if len(name) > 2 and name[1] != "-":  # `-f.env`
                apply(out, "shape", word(name[2:]))
    for item in given.operands:
        apply(out, "shape", item)


def _change_base(given: Arguments, out: Gathered) -> None:
    for used in given.options:
        if used.kind == "cwd" and used.value is not None and used.value.pieces:
            out.base = out.placed(used.value)


class _Meant(NamedTuple):
    """What the data of a program says once its options are known: the operands' roles, the roles of options' values
    that other options change (by spelling), what is touched without an operand, always and where none stands."""

    slots: Slots
    values: Mapping[str, str]
    also: tuple[tuple[str, str], ...]
    absent: tuple[str, str] | None


_UNCHANGED: Final[Mapping[str, str]] = {}


def _meant(given: Arguments) -> _Meant:
    data = given.data
    assert data is not None
    if not data.changes and not given.unknown_subcommand:
        return _Meant(data.operands, _UNCHANGED, data.also, data.absent)
    changes = applying(data, given.options)
    slots = next((change.operands for change in changes if change.operands is not None), data.operands)
    if given.unknown_subcommand and slots is data.operands and slots.rest != "param":
        slots = ANY_SHAPE
    values: dict[str, str] = {}
    also, absent = data.also, data.absent
    for change in changes:
        values.update(change.values)
        also = also if change.also is None else change.also
        absent = change.absent or absent
    return _Meant(slots, values, also, absent)


def _option(used: Used, words: tuple[Word, ...], changed: Mapping[str, str], out: Gathered) -> None:
    unseen = used.value is None or (used.role == "delete" and used.kind == "data")
    if used.role in _EFFECTS or (used.role in CLOSING_ROLES and unseen):
        out.effects = True
    if used.words:
        out.nested.append(Nested("words", words=_found(used, words)))
    if used.value is None or (used.words and used.kind == "argv"):
        return
    role = next((changed[name] for name in changed if name in used.names), used.kind)
    if head(role) != "argv":
        apply(out, role, used.value)


def _found(used: Used, words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The command of `-exec`, with what is found in place of `{}`."""
    if not used.names & {"-x", "-X"} and not any("{}" in str(item) for item in used.words):
        return used.words
    return with_further(used.words, "{}", found_before(words, used.words))


def _readings(operands: tuple[Word, ...], slots: Slots) -> list[Reading]:
    """Each operand with its role."""
    for item in operands:
        if item.many:
            return list(_open_readings(operands, slots))
    if not slots.first and not slots.last:
        role = slots.rest or "shape"
        return [Reading(role, item) for item in operands]
    return list(_by_position(operands, slots))


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


def _positional(layer: Layer, readings: list[Reading], out: Gathered) -> None:
    """What stands behind the code of a shell is `$0`, `$1` and so on in it."""
    if readings and readings[0].role == "code:bash" and readings[0].certain:
        code, *given = (reading.item for reading in dict.fromkeys(readings))
        index = next(index for index, item in enumerate(out.nested) if item.code == code)
        name = layer.invocation.name
        out.nested[index] = replace(out.nested[index], arguments=tuple(given) or ((word(name),) if name else None))


def _checked_out(layer: Layer, readings: list[Reading]) -> list[Reading]:
    """`git checkout` writes the files that stand behind `--`, or behind its first operand."""
    words = layer.invocation.words
    ended = next((place for place, item in enumerate(words) if item.text == "--"), None)
    first = 1 if ended is None else len(readings) - (len(words) - ended - 1)
    return [*readings[:first], *(reading._replace(role="edit") for reading in readings[first:])]


def _keyed(data: Program, reading: Reading) -> Reading:
    """`if=file` of a program whose operands have keys: the key's role for the value."""
    key, equals, _ = reading.item.prefix.partition("=")
    if not equals or key not in data.keys:
        return reading
    return Reading(data.keys[key], reading.item.after(len(key) + 1), reading.certain)


def _takes(meant: _Meant, roles: set[str], given: Arguments) -> bool:
    """Whether something may take the other operands."""
    return (
        "into" in meant.slots.last
        or not roles.isdisjoint(_TAKING)
        or any(used.kind == "into" for used in given.options)
    )


def _into(readings: list[Reading], given: Arguments, meant: _Meant, out: Gathered) -> None:
    """What is written inside a directory that takes the other operands (`cp .env ..`), where the text shows that it is
    one."""
    places = [reading.item for reading in readings if reading.role in _TAKING]
    options = [used.value for used in given.options if used.kind == "into" and used.value is not None]
    alone = not (places or options) and "into" in meant.slots.last
    if not (places or options or alone) or not all(reading.certain for reading in readings):
        return
    sources = [
        reading.item for reading in readings if reading.role in ("read", "tree", "move", "remote", "remote-tree")
    ]
    if alone and len(sources) == 1:
        places = [word(".")]  # `ln -s a/b`
    for place in (*places, *options):
        if urls.remote_of(place) is None and (options or len(sources) > 1 or _is_folder(str(place))):
            for source in sources:
                _inside(place, last_segment(source).rpartition(":")[2], out)


_TAKEN: Final = frozenset({"read", "tree", "move", "remote", "remote-tree"})


def _is_folder(text: str) -> bool:
    return text.endswith("/") or text in (".", "..", "~")


def _inside(place: Word, name: str, out: Gathered) -> None:
    if name:
        text = str(place)
        out.path(
            word(f"{text.rstrip('/')}/{name}") if place.text else joined([*place.pieces, "/", name]),
            "write",
        )


def _downloads(readings: list[Reading], given: Arguments, out: Gathered) -> None:
    """What is written beside the text's own files: a URL's last segment (`curl -O`), or a name that the server says."""
    used = frozenset[str]().union(*(option.names for option in given.options))
    folders = [item.value for item in given.options if item.names & _INTO_FOLDER and item.value is not None]
    for reading in readings:
        if reading.role == "url":
            name = last_segment(word((reading.item.text or "").partition("?")[0].partition("#")[0]))
            for folder in folders or [word(".")]:
                _inside(folder, name, out)
            if "-J" in used or reading.item.text is None:
                out.path(
                    joined([*(folders or [word(".")])[0].pieces, "/", Hole("name", "computed")]), "write", certain=False
                )


_INTO_FOLDER: Final = frozenset({"--output-dir", "-P", "--directory-prefix"})


def _joined_shell(readings: list[Reading], out: Gathered) -> None:
    """Words that are joined by blanks and given to a shell."""
    words = [reading.item for reading in readings if reading.role == "shell"]
    if words:
        out.run(phrase(tuple(words)), "bash")
    keys = tuple(reading.item for reading in readings if reading.role == "keys")
    if keys:
        from ostiary.call.code.typed import typed  # late: few calls type anything

        out.nested.append(Nested("code", typed(keys), "bash", possible=True))


def _joined_inner(layer: Layer, out: Gathered) -> None:
    """The inner command of a program that gives it to a shell, where it is more than plain words."""
    inner = inner_words(layer.invocation.words, layer.arguments)
    if not inner:  # `parallel ::: 'a' 'b'`
        for item in layer.invocation.words[layer.arguments.inner or 0 :]:
            if item.text and not item.text.startswith(":::"):
                out.run(item, "bash")
    if any(isinstance(piece, str) and not _PLAIN.fullmatch(piece) for item in inner for piece in item.pieces):
        out.run(phrase(inner), "bash")


_PLAIN: Final = expression(r"[\w@%+=:,./{}^-]*")


def _always(meant: _Meant, roles: set[str], out: Gathered) -> None:
    """Accesses that need no operand."""
    for role, path in meant.also:
        apply(out, role, word(path))
    absent = meant.absent
    if absent is not None and {head(role) for role in roles}.isdisjoint((head(absent[0]), "read", "list", "tree")):
        apply(out, absent[0], word(absent[1]))


def _narrow(given: Arguments, out: Gathered) -> None:
    """Options that choose the files of a search by name."""
    only: list[str] = []
    skipped: list[str] = []
    for used in given.options:
        text = used.value.text if used.value is not None else None
        if text and used.names & _CHOOSING:
            (skipped if text.startswith("!") else only).append(text.removeprefix("!").rpartition("/")[2])
        elif text and (used.names & _SKIPPING or ("-x" in used.names and given.data and given.data.path == ("zip",))):
            skipped.append(text.rstrip("/").rpartition("/")[2])
    if only or skipped:
        out.narrow(tuple(only), tuple(skipped))


_CHOOSING: Final = frozenset({"--include", "-g", "--glob", "--iglob"})
_SKIPPING: Final = frozenset({"--exclude", "--exclude-dir"})


_EFFECTS: Final = frozenset({"execute", "config", "plugin", "effect"})
"""Roles of options that do something besides the accesses of their values."""
