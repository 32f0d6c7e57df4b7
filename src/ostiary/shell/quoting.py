"""Quotes and escapes of bash (its manual, section 3.1.2)."""

from __future__ import annotations

import re
from typing import Final

from ostiary.expressions import expression
from ostiary.shell.syntax import Unreadable

_ESCAPE: Final = expression(
    r"\\(?:(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9A-Fa-f]{1,2})|u(?P<short>[0-9A-Fa-f]{1,4})"
    r"|U(?P<long>[0-9A-Fa-f]{1,8})|c(?P<control>[\x00-\x7f])|(?P<other>.))",
    re.DOTALL,
)
_NAMED: Final = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip


def ansi_c(body: str) -> str:
    """The text of `$'body'`. `Unreadable` for a NUL (bash cuts the word there), for a character beyond Unicode and
    for bytes that are no text."""
    text = _ESCAPE.sub(_decoded, body)
    if "\0" in text:
        raise Unreadable("a NUL in a quoted text")
    return text


def _decoded(match: re.Match[str]) -> str:
    kind = match.lastgroup
    value = match[kind or "other"]
    if kind in ("octal", "hex"):
        return _byte(int(value, 8 if kind == "octal" else 16) & 0xFF)
    if kind in ("short", "long"):
        return _character(int(value, 16))
    if kind == "control":
        return chr(ord(value.upper()) & 0x1F)
    return _NAMED.get(value, "\\" + value)


def _byte(code: int) -> str:
    # Bytes of one character may be spelled one by one; rebuilding it would depend on the locale.
    if code > 0x7F:
        raise Unreadable("a byte outside of ASCII in a quoted text")
    return chr(code)


def _character(code: int) -> str:
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise Unreadable("no character has the given number")
    return chr(code)
