"""What is known at one place of a script: variables, the working directory, what is defined."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, TypeAlias

from ostiary.expressions import expression
from ostiary.shell import limits
from ostiary.shell.limits import Budget
from ostiary.shell.model import Assignment, Redirect
from ostiary.shell.pieces import UNCHANGED, anchored, finished, unfinished
from ostiary.shell.syntax import Simple
from ostiary.words import Hole, Word, joined

Value: TypeAlias = Word | tuple[Word, ...]
"""A variable's value, with holes where the text does not tell; a tuple for an array whose items are known."""

Variables: TypeAlias = tuple[tuple[str, Word], ...]
"""Variables with what is known of their values."""

UNKNOWN_DIRECTORY: Final = Word((Hole("cd", "computed"),))

FALLBACKS: Final = 4
"""Directories of failed `cd`s that are told apart."""


_SELF_SET: Final = expression(
    "_|PWD|OLDPWD|BASH_.*|BASHPID|BASHOPTS|SHELLOPTS|COPROC|DIRSTACK|EPOCH.*|E?UID|PPID|FUNCNAME|GROUPS|HISTCMD|LINENO"
    "|OPTARG|OPTIND|PIPESTATUS|S?RANDOM|REPLY|MAPFILE|SECONDS"
)


def self_set(name: str) -> bool:
    """Whether bash sets the variable by itself, whatever a script assigns (its manual, section 5.2)."""
    return _SELF_SET.fullmatch(name) is not None


@lru_cache(maxsize=1024)
def unknown(name: str) -> Word:
    """The value of a variable that the script sets to something the text does not tell."""
    return Word((Hole("$" + name, "computed"),))


@lru_cache(maxsize=1024)
def _unknown_assignment(name: str) -> Assignment:
    return Assignment(name, unknown(name))


