"""What installing and uninstalling change in an agent's settings file.

Pure: the text of the file in, a `Change` out. Our entries are known by the command they run, so that an older one is
brought up to date, a narrowed one is widened, and nothing else is touched.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ostiary.dialects.base import Dialect, Slot
from ostiary.dialects.bodies import filled
from ostiary.install import json_text
from ostiary.install.json_text import JsonTextError, Place
from ostiary.problems import Problem

_EVERYTHING: Final = (None, "", "*")  # matchers that leave nothing out
_NEW_FILE: Final = "{}\n"
_ABSOLUTE: Final = re.compile(r"/|[A-Za-z]:[\\/]|\\\\")


@dataclass(frozen=True, slots=True)
class Change:
    """A settings file before (None: there was none) and after."""

    before: str | None
    after: str

    @property
    def needed(self) -> bool:
        """Whether there is anything to write."""
        return self.before != self.after

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


def hook_command(dialect: Dialect, interpreter: str, config_dir: str | None = None) -> list[str]:
    """The command that a hook runs, without its event: absolute, and deaf to the environment (law L6)."""
    folder = ["--config-dir", config_dir] if config_dir else []
    return [interpreter, "-I", "-m", "ostiary", "hook", "--agent", dialect.name, *folder]


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
) -> Change:
    """The file with our hook on every event, in place of older entries of ours.

    `text` is the file's text, None if there is none. `command` is the program with its arguments, to which the event is
    added (`hook_command`). With `events` exactly those are registered, else `registrable` and those that already are.
    `file` names the file in problems. Raises RegistrationError for a file that is not what the agent reads, and
    ValueError for an event that the agent does not know or that may not be registered, and for a program that is found
    by its name alone: which one that is would be the project's choice (law L6).
    """
    if not _ABSOLUTE.match(command[0]):
        raise ValueError(f"`{command[0]}` is not an absolute path")
    after = _NEW_FILE if text is None or not text.strip() else text
    try:
        wanted = _wanted(dialect, after, events)
        after = _without(dialect, after, keep=frozenset(wanted))
        for native in wanted:
            after = _with(dialect, after, native, _entry(dialect, native, command))
    except JsonTextError as error:
        raise _problem(error, file) from None
    return Change(text, after)


def _wanted(dialect: Dialect, text: str, events: Iterable[str] | None) -> list[str]:
    """The events to register, in the dialect's order."""
    named = set(registrable(dialect)) | set(registered(dialect, text)) if events is None else set(events)
    possible = [name for name, spec in dialect.events.items() if spec.register != "never"]
    for native in sorted(named.difference(possible) if events is not None else ()):
        raise ValueError(f"`{native}` is no event that can be registered")
    return [name for name in possible if name in named]


def plan_uninstall(dialect: Dialect, text: str | None, file: str = "settings.json") -> Change:
    """The file without our hook; containers that are empty without it go too. Raises RegistrationError as
    `plan_install` does."""
    if text is None or not text.strip():
        return Change(text, text or "")
    try:
        return Change(text, _without(dialect, text))
    except JsonTextError as error:
        raise _problem(error, file) from None


def registered(dialect: Dialect, text: str) -> tuple[str, ...]:
    """The events on which the file runs our hook. Raises JsonTextError for a file that cannot be read."""
    return tuple(dict.fromkeys(str(ours.place[1]) for ours in _ours(dialect, text)))


def _problem(error: JsonTextError, file: str) -> RegistrationError:
    help = "the agent reads plain JSON: no comments, no commas at the end; mend the file, then try again"
    return RegistrationError(Problem(file, error.line, error.column, "", str(error), help))


def _entry(dialect: Dialect, native: str, command: Sequence[str]) -> dict[str, Any]:
    table = dialect.registration
    template = {**table.entry, **(table.closing if dialect.events[native].gate else {})}
    values = {
        Slot.PROGRAM: command[0],
        Slot.ARGUMENTS: [*command[1:], "--event", native],
        Slot.TIMEOUT: dialect.timeouts.registered,
    }
    entry: dict[str, Any] = filled(template, values)
    return entry


