"""The git refs that a git command pushes, moves, creates or deletes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from ostiary.programs.arguments import Arguments
from ostiary.words import Hole, Word, joined, word

Refs = tuple[Word, ...] | None

CURRENT: Final[tuple[Word, ...]] = ()
EVERY: Final = (Word((Hole("every ref", "computed"),)),)
_PREFIXES: Final = ("refs/heads/", "refs/tags/", "heads/", "tags/")


def refs(given: Arguments) -> Refs:
    """The refs that a call of git touches by name; empty for the branch that is checked out, None for no ref."""
    if given.data is None or given.data.path[0] != "git" or not given.subcommand:
        return None
    rule = _RULES.get(given.subcommand[0])
    return rule(given) if rule else None


def _push(given: Arguments) -> Refs:
    if _has(given, "--all", "--mirror", "--tags", "--prune"):
        return EVERY
    named = given.operands if _has(given, "--repo") else given.operands[1:]
    return _or_current(_destination(item) for item in named)


def _fetch(given: Arguments) -> Refs:
    moved = [item for item in given.operands[1:] if ":" in str(item)]
    return tuple(_destination(item) for item in moved) or None


def _branch(given: Arguments) -> Refs:
    listing = ("--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "--show-current")
    if _has(given, *listing, "-a", "-r") and not _has(given, "-d", "-D"):
        return None
    if given.operands:
        return tuple(_plain(item) for item in (given.operands if _moves(given) else _first_or_all(given)))
    return CURRENT if _moves(given) or _has(given, "--edit-description", "--unset-upstream", "-u") else None


def _first_or_all(given: Arguments) -> tuple[Word, ...]:
    """`branch NAME [START]` creates one ref, `branch -d NAME...` deletes all."""
    return given.operands if _has(given, "-d", "-D") else given.operands[:1]


def _moves(given: Arguments) -> bool:
    return _has(given, "-m", "-M", "-c", "-C")


def _tag(given: Arguments) -> Refs:
    if _has(given, "--list", "--verify", "--contains", "--points-at", "--merged") or not given.operands:
        return None
    return tuple(_plain(item) for item in (given.operands if _has(given, "-d") else given.operands[:1]))


def _checkout(given: Arguments) -> Refs:
    made = [used.value for used in given.options if used.names & {"-b", "-B", "-c", "-C", "--orphan"} and used.value]
    return tuple(_plain(item) for item in made) or None


def _rebase(given: Arguments) -> Refs:
    return _or_current(_plain(item) for item in given.operands[1:])


def _update_ref(given: Arguments) -> Refs:
    return tuple(_plain(item) for item in given.operands[:1]) or EVERY


def _current(given: Arguments) -> Refs:  # noqa: ARG001 the rules share one signature
    return CURRENT


def _every(given: Arguments) -> Refs:  # noqa: ARG001 the rules share one signature
    return EVERY


_RULES: Final[dict[str, Callable[[Arguments], Refs]]] = {
    "push": _push,
    "fetch": _fetch,
    "branch": _branch,
    "tag": _tag,
    "checkout": _checkout,
    "switch": _checkout,
    "rebase": _rebase,
    "update-ref": _update_ref,
    "symbolic-ref": _update_ref,
    **dict.fromkeys(("commit", "merge", "pull", "reset", "cherry-pick", "revert", "am"), _current),
    **dict.fromkeys(("filter-branch", "filter-repo", "fast-import", "replace"), _every),
}


def _has(given: Arguments, *names: str) -> bool:
    return any(not used.names.isdisjoint(names) for used in given.options)


def _or_current(found: Iterable[Word]) -> tuple[Word, ...]:
    """The refs that are named; none where each is the branch that is checked out."""
    named = tuple(found)
    if all(item.text in ("HEAD", "@") for item in named):
        return CURRENT
    return tuple(Word((Hole("HEAD", "computed"),)) if item.text in ("HEAD", "@") else item for item in named)


def _destination(refspec: Word) -> Word:
    """What `[+]source[:destination]` writes: the destination, else the source."""
    for index, piece in enumerate(refspec.pieces):
        if isinstance(piece, str) and ":" in piece:
            rest = piece.partition(":")[2]
            return _plain(joined([rest, *refspec.pieces[index + 1 :]]))
    return _plain(refspec)


def _plain(ref: Word) -> Word:
    """A ref without `+` and without the folder it lies in."""
    if ref.prefix.startswith("+"):
        ref = ref.after(1)
    for prefix in _PREFIXES:
        if ref.prefix.startswith(prefix):
            return ref.after(len(prefix))
    return ref if ref.pieces else word("")
