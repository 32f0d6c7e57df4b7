"""Arguments that no table explains: strings that read as a path, a URL or a command are taken for one, perhaps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from ostiary import urls
from ostiary.call.gather import Gathered
from ostiary.call.patch import read_patch
from ostiary.call.shapes import is_argument_path, is_url, reads_as_command
from ostiary.expressions import expression
from ostiary.records import NamedTuple, replace
from ostiary.words import word

if TYPE_CHECKING:
    from ostiary.call.parts import Builder

MAX_LEAVES: Final = 2000
"""Texts inside the arguments of one call that are looked at."""
MAX_NESTING: Final = 64
"""Lists and mappings inside each other."""
MAX_COMMANDS: Final = 200
"""Texts of one call that are read as commands."""

_PATHS: Final = expression(
    r"(?:.*_)?(?:paths?|files?|file_?names?|dir|director(?:y|ies)|folders?|source|destination)", re.IGNORECASE
)
_COMMANDS: Final = frozenset({"command", "commands", "cmd", "cmdline", "command_line", "argv", "shell", "bash"})
_SCRIPTS: Final = frozenset({"script", "scripts", "code", "args"})
_PROSE: Final = frozenset({"title", "body", "subject", "summary", "description", "comment", "commit_message"})
"""Arguments that hold what people read, which begins with a program's name now and then (`make the button blue`)."""
_ARGUMENTS: Final = ("args", "argv", "arguments")
_HUMP: Final = expression(r"(?<=[a-z0-9])(?=[A-Z])|-")


class Text(NamedTuple):
    """A string and the name of the argument or key that holds it; a key of a mapping has the name of its mapping."""

    name: str
    text: str


class Command(NamedTuple):
    """What may be run: a script of one line or more, or the words of one command. Not `sure` where it may be code of
    another language, or no code: what is not understood of it is then nothing."""

    script: str
    words: tuple[str, ...] = ()
    sure: bool = True


def by_shape(name: str, value: Any, out: Gathered) -> None:
    """Possible accesses of strings without a role: what reads as a path may be touched in every way, what reads as a
    URL be connected to."""
    for key, text in texts(name, value):
        if is_url(text):
            if text[:5].lower() == "file:":
                out.path(word(text[5:].removeprefix("//")), "read", "write", "delete", certain=False)
            else:
                out.connect(urls.host_of(text), certain=False)
        elif text.lstrip().startswith("*** Begin Patch"):
            read_patch(text, out, sure=False)
        elif is_argument_path(text) or (_PATHS.fullmatch(key) and text.strip() and "\n" not in text):
            out.path(word(text), "read", "write", "delete", certain=False)


def texts(name: str, value: Any) -> Iterator[Text]:
    """The strings inside an argument and the keys of its mappings, in order."""
    pending: list[tuple[str, Any, int]] = [(_spelled(name), value, 0)]
    seen = 0
    while pending and seen < MAX_LEAVES:
        key, item, depth = pending.pop()
        if isinstance(item, str):
            seen += 1
            yield Text(key, item)
        elif depth < MAX_NESTING:
            pending.extend((key, item, depth + 1) for key, item in reversed(list(_children(key, item))))


def _spelled(name: object) -> str:
    """`filePath` and `file-path` as `file_path`."""
    return _HUMP.sub("_", str(name)).lower()


def _children(name: str, item: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(item, Mapping):
        for key, value in item.items():
            yield name, key
            yield _spelled(key), value
    elif isinstance(item, list | tuple):
        yield from ((name, child) for child in item)


def _values(name: str, item: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(item, Mapping):
        yield from ((_spelled(key), value) for key, value in item.items())
    elif isinstance(item, list | tuple):
        yield from ((name, child) for child in item)


def commands(arguments: Mapping[str, Any]) -> Iterator[Command]:
    """What reads as a command in arguments without a role."""
    pending: list[tuple[str, Any, int]] = [("", arguments, 0)]
    seen = 0
    while pending and seen < MAX_LEAVES:
        name, item, depth = pending.pop()
        seen += 1
        found = _joint(item) if isinstance(item, Mapping) else _command(name, item)
        if found is not None:
            yield found
        if depth < MAX_NESTING and (found is None or isinstance(item, Mapping)):
            pending.extend((key, child, depth + 1) for key, child in reversed(list(_values(name, item))))


def _command(name: str, item: Any) -> Command | None:
    """A text or a list of words that reads as a command, by its name or its first word."""
    if isinstance(item, str):
        named = name in _COMMANDS or name in _SCRIPTS
        read = named or (name not in _PROSE and reads_as_command(item))
        return Command(item, sure=name in _COMMANDS) if item.strip() and read else None
    if not isinstance(item, list | tuple) or not all(isinstance(one, str) for one in item):
        return None
    if not item or len(item[0].split()) != 1:  # each is a text of its own
        return None
    named = name in _COMMANDS or name in _SCRIPTS
    return Command("", tuple(item)) if named or reads_as_command(" ".join(item)) else None


def _joint(item: Mapping[str, Any]) -> Command | None:
    """`{command: rm, args: [-r, x]}`: a program and its arguments beside each other."""
    held = {_spelled(name): value for name, value in item.items()}
    program = next((held[name] for name in held if name in _COMMANDS and isinstance(held[name], str)), "")
    rest = next((held[name] for name in _ARGUMENTS if name in held), None)
    if isinstance(rest, str):
        rest = rest.split()
    if not program.strip() or not isinstance(rest, list | tuple) or not all(isinstance(one, str) for one in rest):
        return None
    return Command("", (*program.split(), *rest))


def run_perhaps(builder: Builder, arguments: Mapping[str, Any], cwd: str | None) -> None:
    """Add the parts of what reads as a command: possible ones."""
    from ostiary.call.parts import Around  # reads shells, which cost a hook 10 ms to import

    around = Around(cwd, possible=True)
    for number, command in enumerate(commands(arguments)):
        if builder.limit or number >= MAX_COMMANDS:
            builder.limit = builder.limit or f"more than {MAX_COMMANDS} texts that read as commands"
            return
        before = len(builder.parts)
        if command.words:
            builder.words(tuple(map(word, command.words)), "bash", around)
        else:
            builder.script(command.script, "bash", around)
        if not command.sure:
            builder.parts[before:] = [replace(part, unparsed="") for part in builder.parts[before:]]
