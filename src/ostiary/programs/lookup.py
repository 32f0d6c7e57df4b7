"""Programs by name, built from the table when they are first met."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from ostiary.programs.model import Program, Raw, build
from ostiary.programs.table import (
    ALIASES,
    INERT_PREFIXES,
    INERT_VARIABLES,
    OBEYED_PREFIXES,
    OBEYED_VARIABLES,
    PROGRAMS,
)

_VERSIONED: Final = re.compile(r"(.*[a-z+])-?[0-9][0-9.]*")
_WINDOWS_ENDING: Final = re.compile(r"\.(?:exe|cmd|bat|com|ps1)$", re.IGNORECASE)


@lru_cache(maxsize=4096)
def base_name(text: str) -> str:
    """A program without its folder and without the ending that Windows adds."""
    return _WINDOWS_ENDING.sub("", text.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1])


@lru_cache(maxsize=1024)
def known_as(name: str) -> str | None:
    """The entry of the table for a program's name: itself, an alias, the name without a version (`python3.11`), or in
    lower case, as volumes that ignore case find it. None for an unknown program."""
    for candidate in (name, name.lower()):
        if candidate in PROGRAMS:
            return candidate
        if candidate in ALIASES:
            return ALIASES[candidate]
        versioned = _VERSIONED.fullmatch(candidate)
        if versioned and (found := known_as(versioned[1])):
            return found
    return None


def program(name: str) -> Program | None:
    """The data of a program by its base name, None for an unknown one."""
    entry = known_as(name)
    return None if entry is None else _built((entry,))


def subprogram(above: Program, word: str) -> Program | None:
    """The data of a subcommand, None for an unknown one."""
    name = above.subcommands.get(word)
    return None if name is None else _built((*above.path, name))


@lru_cache(maxsize=4096)
def _built(path: tuple[str, ...]) -> Program:
    if len(path) == 1:
        return build(path, PROGRAMS[path[0]])
    above = _built(path[:-1])
    return build(path, _entry(_raw(path[:-1])["subcommands"], path[-1]), above)


def _raw(path: tuple[str, ...]) -> Raw:
    raw: Raw = PROGRAMS[path[0]]
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


def inert(variable: str) -> bool:
    """Whether a variable of this name cannot make a program execute, write, connect or be found elsewhere."""
    return variable in INERT_VARIABLES or variable.startswith(INERT_PREFIXES)


def inert_in_script(variable: str) -> bool:
    """Whether a variable that the script set earlier is inert: also the lower-case ones that scripts use for
    themselves, but for the few that programs or shells obey."""
    if variable.islower() and variable not in OBEYED_VARIABLES and not variable.startswith(OBEYED_PREFIXES):
        return True
    return inert(variable)
