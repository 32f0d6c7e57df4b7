"""Trees: a search reads the files below a folder, so a rule about one of them may concern it.

Looked for is what the literal names of a pattern come to: `docs/private/**` below `docs`, `.env` beside the search's
start. Where such a file or folder exists the search perhaps reads it. Where hidden files are read, too, what floats
(`.env`, `**/*.pem`) is looked for at any depth, in a listing; a folder with too much in it perhaps holds it. Searches
that leave out what a repository ignores would list too much, so there it is only looked for where they start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from itertools import takewhile
from typing import Final

from ostiary import patterns
from ostiary.answers import MAYBE, NO, Answer
from ostiary.facts import Given, Knowledge
from ostiary.paths.glob import path_matches, segment_matches, split
from ostiary.paths.match import bases
from ostiary.paths.plan import Plan
from ostiary.paths.spelling import spelled
from ostiary.records import NamedTuple
from ostiary.words import Word

Segments = tuple[str, ...]


class Tree(NamedTuple):
    """How a folder is searched. `hidden`: names that begin with a dot are, too. Of files only those are read whose
    names fit one of `only` (globs; empty: all), nothing whose name fits one of `skipped`. `unignored`: nothing that the
    repository's ignore files leave out."""

    hidden: bool = True
    only: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    unignored: bool = False


_SIGNS: Final = frozenset("*?[\\")

# Steps of looking for what one pattern names, and entries of a listing that are looked at for one step.
_PLAN: Final = 2
_ENTRIES: Final = 16

TreeMatcher = Callable[[Word, Tree, str | None, Knowledge], Answer]


def tree_matcher(plans: tuple[Plan, ...]) -> TreeMatcher:
    """Whether a tree perhaps holds what the patterns name: maybe or no. This is the reading of a rule that stops; an
    allow covers a tree by its folder."""

    def match(target: Word, tree: Tree, cwd: str | None, knowledge: Knowledge) -> Answer:
        path = spelled(target, cwd, knowledge)
        if not path.known:
            return NO
        if not patterns.spend(_PLAN * len(plans)):
            return MAYBE
        root = split(path.text)
        for plan in plans:
            for names in _places(plan, root, knowledge.given):
                below = names[: len(root)] == root and len(names) > len(root)
                if below and _is_read(names, len(root), tree, knowledge):
                    return MAYBE
        floating = [found for plan in plans if tree.hidden and (found := _floating(plan, tree))]
        return _listed(floating, root, tree, knowledge) if floating else NO

    return match


def _places(plan: Plan, root: Segments, given: Given) -> Iterator[Segments]:
    """Where the literal names that a pattern begins with may be, if anything below the root is meant."""
    if plan[0] == "re":
        return
    _, anchor, segments, _ = plan
    if anchor != "float":
        for base in bases(anchor, given):
            yield (*split(base), *_literal(segments))
        return
    names = _literal(segments[1:] if segments[:1] == ("**",) else segments)
    if not names:
        return
    yield (*root, *names)
    for base in bases("start", given):
        yield (*split(base), *names)
    for shared in range(1, len(names)):
        if root[-shared:] == names[:shared]:
            yield (*root[:-shared], *names)


def _floating(plan: Plan, tree: Tree) -> Segments:
    """What a pattern that reaches any depth names at its end; nothing where only files with other names are read."""
    if plan[0] == "re" or plan[1] != "float":
        return ()
    segments: Segments = plan[2]
    while segments[:1] == ("**",):
        segments = segments[1:]
    while segments[-1:] == ("**",):
        segments = segments[:-1]
    whole = segments == plan[2][-len(segments) :] and not plan[3]
    if whole and segments and tree.only and not any(_may_fit(segments[-1], sign) for sign in tree.only):
        return ()
    return segments


def _may_fit(name: str, sign: str) -> bool:
    """Whether a file with a name that the pattern's last part covers may be among those that are read."""
    return bool(_SIGNS & set(name)) or fnmatchcase(name, sign)


def _listed(floating: list[Segments], root: Segments, tree: Tree, knowledge: Knowledge) -> Answer:
    """Whether something below a folder has one of these names at its end."""
    names = knowledge.ask("listing", "/" + "/".join(root))
    if not isinstance(names, Mapping):
        return MAYBE
    for segments in floating:
        if not patterns.spend(len(names) // _ENTRIES if _SIGNS & set(segments[-1]) else 1):
            return MAYBE
        for name in (segments[-1],) if not _SIGNS & set(segments[-1]) else names:
            folders = names.get(name, ()) if segment_matches(segments[-1], name) else ()
            if not patterns.spend(len(folders)):
                return MAYBE
            for folder in folders:
                inside = (*split(folder), name)
                if _among(segments, (*root, *inside), len(root), tree, knowledge):
                    return MAYBE
    return NO


def _among(segments: Segments, names: Segments, above: int, tree: Tree, knowledge: Knowledge) -> bool:
    """Whether a listed path ends in these names and is read."""
    if any(fnmatchcase(name, sign) for name in names[above:] for sign in tree.skipped):
        return False
    covered = path_matches(("**", *segments), names) and _fits(names[-1], tree)
    return covered and not _left_out(names, tree, knowledge)


def _fits(name: str, tree: Tree) -> bool:
    """Whether an entry may be read, or hold files that are. A name with no dot inside may be a folder."""
    return not tree.only or "." not in name[1:] or any(fnmatchcase(name, sign) for sign in tree.only)


def _literal(segments: Segments) -> Segments:
    return tuple(takewhile(lambda segment: not _SIGNS & set(segment), segments))


def _is_read(names: Segments, above: int, tree: Tree, knowledge: Knowledge) -> bool:
    inside = names[above:]
    if not tree.hidden and any(name.startswith(".") for name in inside):
        return False
    if any(fnmatchcase(name, sign) for name in inside for sign in tree.skipped):
        return False
    kind = knowledge.ask("kind", "/" + "/".join(names))
    if kind == "none" or _left_out(names, tree, knowledge):
        return False
    return kind != "file" or not tree.only or any(fnmatchcase(names[-1], sign) for sign in tree.only)


def _left_out(names: Segments, tree: Tree, knowledge: Knowledge) -> bool:
    return tree.unignored and knowledge.ask("ignored", "/" + "/".join(names)) is True
