"""Reviews of a project's rule files: what waits for one, and what it takes to give one and to take it back (law L6)."""

from __future__ import annotations

import time

from ostiary.policy import FilePlan
from ostiary.sources import permits, store
from ostiary.sources.snapshot import Snapshot
from ostiary.sources.store import Reviewed
from ostiary.sources.worktrees import repository
from ostiary.trust import Earlier, Review, review
from ostiary.visible import visible


def pending(files: Snapshot) -> tuple[Review, ...]:
    """What rule files of the project would be permitted if a person accepted them."""
    waiting = (standing for standing in files.standings if standing.waits)
    return tuple(_review(files, standing.plan, standing.source.root or "") for standing in waiting)


def _review(files: Snapshot, plan: FilePlan, root: str) -> Review:
    last = files.trust.last(root, visible(plan.label))
    if last is None:
        return review(plan, root)
    known, stops = permits.recall(files.desk.places.state, last.digest) or (None, 0)
    return review(plan, root, Earlier(last.time, last.until, last.digest == plan.digest, known, stops))


def accept(files: Snapshot, accepted: Review, typed: str | None, lasts: int) -> bool:
    """Records a review, as `Engine.accept` does."""
    if not accepted.accepted(typed) or files.settings.trust != "user":
        return False
    now, root, state = int(time.time()), accepted.root, files.desk.places.state
    until = now + lasts if lasts else 0
    store.add(state, Reviewed(root, accepted.digest, accepted.file, now, until, repository(root)))
    permits.keep(state, accepted, (held.digest for held in store.load(state, now).reviews))
    return True


def revoke(files: Snapshot, file: str) -> bool:
    """Takes reviews back, as `Engine.revoke` does."""
    return store.remove(files.desk.places.state, files.roots.start or "", file)
