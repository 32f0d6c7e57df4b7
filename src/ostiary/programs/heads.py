"""Which branch is checked out after a git command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ostiary.programs.arguments import Arguments
from ostiary.programs.refs import PUSHES, perhaps_path, refs
from ostiary.words import Hole, Word, word

Head = tuple[Word, bool, bool]
"""The branch, whether it is surely that one if the command succeeds, and whether the name may be a path."""

UNKNOWN: Final[Head] = (Word((Hole("HEAD", "computed"),)), True, False)


def switched(given: Arguments) -> Head | None:
    """The branch that a command checks out, or that it makes a later push mean; None if it leaves that alone."""
    if given.data is None or not given.subcommand:
        return None
    if given.data.path[0] == "gh":
        return UNKNOWN if given.subcommand[-1] in ("checkout", "co", "develop") else None
    if given.data.path[0] != "git":
        return None
    if given.unknown_subcommand and len(given.subcommand) == 1:
        return UNKNOWN  # an alias, or a program of that name
    rule = _RULES.get(given.subcommand[0])
    return rule(given) if rule else None


def _checkout(given: Arguments) -> Head | None:
    named = refs(given)
    if named is None:
        return UNKNOWN if _has(given, "-d") else None
    return _plain_head(named[-1], path=perhaps_path(given))


def _branch(given: Arguments) -> Head | None:
    """Renaming another branch leaves the one that is checked out alone, and so is no sure switch; a new upstream is
    where some configurations push to."""
    for used in given.options:
        if "-u" in used.names and used.value is not None:
            _, slash, name = used.value.prefix.partition("/")
            known = used.value.after(len(used.value.prefix) - len(name)) if slash else UNKNOWN[0]
            return (known, False, False)
    if not _has(given, "-m", "-M") or not given.operands:
        return None
    return _plain_head(given.operands[-1], sure=len(given.operands) == 1)


def _rebase(given: Arguments) -> Head | None:
    return _plain_head(given.operands[1]) if len(given.operands) > 1 else None


def _symbolic_ref(given: Arguments) -> Head | None:
    if len(given.operands) < 2 or given.operands[0].text != "HEAD":
        return None
    target = given.operands[1]
    return _plain_head(target.after(11) if target.prefix.startswith("refs/heads/") else UNKNOWN[0])


def _config(given: Arguments) -> Head | None:
    """A setting that says what a push without refs pushes."""
    words = [*given.subcommand[1:], *(item.prefix for item in given.operands)]
    return UNKNOWN if len(words) > 1 and any(PUSHES.match(text) for text in words[:2]) else None


def _unknown(given: Arguments) -> Head | None:  # noqa: ARG001 the rules share one signature
    return UNKNOWN


def _stash(given: Arguments) -> Head | None:
    return UNKNOWN if given.subcommand[1:2] == ("branch",) else None


_RULES: Final[dict[str, Callable[[Arguments], Head | None]]] = {
    "checkout": _checkout,
    "switch": _checkout,
    "branch": _branch,
    "rebase": _rebase,
    "symbolic-ref": _symbolic_ref,
    "config": _config,
    "stash": _stash,
    "bisect": _unknown,
}


def _plain_head(name: Word, path: bool = False, sure: bool = True) -> Head:
    return (name if name.pieces else word("-"), sure, path)


def _has(given: Arguments, *names: str) -> bool:
    return any(not used.names.isdisjoint(names) for used in given.options)
