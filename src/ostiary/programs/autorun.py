"""Places whose content runs later, without anybody naming it: shell start files, schedulers, hooks, build files ..."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from ostiary.programs.table import AUTORUN

Scope = Literal["machine", "project", "build", "any"]
"""Whose places: of the account and the system; of a project, run when it is opened or entered, or by git; of a project,
run by the next build, test or install; all of them."""


@lru_cache(maxsize=4)
def autorun(scope: Scope) -> Mapping[str, str]:
    """The patterns of the places, as in rule files, with a tab between two: by a name, without case, that every path
    they fit holds, empty for those without one. So a hook reads no more of them than its path needs."""
    found: dict[str, str] = {}
    for text in AUTORUN.values() if scope == "any" else (AUTORUN[scope],):
        for line in text.splitlines():
            name, _, patterns = line.partition("\t")
            found[name] = f"{found[name]}\t{patterns}" if name in found else patterns
    return found
