"""Links that a script makes: what it touches at or below their names later, it may touch where they lead.

A copy or a move leads to what was copied. What comes out of an archive, a clone or a package may hold links to
anywhere, so that a path below the folder it was put into may be any path.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ostiary.call.model import Access, Invocation, Part
from ostiary.call.places import directory
from ostiary.facts import Given
from ostiary.records import NamedTuple, replace
from ostiary.words import Hole, Word, joined, word

MAX_LINKS: Final = 64
"""Links of one call that are followed; what others made besides may lead anywhere from any path."""

_MAKING: Final = {
    **dict.fromkeys(("ln", "mv", "mount")),
    "cp": frozenset(
        ("-s", "--symbolic-link", "-l", "--link", "-r", "-R", "--recursive", "-a", "--archive", "-d", "-P")
    ),
    "rsync": frozenset({"-a", "--archive", "-l", "--links", "-r", "--recursive"}),
}
_INTO: Final = frozenset({"-t", "--target-directory"})
_ANYWHERE: Final = Word((Hole("link", "computed"),))
_UNTOLD: Final = "/\0"
"""The directory of a part of which it is not told; such parts may run in the same one."""


_UNPACKING: Final = {
    **dict.fromkeys(("tar", "gtar", "bsdtar"), frozenset({"-x"})),
    **dict.fromkeys(("unzip", "unar"), frozenset({""})),
    **dict.fromkeys(("7z", "7za", "7zz", "7zr", "unrar"), frozenset({"x", "e"})),
    **dict.fromkeys(("npm", "pnpm", "bun"), frozenset({"install", "add", "ci"})),
    "yarn": frozenset({"install", "add", "bare"}),
    "composer": frozenset({"install", "update", "require"}),
    "cpio": frozenset({"-i"}),
    "jar": frozenset({"xf", "xvf", "-xf", "-xvf", "x"}),
    **dict.fromkeys(("zipfile", "tarfile"), frozenset({"-e"})),
    "git": frozenset({"clone", "worktree add", "submodule update", "submodule add"}),
    "gh": frozenset({"repo clone"}),
    "glab": frozenset({"repo clone"}),
    "hg": frozenset({"clone"}),
    "svn": frozenset({"checkout", "co", "export"}),
    **dict.fromkeys(("docker", "podman"), frozenset({"cp", "container cp"})),
    "Expand-Archive": frozenset({""}),
}
"""What puts files somewhere, links among them: programs by their subcommands, options or first word (all, with an
empty one; `bare` for none)."""

_KNOWN: Final = frozenset({*_MAKING, *_UNPACKING, "mklink"})
_NAMED_AFTER: Final = frozenset({"clone", "repo clone"})
_HERE: Final = frozenset({"7z", "7za", "7zz", "7zr", "unrar", "unar", "jar", "svn", "hg"})


class Link(NamedTuple):
    """A link by its absolute name, and where it leads: an absolute or unknown path."""

    name: str
    target: Word


_REST: Final = Link("", _ANYWHERE)
"""What stands for the links beyond those that are followed."""


def followed(parts: Sequence[Part], given: Given) -> tuple[Part, ...]:
    """The parts, each with possible accesses to what it reaches through a link of the same call. The order in which
    they run is not looked at: a loop or a function may turn it round."""
    links = {link: place for place, part in enumerate(parts) for link in _made(part, given)}
    if not links:
        return tuple(parts)
    known, left = tuple(links.items())[:MAX_LINKS], frozenset(tuple(links.values())[MAX_LINKS:])
    return tuple(
        _through(
            part, [*(link for link, maker in known if maker != place), *([_REST] if left - {place} else [])], given
        )
        for place, part in enumerate(parts)
    )


def _through(part: Part, links: Sequence[Link], given: Given) -> Part:
    further = [found for access in part.accesses for link in links for found in _reached(access, part, link, given)]
    new = tuple(dict.fromkeys(access for access in further if access not in part.accesses))
    if not new:
        return part
    return replace(part, accesses=(*part.accesses, *new), complete=False, pure=False)


def _reached(access: Access, part: Part, link: Link, given: Given) -> Iterator[Access]:
    """The same access through a link. Deleting a link leaves what it leads to."""
    if access.kind == "connect":
        return
    rest = _below(access.target, link.name, part.cwd, given)
    if link.name and link.target == _ANYWHERE:
        if rest is not None and rest.pieces:
            yield replace(access, target=_ANYWHERE, certain=False, tree=None)
        return
    if rest is not None and (rest.pieces or access.kind != "delete"):
        yield replace(access, target=joined([*link.target.pieces, *rest.pieces]), certain=False)


def _below(target: Word, name: str, cwd: str | None, given: Given) -> Word | None:
    """What a path adds to a name that it begins with, None if it does not; unknown where a hole may hold the name."""
    known = directory(word(target.prefix or "."), cwd or _UNTOLD, given)
    if known is None:
        return None
    slash = "/" if target.prefix.endswith("/") and not known.endswith("/") else ""
    known += slash
    if target.text is not None:
        return word(known[len(name) :]) if known == name or known.startswith(f"{name}/") else None
    if known.startswith(f"{name}/"):
        return Word((known[len(name) :], *target.pieces[1 if target.prefix else 0 :]))
    first = target.holes[0]
    if first.kind in ("glob", "found") and name.startswith(known):
        return Word(("/", first._replace(source="**", kind="computed")))
    return None


def _made(part: Part, given: Given) -> Iterator[Link]:
    """The links that a part makes, under the name it gives and, as that may be a folder, inside of it."""
    for invocation in part.invocations[-1:]:
        if invocation.name not in _KNOWN:
            continue
        if _unpacks(invocation, part):
            yield from (Link(place, _ANYWHERE) for place in _unpacked(invocation, part, given))
            return
        for target, name in _pairs(invocation):
            place = directory(name, part.cwd or _UNTOLD, given)
            if place is not None:
                leading = _slashed(target) if given.windows else target
                yield Link(place, _absolute(leading, place.rpartition("/")[0]))
                if base := (leading.text or "").rstrip("/").rpartition("/")[2]:
                    yield Link(f"{place.rstrip('/')}/{base}", _absolute(leading, place))


def _unpacks(invocation: Invocation, part: Part) -> bool:
    """Whether a command puts files somewhere of which the text does not tell what they are."""
    if invocation.name == "rsync":
        return any(access.kind == "connect" for access in part.accesses)
    wanted = _UNPACKING.get(invocation.name or "")
    return wanted is not None and not wanted.isdisjoint(_words(invocation))


def _words(invocation: Invocation) -> Iterator[str]:
    yield ""
    first, second = (*invocation.subcommand, "", "")[:2]
    yield from (first, f"{first} {second}")
    yield from (item.text or "" for item in invocation.operands[:1])
    for option in invocation.options:
        yield from option.names
    if not invocation.subcommand and not invocation.operands:
        yield "bare"


def _unpacked(invocation: Invocation, part: Part, given: Given) -> Iterator[str]:
    """The folders that a command puts files into."""
    places = [access.target for access in part.accesses if access.kind == "write"]
    if not _NAMED_AFTER.isdisjoint(_words(invocation)):
        *_, last = invocation.operands or (word("."),)
        places = [word((last.text or ".").rstrip("/").rpartition("/")[2].removesuffix(".git"))]
        base = next((option.value for option in invocation.options if option.names & {"-C"}), None)
        places = [joined([*base.pieces, "/", *places[0].pieces])] if base else places
    if invocation.name in _HERE:
        places.append(word("."))
    for place in places:
        folder = directory(place, part.cwd or _UNTOLD, given)
        if folder is not None:
            yield folder


def _pairs(invocation: Invocation) -> Iterator[tuple[Word, Word]]:
    """What a command links, each with the name or folder of the link."""
    operands = invocation.operands
    if invocation.name == "mklink":
        yield from [(operands[1], operands[0])] if len(operands) > 1 else []
        return
    wanted = _MAKING.get(invocation.name or "", frozenset())
    if wanted is not None and not any(option.names & wanted for option in invocation.options):
        return
    places = [option.value for option in invocation.options if option.names & _INTO and option.value is not None]
    if not places and len(operands) > 1:
        places, operands = [operands[-1]], operands[:-1]
    for target in operands:
        yield target, places[0] if places else word(".")


def _absolute(target: Word, folder: str) -> Word:
    """Where a link leads: relative targets are taken from the folder it lies in."""
    if target.prefix.startswith(("/", "~")) or target.prefix[1:2] == ":":
        return target
    if not target.prefix or folder.startswith(_UNTOLD):
        return _ANYWHERE
    return joined([f"{folder}/", *target.pieces])


def _slashed(item: Word) -> Word:
    return Word(
        tuple(piece.replace("\\", "/") if isinstance(piece, str) else piece for piece in item.pieces), item.many
    )
