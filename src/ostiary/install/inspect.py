"""What stands in an agent's registration files: for `doctor`. Pure: texts in, hooks out."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ostiary.dialects.base import Dialect, Slot
from ostiary.install.files import facts_of, is_ours
from ostiary.install.lines import bare, unclosed
from ostiary.install.plan import Service, entries
from ostiary.records import NamedTuple

_HOOK: Final = ("-I", "-m", "ostiary", "hook", "--agent")
_COLD: Final = "--"  # stands between a client's words and those of the command that needs none
_ASKED: Final = 2  # words for a client before that: the socket and its time


class Hook(NamedTuple):
    """A hook that is registered in the file `path` for an event. `words` are its program and arguments, empty where
    the entry does not tell, or sends the event to `url`; `timeout` is in the agent's unit, None where none is said.
    `narrow`: it does not get every call. `ours`: it asks Ostiary."""

    path: str
    scope: str
    native: str
    words: tuple[str, ...]
    timeout: float | None
    narrow: bool
    ours: bool
    url: str = ""

    @property
    def web(self) -> str:
        """The address of the server that is asked, empty if none is."""
        return self.url.partition("/hook/")[0]

    @property
    def config_dir(self) -> str | None:
        """The folder that its command names."""
        found = [after for word, after in zip(self.words, self.words[1:], strict=False) if word == "--config-dir"]
        return found[0] if found else None

    @property
    def cold(self) -> tuple[str, ...]:
        """The words of the command that decides where no service does."""
        return self.words[self.words.index(_COLD) + 1 :] if self.service else self.words

    @property
    def interpreter(self) -> str:
        """The program that decides where no service does, empty if the entry does not tell."""
        return self.cold[0] if self.cold else ""

    @property
    def service(self) -> Service | None:
        """The client and the socket of the service that is asked first, None if none is."""
        end = self.words.index(_COLD) if _COLD in self.words else 0
        if end > _ASKED and self.words[end + 2 : end + 2 + len(_HOOK)] == _HOOK:
            return Service(self.words[: end - _ASKED], self.words[end - _ASKED])
        return None

    @property
    def isolated(self) -> bool:
        """Whether the command is one of an interpreter that the environment does not reach."""
        return self.cold[1:6] == _HOOK


class File(NamedTuple):
    """A registration file: where it is, for whom, and its text."""

    path: str
    scope: str
    text: str


def hooks(dialect: Dialect, file: File) -> tuple[Hook, ...]:
    """The hooks in a file. Raises JsonTextError for a file that cannot be read."""
    shape = dialect.registration.shape
    if shape == "plugin":
        return tuple(_bridged(dialect, file))
    if shape == "scripts":
        return tuple(_scripted(dialect, file))
    return tuple(_listed(dialect, file))


def _listed(dialect: Dialect, file: File) -> Iterator[Hook]:
    table = dialect.registration
    for entry in entries(dialect, file.text):
        sent = table.http if "url" in entry.data else None
        values = slot_values((sent or table).entry, entry.data)
        time, words = _number(values.get(Slot.TIMEOUT)), _words(values)
        url = str(entry.data.get("url", "")) if entry.ours else ""
        yield Hook(file.path, file.scope, entry.native, words, time, not entry.whole, entry.ours, url)


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def slot_values(template: Any, value: Any) -> dict[Slot, Any]:
    """What stands where the template has slots."""
    if isinstance(template, Slot):
        return {template: value}
    found: dict[Slot, Any] = {}
    if isinstance(template, Mapping) and isinstance(value, Mapping):
        for key, inner in template.items():
            if key in value:
                found |= slot_values(inner, value[key])
    return found


def _words(values: Mapping[Slot, Any]) -> tuple[str, ...]:
    line, program, rest = (values.get(slot) for slot in (Slot.LINE, Slot.PROGRAM, Slot.ARGUMENTS))
    if isinstance(line, str):
        return unclosed(split(bare(line)))
    words = [program, *(rest if isinstance(rest, list) else [])] if isinstance(program, str) else []
    return tuple(word for word in words if isinstance(word, str))


def split(line: str) -> tuple[str, ...]:
    """The words of a shell line, empty where it cannot be told what they are. A line of Windows keeps its
    backslashes."""
    windows = re.match(r'"?[A-Za-z]:\\', line) is not None
    try:
        words = shlex.split(line, posix=not windows)
    except ValueError:
        return ()
    return tuple(word.strip('"') for word in words) if windows else tuple(words)


def _bridged(dialect: Dialect, file: File) -> Iterator[Hook]:
    """The hooks that a plugin of ours asks: it is one file for all events, which holds what it starts."""
    facts = facts_of(dialect, file.text) or {}
    words = _words({Slot.PROGRAM: facts.get("program"), Slot.ARGUMENTS: facts.get("arguments")})
    events = facts.get("events")
    for native in map(str, events if isinstance(events, list) else ()):
        yield Hook(
            file.path, file.scope, native, (*words, "--event", native), _number(facts.get("timeout")), False, True
        )


def _scripted(dialect: Dialect, file: File) -> Iterator[Hook]:
    """The hook in a program that is named after its event."""
    names = {script: native for native, script in dialect.registration.scripts.items()}
    native = names.get(re.split(r"[\\/]", file.path)[-1], "")
    lines = [line.removeprefix("exec ") for line in file.text.splitlines() if line.startswith("exec ")]
    ours = is_ours(dialect, file.text)
    yield Hook(file.path, file.scope, native, unclosed(split(lines[-1])) if ours and lines else (), None, False, ours)
