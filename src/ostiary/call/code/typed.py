"""Commands inside of other texts: the bindings of fzf, the parameters of a command that is sent to other machines, keys
that are typed into a program."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ostiary.call.gather import Gathered, Nested
from ostiary.expressions import expression
from ostiary.words import Word, joined, word

_ACTION: Final = expression(
    r"(?:execute(?:-silent|-multi)?|become|reload(?:-sync)?|preview|(?:bg-)?transform(?:-[a-z-]+)?)(?P<sign>[(\[{<~!@#$%^&*;/|:])"
)
_CLOSING: Final = {"(": ")", "[": "]", "{": "}", "<": ">"}
_QUOTED: Final = expression(r"\"((?:[^\"\\]|\\.)*)\"|'([^']*)'")
_ESCAPE: Final = expression(r"\\(.)")


def read_bindings(text: str, out: Gathered) -> None:
    """`enter:execute(CODE)+abort` of fzf (its manual, "ACTION ARGUMENT")."""
    for found in _ACTION.finditer(text):
        sign = found["sign"]
        rest = text[found.end() :]
        if sign != ":":
            end = re.search(re.escape(_CLOSING.get(sign, sign)) + r"(?=[+,]|$)", rest)
            rest = rest[: end.start()] if end else rest
        out.nested.append(Nested("code", word(rest), "bash"))


def read_sent(text: str, out: Gathered) -> None:
    """`commands=["CODE","CODE"]` and the same in JSON: each text may be a line of a script."""
    if text.startswith("file://"):
        out.path(word(text[7:]), "read")
        return
    texts = [_ESCAPE.sub(r"\1", found[1] or found[2] or "") for found in _QUOTED.finditer(text)]
    if not texts:
        texts = [text.partition("=")[2]]
    for item in texts:
        if item.strip():
            out.nested.append(Nested("code", word(item), "bash", possible=True))


def typed(keys: Iterable[Word]) -> Word:
    """What keys send: the texts themselves, or the signs of keys with a name (tmux's manual, `send-keys`); ends of
    lines may be written as in screen's `stuff` (its manual, "CUSTOMIZATION")."""
    texts = [item if item.text is None else word(_sent(item.text)) for item in keys]
    return joined([piece for item in texts for piece in item.pieces])


def _sent(text: str) -> str:
    return _KEYS[text.lower()] if text.lower() in _KEYS else _RETURN.sub("\n", text)


_RETURN: Final = expression(r"\\n|\\r|\\01[25]|\^[JMjm]")
_KEYS: Final = {
    **dict.fromkeys(("enter", "c-m", "c-j", "kpenter"), "\n"),
    **dict.fromkeys(("space", "tab"), " "),
    **dict.fromkeys(("c-c", "c-d", "escape"), ""),
}
