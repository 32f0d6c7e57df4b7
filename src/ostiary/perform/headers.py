"""Headers of requests, with variables of the environment that the author of a rule let in."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from ostiary.expressions import expression

_VARIABLE: Final = expression(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")


def headers(written: Iterable[tuple[str, str]], allowed: Collection[str], environ: Mapping[str, str]) -> dict[str, str]:
    """The headers with `$NAME` and `${NAME}` in their values replaced by variables that are allowed, and by nothing
    where one is not allowed or not set; blanks at the ends are no part of a value."""

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        return environ.get(name, "") if name in allowed else ""

    return {name: _VARIABLE.sub(value, text).strip() for name, text in written}
