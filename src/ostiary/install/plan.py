"""What installing and uninstalling change in an agent's settings file.

Pure: the text of the file in, a `Change` out. Our entries are known by the command they run, so that an older one is
brought up to date, a narrowed one is widened, and nothing else is touched.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from ostiary.dialects.base import NOTHING, Dialect, OnError, Registration, Slot, Syntax, Template
from ostiary.dialects.bodies import filled
from ostiary.install import json_text
from ostiary.install.json_text import JsonTextError, Place
from ostiary.install.lines import bash_line, closed_line, shell_line
from ostiary.install.sending import sends
from ostiary.problems import Problem
from ostiary.records import NamedTuple, dataclass

_EVERYTHING: Final = (None, "", "*", ".*")  # matchers that leave nothing out
_COMMANDS: Final = ("command", "exec", "bash", "powershell", "windows", "linux", "osx")  # keys that start a program
_NEW_FILE: Final = "{}\n"
_READS: Final[Mapping[Syntax, str]] = {
    "json": "plain JSON: no comments, no commas at the end",
    "comments": "JSON with comments, but without commas at the end",
    "commas": "JSON with comments and commas at the end",
}
_Container = TypeVar("_Container", dict[str, Any], list[Any])
_HERE: Final = r"http://127\.0\.0\.1:\d+"
_ABSOLUTE: Final = re.compile(r"/|[A-Za-z]:[\\/]|\\\\")


@dataclass(frozen=True, slots=True)
class Change:
    """A settings file before (None: there was none) and after (empty: there is none). `executable`: it is a program."""

    before: str | None
    after: str
    executable: bool = False

    @property
    def needed(self) -> bool:
        """Whether there is anything to write."""
        return (self.before or "") != self.after

    @property
    def removes(self) -> bool:
        """Whether nothing is left of a file that was there."""
        return bool(self.before) and not self.after

    def diff(self, label: str) -> str:
        """The change as a unified diff, empty if there is none."""
        lines = difflib.unified_diff(
            (self.before or "").splitlines(keepends=True), self.after.splitlines(keepends=True), label, label
        )
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


class RegistrationError(Exception):
    """A settings file cannot be edited; `problem` says where and why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class Service(NamedTuple):
    """What asks the resident service: the words that start the client, of which its own file is the last, and the path
    of the socket."""

    client: tuple[str, ...]
    socket: str


# Of the time for an answer, what is left for saying that there was none: seconds, and as a part of it.
_LEFT: Final = 1.5
_PART: Final = 1 / 3


def hook_command(
    dialect: Dialect, interpreter: str, config_dir: str | None = None, service: Service | None = None
) -> list[str]:
    """The command that a hook runs, without its event: absolute, and deaf to the environment (law L6). With a service
    it is a client's, which holds the command that decides without one behind `--`."""
    folder = ["--config-dir", config_dir] if config_dir else []
    cold = [interpreter, "-I", "-m", "ostiary", "hook", "--agent", dialect.name, *folder]
    if service is None:
        return cold
    seconds = dialect.timeouts.deadline(None)
    wait = int(1000 * (seconds - min(_LEFT, seconds * _PART)))
    return [*service.client, service.socket, str(wait), "--", *cold, "--socket", service.socket]


def registrable(dialect: Dialect, version: str | None = None) -> tuple[str, ...]:
    """The events that are registered if nobody names any: those that every supported version knows, and those that
    `version` of the agent knows. A version that does not know an event may not read the file at all."""
    return tuple(
        name
        for name, spec in dialect.events.items()
        if spec.register == "always" and (not spec.since or (version and _number(version) >= _number(spec.since)))
    )


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))


