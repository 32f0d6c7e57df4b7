"""Patches in the `*** Begin Patch` format: the files they touch and the lines they add."""

from __future__ import annotations

import re
from typing import Final

from ostiary.call.gather import Gathered
from ostiary.expressions import expression
from ostiary.words import word

_HEADER: Final = expression(
    r"^[ \t]*\*\*\* (Add|Update|Delete) File:[ \t]*(.+?)[ \t\r]*$|^[ \t]*\*\*\* Move to:[ \t]*(.+?)[ \t\r]*$", re.M
)


def read_patch(text: str, out: Gathered, *, sure: bool = True) -> bool:
    """Add the accesses of a patch; False if the text is no whole patch, or it is not `sure` to be applied: its accesses
    are then only possible."""
    stripped = text.strip()
    whole = stripped.startswith("*** Begin Patch") and stripped.endswith("*** End Patch")
    headers = list(_HEADER.finditer(text))
    certain = sure and whole and bool(headers)
    updated = ""
    for header in headers:
        action, name, target = header.groups()
        if target is not None:
            _move(updated, target, certain, out)
            continue
        updated = name if action == "Update" else ""
        _touch(action, name, certain, out)
    added = [line[1:] for line in text.splitlines() if line.startswith("+")]
    if added:
        out.content.append("\n".join(added))
    return certain


def _touch(action: str, name: str, certain: bool, out: Gathered) -> None:
    target = word(name)
    if action == "Delete":
        out.path(target, "delete", certain=certain)
        return
    if action == "Update":
        out.path(target, "read", certain=certain, origin="implied")
    out.path(target, "write", certain=certain)


def _move(source: str, target: str, certain: bool, out: Gathered) -> None:
    if source:
        out.path(word(source), "delete", certain=certain)
    out.path(word(target), "write", certain=certain)
