"""JSON of settings files to values with the lines they begin on.

Strict: what two readers could understand differently (a key that stands twice, a number no reader can hold, half of a
surrogate pair) is not read at all. Files of repositories and plugins are read too, so depth and numbers are bounded.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, Final

from ostiary.expressions import expression
from ostiary.problems import PolicyError, Problem
from ostiary.records import NamedTuple, dataclass, field

Place = tuple[str | int, ...]
"""Keys and indexes from the top of the document."""

DEPTH: Final = 64
"""Objects and lists inside each other."""

_DIGITS: Final = 400
_BOM: Final = "\ufeff"
_TOKEN: Final = expression(
    r"[ \t\r\n]*+(?:"
    r'(?P<text>"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9A-Fa-f]{4})*+")'
    r"|(?P<number>-?(?:0|[1-9][0-9]*+)(?P<fraction>(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)(?![0-9A-Za-z_.]))"
    r"|(?P<word>true|false|null)(?![0-9A-Za-z_])"
    r"|(?P<sign>[][{},:])"
    r"|(?P<end>\Z))"
)
_WORDS: Final[Mapping[str, Any]] = {"true": True, "false": False, "null": None}


class Text(NamedTuple):
    """A document: its value, and the line on which each value in it begins (from 1)."""

    value: Any
    lines: Mapping[Place, int]


def parse(raw: bytes, label: str) -> Text:
    """The document in `raw`; `label` is the file's name for people. Raises `PolicyError` for what is not JSON, and for
    what is not the same JSON to every reader."""
    try:
        text = raw.decode("utf-8").removeprefix(_BOM)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise PolicyError([Problem(label, line, 0, "", "the file is not UTF-8")]) from None
    reader = _Reader(text, [0, *(found.end() for found in re.finditer("\n", text))])
    try:
        return Text(reader.document(), reader.lines)
    except _Refused as refused:
        line, column = reader.at(refused.offset)
        raise PolicyError([Problem(label, line, column, "", refused.message, refused.help)]) from None


_HELP: Final = "the file must be plain JSON, without comments and without commas at the end"


class _Refused(Exception):
    def __init__(self, message: str, offset: int, help: str = "") -> None:
        self.message, self.offset, self.help = message, offset, help


@dataclass(slots=True)
class _Reader:
    """One pass over the text. `starts` are the offsets at which its lines begin."""

    text: str
    starts: list[int]
    lines: dict[Place, int] = field(default_factory=dict)
    position: int = 0

    def at(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def document(self) -> Any:
        value = self._value((), self._token())
        token = self._token()
        if token.lastgroup != "end":
            raise self._refused("there is something behind the end of the document", token)
        return value

    def _token(self) -> re.Match[str]:
        found = _TOKEN.match(self.text, self.position)
        if found is None:
            raise _Refused("the file is not JSON from here on", self._solid(), _HELP)
        self.position = found.end()
        return found

    def _solid(self) -> int:
        """Where the next sign that is no blank stands."""
        rest = self.text[self.position :]
        return self.position + len(rest) - len(rest.lstrip(" \t\r\n"))

    def _refused(self, message: str, token: re.Match[str], help: str = "") -> _Refused:
        return _Refused(message, token.start(token.lastgroup or 0), help)

    def _value(self, place: Place, token: re.Match[str]) -> Any:
        kind, text = token.lastgroup, token[token.lastgroup or 0]
        self.lines[place] = self.at(token.start(kind or 0))[0]
        if kind == "text":
            return self._string(token)
        if kind == "number":
            return self._number(token)
        if kind == "word":
            return _WORDS[text]
        if text not in ("{", "["):
            raise self._refused("the file is not JSON from here on", token, _HELP)
        if len(place) >= DEPTH:
            raise self._refused(f"it is nested more than {DEPTH} deep", token)
        return self._object(place) if text == "{" else self._list(place)

    def _string(self, token: re.Match[str]) -> str:
        value: str = json.loads(token["text"])
        try:
            value.encode()
        except UnicodeEncodeError:
            raise self._refused("a text holds half of a surrogate pair", token) from None
        return value

    def _number(self, token: re.Match[str]) -> int | float:
        text = token["number"]
        number = int(text) if not token["fraction"] and len(text) <= _DIGITS else float(text)
        if not isfinite(number):
            raise _Refused("the number is too large", token.start("number"))
        return number

    def _object(self, place: Place) -> dict[str, Any]:
        value: dict[str, Any] = {}
        for token in self._members("}"):
            if token.lastgroup != "text":
                raise self._refused("a key in quotes is expected here", token)
            key = self._string(token)
            if key in value:
                raise self._refused("the same key stands twice in one object", token, "remove one of the two")
            if self._token()["sign"] != ":":
                raise self._refused("a colon is missing behind this key", token)
            value[key] = self._value((*place, key), self._token())
        return value

    def _list(self, place: Place) -> list[Any]:
        value: list[Any] = []
        for token in self._members("]"):
            value.append(self._value((*place, len(value)), token))
        return value

    def _members(self, closing: str) -> Iterator[re.Match[str]]:
        """The first token of each member, up to the sign that closes the container."""
        token = self._token()
        if token["sign"] == closing:
            return
        while True:
            yield token
            token = self._token()
            if token["sign"] == closing:
                return
            if token["sign"] != ",":
                raise self._refused("a comma or the end of the container is missing before this", token)
            token = self._token()
