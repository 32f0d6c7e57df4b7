"""Scripts inside of others: what is put into their text (variables from outside, names that a program makes up), and
code that becomes no part of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ostiary.call.gather import Gathered, Nested
from ostiary.call.model import Part
from ostiary.expressions import expression
from ostiary.shell.scope import Variables
from ostiary.words import Hole, Word

_MADE_UP: Final = "made_up_"
_NEAR: Final = 256
# The start of a path or a file's name, where more letters and digits make no variable, escape or sequence.
_IN_PATH: Final = expression(r"""(?:/|[\s"']\w*[.-])(?:[\w.-]|\$\{?\w+\})*\Z""")
_DOUBLE: Final = r""""(?:[^\\"`$]|\\.|\$\{?\w+\}?)*"""
_QUOTES: Final = expression(
    rf"""(?:[^\\'"`$#<(]|\\.|\$\{{?\w+\}}?|{_DOUBLE}"|'[^']*')*+(?:(')[^']*|(?=(")){_DOUBLE})?""", re.DOTALL
)


def inserted(code: Word) -> tuple[str, list[Hole], Variables]:
    """The text of a script with what is put into it; the holes that may hold more than a word, and variables that stand
    in the text for names that a program made up (`mktemp`) and for numbers of the shell (`$$`)."""
    text, live = "", []
    made_up: Variables = ()
    written = str(code)
    reserved = _MADE_UP in written
    quote: str | None = ""
    for piece in code.pieces:
        if isinstance(piece, str):
            text += piece
            quote = _open_quote(quote, piece) if "'" in written else ""
        elif is_made_up(piece) and not reserved and quote is not None and _IN_PATH.search(text[-_NEAR:]):
            made_up += ((f"{_MADE_UP}{len(made_up)}", Word((piece,))),)
            text += _expanded(f"${{{made_up[-1][0]}}}", quote)
        else:
            live.append(piece)
            told = piece.kind == "outside"
            text += _expanded(piece.source, quote) if told else piece.source
            quote = quote if told else None
    return text, live, made_up


def is_made_up(hole: Hole) -> bool:
    """Whether it is a name that no other file has (`mktemp`)."""
    return hole.kind == "found" and hole.source.startswith(("$", "`"))


def _open_quote(quote: str | None, text: str) -> str | None:
    """The quote that a text ends inside of, if it begins inside of `quote`; None where that is hard to tell."""
    match = _QUOTES.fullmatch(quote + text) if quote is not None else None
    return match and (match[1] or match[2] or "")


def _expanded(variable: str, quote: str | None) -> str:
    """A variable that is expanded, though there may be single quotes around it."""
    return f"'\"{variable}\"'" if quote == "'" else variable


def takes_over(code: Word, parts: Sequence[Part]) -> bool:
    """Whether such a variable is a command among the parts of the code, or has another value inside."""
    sources = {hole.source for hole in code.holes}
    return _set_inside(code, sources) or any(
        hole.source in sources for part in parts for layer in part.invocations for hole in layer.words[0].holes
    )


def _set_inside(code: Word, sources: set[str]) -> bool:
    names = sorted({re.escape(name) for source in sources if (name := source.strip('${}"'))})
    mentioned = re.compile(rf"(?<![$\w{{])(?:{'|'.join(names)})\b")
    return bool(names) and any(mentioned.search(piece) for piece in code.pieces if isinstance(piece, str))


def read(code: Word, language: str, out: Gathered) -> list[Nested]:
    """Reads code of an interpreter, or a patch, into the part itself; what is left to be read as something else."""
    if language == "base64":
        from ostiary.call.windows import decoded  # late: few calls have a text in this form

        return [decoded(code)]
    if language == "patch":
        from ostiary.call.patch import read_patch  # late: few calls apply one

        known = code.text is not None and read_patch(code.text, out)
        return [] if known else [Nested("unknown", code, reason="patch that was not understood")]
    from ostiary.call.code import read_code  # late: most calls run no interpreter

    read_code(code, language, out)
    return []
