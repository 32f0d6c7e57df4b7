"""Bytes to text: what no rule file may hold is refused before a parser sees it."""

from __future__ import annotations

import re
from typing import Final

from ostiary.problems import PolicyError, Problem

LIMIT: Final = 4 * 1024 * 1024

# A reviewer must see what the parser reads: control characters, line ends that editors do not show as such (a comment
# seems to go on where the parser has left it), characters without width, and those that turn the writing direction.
_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2064\u2066-\u2069"
    "\ufdd0-\ufdef\ufeff\ufffe\uffff\ud800-\udfff]|\r(?!\n)"
)
_BOM: Final = "\ufeff"


def decode(raw: bytes | str, file: str) -> str:
    """The text of a file, without a byte order mark. Raises `PolicyError` for a file that is too large, is not UTF-8
    or holds a character that people cannot see."""
    if len(raw) > LIMIT:
        raise PolicyError([Problem(file, 0, 0, "", f"the file is too large: {LIMIT >> 20} MiB at most")])
    text = (raw if isinstance(raw, str) else _from_utf8(raw, file)).removeprefix(_BOM)
    hidden = _HIDDEN.search(text)
    if hidden:
        message = f"the character U+{ord(hidden.group()):04X} is not allowed"
        help = "in a text in double quotes it can be written as an escape"
        raise _refused(file, text[: hidden.start()], message, help)
    return text


def _from_utf8(raw: bytes, file: str) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8")
        raise _refused(file, before, "the file is not UTF-8 text", "save it as UTF-8") from None


def _refused(file: str, before: str, message: str, help: str) -> PolicyError:
    line = before.count("\n") + 1
    column = len(before) - before.rfind("\n")
    return PolicyError([Problem(file, line, column, "", message, help)])


def directive(text: str) -> int:
    """The line (from 1) of a directive (`%YAML`, `%TAG`) in front of the document, 0 without one."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("%"):
            return number
        if line.strip() and not line.lstrip().startswith("#"):
            return 0
    return 0
