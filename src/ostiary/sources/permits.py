"""What a content permitted when a person accepted it, so that the next review can show what is different.

One file for each accepted digest, private, in the state folder. Nothing that acts depends on it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from ostiary.sources.files import Unreadable
from ostiary.sources.private import read_private, write_private
from ostiary.trust import Permit, Review

_LIMIT: Final = 1 << 20


def keep(state: str, review: Review, digests: Iterable[str]) -> None:
    """Keeps the permits of a review, and of all others only those with these digests. Where that cannot be done the
    next review shows no differences. Raises nothing."""
    permits = [(permit.kind, permit.rule, permit.text) for permit in review.permits]
    text = json.dumps({"stops": review.stops, "permits": permits})
    with suppress(OSError, Unreadable):
        if len(text) <= _LIMIT:
            write_private(_file(state, review.digest), text.encode())
        known = {os.path.basename(_file(state, digest)) for digest in digests}
        for name in set(os.listdir(_folder(state))) - known:
            os.unlink(os.path.join(_folder(state), name))


def recall(state: str, digest: str) -> tuple[tuple[Permit, ...], int] | None:
    """The permits of a content, without their lines, and how many of its rules denied or asked; None if that was not
    kept."""
    try:
        value = json.loads(read_private(_file(state, digest), _LIMIT) or b"")
        return tuple(Permit(kind, rule, 0, text) for kind, rule, text in value["permits"]), int(value["stops"])
    except (Unreadable, ValueError, TypeError, KeyError, RecursionError):
        return None


def _file(state: str, digest: str) -> str:
    return os.path.join(_folder(state), f"{digest}.json")


def _folder(state: str) -> str:
    return os.path.join(state, "reviews")
