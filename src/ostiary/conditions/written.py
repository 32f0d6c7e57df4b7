"""`executes: {written_by: agent}`: whether this session made the code that runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ostiary.answers import MAYBE, NO, YES, Answer
from ostiary.call.model import Access, Call, Part
from ostiary.call.shapes import is_stream
from ostiary.conditions.view import Condition, View
from ostiary.facts import FactNeeded, Knowledge
from ostiary.paths import ANYTHING, Spelling, Written, spelled, wrote

_TOLD: Final[dict[object, Answer]] = {"yes": YES, "maybe": MAYBE, "no": NO}


def build() -> Condition:
    """*yes* where this session wrote the file for certain, in this call or in an earlier one, or where the code comes
    straight from a connection; *maybe* where it perhaps did, or where that cannot be told."""

    def condition(view: View) -> Answer:
        access = view.bound.get("execute")
        if access is None:
            return MAYBE if view.part.unparsed or view.call.limit else NO
        answer = _made(access, view)
        return answer if access.certain else min(answer, MAYBE)

    return condition


def _made(access: Access, view: View) -> Answer:
    if is_stream(access.target):
        return YES if _downloads(view.call, view.part) else MAYBE
    path = spelled(access.target, view.part.cwd, view.knowledge)
    others = (part for part in view.call.parts if part is not view.part)
    best: Answer = max((wrote(one, path) for part in others for one in written(part, view.knowledge)), default=NO)
    return best if best == YES else max(best, _earlier(path, view.knowledge))


def _earlier(path: Spelling, knowledge: Knowledge) -> Answer:
    """What the session's memory says, about the path and about where it leads."""
    best = _TOLD.get(knowledge.ask("written", path.text), MAYBE)
    if best < YES and path.known:
        real = knowledge.ask("resolve", path.text)
        if isinstance(real, str) and real != path.text:
            best = max(best, _TOLD.get(knowledge.ask("written", real), MAYBE))
    return best


def _downloads(call: Call, part: Part) -> bool:
    """Whether something before a part in its pipeline connects."""
    seen: set[int] = set()
    pending = list(part.pipes_from)
    while pending:
        place = pending.pop()
        if place not in seen:
            seen.add(place)
            if any(access.kind == "connect" for access in call.parts[place].accesses):
                return True
            pending.extend(call.parts[place].pipes_from)
    return False


def written(part: Part, knowledge: Knowledge) -> Iterator[Written]:
    """What a part writes, or may write. Nothing is asked for it."""
    for access in part.accesses:
        if access.kind == "write" and (access.certain or access.target.text is not None):
            try:
                path = spelled(access.target, part.cwd, knowledge)
            except FactNeeded:  # another user's home
                path = ANYTHING
            yield Written(path, access.certain and not part.possible)