def plan_install(
    dialect: Dialect,
    text: str | None,
    command: Sequence[str],
    events: Iterable[str] | None = None,
    file: str = "settings.json",
    *,
    fixed: Template = NOTHING,
    on_error: OnError = "deny",
    web: str = "",
) -> Change:
    """The file with our hook on every event, in place of older entries of ours.

    `text` is the file's text, None if there is none. `command` is the program with its arguments, to which the event is
    added (`hook_command`). With `events` exactly those are registered, else `registrable` and those that already are.
    `file` names the file in problems, `fixed` are the members it must have besides those of the dialect
    (`Place.fixed`). With `web`, the address of a server, events go there where the agent can send them. With any
    `on_error` but `continue` gates have the key that closes them where a hook fails. Raises
    RegistrationError for a file that is not what the agent reads, and ValueError for an event that the agent does not
    know or that may not be registered, and for a program that is found by its name alone: which one that is would be
    the project's choice (law L6).
    """
    absolute(command[0])
    after = _NEW_FILE if text is None or not text.strip() else text
    try:
        wanted = _wanted(dialect, after, events)
        after = _without(dialect, after, keep=frozenset(wanted))
        after = _begun(dialect, fixed, after) if wanted else after
        for native in wanted:
            after = _with(dialect, after, native, _entry(dialect, native, _Way(command, web), on_error))
    except JsonTextError as error:
        raise _problem(dialect, error, file) from None
    return Change(text, after)


def absolute(program: str) -> str:
    """The program, if it is named by its whole path. Raises ValueError if it is not."""
    if not _ABSOLUTE.match(program):
        raise ValueError(f"`{program}` is not an absolute path")
    return program


def _wanted(dialect: Dialect, text: str, events: Iterable[str] | None) -> list[str]:
    """The events to register, in the dialect's order."""
    named = set(registrable(dialect)) | set(registered(dialect, text)) if events is None else set(events)
    possible = [name for name, spec in dialect.events.items() if spec.register != "never"]
    for native in sorted(named.difference(possible) if events is not None else ()):
        raise ValueError(f"`{native}` is no event that can be registered")
    return [name for name in possible if name in named]


def plan_uninstall(
    dialect: Dialect, text: str | None, file: str = "settings.json", *, own: bool = False, fixed: Template = NOTHING
) -> Change:
    """The file without our hook; containers that are empty without it go too, and so does a file with nothing else in
    it: one of our `own`, or one that is then what `plan_install` begins with where there is none, with the same
    `fixed`. Raises RegistrationError as `plan_install` does."""
    if text is None or not text.strip():
        return Change(text, text or "")
    try:
        after = _without(dialect, text)
        bare = own and json_text.value(after, ()) in ({}, dialect.registration.fixed)
        bare = bare and not json_text.commented(after)
        made = after != text and after in (_NEW_FILE, _begun(dialect, fixed, _NEW_FILE))
        return Change(text, "" if bare or made else after)
    except JsonTextError as error:
        raise _problem(dialect, error, file) from None


def registered(dialect: Dialect, text: str) -> tuple[str, ...]:
    """The events on which the file runs our hook. Raises JsonTextError for a file that cannot be read."""
    return tuple(dict.fromkeys(ours.native for ours in _ours(dialect, text)))


def _problem(dialect: Dialect, error: JsonTextError, file: str) -> RegistrationError:
    help = f"the agent reads {_READS[dialect.registration.syntax]}; mend the file, then try again"
    return RegistrationError(Problem(file, error.line, error.column, "", str(error), help))


class _Way(NamedTuple):
    """How Ostiary is asked: by a command, and where that can be, by the address of a server (empty: not)."""

    command: Sequence[str]
    web: str


def _entry(dialect: Dialect, native: str, way: _Way, on_error: OnError) -> dict[str, Any]:
    table, spec = dialect.registration, dialect.events[native]
    sent = table.http if way.web and sends(table, native, spec) else None
    closed = spec.gate and on_error != "continue"
    template = {**(sent or table).entry, **(table.closing if closed else {})}
    words = [*way.command, "--event", native]
    values = {
        Slot.EVENT: native,
        Slot.URL: f"{way.web}/hook/{dialect.name}?event={native}",
        Slot.PROGRAM: words[0],
        Slot.ARGUMENTS: words[1:],
        Slot.LINE: shell_line(words, powershell=table.powershell),
        Slot.CLOSED_LINE: closed_line(words, powershell=table.powershell),
        Slot.BASH_LINE: bash_line(words, powershell=table.powershell),
        Slot.TIMEOUT: dialect.timeouts.at(native),
    }
    entry: dict[str, Any] = filled(template, values)
    return entry


