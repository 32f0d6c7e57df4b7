"""What a program makes of a text that it finds on its standard input, where the text is all that it reads.

Encodings are undone. What any other program makes of a text is computed from what stands in the call, so it is told by
nobody, but it is no code from elsewhere either: it may be anything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ostiary.call.layers import Layer
from ostiary.programs import Arguments, effective_slots, head
from ostiary.words import Hole, Word, word

UNTOLD: Final = Word((Hole("|", "computed"),))
"""Code that arrives through a pipe and is not in the text."""

MAX_ENCODED: Final = 65_536
"""Characters of an encoded text that are decoded."""

_FILES: Final = frozenset({"read", "tree", "edit", "move", "list", "location", "remote", "run", "shape"})


def reads_files(layer: Layer) -> bool:
    """Whether an operand is perhaps a file whose content the program prints, or it searches a folder without one."""
    given = layer.arguments
    if given.data is None:
        return True
    slots = effective_slots(given.data, given.options)
    files = [item for item in given.operands if item.text != "-"]
    roles = [*slots.first[: len(files)]]
    roles += [slots.rest, *slots.last] if len(files) > len(slots.first) else []
    return any(head(role) in _FILES for role in roles)


def holds_code(layer: Layer) -> bool:
    """Whether the text itself says what the program computes: `python -c`, `awk`."""
    given = layer.arguments
    if given.data is None:
        return False
    slots = effective_slots(given.data, given.options)
    roles = [used.kind for used in given.options if used.value is not None]
    roles += slots.first[: len(given.operands)]
    return any(head(role) == "code" for role in roles)


def filtered(layer: Layer, text: Word) -> Word:
    """What the program prints, given a text."""
    decode = _decoder(layer.invocation.name or "", layer.arguments)
    if decode is None or text.text is None or len(text.text) > MAX_ENCODED:
        return UNTOLD
    try:
        return word(decode(text.text))
    except ValueError:
        return UNTOLD


def _decoder(name: str, given: Arguments) -> Callable[[str], str] | None:
    used = frozenset[str]().union(*(option.names for option in given.options))
    if name in ("base64", "gbase64", "base32") and used & {"-d", "-D", "--decode"}:
        return _base32 if name == "base32" else _base64
    if name == "openssl" and given.subcommand[:1] in (("base64",), ("enc",)) and "-d" in used:
        return _base64 if given.subcommand[0] == "base64" or used & {"-a", "-base64"} else None
    if name == "xxd" and {"-r", "-p"} <= used:
        return _hexadecimal
    return _reversed if name == "rev" and not used else None


def _base64(text: str) -> str:
    from base64 import b64decode  # late: few calls decode anything

    return b64decode("".join(text.split()), validate=True).decode()


def _base32(text: str) -> str:
    from base64 import b32decode  # late: as above

    return b32decode("".join(text.split())).decode()


def _hexadecimal(text: str) -> str:
    return bytes.fromhex(text).decode()


def _reversed(text: str) -> str:
    return "\n".join(line[::-1] for line in text.split("\n"))
