"""Compiled plans kept between processes, so that a hook need not compile. Nothing is lost when they go."""

from __future__ import annotations

import os
import sys
from typing import Final

from ostiary import __version__
from ostiary.digests import sha256
from ostiary.policy import SEMANTICS
from ostiary.sources.compiled import FORMAT, Compiled, pack, unpack
from ostiary.sources.discover import Source
from ostiary.sources.files import Unreadable
from ostiary.sources.private import read_private, write_private

# A plan is some times larger than its text.
_LIMIT: Final = 64 << 20
_KEPT: Final = 512
_SUFFIX: Final = ".plan"


def key(source: Source) -> str:
    """Names what a source compiles to: its bytes, what they are compiled for, and by which version of what. (The files
    it includes are compared when the plan is used.)"""
    assert source.raw is not None
    digest = sha256(source.raw).hexdigest()
    version = (FORMAT, SEMANTICS, __version__, sys.implementation.cache_tag)
    meaning = (*version, source.tier, source.label, source.path, source.folder, source.origin, digest)
    return sha256("\0".join(map(str, meaning)).encode("utf-8", "surrogatepass")).hexdigest()


def fetch(folder: str, name: str) -> Compiled | None:
    """The plan of this key, None if it is not there, damaged, or in a place that others can write. Raises nothing."""
    try:
        data = read_private(_path(folder, name), _LIMIT)
    except Unreadable:
        return None
    return unpack(data) if data else None


def keep(folder: str, name: str, compiled: Compiled) -> None:
    """Stores a plan; where that is not possible the next process compiles again. Raises nothing."""
    try:
        write_private(_path(folder, name), pack(compiled))
        _prune(folder)
    except (OSError, Unreadable):
        return


def _path(folder: str, name: str) -> str:
    return os.path.join(folder, name + _SUFFIX)


def _prune(folder: str) -> None:
    """Plans that were not made lately go: every edit leaves one behind."""
    with os.scandir(folder) as entries:
        plans = [(entry.stat().st_mtime_ns, entry.path) for entry in entries if entry.name.endswith(_SUFFIX)]
    for _, path in sorted(plans)[:-_KEPT]:
        os.unlink(path)
