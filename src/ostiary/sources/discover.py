"""Every rule file of an event, tier by tier, each read once (law L9)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal

from ostiary.problems import Problem
from ostiary.records import dataclass, replace
from ostiary.sources.files import Unreadable, exists, read
from ostiary.sources.looks import isdir, lexists, listdir, realpath
from ostiary.sources.owners import wrong
from ostiary.sources.places import Managed, Places
from ostiary.sources.roots import RulesFolder
from ostiary.tiers import TierName

if TYPE_CHECKING:
    from ostiary.foreign import Origin  # for those alone who want other agents' hooks

POLICY: Final = "policy.yaml"
POLICIES: Final = "policy.d"
PLUGINS: Final = "plugins"

Holds = Literal["rules", "programs", "tools", "settings", "hooks"]
"""What a file holds: rules, definitions of programs or of arguments of tools, settings, or another agent's hooks."""

DEFINITIONS: Final[tuple[Holds, ...]] = ("programs", "tools")
"""Folders whose files hold definitions, by what they hold."""

_SUFFIX: Final = ".yaml"
_NEARLY: Final = ".yml"
_MEGABYTE: Final = 1 << 20
_MOST_PLUGINS: Final = 64


@dataclass(frozen=True, slots=True)
class Budget:
    """What the files of one tier may come to (law L7): bytes of one file, bytes of all, how many."""

    file: int
    total: int
    files: int


