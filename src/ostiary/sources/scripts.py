"""The files of a project that its handlers name: a review is of them too (law L6).

What such a script loads in its turn is not looked at: `check` says of handlers that run code of the project that an
agent may write it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from ostiary.digests import sha256
from ostiary.expressions import expression
from ostiary.policy import FilePlan, HandlerPlan
from ostiary.sources.discover import FOREIGN, Source
from ostiary.sources.files import Unreadable, inside, read
from ostiary.sources.looks import realpath

_MOST: Final = 256

# The variables that hold the folder of the project, as shells and the arguments of handlers name them.
_PROJECT: Final = expression(r"\$(?:(?:CLAUDE|OSTIARY|AFK)_PROJECT_DIR\b|\{(?:CLAUDE|OSTIARY|AFK)_PROJECT_DIR\})")

Scripts = tuple[tuple[str, str], ...]
"""Paths from the root of the project, each with a SHA-256 (hex) of what is there, empty where there is no file."""


def scripts(source: Source, plan: FilePlan) -> Scripts:
    """The files that handlers of a project's source name. Raises `Unreadable` for one that is too large."""
    if source.root is None:
        return ()
    paths = dict.fromkeys(path for handler in handlers(plan) for path in _named(handler, source.root))
    if len(paths) > _MOST:
        raise Unreadable(f"its handlers name more than {_MOST} files")
    return tuple((path, digest(source, path)) for path in paths)


def digest(source: Source, path: str) -> str:
    """SHA-256 (hex) of a file of the project, empty where it is none. Of a link that leads out of the project it is of
    where that leads, too. Raises `Unreadable` for a file that is too large."""
    root = source.root or ""
    whole = os.path.join(root, path)
    try:
        target = realpath(whole)
        data = read(whole, FOREIGN.file)
    except FileNotFoundError:
        return ""
    except (Unreadable, OSError, ValueError) as error:
        if os.path.isfile(whole) and os.path.getsize(whole) > FOREIGN.file:
            raise Unreadable(f"a handler names {whole}, and {error}") from None
        return ""
    place = b"" if inside(target, root) else os.fsencode(f"{target}\0")
    return sha256(place + data).hexdigest()


def unchanged(source: Source, known: Scripts) -> bool:
    """Whether every one of these files is still what it was."""
    try:
        return all(digest(source, path) == found for path, found in known)
    except Unreadable:
        return False


def handlers(plan: FilePlan) -> Iterator[HandlerPlan]:
    """The handlers of a file and of all it includes."""
    yield from (rule.handler for file in plan.whole for rule in file.rules if rule.handler)


def _named(handler: HandlerPlan, root: str) -> Iterator[str]:
    """Where the words of a command would lie as paths, from the root: from the folder of the rule file, as it is
    written and as it is reached, or from the project's."""
    folders = dict.fromkeys((handler.folder, realpath(handler.folder), root))
    for written in _words(handler):
        word = _PROJECT.sub(lambda _: root, written)
        for folder in folders if word and "\0" not in word else ():
            path = os.path.normpath(os.path.join(folder, word))
            if inside(path, root):
                yield os.path.relpath(path, root)


def _words(handler: HandlerPlan) -> Iterator[str]:
    """Everything in a handler that may name a file."""
    options = dict(handler.spec)
    command, arguments = options.get("command"), options.get("args")
    if isinstance(command, str):
        yield from _of_line(command) if arguments is None else (command, *map(str, arguments))
    elif isinstance(command, tuple):
        yield from map(str, command)
    if options.get("ca_file"):
        yield options["ca_file"]


def _of_line(text: str) -> Iterator[str]:
    """The words of a command line, and targets of its redirections."""
    from ostiary import shell  # slow, and only needed where a file is compiled

    for command in shell.parse(text).commands:
        yield from map(str, command.words)
        for redirect in command.redirects:
            yield str(redirect.target)
