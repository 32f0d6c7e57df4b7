"""The grammar of path patterns in rules (`docs/rules.md`, *Paths*)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Final

from ostiary import patterns
from ostiary.expressions import expression
from ostiary.records import NamedTuple

Plan = tuple[Any, ...]

_DRIVE: Final = expression(r"[A-Za-z]:(?=[\\/]|$)")
_REGEX_ONLY: Final = frozenset("()|^$+\\{}")


def path_plan(pattern: str) -> Plan:
    """The plan of a path pattern: `("path", anchor, segments, directory_only)` or `("re", body, flags)`.

    `/x` is anchored at the root, `~/x` at the home, `./x` at the start root, `$workdirs/x` at any working directory;
    anything else floats. `**` stands for any number of segments, `*`, `?` and `[..]` for text inside one. A trailing
    slash means the directory and everything below it.

    `/body/flags` is a regular expression searched in the absolute path only where it says something that a path does
    not: its body has one of `( ) | ^ $ + \\ { }`, or it has the flag `i` and no slash inside. So `/etc/`, `/srv/x` and
    `/srv/app/i` are paths, `/\\.env$/` and `/secret/i` are expressions; the directory `/srv/i` is written `/srv/[i]`.

    Raises ValueError with a message for rule authors.
    """
    if len(pattern) > patterns.MAX_PATTERN:
        raise ValueError(f"pattern of {len(pattern)} characters is longer than {patterns.MAX_PATTERN}")
    if "\0" in pattern:
        raise ValueError("a path cannot hold a NUL character")
    found = patterns.explicit(pattern)
    if found and _means_expression(pattern, found[0]):
        patterns.compiled(*found)
        return ("re", *found)
    anchor, rest = _anchor(pattern)
    return ("path", anchor, _segments(rest, pattern), rest.endswith("/"))


def _means_expression(pattern: str, body: str) -> bool:
    flags = pattern.rpartition("/")[2]
    return bool(_REGEX_ONLY & set(body)) or ("i" in flags and "/" not in body)


def _anchor(pattern: str) -> tuple[str, str]:
    """The anchor of a pattern, and what follows it."""
    _refuse(pattern)
    if _DRIVE.match(pattern):
        return "root", pattern[:2].upper() + pattern[2:].replace("\\", "/")
    if pattern.startswith("/"):
        return "root", pattern[1:]
    for start, anchor in (("~", "home"), (".", "start"), ("$workdirs", "workdirs")):
        if pattern == start or pattern.startswith(start + "/"):
            return anchor, pattern[len(start) + 1 :]
    return "float", pattern


def _refuse(pattern: str) -> None:
    if not pattern.strip():
        raise ValueError("a path pattern cannot be empty")
    if pattern.startswith("!"):
        raise ValueError(
            f"`{pattern}` begins with `!`, which excludes nothing here; write the exclusion under `unless`"
        )
    if pattern.startswith("~") and not pattern.startswith("~/") and pattern != "~":
        raise ValueError(f"`{pattern}` names another user's home; write its absolute path")
    if pattern.startswith("$") and not re.match(r"\$workdirs(/|$)", pattern):
        raise ValueError(f"`{pattern}` begins with a variable; only `$workdirs/` is known, and `~/` for the home")


def _segments(rest: str, pattern: str) -> tuple[str, ...]:
    segments = tuple(segment for segment in rest.split("/") if segment not in ("", "."))
    for segment in segments:
        if segment == "..":
            raise ValueError(f"`{pattern}` has a `..` segment; write where it leads")
        if "**" in segment and segment != "**":
            raise ValueError(
                f"`**` must stand alone between slashes in `{pattern}`; did you mean `**/{_single(segment)}`"
            )
        _check_classes(segment, pattern)
    return tuple(item for index, item in enumerate(segments) if item != "**" or segments[index - 1 : index] != ("**",))


def _single(segment: str) -> str:
    return re.sub(r"\*\*+", "*", segment)


def _check_classes(segment: str, pattern: str) -> None:
    bare = re.sub(r"\\.", "", segment)
    if re.search(r"\[(?![!^]?.[^\]]*\])", bare):
        raise ValueError(f"`[` is never closed in `{pattern}`; write `[[]` for the character itself")


class Keyed(NamedTuple):
    """Path patterns by a name, without case, that every path they fit holds; empty for those that fit paths without one
    name in common. `named` gives the plans of a name."""

    names: Collection[str]
    named: Callable[[str], Sequence[Plan]]


def keyed(plans: Iterable[Plan]) -> Keyed:
    """Plans by name."""
    found: dict[str, list[Plan]] = {}
    for plan in plans:
        found.setdefault(key(plan), []).append(plan)
    return Keyed(found.keys(), found.__getitem__)


def key(plan: Plan) -> str:
    """A name, without case, that every path holds which the plan fits; empty if there is none."""
    segments = plan[2] if plan[0] == "path" else ()
    return next((item.casefold() for item in reversed(segments) if not _GLOB & set(item)), "")


_GLOB: Final = frozenset("*?[\\")


def shown(plan: Plan) -> str:
    """A plan as its author wrote it, for people."""
    if plan[0] == "re":
        return f"/{plan[1]}/{plan[2]}"
    start = {"root": "/", "home": "~/", "start": "./", "workdirs": "$workdirs/", "float": ""}[plan[1]]
    text = start + "/".join(plan[2])
    return text + "/" if plan[3] and not text.endswith("/") else text