@dataclass(frozen=True, slots=True)
class _Ours:
    """One entry of ours: its event, its place from the root of the file, its data, and whether it gets every call."""

    native: str
    place: Place
    entry: Mapping[str, Any]
    whole: bool


def _ours(dialect: Dialect, text: str) -> Iterator[_Ours]:
    """Our entries, in the order of the file."""
    for native, place, entry, matcher in _all(dialect.registration, text):
        if isinstance(entry, dict) and _runs_us(dialect, entry):
            yield _Ours(native, place, entry, matcher in _EVERYTHING)


class Entry(NamedTuple):
    """One hook in a settings file: its event as it is written there, its data, whether it gets every call, and whether
    it is ours."""

    native: str
    data: Mapping[str, Any]
    whole: bool
    ours: bool


def entries(dialect: Dialect, text: str) -> tuple[Entry, ...]:
    """Every hook in a settings file, in its order. Raises JsonTextError for a file that cannot be read."""
    return tuple(
        Entry(native, entry, matcher in _EVERYTHING, _runs_us(dialect, entry))
        for native, _, entry, matcher in _all(dialect.registration, text)
        if isinstance(entry, dict)
    )


def _all(table: Registration, text: str) -> _Found:
    if not text.strip():  # what `uninstall` leaves of a file that `install` made
        return iter(())
    return {"groups": _in_groups, "entries": _in_lists, "list": _in_one_list}[table.shape](table, text)


_Found = Iterator[tuple[str, Place, Any, Any]]
"""Event, place, entry and the matcher that narrows it."""


def _in_groups(table: Registration, text: str) -> _Found:
    for native, groups in _lists(table, text):
        for number, group in enumerate(groups):
            entries = group.get("hooks") if isinstance(group, dict) else None
            for index, entry in enumerate(entries if isinstance(entries, list) else ()):
                yield native, (*table.root, native, number, "hooks", index), entry, group.get("matcher")


def _in_lists(table: Registration, text: str) -> _Found:
    for native, entries in _lists(table, text):
        for index, entry in enumerate(entries):
            yield native, (*table.root, native, index), entry, _matcher(entry)


def _in_one_list(table: Registration, text: str) -> _Found:
    key = next(key for key, slot in table.entry.items() if slot is Slot.EVENT)
    for index, entry in enumerate(_at_root(table, text, list)):
        yield str(entry.get(key)) if isinstance(entry, dict) else "", (*table.root, index), entry, _matcher(entry)


def _matcher(entry: Any) -> Any:
    return entry.get("matcher") if isinstance(entry, dict) else None


def _lists(table: Registration, text: str) -> Iterator[tuple[str, list[Any]]]:
    """What stands at each event."""
    for native, items in _at_root(table, text, dict).items():
        place = (*table.root, native)
        node = json_text.find(text, place)
        if not isinstance(items, list):
            raise JsonTextError(f"`{'.'.join(place)}` is not a list", *_where(text, node))
        yield native, items


def _at_root(table: Registration, text: str, kind: type[_Container]) -> _Container:
    """What stands where hooks are registered, empty if nothing does."""
    json_text.insist(text, table.syntax)
    if not isinstance(json_text.value(text, ()), dict):
        raise JsonTextError("the file is not a JSON object")
    for depth in range(1, len(table.root) + 1):
        place = table.root[:depth]
        wanted = kind if place == table.root else dict
        node = json_text.find(text, place)
        if node is None:
            return kind()
        if not isinstance(json_text.value(text, place), wanted):
            noun = "an object" if wanted is dict else "a list"
            raise JsonTextError(f"`{'.'.join(place)}` is not {noun}", *_where(text, node))
    json_text.insist_unique(text, table.root)
    found: _Container = json_text.value(text, table.root)
    return found


