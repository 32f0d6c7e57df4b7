"""Included files: `pack:NAME` from the package, others from the folder of the file that includes them."""

from __future__ import annotations

import os
from typing import Final

from ostiary.digests import sha256
from ostiary.expressions import expression
from ostiary.sources import scripts
from ostiary.sources.compiled import Compiled
from ostiary.sources.discover import Source
from ostiary.sources.files import Unreadable, read
from ostiary.sources.looks import listdir, realpath
from ostiary.sources.places import Places

_PACK_NAME: Final = expression(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def pack_path(places: Places, name: str) -> str:
    """The file of a pack. Packs come from the installed package only, so a name is a name and no path. Raises
    `Unreadable` for any other name."""
    if not _PACK_NAME.fullmatch(name):
        raise Unreadable("a pack's name is made of small letters, digits and hyphens")
    return os.path.join(places.packs, f"{name}.yaml")


def pack_names(places: Places) -> list[str]:
    """The packs that came with Ostiary, sorted."""
    return sorted(name.removesuffix(".yaml") for name in listdir(places.packs) if name.endswith(".yaml"))


def read_include(source: Source, path: str, places: Places, spent: int = 0) -> bytes:
    """The bytes of a file that `source` includes, when `spent` bytes of what it may include are gone. Raises
    FileNotFoundError or `Unreadable`, as `files.read` does: also where links lead out of the folders includes stay
    in."""
    return read(path, source.limit - spent, (realpath(places.packs), *_folders(source)))


def _folders(source: Source) -> tuple[str, ...]:
    """The folder of the source; where that may be a link (a user's own file), the folder the link leads to as well."""
    return (source.folder,) if source.within else (source.folder, os.path.dirname(realpath(source.path)))


def digest(source: Source, path: str, places: Places) -> str:
    """SHA-256 (hex) of an included file's bytes, empty where it cannot be read."""
    try:
        return sha256(read_include(source, path, places)).hexdigest()
    except (FileNotFoundError, Unreadable):
        return ""


def unchanged(source: Source, compiled: Compiled, places: Places) -> bool:
    """Whether every file that a source included when it was compiled, or that its handlers name, is still what it
    was."""
    included = all(digest(source, path, places) == known for path, known in compiled.includes)
    return included and (not compiled.scripts or scripts.unchanged(source, compiled.scripts))
