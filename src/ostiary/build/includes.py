"""What a rule file includes: references, and the budget of following them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from ostiary.records import NamedTuple
from ostiary.rules import Inclusion

DEPTH: Final = 8
MOST: Final = 64


class IncludeRef(NamedTuple):
    """One included file: `pack` is the name of a pack, or empty; else `path` leads to it from the folder of the rule
    file that is compiled, with forward slashes and without leaving that folder."""

    pack: str = ""
    path: str = ""

    def __str__(self) -> str:
        return f"pack:{self.pack}" if self.pack else self.path


class IncludeError(Exception):
    """An included file cannot be had. `message` is a sentence for the author of the including file, `help` says how to
    mend it, empty if there is nothing to say."""

    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(message)
        self.help = help


LoadInclude = Callable[[IncludeRef], tuple[str, bytes]]
"""Gives an included file: its label for people, and its bytes. Raises `IncludeError`."""


def no_includes(ref: IncludeRef) -> tuple[str, bytes]:
    """The loader of a file that stands alone."""
    raise IncludeError(f"`{ref}` cannot be included here")


_PACK: Final = re.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*")
_DRIVE: Final = re.compile("[A-Za-z]:")
_SUFFIXES: Final = (".yaml", ".yml")


def reference(include: str | Inclusion, inside: IncludeRef) -> IncludeRef:
    """What an `include` of the file `inside` refers to. Raises `IncludeError`."""
    if isinstance(include, str):
        pack = include.removeprefix("pack:") if include.startswith("pack:") else ""
        path = "" if pack else include
    else:
        pack, path = include.pack or "", include.file or ""
    if pack:
        if not _PACK.fullmatch(pack):
            raise IncludeError("that is no name of a pack")
        return IncludeRef(pack=pack)
    if inside.pack:
        raise IncludeError("a pack can include packs only")
    return IncludeRef(path=_joined(inside.path, path))


def _joined(inside: str, path: str) -> str:
    """A path as it leads on from the file `inside`, without `.` and `..`."""
    if path.startswith(("/", "~")) or _DRIVE.match(path) or "\\" in path or "\0" in path:
        raise IncludeError("an included file is named by a relative path with forward slashes")
    if not path.endswith(_SUFFIXES):
        help = f"a pack is written `pack:{path}`" if "." not in path and _PACK.fullmatch(path) else ""
        raise IncludeError("an included file ends in `.yaml` or `.yml`", help)
    parts = inside.split("/")[:-1]
    for part in path.split("/"):
        if part == "..":
            if not parts:
                raise IncludeError("an included file must lie inside the folder of the file that includes it")
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
