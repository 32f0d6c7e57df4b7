"""Patches in the unified format, as `patch` and `git apply` read them: the files that they touch.

A name may lose its first folders (`-p1`, which is git's usual way), so each shorter form of it is possible, too.
"""

from __future__ import annotations

import re
from typing import Final

from ostiary.call.gather import Gathered
from ostiary.expressions import expression
from ostiary.words import word

_NAME: Final = expression(
    r"^(?:---|\+\+\+|rename (?:from|to)|copy to|\*\*\*)[ \t]+([^\t\r\n]+?)[ \t\r]*(?:\t.*)?$", re.M
)
_SIDE: Final = expression(r"[abicwo]/")


def read_diff(text: str, out: Gathered) -> None:
    """Add the accesses of a patch."""
    for name in dict.fromkeys(found[1].strip('"') for found in _NAME.finditer(text)):
        side = _SIDE.match(name)
        plain = name[side.end() :] if side else name
        if name != "/dev/null":
            out.path(word(plain), "write")
            for shorter in dict.fromkeys((name, *_shorter(plain))):
                out.path(word(shorter), "write", certain=False)


def _shorter(name: str) -> list[str]:
    pieces = name.split("/")
    return ["/".join(pieces[start:]) for start in range(1, min(len(pieces), 8))]
