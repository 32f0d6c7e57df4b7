"""What the descriptors of a command are read from: its own redirections, and those of what surrounds it."""

from __future__ import annotations

from typing import Final, TypeAlias

from ostiary.call.filters import UNTOLD
from ostiary.call.shapes import descriptor
from ostiary.records import replace
from ostiary.shell.model import Command, Redirect

TEXTS: Final = ("here-document", "here-string")
READABLE: Final = (*TEXTS, "read", "both")
_INHERITED: Final = ("0", "1", "2")

_Table: TypeAlias = dict[str, tuple[Redirect, ...]]


def sources(command: Command, number: str = "0") -> tuple[tuple[Redirect, ...], bool]:
    """What a descriptor of the command may be read from (`?` for any), and whether the command's own redirections say
    so. If they do not, a pipeline may stand between it and those around it."""
    around: dict[str, tuple[Redirect, ...]] = {}
    own: dict[str, tuple[Redirect, ...]] = {}
    for index, item in enumerate(command.redirects):
        found = _opened(item, around, own)
        if found is None:
            continue
        if index < command.inherited:
            around[item.number] = around.get(item.number, ()) + found
        else:
            own[item.number] = found
    if number == "?":
        return _anything(around, own), True
    return (own[number], True) if number in own else (around.get(number, ()), False)


def _opened(item: Redirect, around: _Table, own: _Table) -> tuple[Redirect, ...] | None:
    """What a redirection opens for reading, None if nothing."""
    copied = descriptor(item.target) if item.kind in ("read", "both") else ""
    if item.kind in READABLE and not copied:
        return (item,)
    if item.kind not in (*READABLE, "descriptor") or not item.number:
        return None
    source = copied or ("?" if item.target.text is None else item.target.text.removesuffix("-"))
    if not source or source in own or source in around:
        return own.get(source, around.get(source, ()))
    if source in _INHERITED:
        return None
    # A number that a variable holds or that was opened before the script, or one that is not told.
    return _anything(around, own) or (Redirect("read", UNTOLD),)


def _anything(around: _Table, own: _Table) -> tuple[Redirect, ...]:
    return tuple(dict.fromkeys(item for table in (around, own) for found in table.values() for item in found))


def fed(command: Command, around: tuple[Redirect, ...]) -> Command:
    """The command with what its script found on its descriptors."""
    return replace(command, redirects=(*around, *command.redirects), inherited=len(around) + command.inherited)
