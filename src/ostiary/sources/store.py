"""The trust store: which contents of which project's rule files a person has reviewed, and until when (law L6)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any, Final

from ostiary.problems import Problem
from ostiary.records import NamedTuple
from ostiary.sources.files import Unreadable
from ostiary.sources.private import read_private, write_private
from ostiary.sources.settings import Settings

_NAME: Final = "trust.json"
_VERSION: Final = 2
_LIMIT: Final = 16 << 20
_MOST: Final = 10_000  # reviews; the oldest go first


class Reviewed(NamedTuple):
    """One review: the resolved root of the project, the digest over the file and all it includes (SHA-256, hex), the
    file's label, for people, when it was reviewed, and when that expires (seconds since the epoch; 0: never).
    `repository` is the resolved folder that all worktrees of the project's repository share, empty if it has none. The
    same content in another project is another review."""

    root: str
    digest: str
    file: str
    time: int = 0
    until: int = 0
    repository: str = ""

    def expired(self, now: float) -> bool:
        """Whether it counts no more."""
        return 0 < self.until <= now


class Trust(NamedTuple):
    """What the store held at a time `now`. `problem` says why it cannot be relied on (nothing is reviewed then), empty
    if it can. `listed` are digests that managed settings trust, in any project; `managed_only`: no others count."""

    reviews: frozenset[Reviewed]
    file: str
    problem: str = ""
    now: float = 0
    listed: frozenset[str] = frozenset()
    managed_only: bool = False

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The same as a problem."""
        return (Problem(self.file, 0, 0, "", self.problem),) if self.problem else ()

    def under(self, settings: Settings) -> Trust:
        """The same where these settings act."""
        return self._replace(listed=settings.trusted, managed_only=settings.trust == "managed-only")

    @property
    def lapses(self) -> float:
        """When the next review expires, seconds since the epoch."""
        return min((review.until for review in self.reviews if self.now < review.until), default=float("inf"))

    def review(self, root: str, digest: str) -> Reviewed | None:
        """The review of this content in this project or in another worktree of its repository: one that counts, or else
        the last one that did."""
        found = [review for review in self.reviews if review.digest == digest and _is_about(review, root)]
        return max(found, key=lambda review: (not review.expired(self.now), review.time), default=None)

    def last(self, root: str, file: str) -> Reviewed | None:
        """The last review of a file of a project, whatever it holds now."""
        found = [review for review in self.reviews if review.file == file and _is_about(review, root)]
        return max(found, key=lambda review: review.time, default=None)

    def accepts(self, review: Reviewed | None, digest: str) -> bool:
        """Whether a content with this digest and this review may do more than deny and ask."""
        if digest in self.listed:
            return True
        return review is not None and not review.expired(self.now) and not self.managed_only


def _is_about(review: Reviewed, root: str) -> bool:
    if review.root == root or not review.repository:
        return review.root == root
    from ostiary.sources.worktrees import repository  # late: few projects have several worktrees

    return review.repository == repository(root)


def load(state: str, now: float) -> Trust:
    """The trust store of a state folder. Raises nothing: of a store that cannot be read nothing counts as reviewed."""
    path = place(state)
    try:
        data = read_private(path, _LIMIT)
        return Trust(_reviews(json.loads(data)) if data is not None else frozenset(), path, now=now)
    except (Unreadable, ValueError, RecursionError) as error:
        why = str(error) if isinstance(error, Unreadable) else "it is damaged"
        return Trust(frozenset(), path, f"nothing counts as reviewed, because {why}", now)


def add(state: str, review: Reviewed) -> None:
    """Records a review, in the place of an earlier one of the same content. Raises `Unreadable` or OSError if the store
    cannot be read or written."""
    from ostiary.sources.locks import locked  # hooks only read

    same = review[:3]
    with locked(place(state)):  # else what is taken back at the same time would come back
        _write(state, (review, *(one for one in _held(state) if one[:3] != same)))


def remove(state: str, root: str, file: str = "") -> bool:
    """Takes back every review that counts in a project, or those of one `file`; acts on the next call. False if there
    was none. Raises as `add` does."""
    from ostiary.sources.locks import locked  # as above

    with locked(place(state)):
        reviews = _held(state)
        kept = {review for review in reviews if not _is_about(review, root) or file not in ("", review.file)}
        if len(kept) < len(reviews):
            _write(state, kept)
    return len(kept) < len(reviews)


def _held(state: str) -> frozenset[Reviewed]:
    trust = load(state, 0)
    if trust.problem:
        raise Unreadable(f"{trust.file}: {trust.problem}")
    return trust.reviews


def _write(state: str, reviews: Iterable[Reviewed]) -> None:
    newest = sorted(reviews, key=lambda review: -review.time)[:_MOST]
    listed = [review._asdict() for review in sorted(newest)]
    text = json.dumps({"version": _VERSION, "reviews": listed}, indent=1)
    write_private(place(state), text.encode(), durable=True)


def _reviews(value: Any) -> frozenset[Reviewed]:
    """Raises ValueError for anything but a store of this version."""
    if not isinstance(value, dict) or value.get("version") != _VERSION:
        raise ValueError
    try:
        reviews = frozenset(Reviewed(**review) for review in value["reviews"])
    except (KeyError, TypeError):
        raise ValueError from None
    if any(tuple(map(type, review)) != (str, str, str, int, int, str) for review in reviews):
        raise ValueError
    return reviews


def place(state: str) -> str:
    """The file of the store."""
    return os.path.join(state, _NAME)
