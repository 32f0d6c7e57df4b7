"""What is known at one place of a script: variables, the working directory, what is defined."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, TypeAlias

from ostiary.shell.model import Assignment, Redirect
from ostiary.shell.pieces import UNCHANGED, anchored, finished
from ostiary.words import Hole, Word

Value: TypeAlias = Word | tuple[Word, ...]
"""A variable's value, with holes where the text does not tell; a tuple for an array whose items are known."""

UNKNOWN_DIRECTORY: Final = Word((Hole("cd", "computed"),))

FALLBACKS: Final = 4
"""Directories of failed `cd`s that are told apart."""


_SELF_SET: Final = re.compile(
    "_|PWD|OLDPWD|BASH_.*|BASHPID|BASHOPTS|SHELLOPTS|COPROC|DIRSTACK|EPOCH.*|E?UID|PPID|FUNCNAME|GROUPS|HISTCMD|LINENO"
    "|OPTARG|OPTIND|PIPESTATUS|S?RANDOM|REPLY|MAPFILE|SECONDS"
)


def self_set(name: str) -> bool:
    """Whether bash sets the variable by itself, whatever a script assigns (its manual, section 5.2)."""
    return _SELF_SET.fullmatch(name) is not None


def unknown(name: str) -> Word:
    """The value of a variable that the script sets to something the text does not tell."""
    return Word((Hole("$" + name, "computed"),))


@lru_cache(maxsize=1024)
def _unknown_assignment(name: str) -> Assignment:
    return Assignment(name, unknown(name))


class Scope:
    """The state of one shell process as far as the text tells it; a subshell works on a copy.

    `changing` are the variables whose assignments do not store what they say (read-only, integer, lower case).
    `exports` are all earlier assignments: a variable that was exported before the script starts stays so. `opaque`
    says that something may have set any variable (`source`, a function's call), `evaluated` that it was text put
    together in the script (`eval`), `positional` that the script sets the positional parameters, `dead` that this
    place is not reached (after `exit`), `late` that it runs when something else calls it (a function's body).
    `redirects` are those of the groups around. `stack` are the directories that `pushd` left, None if that is not
    known. `fallbacks` are the directories it is in if a `cd` failed that nothing asked about.
    """

    __slots__ = (
        "aliases", "changing", "cwd", "dead", "defined", "evaluated", "exports", "fallbacks", "late", "opaque",
        "positional", "redirects", "stack", "values",
    )  # fmt: skip

    def __init__(self) -> None:
        self.values: dict[str, Value] = {}
        self.exports: dict[str, Assignment] = {}
        self.cwd = UNCHANGED
        self.stack: tuple[Word, ...] | None = ()
        self.fallbacks: tuple[Word, ...] = ()
        self.defined: frozenset[str] = frozenset()
        self.aliases: frozenset[str] = frozenset()
        self.changing: frozenset[str] = frozenset()
        self.redirects: tuple[Redirect, ...] = ()
        self.opaque = self.evaluated = self.positional = self.dead = self.late = False

    def copy(self) -> Scope:
        """A scope of its own with the same content."""
        new = object.__new__(Scope)
        new.become(self)
        new.values = self.values.copy()
        new.exports = self.exports.copy()
        return new

    def become(self, other: Scope) -> None:
        """Take over the content of another scope, which is not used any more."""
        self.values, self.exports = other.values, other.exports
        self.cwd, self.stack, self.fallbacks = other.cwd, other.stack, other.fallbacks
        self.defined, self.aliases, self.redirects = other.defined, other.aliases, other.redirects
        self.changing = other.changing
        self.opaque, self.evaluated, self.positional = other.opaque, other.evaluated, other.positional
        self.dead, self.late = other.dead, other.late

    def moved(self, cwd: Word) -> None:
        """`cd`: the new directory, or the old one if it fails."""
        before, self.cwd = self.cwd, cwd
        self.stay((*self.fallbacks, before))

    def stay(self, fallbacks: tuple[Word, ...]) -> None:
        """Set the directories of failed `cd`s; too many of them are one that the text does not tell."""
        known = tuple(item for item in dict.fromkeys(fallbacks) if item != self.cwd)
        self.fallbacks = known if len(known) <= FALLBACKS else (UNKNOWN_DIRECTORY,)

    def assign(self, name: str, value: Value) -> None:
        """`name=value`"""
        if name in self.changing or self_set(name):
            self.taint(name)
            return
        if isinstance(value, Word):
            value = anchored(value, self.cwd)
            self.exports[name] = Assignment(name, finished(value.pieces, False, UNKNOWN_DIRECTORY))
        else:
            self.exports[name] = _unknown_assignment(name)
        self.values[name] = value

    def append(self, name: str, value: Value) -> None:
        """`name+=value`"""
        old = self.values.get(name)
        if isinstance(old, Word) and isinstance(value, Word):
            self.assign(name, Word((*old.pieces, *value.pieces)))
        elif isinstance(old, tuple) and isinstance(value, tuple):
            self.assign(name, old + value)
        else:
            self.taint(name)

    def taint(self, name: str) -> None:
        """Something the text does not tell sets `name`."""
        self.values[name] = unknown(name)
        self.exports[name] = _unknown_assignment(name)

    def clobber(self, evaluated: bool = False) -> None:
        """Something may have set any variable."""
        self.opaque = True
        self.evaluated = self.evaluated or evaluated
        self.values = {}
        self.exports = {name: _unknown_assignment(name) for name in self.exports}

    def meet(self, other: Scope) -> Scope:
        """What `join` makes of the two, without changing either."""
        if other is self or other.dead:
            return self
        if self.dead:
            return other
        met = self.copy()
        met.join(other)
        return met

    def join(self, other: Scope) -> None:
        """Go on after a place that is reached from here and from `other`: what both agree on stays known."""
        if other.dead or other is self:
            return
        if self.dead:
            self.become(other)
            return
        if self.values != other.values or self.exports != other.exports:
            self._join_values(other)
        self.cwd = self.cwd if self.cwd == other.cwd else UNKNOWN_DIRECTORY
        self.stack = self.stack if self.stack == other.stack else None
        self.stay(self.fallbacks + other.fallbacks)
        self.defined |= other.defined
        self.aliases |= other.aliases
        self.changing |= other.changing
        self.opaque = self.opaque or other.opaque
        self.evaluated = self.evaluated or other.evaluated
        self.positional = self.positional or other.positional
        if self.redirects != other.redirects:
            self.redirects = tuple(dict.fromkeys(self.redirects + other.redirects))

    def _join_values(self, other: Scope) -> None:
        values = self.values | other.values
        self.values = {
            name: value if self.values.get(name) == other.values.get(name) else unknown(name)
            for name, value in values.items()
        }
        exports = self.exports | other.exports
        self.exports = {
            name: found if self.exports.get(name) == other.exports.get(name) else _unknown_assignment(name)
            for name, found in exports.items()
        }
