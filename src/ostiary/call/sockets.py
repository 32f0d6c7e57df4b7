"""Names of files that are connections instead: `/dev/tcp/HOST/PORT` to bash, `/inet/tcp/0/HOST/PORT` to awk."""

from __future__ import annotations

import re
from typing import Final

from ostiary.call.gather import Gathered
from ostiary.call.model import Access, AccessKind, Origin
from ostiary.expressions import expression
from ostiary.urls import host_of
from ostiary.words import Hole, Word, joined

BASH: Final = expression(r"/+dev/+(?:tcp|udp)/")
AWK: Final = expression(r"/inet[46]?/(?:tcp|udp)/[^/]*/")


def touch_file(
    out: Gathered, target: Word, kinds: tuple[AccessKind, ...], names: re.Pattern[str], origin: Origin = "argument"
) -> None:
    """The accesses to a file that the reader opens itself, or the connection that such a name stands for. Nothing that
    covers the reader's arguments covers that one."""
    found = names.match(target.prefix)
    peer = _peer(target.after(found.end())) if found else None
    if peer is None:
        out.path(target, *kinds, origin=origin)
    else:
        out.accesses.append(Access("connect", peer, not out.possible, "output"))


def _peer(rest: Word) -> Word | None:
    """`HOST/PORT` as `HOST:PORT`."""
    if rest.text is not None:
        return host_of(f"//{rest.text.strip('/').replace('/', ':', 1)}")
    pieces: list[str | Hole] = []
    for piece in rest.pieces:
        slashed = isinstance(piece, str) and ":" not in pieces and "/" in piece
        pieces += [*_split(str(piece))] if slashed else [piece]
    return joined(pieces)


def _split(text: str) -> tuple[str, str, str]:
    host, _, port = text.partition("/")
    return host, ":", port