def _where(text: str, node: json_text.Node | None) -> tuple[int, int]:
    return json_text.position(text, node.start) if node else (1, 1)


def _runs_us(dialect: Dialect, entry: Mapping[str, Any]) -> bool:
    """Whether an entry asks our hook for this agent: as a program with arguments, as one line for a shell, or as a
    server on this machine."""
    if re.match(rf"{_HERE}/hook/{re.escape(dialect.name)}(\?|$)", str(entry.get("url", ""))):
        return True
    action = entry.get("action")
    if isinstance(action, dict) and _runs_us(dialect, action):
        return True
    words = entry.get("args")
    arguments = [word for word in words if isinstance(word, str)] if isinstance(words, list) else []
    lines = (" ".join([str(entry[key]), *arguments]) for key in _COMMANDS if key in entry)
    ours = rf"(?i:\bostiary(\.exe)?['\"]?)\s+hook\s(.*\s)?--agent[\s=]['\"]?{re.escape(dialect.name)}['\"]?(\s|$)"
    return any(re.search(ours, line, re.DOTALL) for line in lines)


def _without(dialect: Dialect, text: str, keep: frozenset[str] = frozenset()) -> str:
    """The text without entries of ours, except for one per event in `keep` that gets every call."""
    kept: set[str] = set()
    doomed: list[Place] = []
    for ours in _ours(dialect, text):
        if ours.native in keep and ours.native not in kept and ours.whole:
            kept.add(ours.native)
        else:
            doomed.append(ours.place)
    for place in reversed(doomed):
        text = _pruned(dialect.registration, text, place)
    return text


def _pruned(table: Registration, text: str, place: Place) -> str:
    """The text without the entry and without what holds nothing else: its group, its event, all of our root."""
    target = place
    while len(target) > len(table.root):
        inside = target[:-1]
        if len(json_text.value(text, inside)) > 1:
            return json_text.removed(text, target)
        # A group is more than its list of entries: the list alone does not go.
        target = inside[:-1] if inside[-1] == "hooks" and len(inside) > len(table.root) else inside
    return json_text.removed(text, table.root)


def _with_fixed(fixed: Mapping[str, Any], text: str, place: Place = ()) -> str:
    """The text with the members that the file must have; a switch that is off is turned on."""
    for key, wanted in fixed.items():
        inner = (*place, key)
        if isinstance(wanted, Mapping):
            text = _with_fixed(wanted, text, inner)
        elif json_text.find(text, inner) is None:
            text = _put(text, inner, wanted)
        elif wanted is True and json_text.value(text, inner) is False:
            text = json_text.replaced(text, inner, wanted)
    return text


def _begun(dialect: Dialect, fixed: Template, text: str) -> str:
    """The text with what the file must have besides hooks."""
    return _with_fixed(fixed, _with_fixed(dialect.registration.fixed, text))


def _put(text: str, place: Place, new: Any) -> str:
    """The text with a member at a place where there is none, in the containers that are there."""
    depth = next(depth for depth in range(len(place) - 1, -1, -1) if json_text.find(text, place[:depth]))
    for key in reversed(place[depth + 1 :]):
        new = {key: new}
    return json_text.inserted(text, place[:depth], str(place[depth]), new)


def _with(dialect: Dialect, text: str, native: str, entry: Mapping[str, Any]) -> str:
    """The text with our entry on the event: an older one replaced where it stands, else one that gets every call."""
    present = next((ours for ours in _ours(dialect, text) if ours.native == native), None)
    if present:
        return text if dict(present.entry) == dict(entry) else json_text.replaced(text, present.place, entry)
    table = dialect.registration
    place = table.root if table.shape == "list" else (*table.root, native)
    item = {"hooks": [entry]} if table.shape == "groups" else entry
    if json_text.find(text, place):
        return json_text.inserted(text, place, None, item)
    return _put(text, place, [item])
