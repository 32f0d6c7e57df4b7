"""Places whose content runs later, without anybody naming it: shell start files, schedulers, hooks, build files ..."""

from __future__ import annotations

from typing import Literal

from ostiary.programs.table import AUTORUN

Scope = Literal["machine", "project", "build", "any"]
"""Whose places: of the account and the system; of a project, run when it is opened or entered, or by git; of a project,
run by the next build, test or install; all of them."""


def autorun(scope: Scope) -> tuple[str, ...]:
    """The patterns of the places, as in rule files."""
    texts = AUTORUN.values() if scope == "any" else (AUTORUN[scope],)
    return tuple(pattern for text in texts for pattern in text.splitlines() if pattern)