OWN: Final = Budget(file=4 * _MEGABYTE, total=64 * _MEGABYTE, files=1024)
FOREIGN: Final = Budget(file=_MEGABYTE, total=_MEGABYTE, files=64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One rule file, or a file of what it `holds` else. `label` is its name for people. `folder` is the resolved folder
    that its includes stay inside, `within` the resolved folders that links to the file itself lead into (empty:
    anywhere). `root` is the root of its project, None outside of projects; `reviewable` says that a review can let it
    loosen. `limit` bounds what it includes (bytes). `origin` is there for another agent's settings. `raw` are its
    bytes, None with the `problem` that kept them from being read."""

    tier: TierName
    path: str
    label: str
    folder: str
    within: tuple[str, ...]
    limit: int
    root: str | None = None
    reviewable: bool = False
    holds: Holds = "rules"
    origin: Origin | None = None
    raw: bytes | None = None
    problem: Problem | None = None

    @property
    def defines(self) -> bool:
        """Whether it holds definitions, without which nothing is said, rather than what says something."""
        return self.holds in DEFINITIONS

    def broken(self, why: str, help: str = "") -> Source:
        """The same source as one that cannot be used."""
        return replace(self, raw=None, problem=Problem(self.label, 0, 0, "", why, help))


def discover_own(places: Places) -> tuple[Source, ...]:
    """The managed sources, then the user's. A folder that was named and is not there is broken: who registered it
    wanted its rules."""
    user = Source(
        tier="user",
        path=places.user,
        label=places.user,
        folder=realpath(places.user),
        within=(),  # people keep their files elsewhere and link them; whoever can make that link can write the file
        limit=OWN.file,
    )
    if missing(places):
        found = user.broken("it does not exist", f"run `ostiary init --config-dir {places.user}`")
    elif places.named and not isdir(places.user):
        found = user.broken("it is not a folder", "name the folder that holds the rule files")
    else:
        return (*_managed(places.managed), *read_all(_files(user), OWN))
    return (*_managed(places.managed), found)


def missing(places: Places) -> bool:
    """Whether the user's folder was named and is not there. Nothing may be written into it then: that would make it."""
    return places.named and not exists(places.user)


def discover_projects(folders: Iterable[RulesFolder]) -> tuple[Source, ...]:
    """The sources in rules folders of projects, in the order of the folders. What they may include is one budget too,
    shared out among them."""
    found = tuple(read_all((file for folder in folders for file in _files(_project(folder))), FOREIGN))
    return tuple(replace(source, limit=FOREIGN.total // len(found)) for source in found)


def discover_plugins(places: Places) -> tuple[Source, ...]:
    """The sources in the folders of plugins, which lie beside the user's rules, by name. A folder that several links
    lead to comes once. Each plugin has a budget of its own, so that none keeps another's rules from being read."""
    top = os.path.join(places.user, PLUGINS)
    try:
        names = sorted(name for name in listdir(top) if not name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        return (_plugin(top).broken(_unlisted(error)),)
    first: dict[str, Source] = {}
    for name in names:
        plugin = _plugin(os.path.join(top, name))
        first.setdefault(plugin.folder, plugin)
    found = list(first.values())
    more = [plugin.broken(f"there are more than {_MOST_PLUGINS} plugins") for plugin in found[_MOST_PLUGINS:]]
    return (*(source for plugin in found[:_MOST_PLUGINS] for source in _plugged(plugin)), *more[:1])


def _plugin(path: str) -> Source:
    folder = realpath(path)
    return Source(tier="plugin", path=path, label=path, folder=folder, within=(folder,), limit=FOREIGN.file)


def _plugged(plugin: Source) -> Iterator[Source]:
    """The sources of one plugin. What is no folder is none; a link to nothing was one."""
    if not lexists(plugin.folder):
        yield plugin.broken("it is a link to nothing", "remove the link")
        return
    found = tuple(read_all(_files(plugin), FOREIGN))
    yield from (replace(source, limit=FOREIGN.total // len(found)) for source in found)


def _managed(managed: Managed) -> Iterator[Source]:
    """A managed place that fails its checks is broken, not absent: a careless `chmod` must not end a fleet's policy."""
    if not exists(managed.path):
        return
    folder = realpath(managed.path)
    place = Source(
        tier="managed", path=managed.path, label=managed.path, folder=folder, within=(folder,), limit=OWN.file
    )
    reason = wrong(managed, managed.path) or ("" if isdir(folder) else "it is not a folder")
    if reason:
        yield place.broken(reason, _MANAGED_HELP)
        # What its files said before goes on beside the question, so that a deny stays one.
        yield from (file.broken(reason, _MANAGED_HELP) for file in islice(_files(place), OWN.files))
        return
    yield from (checked(source, managed) for source in read_all(_files(place), OWN))


def checked(source: Source, managed: Managed) -> Source:
    """A file of a managed place, broken if it is not in the hands of administrators only."""
    reason = wrong(managed, source.path)
    return source.broken(reason, _MANAGED_HELP) if reason else source


_MANAGED_HELP: Final = "managed rules, and every folder above them, must be writable by administrators only"


def _project(folder: RulesFolder) -> Source:
    start = folder.reviewable
    label = os.path.relpath(folder.path, folder.root).replace(os.sep, "/") if start else folder.path
    return Source(
        tier="project",
        path=folder.path,
        label=label,
        folder=realpath(folder.path),
        within=(folder.root,),
        limit=FOREIGN.file,
        root=folder.root,
        reviewable=start,
    )


def _files(place: Source) -> Iterator[Source]:
    """The files of a folder, not yet read."""
    for name in (POLICY, POLICY.replace(_SUFFIX, _NEARLY)):
        if exists(os.path.join(place.path, name)):
            yield _member(place, name)
    yield from _folder(place, POLICIES)
    for holds in DEFINITIONS:
        yield from _folder(replace(place, holds=holds), holds)


def _folder(place: Source, folder: str) -> Iterator[Source]:
    try:
        names = sorted(listdir(os.path.join(place.path, folder)))
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        yield _member(place, folder).broken(_unlisted(error))
        return
    for name in names:
        # Editors and file systems keep names with a dot in front for themselves.
        if name.endswith((_SUFFIX, _NEARLY)) and not name.startswith("."):
            yield _member(place, f"{folder}/{name}")


def _unlisted(error: OSError) -> str:
    return f"the folder cannot be read ({(error.strerror or 'unknown').lower()})"


def _member(place: Source, name: str) -> Source:
    separator = "/" if place.reviewable else os.sep
    label = separator.join((place.label, *name.split("/")))
    return replace(place, path=os.path.join(place.path, *name.split("/")), label=label)


def read_all(files: Iterable[Source], budget: Budget) -> Iterator[Source]:
    """The files that are there, with their bytes or what kept them from being read."""
    left = budget.total
    for count, file in enumerate(files):
        if count == budget.files:
            yield file.broken(f"there are more than {budget.files} files here, and the rest is not read")
            return
        source = _read(file, min(left, budget.file))
        if source:
            left -= len(source.raw or b"")
            yield source


def _read(file: Source, limit: int) -> Source | None:
    """The file with its bytes; None if it went away meanwhile."""
    if file.problem:
        return file
    if file.path.endswith(_NEARLY):
        return file.broken(f"it is not read, as rule files end in `{_SUFFIX}`", "rename it")
    try:
        return replace(file, raw=read(file.path, limit, file.within))
    except FileNotFoundError:
        return None
    except Unreadable as error:
        return file.broken(str(error))
