"""Variables and functions of makefiles: everything that a text may stand for when make hands it to a shell.

Conditions are not judged, so a variable has every value that it is given anywhere. What a makefile computes (`$(subst
...)`, names nobody set) is left as a variable of the shell, of which nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from ostiary.expressions import expression
from ostiary.records import NamedTuple, dataclass, field

WAYS: Final = 16
"""Texts that one text may stand for."""
LENGTH: Final = 16_384
"""Characters that such a text may have."""
DEPTH: Final = 24
"""References inside of references."""
STEPS: Final = 30_000
"""References that are followed for one makefile."""

_BUILT_IN: Final = {"RM": ("rm -f",), "MAKE": ("make",), "CURDIR": (".",), "SHELL": ("/bin/sh",)}
_CLOSING: Final = {"(": ")", "{": "}"}
_FUNCTION: Final = expression(r"([a-z-]+)\s+(.*)", re.DOTALL)
_NO_NAME: Final = expression(r"\W")
_PLACE: Final = expression(r"\(?([@<^+?*%|])([DF]?)\)?")


class Unread(Exception):
    """A text that may stand for too much."""


class Value(NamedTuple):
    """What a variable is set to. `final`: its references were followed where it was set (`:=`)."""

    text: str
    final: bool = False


Values = Mapping[str, tuple[Value, ...]]


@dataclass(frozen=True, slots=True)
class Found:
    """What references did besides standing for something: commands that make ran, and text that it took for more of
    the makefile."""

    runs: list[str] = field(default_factory=list)
    evals: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Meter:
    """How many references may still be followed."""

    left: int = STEPS


class Expander(NamedTuple):
    """Follows references, with the values of variables, those that hold only here (`$@`, `$(1)`), what was found on the
    way, and the names that are being followed."""

    values: Values
    meter: Meter
    found: Found
    here: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    inside: tuple[str, ...] = ()

    def texts(self, text: str) -> tuple[str, ...]:
        """Everything that a text may stand for. Raises `Unread`."""
        if len(self.inside) > DEPTH:
            raise Unread
        made: tuple[str, ...] = ("",)
        for piece in pieces(text):
            options = self._reference(piece[1]) if isinstance(piece, tuple) else (piece,)
            made = tuple(dict.fromkeys(one + more for one in made for more in options))
            if len(made) > WAYS or any(len(one) > LENGTH for one in made):
                raise Unread
        return made

    def _reference(self, inner: str) -> tuple[str, ...]:
        self.meter.left -= 1
        if self.meter.left < 0:
            raise Unread
        function = _FUNCTION.fullmatch(inner)
        if function:
            return self._called(function[1], arguments(function[2]))
        names = self._within("").texts(inner) if "$" in inner else (inner,)
        return tuple(dict.fromkeys(text for name in names for text in self._named(name)))

    def _named(self, name: str) -> tuple[str, ...]:
        place = _PLACE.fullmatch(name)
        if place:
            return tuple(_part(text, place[2]) for text in self.here.get(place[1], (_unknown(name),)))
        if name in self.here:
            return self.here[name]
        if name in self.inside or name not in self.values:
            return _BUILT_IN.get(name) or (_unknown(name),)
        within = self._within(name)
        return tuple(
            text for value in self.values[name] for text in ((value.text,) if value.final else within.texts(value.text))
        )

    def _within(self, name: str) -> Expander:
        return self._replace(inside=(*self.inside, name))

    def _called(self, name: str, given: list[str]) -> tuple[str, ...]:
        """What a function gives. One that nobody reads gives something unknown, once what it is given was followed."""
        within = self._within("")
        known = _FUNCTIONS.get(name)
        if known:
            return known(within, given)
        for item in given:
            within.texts(item)
        return (_unknown(name),)

    def all(self, given: Iterable[str]) -> tuple[str, ...]:
        """Everything that one of several texts may stand for."""
        return tuple(dict.fromkeys(text for item in given for text in self.texts(item)))


def _unknown(name: str) -> str:
    return f"${{{_NO_NAME.sub('_', name)}}}"


def _part(text: str, part: str) -> str:
    """Folder or base name of each word; the text itself where none is asked for."""
    if not part:
        return text
    split = (word.rpartition("/") for word in text.split())
    return " ".join((folder or ".") if part == "D" else name for folder, _, name in split)


def _shell(expander: Expander, given: list[str]) -> tuple[str, ...]:
    commands = expander.texts(",".join(given))
    expander.found.runs.extend(commands)
    return tuple(f"$({command})" for command in commands)


def _eval(expander: Expander, given: list[str]) -> tuple[str, ...]:
    expander.found.evals.extend(expander.texts(",".join(given)))
    return ("",)


def _file(expander: Expander, given: list[str]) -> tuple[str, ...]:
    commands = tuple(f": {text}" for text in expander.texts(given[0]))
    expander.found.runs.extend(commands)
    return ("",)


def _call(expander: Expander, given: list[str]) -> tuple[str, ...]:
    name, *rest = given
    places = {str(place): expander.texts(item) for place, item in enumerate(rest, 1)}
    return expander._replace(here={**expander.here, **places}).texts(f"$({name.strip()})")


def _foreach(expander: Expander, given: list[str]) -> tuple[str, ...]:
    name, listed, body = (*given, "", "")[:3]
    words = tuple(dict.fromkeys(word for text in expander.texts(listed) for word in text.split()))
    return expander._replace(here={**expander.here, name.strip(): words or ("",)}).texts(body)


def _if(expander: Expander, given: list[str]) -> tuple[str, ...]:
    expander.texts(given[0])
    return expander.all(given[1:])


_FUNCTIONS: Final[Mapping[str, Callable[[Expander, list[str]], tuple[str, ...]]]] = {
    "shell": _shell,
    "eval": _eval,
    "file": _file,
    "call": _call,
    "foreach": _foreach,
    "if": _if,
    "or": Expander.all,
    "and": Expander.all,
    **dict.fromkeys(("strip", "value", "sort", "firstword", "lastword"), Expander.all),
}


def pieces(text: str) -> Iterator[str | tuple[str, str]]:
    """A text as what stands there and the references in it, each as a pair of the text and what stands inside."""
    at = 0
    while (dollar := text.find("$", at)) >= 0 and dollar + 1 < len(text):
        if dollar > at:
            yield text[at:dollar]
        sign = text[dollar + 1]
        end = closing(text, dollar + 1) if sign in _CLOSING else dollar + 2
        if sign == "$":
            yield "$"
        else:
            yield text[dollar:end], text[dollar + 2 : end - 1] if sign in _CLOSING else sign
        at = end
    if text[at:]:
        yield text[at:]


def closing(text: str, start: int) -> int:
    """Where a bracket's content ends, behind the closing one; the end of a text that has none."""
    opens, depth = text[start], 0
    for at in range(start, len(text)):
        depth += (text[at] == opens) - (text[at] == _CLOSING[opens])
        if depth == 0:
            return at + 1
    return len(text)


def outside(text: str, signs: str) -> Iterator[int]:
    """Where one of the signs stands, outside of references and not behind a backslash."""
    at = 0
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text[at] == "$" and text[at + 1 : at + 2] in ("(", "{"):
            at = closing(text, at + 1)
        else:
            if text[at] in signs:
                yield at
            at += 1


def arguments(text: str) -> list[str]:
    """What a function is given, apart at the commas."""
    found, begin = [], 0
    for at in outside(text, ","):
        found.append(text[begin:at])
        begin = at + 1
    return [*found, text[begin:]]
