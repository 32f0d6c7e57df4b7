"""The last good plan of each source (law L7): what acts while the file is broken."""

from __future__ import annotations

import os
from typing import Final

from ostiary.digests import sha256
from ostiary.sources.compiled import Compiled, pack, unpack
from ostiary.sources.discover import Source
from ostiary.sources.files import Unreadable
from ostiary.sources.looks import lexists, listing
from ostiary.sources.private import read_private, write_private

_LIMIT: Final = 64 << 20


def remember(state: str, source: Source, name: str, compiled: Compiled) -> None:
    """Makes `compiled`, a good plan that the cache knows as `name`, the last good one of its source. Costs one look at
    a folder if it is already. Where it cannot be stored nothing happens: a broken file then asks."""
    assert compiled.plan is not None
    stem = _stem(state, source)
    # The plan's digest as well, since the cache's name does not tell what the included files hold.
    path = f"{stem}.{sha256(f'{name}{compiled.plan.digest}'.encode()).hexdigest()[:16]}"
    if lexists(path):
        return
    try:
        write_private(path, pack(compiled))
        for older in _stored(stem):
            if older != path:
                os.unlink(older)
    except (OSError, Unreadable):
        return


def recall(state: str, source: Source) -> Compiled | None:
    """The last good plan of a source, None if there is none that can be used."""
    for path in _stored(_stem(state, source)):
        try:
            data = read_private(path, _LIMIT)
        except Unreadable:
            continue
        if data and (compiled := unpack(data)) and compiled.plan:
            return compiled
    return None


def _stem(state: str, source: Source) -> str:
    identity = f"{source.tier}\0{source.path}".encode("utf-8", "surrogatepass")
    return os.path.join(state, "good", sha256(identity).hexdigest())


def _stored(stem: str) -> list[str]:
    """The plans stored for a source, newest first: more than one where two processes changed it at once."""
    folder, prefix = os.path.split(stem)
    listing(folder)
    try:
        with os.scandir(folder) as entries:
            found = [(entry.stat().st_mtime_ns, entry.path) for entry in entries if entry.name.startswith(prefix + ".")]
    except OSError:
        return []
    return [path for _, path in sorted(found, reverse=True)]