def weight(value: Value) -> int:
    """The steps of handling a value once: its pieces, and the characters of them."""
    words = value if isinstance(value, tuple) else (value,)
    return sum(1 + len(item.pieces) + len(str(item)) // limits.CHARACTERS for item in words)


def _bounded(value: Value) -> bool:
    """Whether a value is short enough to be followed."""
    words = value if isinstance(value, tuple) else (value,)
    pieces = sum(max(1, len(item.pieces)) for item in words)
    return pieces <= limits.PIECES and sum(len(str(item)) for item in words) <= limits.VALUE


class Record:
    """What a script does wherever it stands: for texts that run at another place.

    `values` are those of its variables, unknown for one that is given several or one that the text does not tell.
    `called` are its functions with what the states have in common in which they are called, `anytime` those that a
    trap or a text may call, `places` the directories that it changes to. `changing` are the variables that a trap may
    set at any time, `PWD` among them if it may change the directory. `opaque` says that something not understood
    may set any variable or call any function.
    """

    __slots__ = ("anytime", "called", "changing", "opaque", "places", "values")

    def __init__(self) -> None:
        self.values: dict[str, Word] = {}
        self.called: dict[str, Scope] = {}
        self.anytime: set[str] = set()
        self.changing: set[str] = set()
        self.places: dict[Word, None] = {}
        self.opaque = False

    def note(self, name: str, value: Value | None) -> None:
        """A variable is given a value, None for one that the text does not tell."""
        told = isinstance(value, Word) and self.values.get(name, value) == value
        self.values[name] = value if told and isinstance(value, Word) else unknown(name)


class Scope:
    """The state of one shell process as far as the text tells it; a subshell works on a copy.

    `changing` are the variables whose assignments do not store what they say (read-only, integer, lower case).
    `exports` are all earlier assignments: a variable that was exported before the script starts stays so. `opaque`
    says that something may have set any variable (`source`, a function's call), `evaluated` that it was text put
    together in the script (`eval`), `positional` that the script sets the positional parameters; `arguments` are
    those from `$0` on, None if they are not known. `meanings` is what aliases and hashed programs stand for. `dead`
    says that this place is not reached (after `exit`), `late` that it runs when something else calls it (a
    function's body). `redirects` are those of the groups around. `stack` are the directories that `pushd` left, None
    if that is not known. `fallbacks` are the directories it is in if a `cd` failed that nothing asked about. `record`
    is what all scopes of a script note.
    """

    __slots__ = (
        "aliases", "arguments", "budget", "changing", "cwd", "dead", "defined", "evaluated", "exports", "fallbacks",
        "late", "meanings", "opaque", "positional", "record", "redirects", "stack", "values",
    )  # fmt: skip

    def __init__(self, budget: Budget, arguments: tuple[Word, ...] | None = None) -> None:
        self.budget = budget
        self.record = Record()
        self.arguments = arguments
        self.meanings: dict[str, Simple] = {}
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
        self.budget.handle(len(self.values) + len(self.exports))
        new = object.__new__(Scope)
        new.budget = self.budget
        new.record = self.record
        new.become(self)
        new.values = self.values.copy()
        new.exports = self.exports.copy()
        return new

    def become(self, other: Scope) -> None:
        """Take over the content of another scope, which is not used any more."""
        self.values, self.exports = other.values, other.exports
        self.cwd, self.stack, self.fallbacks = other.cwd, other.stack, other.fallbacks
        self.defined, self.aliases, self.redirects = other.defined, other.aliases, other.redirects
        self.changing, self.arguments, self.meanings = other.changing, other.arguments, other.meanings
        self.opaque, self.evaluated, self.positional = other.opaque, other.evaluated, other.positional
        self.dead, self.late = other.dead, other.late

    def share(self, variables: Variables) -> None:
        """The shell runs other texts, too: they may call the functions of this one, and set its variables for traps."""
        self.record.opaque = True
        for name, value in variables:
            self.record.note(name, None)
            self.values[name] = value

    def enter(self, caller: Scope) -> None:
        """A function's body starts with the arguments and variables and in the directory of its caller."""
        self.budget.handle(len(caller.values) + len(caller.exports))
        self.values, self.exports, self.changing = caller.values.copy(), caller.exports.copy(), caller.changing
        self.cwd, self.stack, self.fallbacks = caller.cwd, caller.stack, caller.fallbacks
        self.opaque, self.evaluated = caller.opaque, caller.evaluated
        self.set_arguments(caller.arguments)

    def spread(self, record: Record) -> None:
        """From here to any later place of the script: what stays known is what it gives but one value."""
        self.budget.handle(2 * len(record.values))
        for name, value in record.values.items():
            if record.opaque or self.values.get(name) != value:
                self.forget(name)
        if any(place.holes for place in record.places):
            self.cwd, self.stack = UNKNOWN_DIRECTORY, None
        elif record.places:
            self.stay((*self.fallbacks, UNCHANGED, *record.places))

    def lasting(self, record: Record) -> dict[str, Word]:
        """The variables that keep the value they have here: the script gives them no other one."""
        self.budget.handle(len(record.values))
        return {name: value for name, value in record.values.items() if self.values.get(name) == value != unknown(name)}

    def variables(self) -> Variables:
        """The variables as they are here."""
        self.budget.handle(len(self.values))
        return tuple((name, value if isinstance(value, Word) else unknown(name)) for name, value in self.values.items())

    def give(self, words: Iterable[Word]) -> None:
        """The positional parameters behind `$0` become these words of a command."""
        zero = self.arguments[0] if self.arguments else Word((Hole("$0", "outside"),))
        self.set_arguments((zero, *[unfinished(item, self.cwd) for item in words]))

    def set_arguments(self, arguments: tuple[Word, ...] | None) -> None:
        """The script sets its positional parameters, None to some that are not known."""
        if arguments is not None and not _bounded(arguments):
            arguments = None
        self.arguments = arguments
        self.positional = True

    def moved(self, cwd: Word) -> None:
        """`cd`: the new directory, or the old one if it fails."""
        told = len(str(cwd)) <= limits.PLACE and "PWD" not in self.record.changing
        before, self.cwd = self.cwd, cwd if told else UNKNOWN_DIRECTORY
        self.record.places[self.cwd] = None
        self.stay((*self.fallbacks, before))

    def stay(self, fallbacks: tuple[Word, ...]) -> None:
        """Set the directories of failed `cd`s; too many of them are one that the text does not tell."""
        known = tuple(item for item in dict.fromkeys(fallbacks) if item != self.cwd)
        self.fallbacks = known if len(known) <= FALLBACKS else (UNKNOWN_DIRECTORY,)

    def assign(self, name: str, value: Value) -> None:
        """`name=value`"""
        changing = name in self.changing or name in self.record.changing
        if changing or self_set(name) or not _bounded(value):
            self.taint(name)
            return
        if isinstance(value, Word):
            value = anchored(value, self.cwd)
            self.record.note(name, value)
            self.exports[name] = Assignment(name, finished(value.pieces, False, UNKNOWN_DIRECTORY))
        else:
            value = tuple([anchored(item, self.cwd) for item in value])
            self.record.note(name, None)
            self.exports[name] = _unknown_assignment(name)
        self.values[name] = value

    def append(self, name: str, value: Value) -> None:
        """`name+=value`"""
        old = self.values.get(name)
        if isinstance(old, Word) and isinstance(value, Word):
            self.assign(name, joined([*old.pieces, *value.pieces]))
        elif isinstance(old, tuple) and isinstance(value, tuple):
            self.assign(name, old + value)
        else:
            self.taint(name)

    def taint(self, name: str) -> None:
        """Something the text does not tell sets `name`."""
        self.record.note(name, None)
        self.forget(name)

    def forget(self, name: str) -> None:
        """Which value `name` has here is not known. Parameters that are no variables cannot be set so (`${@:=x}`)."""
        if name[:1].isalpha() or name[:1] == "_":
            self.values[name] = unknown(name)
            self.exports[name] = _unknown_assignment(name)

    def clobber(self, evaluated: bool = False) -> None:
        """Something that is not understood may have set any variable."""
        self.record.opaque = True
        self.forget_all(evaluated)

    def forget_all(self, evaluated: bool = False) -> None:
        """Which value any variable has here is not known."""
        self.budget.handle(len(self.exports))
        self.opaque = True
        self.set_arguments(None)
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
        self.budget.handle(2 * (len(self.values) + len(self.exports) + len(other.exports)))
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
        if self.arguments != other.arguments:
            self.set_arguments(None)
        self.meanings = self.meanings | other.meanings if self.meanings is not other.meanings else self.meanings
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
