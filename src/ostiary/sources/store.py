"""The trust store: which contents of which project's rule files a person has reviewed (law L6)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any, Final

from ostiary.problems import Problem
from ostiary.records import NamedTuple
from ostiary.sources.files import Unreadable
from ostiary.sources.private import read_private, write_private

_NAME: Final = "trust.json"
_VERSION: Final = 1
_LIMIT: Final = 16 << 20


class Reviewed(NamedTuple):
    """One review: the resolved root of the project, the digest over the file and all it includes (SHA-256, hex), and
    the file's label, for people. The same content in another project is another review."""

    root: str
    digest: str
    file: str


class Trust(NamedTuple):
    """What the store holds. `problem` says why it cannot be relied on (nothing is reviewed then), empty if it can."""

    reviews: frozenset[Reviewed]
    file: str
    problem: str = ""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The same as a problem."""
        return (Problem(self.file, 0, 0, "", self.problem),) if self.problem else ()

    def covers(self, root: str | None, digest: str) -> bool:
        """Whether this content was reviewed for this project."""
        return any((review.root, review.digest) == (root, digest) for review in self.reviews)


def load(state: str) -> Trust:
    """The trust store of a state folder. Raises nothing: of a store that cannot be read nothing counts as reviewed."""
    path = _path(state)
    try:
        data = read_private(path, _LIMIT)
        return Trust(_reviews(json.loads(data)) if data is not None else frozenset(), path)
    except (Unreadable, ValueError, RecursionError) as error:
        why = str(error) if isinstance(error, Unreadable) else "it is damaged"
        return Trust(frozenset(), path, f"nothing counts as reviewed, because {why}")


def add(state: str, review: Reviewed) -> None:
    """Records a review. Raises `Unreadable` or OSError if the store cannot be read or written."""
    _write(state, _held(state) | {review})


def remove(state: str, root: str) -> bool:
    """Takes back every review of a project; acts on the next call. False if there was none. Raises as `add` does."""
    reviews = _held(state)
    kept = {review for review in reviews if review.root != root}
    if len(kept) == len(reviews):
        return False
    _write(state, kept)
    return True


def _held(state: str) -> frozenset[Reviewed]:
    trust = load(state)
    if trust.problem:
        raise Unreadable(f"{trust.file}: {trust.problem}")
    return trust.reviews


def _write(state: str, reviews: Iterable[Reviewed]) -> None:
    listed = [review._asdict() for review in sorted(reviews)]
    text = json.dumps({"version": _VERSION, "reviews": listed}, indent=1)
    write_private(_path(state), text.encode(), durable=True)


def _reviews(value: Any) -> frozenset[Reviewed]:
    """Raises ValueError for anything but a store of this version."""
    if not isinstance(value, dict) or value.get("version") != _VERSION:
        raise ValueError
    try:
        reviews = frozenset(Reviewed(**review) for review in value["reviews"])
    except (KeyError, TypeError):
        raise ValueError from None
    if not all(isinstance(text, str) for review in reviews for text in review):
        raise ValueError
    return reviews


def _path(state: str) -> str:
    return os.path.join(state, _NAME)
