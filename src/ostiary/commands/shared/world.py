"""The way from options to the engine and the files around it."""

from __future__ import annotations

import os
import sys

from ostiary.commands.shared.console import complain
from ostiary.commands.shared.exits import Exit, Refused
from ostiary.engine import Engine
from ostiary.facts import Facts
from ostiary.sources.files import Unreadable, read
from ostiary.sources.places import NoPlace, Places, find_places
from ostiary.visible import visible

LIMIT = 16 * 1024 * 1024
"""Bytes that a file named on the command line, or standard input, may have."""


def folder(path: str | None) -> str | None:
    """The absolute folder of an option, None if it was not given. Raises `Refused` if it is no folder."""
    if path is None:
        return None
    if not os.path.isdir(path):
        raise Refused(f"`{path}` is not a folder", Exit.USAGE)
    return os.path.abspath(path)


def places(config_dir: str | None) -> Places:
    """Where this user's files are. `config_dir` need not exist. Raises `Refused` where that cannot be told."""
    try:
        return find_places(os.path.abspath(config_dir) if config_dir is not None else None)
    except NoPlace as error:
        raise Refused(str(error), Exit.USAGE) from None


def engine(config_dir: str | None, project: str | None, facts: Facts | None = None) -> Engine:
    """The engine for these options. Raises `Refused` where it cannot be loaded."""
    places(config_dir)
    return Engine.load(config_dir=folder(config_dir), project=folder(project), facts=facts)


def rules_or_warn(loaded: Engine) -> Engine:
    """The same engine; where it has no rule file at all, the person is told so."""
    if not loaded.sources:
        complain("there are no rule files here; `ostiary init` writes one")
    return loaded


def content(path: str, within: str | None = None) -> bytes:
    """The bytes of a file that the person named, or of standard input for `-`. A file that was only found in a folder
    must lie `within` it, whatever links it is made of. Raises `Refused`."""
    if path == "-":
        data = sys.stdin.buffer.read(LIMIT + 1)
        if len(data) > LIMIT:
            raise Refused(f"standard input is larger than {LIMIT} bytes", Exit.USAGE)
        return data
    try:
        return read(path, LIMIT, (os.path.realpath(within),) if within is not None else ())
    except FileNotFoundError:
        raise Refused(f"there is no file `{path}`", Exit.USAGE) from None
    except Unreadable as error:
        raise Refused(f"`{path}`: {error}", Exit.USAGE) from None


def at_terminal() -> bool:
    """Whether both ends are a terminal. That is no proof of a person; without it there certainly is none."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def asked(question: str) -> str | None:
    """What a person typed, None where nobody can."""
    if not at_terminal():
        return None
    try:
        return input(visible(question))
    except EOFError:
        return None
