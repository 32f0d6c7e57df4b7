"""The files of a project that its handlers name: a review is of them too (law L6).

What such a script loads in its turn is not looked at: `check` says of handlers that run code of the project that an
agent may write it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from ostiary.digests import sha256
from ostiary.policy import FilePlan, HandlerPlan
from ostiary.sources.discover import FOREIGN, Source
from ostiary.sources.files import Unreadable, read

_MOST: Final = 256

Scripts = tuple[tuple[str, str], ...]
"""Paths, each with the SHA-256 (hex) of its bytes, empty where there is no file of the project."""


def scripts(source: Source, plan: FilePlan) -> Scripts:
    """The files that handlers of a project's source name. Raises `Unreadable` for one that is too large."""
    if source.root is None:
        return ()
    paths = dict.fromkeys(path for handler in _handlers(plan) for path in _named(handler, source.root))
    if len(paths) > _MOST:
        raise Unreadable(f"its handlers name more than {_MOST} files")
    return tuple((path, digest(source, path)) for path in paths)


def digest(source: Source, path: str) -> str:
    """SHA-256 (hex) of a file of the project, empty where it is none. Raises `Unreadable` for one that is too large."""
    try:
        return sha256(read(path, FOREIGN.file, (source.root or "",))).hexdigest()
    except FileNotFoundError:
        return ""
    except Unreadable as error:
        if os.path.isfile(path) and os.path.getsize(path) > FOREIGN.file:
            raise Unreadable(f"a handler names {path}, and {error}") from None
        return ""


def unchanged(source: Source, known: Scripts) -> bool:
    """Whether every one of these files is still what it was."""
    try:
        return all(digest(source, path) == found for path, found in known)
    except Unreadable:
        return False


def _handlers(plan: FilePlan) -> Iterator[HandlerPlan]:
    for include in plan.includes:
        yield from _handlers(include.file)
    for rule in plan.rules:
        if rule.handler:
            yield rule.handler


def _named(handler: HandlerPlan, root: str) -> Iterator[str]:
    """Where the words of a command would lie as paths: from the folder of the rule file, or from the project's."""
    options = dict(handler.spec)
    command, arguments = options.get("command"), options.get("args")
    if not isinstance(command, str):
        return
    words = _words(command) if arguments is None else (command, *map(str, arguments))
    for word in words:
        if word and "\0" not in word:
            yield os.path.normpath(os.path.join(handler.folder, word))
            yield os.path.normpath(os.path.join(root, word))


def _words(text: str) -> tuple[str, ...]:
    """The words of a command line, and targets of its redirections."""
    from ostiary import shell  # slow, and only needed where a file is compiled

    found: list[str] = []
    for command in shell.parse(text).commands:
        found += [str(word) for word in command.words]
        found += [str(redirect.target) for redirect in command.redirects]
    return tuple(found)