@dataclass(frozen=True, slots=True)
class _Ours:
    """One entry of ours: its place (`hooks`, event, group, `hooks`, index), its data, and whether its group takes every
    call."""

    place: Place
    entry: Mapping[str, Any]
    whole: bool


def _ours(dialect: Dialect, text: str) -> Iterator[_Ours]:
    """Our entries, in the order of the file."""
    for native, groups in _hooks(text).items():
        if not isinstance(groups, list):
            raise JsonTextError(f"`hooks.{native}` is not a list", *_where(text, ("hooks", native)))
        for number, group in enumerate(groups):
            entries = group.get("hooks") if isinstance(group, dict) else None
            for index, entry in enumerate(entries if isinstance(entries, list) else ()):
                if isinstance(entry, dict) and _runs_us(dialect, entry):
                    whole = group.get("matcher") in _EVERYTHING
                    yield _Ours(("hooks", native, number, "hooks", index), entry, whole)


def _hooks(text: str) -> Mapping[str, Any]:
    if not isinstance(json_text.value(text, ()), dict):
        raise JsonTextError("the file is not a JSON object")
    if json_text.find(text, ("hooks",)) is None:
        return {}
    hooks = json_text.value(text, ("hooks",))
    if not isinstance(hooks, dict):
        raise JsonTextError("`hooks` is not an object", *_where(text, ("hooks",)))
    for native in hooks:
        json_text.find(text, ("hooks", native))  # raises where an event is there twice
    return hooks


def _where(text: str, place: Place) -> tuple[int, int]:
    node = json_text.find(text, place)
    return json_text.position(text, node.start) if node else (1, 1)


def _runs_us(dialect: Dialect, entry: Mapping[str, Any]) -> bool:
    """Whether an entry runs our hook for this agent: as a program with arguments, or as one line for a shell."""
    words = entry.get("args")
    arguments = [word for word in words if isinstance(word, str)] if isinstance(words, list) else []
    line = " ".join([str(entry.get("command", "")), *arguments])
    ours = rf"(?i:\bostiary(\.exe)?['\"]?)\s+hook\s(.*\s)?--agent[\s=]['\"]?{re.escape(dialect.name)}['\"]?(\s|$)"
    return re.search(ours, line, re.DOTALL) is not None


def _without(dialect: Dialect, text: str, keep: frozenset[str] = frozenset()) -> str:
    """The text without entries of ours, except for one per event in `keep` whose group takes every call."""
    kept: set[str] = set()
    doomed: list[Place] = []
    for ours in _ours(dialect, text):
        native = str(ours.place[1])
        if native in keep and native not in kept and ours.whole:
            kept.add(native)
        else:
            doomed.append(ours.place)
    for place in reversed(doomed):
        text = _pruned(text, place)
    return text


def _pruned(text: str, place: Place) -> str:
    """The text without the entry and without what holds nothing else: its group, its event, `hooks`."""
    for target, inside in ((place, place[:4]), (place[:3], place[:2]), (place[:2], place[:1])):
        if len(json_text.value(text, inside)) > 1:
            return json_text.removed(text, target)
    return json_text.removed(text, place[:1])


def _with(dialect: Dialect, text: str, native: str, entry: Mapping[str, Any]) -> str:
    """The text with our entry on the event: an older one replaced where it stands, else a group of its own."""
    present = next((ours for ours in _ours(dialect, text) if ours.place[1] == native), None)
    if present:
        return text if dict(present.entry) == dict(entry) else json_text.replaced(text, present.place, entry)
    group = {"hooks": [entry]}
    hooks = _hooks(text)
    if native in hooks:
        return json_text.inserted(text, ("hooks", native), None, group)
    if json_text.find(text, ("hooks",)):
        return json_text.inserted(text, ("hooks",), native, [group])
    return json_text.inserted(text, (), "hooks", {native: [group]})
