"""The git refs that a git command pushes, moves, creates or deletes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from ostiary.expressions import expression
from ostiary.programs.arguments import Arguments
from ostiary.words import Hole, Word, joined, word

Refs = tuple[Word, ...] | None

CURRENT: Final[tuple[Word, ...]] = ()
EVERY: Final = (Word((Hole("every ref", "computed"),)),)
_MAKING: Final = frozenset({"-b", "-B", "-c", "-C", "--orphan"})
_PREFIXES: Final = ("refs/heads/", "refs/tags/", "heads/", "tags/")


def refs(given: Arguments) -> Refs:
    """The refs that a call of git touches by name; empty for the branch that is checked out, None for no ref."""
    if given.data is None or given.data.path[0] != "git" or not given.subcommand:
        return None
    rule = _RULES.get(given.subcommand[0])
    return rule(given) if rule else None


def _push(given: Arguments) -> Refs:
    if _has(given, "--all", "--mirror", "--tags", "--prune") or any(item.many for item in given.operands):
        return EVERY
    named = given.operands if _has(given, "--repo") else given.operands[1:]
    written = [item for item in named if not item.prefix.startswith("^")]  # `^ref` takes one out again
    if len(written) < len(named) or (not written and configures_push(given)):
        return tuple(map(_destination, written)) or EVERY
    # What push runs sends all that both sides have where no ref is named.
    return _or_current(map(_destination, written)) or (EVERY if given.plain[1].text == "send-pack" else CURRENT)


def _http_push(given: Arguments) -> Refs:
    """The same over HTTP."""
    return _push(given) or EVERY


def configures_push(given: Arguments) -> bool:
    """Whether an option of git says what a push without refs pushes (the manual of config: `push.default`,
    `remote.NAME.push`, `branch.NAME.merge`)."""
    return any(
        "--config-env" in used.names or (used.kind == "setting" and PUSHES.match(used.value.prefix))
        for used in given.options
        if used.value is not None
    )


PUSHES: Final = expression(r"(?:push\.|remote\.|branch\.)|\Z|include", re.IGNORECASE)
"""Settings that change what a push without refs pushes, or that may."""


def _fetch(given: Arguments) -> Refs:
    moved = [item for item in given.operands[1:] if ":" in str(item)]
    return tuple(_destination(item) for item in moved) or None


def _worktree(given: Arguments) -> Refs:
    return tuple(_plain(used.value) for used in given.options if used.names & {"-b", "-B"} and used.value) or None


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
    """The branch that is made or switched to. Behind `--`, and behind a first operand, stand paths, which are restored
    (git's manual of checkout)."""
    made = tuple(used.value for used in given.options if used.names & _MAKING and used.value)
    ended = next((place for place, item in enumerate(given.plain) if item.text == "--"), len(given.plain))
    paths = ended + 1 < len(given.plain) or len(given.operands) > 1 or _has(given, "-p", "--pathspec-from-file")
    if made or paths or not given.operands:
        return tuple(map(_plain, made)) or None
    target = given.operands[0]
    return (Word((Hole("-", "computed"),)) if target.text == "-" else _plain(target),)


def perhaps_path(given: Arguments) -> bool:
    """Whether the one ref is a file instead, if there is a file of that name: `git checkout NAME` without `--`."""
    if given.data is None or given.data.path != ("git", "checkout") or any(item.text == "--" for item in given.plain):
        return False
    making = any(used.names & _MAKING for used in given.options)
    return len(given.operands) == 1 and given.operands[0].text != "-" and not making


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
    "http-push": _http_push,
    "worktree": _worktree,
    "fetch": _fetch,
    "branch": _branch,
    "tag": _tag,
    "checkout": _checkout,
    "switch": _checkout,
    "rebase": _rebase,
    "update-ref": _update_ref,
    "symbolic-ref": _update_ref,
    **dict.fromkeys(("commit", "merge", "pull", "reset", "cherry-pick", "revert", "am"), _current),
    **dict.fromkeys(("filter-branch", "filter-repo", "fast-import", "replace", "subtree"), _every),
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
    """What `[+]source[:destination]` writes: the destination, else the source. `:` alone is every ref that both sides
    have, a star any text."""
    for index, piece in enumerate(refspec.pieces):
        if isinstance(piece, str) and ":" in piece:
            rest = piece.partition(":")[2]
            found = joined([rest, *refspec.pieces[index + 1 :]])
            return _starred(_plain(found)) if found.pieces else EVERY[0]
    return _starred(_plain(refspec))


def _starred(ref: Word) -> Word:
    pieces: list[str | Hole] = []
    for piece in ref.pieces:
        if isinstance(piece, Hole):
            pieces.append(piece)
            continue
        for place, text in enumerate(piece.split("*")):
            pieces.extend([Hole("*", "computed")] if place else [])
            pieces.append(text)
    return joined(pieces)


def _plain(ref: Word) -> Word:
    """A ref without `+` and without the folder it lies in."""
    if ref.prefix.startswith("+"):
        ref = ref.after(1)
    for prefix in _PREFIXES:
        if ref.prefix.startswith(prefix):
            return ref.after(len(prefix))
    return ref if ref.pieces else word("")
