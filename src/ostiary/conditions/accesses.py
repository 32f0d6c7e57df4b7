"""`reads`, `writes`, `deletes`, `connects`, `executes`: what a part touches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ostiary import paths
from ostiary.answers import MAYBE, NO, Answer
from ostiary.call.model import Access, AccessKind
from ostiary.conditions import written
from ostiary.conditions.view import Condition, Plan, Stance, View
from ostiary.facts import Knowledge
from ostiary.words import TRACKED, Hole, Word, joined, word

if TYPE_CHECKING:
    from ostiary.programs import Scope

KIND_OF: Final[Mapping[str, AccessKind]] = {
    "reads": "read",
    "writes": "write",
    "deletes": "delete",
    "connects": "connect",
    "executes": "execute",
}

TargetMatcher = Callable[[Word, str | None, Knowledge], Answer]


def build(plan: Plan, stance: Stance) -> Condition:
    """`(name, patterns)`: the access bound to this view has a target that one of the patterns names. A possible access
    is at most *maybe*; a kind that the part does not touch is *no*, and *maybe* where the part was not understood."""
    kind = KIND_OF[plan[0]]
    if plan[1][:1] == ("written_by",):
        return written.build()
    match = hosts(plan[1]) if kind == "connect" else path_matcher(plan[1], stance.wide)
    key = object()
    below = _below(plan[1]) if stance.wide and plan[1][:1] != ("outside",) else None

    def condition(view: View) -> Answer:
        access = view.bound.get(kind)
        if access is None:
            return MAYBE if view.part.unparsed or view.call.limit else NO
        if len(view.bound) == 1:
            return one(view, access)
        about = (key, id(view.call), view.index, id(access))
        if about not in view.said:  # the same access comes back with every other one of another kind
            view.said[about] = one(view, access)
        return view.said[about]

    def matched(view: View, target: Word) -> Answer:
        """Whether a pattern names a target. A script has few kinds of unknown paths, but has them often, and each may
        be anything that a pattern is about."""
        if target.text is not None:
            return match(target, view.part.cwd, view.knowledge)
        about = (key, target, view.part.cwd)
        if about not in view.said:
            view.said[about] = match(target, view.part.cwd, view.knowledge)
        return view.said[about]

    def one(view: View, access: Access) -> Answer:
        answer = matched(view, access.target)
        if access.listing and stance.wide and answer != NO and _is_file(access.target, view):
            return NO
        if answer == MAYBE and below is not None and (found := _found(access, view)):
            return below(*found, view.part.cwd, view.knowledge)
        if answer == NO and below is not None and access.tree is not None:
            return below(access.target, access.tree, view.part.cwd, view.knowledge)
        return answer if access.certain else min(answer, MAYBE)

    return condition


def _is_file(target: Word, view: View) -> bool:
    """Whether a path is a file, of which a listing shows no content."""
    path = paths.spelled(target, view.part.cwd, view.knowledge)
    return path.known and view.knowledge.ask("kind", path.text) == "file"


def _found(access: Access, view: View) -> tuple[Word, paths.Tree] | None:
    """The folder and the names if a path is any file that a program finds there: such files exist, and are looked for
    like in a search. A file that is written may be a new one, if it is not read, too."""
    target = access.target
    at = next((index for index, piece in enumerate(target.pieces) if piece in _FINDS), None)
    if at is None:
        return None
    name = "".join(
        piece if isinstance(piece, str) else _IN_NAME.get(piece.kind, "/") for piece in target.pieces[at + 1 :]
    )
    folder = joined([*target.pieces[:at]]) if at else word(".")
    if "/" in name[1:] or name[:1] not in ("", "/") or not paths.spelled(folder, view.part.cwd, view.knowledge).known:
        return None
    if access.kind == "write" and not any(one.kind == "read" and one.target == target for one in view.part.accesses):
        return None
    only = (name[1:],) if name else ()
    return folder, paths.Tree(only=only, unignored=target.pieces[at] == _TRACKED)


_TRACKED: Final = Hole(TRACKED, "found")
_FINDS: Final = (_TRACKED, Hole("**", "found"))
_IN_NAME: Final = {"found": "*", "glob": "*"}


def path_matcher(plans: Plan, wide: bool) -> TargetMatcher:
    """The matcher of path patterns, of `("outside", place)` or of `("autorun", scope)`."""
    match plans[:1]:
        case ("outside",):
            return paths.outside(plans[1], wide)
        case ("autorun",):
            return _autorun(plans[1], wide)
        case _:
            return _later(plans, wide)


def _later(plans: Plan, wide: bool) -> TargetMatcher:
    """The matcher of path patterns, made when the first access comes: most calls have none of some kinds."""
    made: list[TargetMatcher] = []

    def match(target: Word, cwd: str | None, knowledge: Knowledge) -> Answer:
        if not made:
            made.append(paths.matcher(plans, wide))
        return made[0](target, cwd, knowledge)

    return match


@lru_cache(maxsize=8)
def _autorun(scope: Scope, wide: bool) -> TargetMatcher:
    texts = _patterns(scope)
    return paths.matcher_of(paths.Keyed(texts.keys(), lambda name: _plans(texts[name])), wide)


def _patterns(scope: Scope) -> Mapping[str, str]:
    from ostiary.programs import autorun  # late: reads what programs do, which most calls of other tools need not

    return autorun(scope)


def _plans(patterns: str) -> Plan:
    return tuple(map(paths.path_plan, patterns.split("\t")))


def _below(plans: Plan) -> paths.TreeMatcher:
    """The matcher of folders that are read with what is below them."""
    if plans[:1] != ("autorun",):
        return paths.tree_matcher(plans)
    return lambda *tree: paths.tree_matcher(_plans("\t".join(_patterns(plans[1]).values())))(*tree)


def hosts(plans: Plan) -> TargetMatcher:
    """A matcher of connections: hosts mean the same in every directory."""
    from ostiary.urls import matcher  # late: few calls connect

    match = matcher(plans)
    return lambda target, cwd, knowledge: match(target)
