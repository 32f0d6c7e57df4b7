"""Regular expressions that are compiled when they are first used.

A hook imports a hundred and fifty of them, which takes 10 ms, and uses a third.
"""

from __future__ import annotations

import re
from typing import Any, Final, cast

_METHODS: Final = ("match", "fullmatch", "search", "sub", "split", "findall", "finditer")


class _Late:
    """What looks like a compiled expression, and has its methods from the first use on."""

    __slots__ = ("flags", "pattern", *_METHODS)

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self.flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        """Called for what was not set yet."""
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self.flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(self, name)


def expression(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """`re.compile` of a pattern in our own source, put off until it is used. Nothing says that it is wrong before."""
    return cast(re.Pattern[str], _Late(pattern, flags))
