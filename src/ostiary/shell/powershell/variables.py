"""Variables of a PowerShell text: which of them keep one value that the text tells."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from ostiary.expressions import expression
from ostiary.shell.model import Assignment
from ostiary.words import Hole, Word, word

_NAME: Final = r"\$\{?((?:\w+:)?\w+)\}?"
_SET: Final = expression(rf"{_NAME}(?:\s*(?:[-+*/%]|\?\?)?=(?!=)|\s*,|\+\+|--|\s+in\b)", re.IGNORECASE)
_SCOPES: Final = ("global:", "script:", "local:", "private:", "using:", "variable:")
_INDIRECT: Final = expression(
    r"variable|\b(?:sv|nv|clv|rv|param|function|filter|tee|read)\b|\[ref\]|[-\u2013-\u2015](?:ov|pv|ev|wv|iv|outv|pipel|err)",
    re.IGNORECASE,
)
"""Ways to set a variable that do not look like an assignment: the cmdlets for variables, `-OutVariable`, `[ref]`."""

_AUTOMATIC: Final = frozenset(
    {"_", "psitem", "args", "input", "matches", "this", "error", "lastexitcode", "?", "^", "$", "foreach", "switch"}
)
_HOMES: Final = frozenset({"home", "env:userprofile", "env:home"})
_TEMPS: Final = frozenset({"env:temp", "env:tmp"})
HOME: Final = Hole("$HOME", "outside")
HERE: Final = Hole("$PWD", "outside")


class Variables:
    """What is known about variables at one place of the text. A value is known where the whole text sets the variable
    once, outside of every block, to text that it tells; `exported` are environment variables that it set so far."""

    def __init__(self, text: str) -> None:
        self._times = Counter(_plain(match[1]) for match in _SET.finditer(text))
        self._indirect = _INDIRECT.search(text) is not None
        self._values: dict[str, Word] = {}
        self.exported: dict[str, Assignment] = {}

    def value(self, name: str, source: str) -> Word:
        """What a variable holds, as far as the text tells."""
        plain = _plain(name)
        if plain == "null":
            return Word(())
        if plain in ("true", "false"):
            return word(f"${plain}")
        if plain in self._values:
            return self._values[plain]
        if plain in _HOMES and plain not in self._times:
            return Word((HOME,))
        if plain in _TEMPS and plain not in self._times:
            return Word((HOME, "/AppData/Local/Temp"))  # where Windows has it unless somebody moved it
        if plain == "env:comspec" and plain not in self._times:
            return word("cmd.exe")
        if plain == "pwd":
            return Word((HERE,))
        hidden = self._indirect and not plain.startswith("env:")
        known_outside = not hidden and plain not in self._times and plain not in _AUTOMATIC
        return Word((Hole(source, "outside" if known_outside else "computed"),))

    def set(self, name: str, value: Word | None, *, simple: bool) -> None:
        """An assignment; `simple` if it stands outside of blocks and replaces the value."""
        plain = _plain(name)
        held = value if value is not None else Word((Hole(f"${name}", "computed"),))
        if simple and value is not None and self._times[plain] == 1 and not self._indirect:
            self._values[plain] = held
        if plain.startswith("env:"):
            variable = name.partition(":")[2]
            self.exported[variable.upper()] = Assignment(variable, held)


def _plain(name: str) -> str:
    lower = name.lower()
    for scope in _SCOPES:
        lower = lower.removeprefix(scope)
    return lower
