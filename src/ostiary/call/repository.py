"""The repository a part works in, and what may have checked out another branch of it before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ostiary import programs
from ostiary.call.gather import Gathered
from ostiary.call.layers import Layer
from ostiary.call.model import Part, Switch
from ostiary.programs import Arguments
from ostiary.records import NamedTuple, replace
from ostiary.shell.model import Assignment
from ostiary.words import Hole, Word, joined, word

UNKNOWN: Final = Word((Hole("repository", "computed"),))
_CONFIGURED: Final = Switch(Word((Hole("GIT_CONFIG", "computed"),)))
_STORES: Final = frozenset({"GIT_DIR", "GIT_COMMON_DIR"})
_PLACES: Final = _STORES | {"GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"}
_BARE: Final = frozenset({"--bare"})
_MAKING: Final = (("init",), ("clone",))


class Moment(NamedTuple):
    """When a part runs: the positions of the parts around it and its own, those that have succeeded before, whether it
    may run again later, and what it checks out."""

    order: tuple[int, ...] = ()
    passed: frozenset[int] = frozenset()
    again: bool = False
    switches: tuple[Switch, ...] = ()

    def at(self, place: int, passed: Sequence[int], again: bool) -> Moment:
        """The moment of a command inside this one."""
        return Moment((*self.order, place), self.passed.union(passed) if passed else self.passed, self.again or again)

    def checking_out(self, layers: Iterable[Arguments]) -> Moment:
        """With what the command checks out."""
        found = [Switch(*item) for given in layers if (item := programs.switched(given)) is not None]
        return self._replace(switches=tuple(found)) if found else self


START: Final = Moment()


def switched(parts: Sequence[Part], moments: Mapping[int, Moment]) -> tuple[Part, ...]:
    """The parts, each with the switches that may come before it. One that is not sure may have failed."""
    switching = [(place, moment) for place, moment in moments.items() if moment.switches]
    switching.sort(key=lambda pair: pair[1].order)
    found = list(parts)
    for place, moment in moments.items():
        before = tuple(
            [
                switch._replace(sure=switch.sure and other in moment.passed and not moment.again)
                for other, earlier in switching
                if other != place and (earlier.order < moment.order or moment.again)
                for switch in earlier.switches
            ]
        )
        environment = parts[place].environment
        if environment and any(name.startswith("GIT_CONFIG") for name, _ in environment):
            before = (*before, _CONFIGURED)
        if before:
            found[place] = replace(parts[place], switches=before)
    return tuple(found)


def repository(
    layers: tuple[Layer, ...],
    base: Word | None,
    assignments: Sequence[Assignment],
    environment: Sequence[tuple[str, Word]],
) -> Word | None:
    """The folder whose repository the command works in, relative to its directory; None for the directory itself. A
    variable that was set before may not be exported, so that it is unknown whether git sees it."""
    stores: list[Word] = []
    if environment:
        here = [(item.name, item.value) for item in assignments]
        here += [item for layer in layers for item in map(programs.split_assignment, layer.arguments.assignments)]
        stores = [value for name, value in here if name in _STORES]
    for layer in layers:
        data = layer.arguments.data
        if data is not None and data.path[0] == "git":
            stores += _options(layer.arguments)
    if stores:
        return _around(stores[-1], base)
    return UNKNOWN if any(name in _STORES for name, _ in environment) else base


def stores(layers: tuple[Layer, ...], environment: Sequence[tuple[str, Word]], out: Gathered) -> None:
    """Variables that say where git keeps or checks out files."""
    if any(layer.arguments.data is not None and layer.arguments.data.path[0] == "git" for layer in layers):
        for name, value in environment:
            if name in _PLACES:
                out.path(value, "write", "delete", certain=False)


def _options(given: Arguments) -> Iterable[Word]:
    """What git's own options name as the repository; `--bare` takes the directory itself for one."""
    for used in given.options:
        if "--git-dir" in used.names and used.value is not None:
            yield used.value
        elif used.names == _BARE and given.subcommand[:1] not in _MAKING:
            yield UNKNOWN


def _around(store: Word, base: Word | None) -> Word:
    """The folder that holds a `.git`; any other store may belong to a worktree or to no folder at all."""
    text = None if store.text is None else store.text.rstrip("/")
    if text is None or (text != ".git" and not text.endswith("/.git")):
        return UNKNOWN
    folder = word(text.removesuffix(".git").rstrip("/") or ("/" if text.startswith("/") else "."))
    if base is None or (folder.text or "").startswith(("/", "~")):
        return folder
    return joined([*base.pieces, "/", *folder.pieces])
