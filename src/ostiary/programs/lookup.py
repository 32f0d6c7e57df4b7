"""Programs by name, built from the table when they are first met."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal

from ostiary.expressions import expression
from ostiary.programs.model import Program, Raw, build
from ostiary.programs.table import (
    ALIASES,
    COMMAND_PREFIXES,
    COMMAND_VARIABLES,
    EXPANDED_VARIABLES,
    FILE_VARIABLES,
    INERT_PREFIXES,
    INERT_VARIABLES,
    OBEYED_PREFIXES,
    OBEYED_VARIABLES,
    PROGRAMS,
    TWINS,
)

_VERSIONED: Final = expression(r"(.+[a-z+])-?[0-9][0-9.]*")
_WINDOWS_ENDING: Final = expression(r"\.(?:exe|cmd|bat|com|ps1)$", re.IGNORECASE)


_NONE: Final[Mapping[str, str]] = MappingProxyType({})
_HERE: Final[ContextVar[Mapping[str, str]]] = ContextVar("further", default=_NONE)


@contextmanager
def knowing(further: Mapping[str, str]) -> Iterator[None]:
    """Inside the block this thread or task also knows these programs: entries like those of the table, by name. They
    add names and never stand for a program that the table has."""
    token = _HERE.set(further)
    try:
        yield
    finally:
        _HERE.reset(token)


@lru_cache(maxsize=4096)
def base_name(text: str) -> str:
    """A program without its folder and without the ending that Windows adds."""
    return _WINDOWS_ENDING.sub("", text.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1])


def known_as(name: str) -> str | None:
    """The entry for a program's name, None for an unknown program: that of the table, or one of those that are known
    besides, by itself or in lower case."""
    found = shipped_as(name)
    if found is None and (further := _HERE.get()):
        return name if name in further else name.lower() if name.lower() in further else None
    return found


@lru_cache(maxsize=1024)
def shipped_as(name: str) -> str | None:
    """The entry of the table for a program's name: itself, an alias, the name without a version (`python3.11`), or in
    lower case, as volumes that ignore case find it. None for any other program."""
    for candidate in (name, name.lower()):
        if candidate in PROGRAMS:
            return candidate
        if candidate in ALIASES:
            return ALIASES[candidate]
        versioned = _VERSIONED.fullmatch(candidate)
        if versioned and (found := shipped_as(versioned[1])):
            return found
    return None


_MODULE: Final = expression(r"(?:microsoft\.powershell\.\w+\\)?[^\\/]*$", re.IGNORECASE)
_OWN: Final = {"powershell": "ps:", "cmd": "cmd:"}


@lru_cache(maxsize=4096)
def own_name(text: str, language: str) -> str | None:
    """The command of its own that a shell of Windows finds for a word, by the first of its names (`Remove-Item` for
    `RM`, `cmd:del` for `erase`); None for any other word."""
    if language not in _OWN:
        return None
    key = _OWN[language] + text.lower()
    if key in TWINS or (language == "cmd" and (key in PROGRAMS or key in ALIASES)):
        return TWINS.get(key, key)
    return TWINS.get(text.rpartition("\\")[2].lower()) if language == "powershell" and _MODULE.match(text) else None


def names_of(own: str) -> frozenset[str]:
    """All names of such a command, in lower case: `Remove-Item` is also `ri` and `del`."""
    return _twins().get(own, frozenset()) | {shown_name(own).lower()}


@lru_cache(maxsize=1)
def _twins() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name, own in TWINS.items():
        found.setdefault(own, set()).add(name.partition(":")[2] if name.startswith(("ps:", "cmd:")) else name)
    return {own: frozenset(names) for own, names in found.items()}


def shown_name(own: str) -> str:
    """The name of such a command as people write it."""
    return own.removeprefix("cmd:")


def program(name: str, language: str = "bash") -> Program | None:
    """The data of a program by its base name (or by the word of a shell that has commands of its own), None for an
    unknown one."""
    entry = known_as(own_name(name, language) or base_name(name))
    return None if entry is None else _built((entry,), _text(entry))


def subprogram(above: Program, word: str) -> Program | None:
    """The data of a subcommand, None for an unknown one."""
    name = above.subcommands.get(word)
    return None if name is None else _built((*above.path, name), _text(above.path[0]))


def _text(entry: str) -> str:
    """The data of an entry. It is kept as text until it is needed, since reading all of it takes longer than judging a
    call."""
    return PROGRAMS[entry] if entry in PROGRAMS else _HERE.get()[entry]


@lru_cache(maxsize=4096)
def _built(path: tuple[str, ...], text: str) -> Program:
    """The program at a path below the entry that has this text."""
    if len(path) == 1:
        return build(path, raw_data(text))
    above = _built(path[:-1], text)
    return build(path, _entry(_raw(path[:-1], text)["subcommands"], path[-1]), above)


@lru_cache(maxsize=1024)
def raw_data(text: str) -> Raw:
    """The data of one entry as the files have it."""
    found: Raw = json.loads(text)
    return found


def _raw(path: tuple[str, ...], text: str) -> Raw:
    raw = raw_data(text)
    for name in path[1:]:
        raw = _entry(raw["subcommands"], name)
    return raw


def _entry(subcommands: Raw, name: str) -> Raw:
    for key, raw in subcommands.items():
        if any(name == twins.split("=")[0] for twins in key.split("|")):
            found: Raw = raw
            return found
    raise KeyError(name)


def canonical_subcommand(name: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """The subcommand words a rule wrote, as `Arguments.subcommand` holds them: `npm i` is `npm install`."""
    data = program(name)
    out: list[str] = []
    for word in words:
        canonical = data.subcommands.get(word) if data else None
        out.append(canonical or word)
        data = subprogram(data, word) if data and canonical else None
    return tuple(out)


def ungrouped(name: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """The subcommand words without a first one that only groups: `docker container run` is `docker run`."""
    data = program(name) if len(words) > 1 else None
    below = subprogram(data, words[0]) if data else None
    return words[1:] if below and "group" in below.traits else words


def inert(variable: str) -> bool:
    """Whether a variable of this name cannot make a program execute, write, connect or be found elsewhere."""
    return variable in INERT_VARIABLES or variable.startswith(INERT_PREFIXES)


def run_from(variable: str) -> Literal["command", "run", ""]:
    """What programs take the value of a variable for: a command, a file whose code runs, or nothing that runs."""
    if variable in COMMAND_VARIABLES or variable.startswith(COMMAND_PREFIXES):
        return "command"
    return "run" if variable in FILE_VARIABLES else ""


def expanded(variable: str) -> bool:
    """Whether a shell expands the variable's value, so that substitutions in it run."""
    return variable in EXPANDED_VARIABLES


def inert_in_script(variable: str) -> bool:
    """Whether a variable that the script set earlier is inert: also the lower-case ones that scripts use for
    themselves, but for the few that programs or shells obey."""
    if variable.islower() and variable not in OBEYED_VARIABLES and not variable.startswith(OBEYED_PREFIXES):
        return True
    return inert(variable)
