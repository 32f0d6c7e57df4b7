"""The compact form of a command: a glob over its words, as in `git push --force*`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ostiary import patterns
from ostiary.matchers.base import Plan, either, parsed

_GLOB: Final = re.compile(r"[*?\[]")
_FOLDER: Final = re.compile(r"\S*/(?P<name>(?=[^\s/]*\w)[^\s/]+)(?P<rest>\s.*)?", re.DOTALL)


def line_plan(text: str) -> Plan:
    """The plan of a compact command. `X *` and `X:*` also fit the bare `X`."""
    pattern = " ".join(text.split())
    stem = _stem(pattern)
    if stem is None:
        return _line(pattern)
    return either([_line(f"{stem} *"), _line(stem)]) if stem else _line("*")


def _stem(pattern: str) -> str | None:
    """What stands before a last `:*` or ` *`, None if the pattern does not end so."""
    if pattern.endswith(":*"):
        return pattern[:-2].rstrip()
    return pattern[:-2] if pattern.endswith(" *") else None


def _line(pattern: str) -> Plan:
    return ("line", _glob(pattern), tuple(dict.fromkeys(option_names(pattern))))


def _glob(pattern: str) -> Plan:
    """The plan of a glob, also where the text would be read as a regular expression elsewhere."""
    if not patterns.explicit(pattern):
        return parsed(patterns.text_plan, pattern)
    return ("glob", pattern) if _GLOB.search(pattern) else ("eq", patterns.unescaped(pattern))


def option_names(pattern: str) -> Iterator[str]:
    """The spellings of the options that a compact pattern names: `-rf` is `-r` and `-f` as well."""
    for word in pattern.split()[1:]:
        name = re.split(r"[*?\[=]", word, maxsplit=1)[0]
        if not re.fullmatch("--?[A-Za-z0-9].*", name):
            continue
        yield name
        if not name.startswith("--"):
            yield from (f"-{letter}" for letter in name[1:])


def without_folder(text: str) -> str | None:
    """The pattern with the program's base name for its path, None if the program is written without a folder."""
    match = _FOLDER.fullmatch(" ".join(text.split()))
    return match["name"] + (match["rest"] or "") if match else None
