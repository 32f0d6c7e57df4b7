"""Trees: a search reads the files below a folder, so a rule about one of them may concern it.

A tree is not listed. Looked for is what the literal names of a pattern come to: `docs/private/**` below `docs`, `.env`
beside the search's start. Where such a file or folder exists the search perhaps reads it. Patterns that begin with
signs (`**/*.pem`) name no place, and say nothing about a tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from itertools import takewhile

from ostiary.answers import MAYBE, NO, Answer
from ostiary.facts import Given, Knowledge
from ostiary.paths.match import bases
from ostiary.paths.plan import Plan
from ostiary.paths.spelling import spelled
from ostiary.records import NamedTuple
from ostiary.words import Word

Segments = tuple[str, ...]


class Tree(NamedTuple):
    """How a folder is searched. `hidden`: names that begin with a dot are, too. Of files only those are read whose
    names fit one of `only` (globs; empty: all), nothing whose name fits one of `skipped`."""

    hidden: bool = True
    only: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()


TreeMatcher = Callable[[Word, Tree, str | None, Knowledge], Answer]


def tree_matcher(plans: tuple[Plan, ...]) -> TreeMatcher:
    """Whether a tree perhaps holds what the patterns name: maybe or no. This is the reading of a rule that stops; an
    allow covers a tree by its folder."""

    def match(target: Word, tree: Tree, cwd: str | None, knowledge: Knowledge) -> Answer:
        path = spelled(target, cwd, knowledge)
        if not path.known:
            return NO
        root = _split(path.text)
        for plan in plans:
            for names in _places(plan, root, knowledge.given):
                below = names[: len(root)] == root and len(names) > len(root)
                if below and _is_read(names, len(root), tree, knowledge):
                    return MAYBE
        return NO

    return match


def _places(plan: Plan, root: Segments, given: Given) -> Iterator[Segments]:
    """Where the literal names that a pattern begins with may be, if anything below the root is meant."""
    if plan[0] == "re":
        return
    _, anchor, segments, _ = plan
    if anchor != "float":
        for base in bases(anchor, given):
            yield (*_split(base), *_literal(segments))
        return
    names = _literal(segments[1:] if segments[:1] == ("**",) else segments)
    if not names:
        return
    yield (*root, *names)
    for base in bases("start", given):
        yield (*_split(base), *names)
    for shared in range(1, len(names)):
        if root[-shared:] == names[:shared]:
            yield (*root[:-shared], *names)


def _literal(segments: Segments) -> Segments:
    return tuple(takewhile(lambda segment: not set("*?[\\") & set(segment), segments))


def _is_read(names: Segments, above: int, tree: Tree, knowledge: Knowledge) -> bool:
    inside = names[above:]
    if not tree.hidden and any(name.startswith(".") for name in inside):
        return False
    if any(fnmatchcase(name, sign) for name in inside for sign in tree.skipped):
        return False
    kind = knowledge.ask("kind", "/" + "/".join(names))
    if kind == "file" and tree.only:
        return any(fnmatchcase(names[-1], sign) for sign in tree.only)
    return kind != "none"


def _split(path: str) -> Segments:
    return tuple(segment for segment in path.split("/") if segment)
