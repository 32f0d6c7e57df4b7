"""Interpreter code as tokens: enough to find calls and their literal arguments in six languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

from ostiary.expressions import expression
from ostiary.records import NamedTuple
from ostiary.words import Hole, Word, joined, word

Kind = Literal["name", "text", "shell", "sign", "break"]

MAX_TOKENS: Final = 20_000
"""Tokens of one piece of code that are read; a longer one is not analysed."""


class Token(NamedTuple):
    """One token. `word` is the value of a `text` (with holes where it interpolates) or of a `shell` text in backquotes;
    `text` the spelling of any other. A `break` ends a statement."""

    kind: Kind
    text: str
    word: Word = Word(())


class Syntax(NamedTuple):
    """What differs between languages: how comments start, which quotes a backquote is (a template or a command), and
    how a string interpolates (a pattern, and the quotes it works in; `f` means only strings with that prefix)."""

    comments: tuple[str, ...]
    backquote: Literal["text", "shell", ""]
    interpolation: re.Pattern[str] | None
    within: str = '"'


_BRACES: Final = expression(r"\$?\{[^{}]*\}")
_SIGIL: Final = expression(r"[$@]\{?\w+\}?(?:\[[^\]]*\]|->\w+)*")

SYNTAX: Final[dict[str, Syntax]] = {
    "python": Syntax(("#",), "", _BRACES, "f"),
    "node": Syntax(("//",), "text", expression(r"\$\{[^{}]*\}"), "`"),
    "ruby": Syntax(("#",), "shell", expression(r"#\{[^{}]*\}"), '"`'),
    "perl": Syntax(("#",), "shell", _SIGIL, '"`'),
    "php": Syntax(("#", "//"), "shell", _SIGIL, '"`'),
    "lua": Syntax(("--",), "", None),
    "awk": Syntax(("#",), "", None),
}

_SCANNER: Final = expression(
    r"""(?P<space>[^\S\n]+|\\\n)
    |(?P<prefix>[rRbBuUfF]{0,2})(?P<quote>\"\"\"|'''|["'`])
    |(?P<name>[$@%]?[A-Za-z_]\w*[?!]?|\$\w+)
    |(?P<number>[0-9][\w.]*)
    |(?P<break>[\n;])
    |(?P<sign>=>|==|!=|>=|<=|>>|->|::|&&|\|\||.)""",
    re.VERBOSE | re.DOTALL,
)

_ESCAPES: Final = expression(r"\\(?:x([0-9a-fA-F]{2})|u\{?([0-9a-fA-F]{4,6})\}?|([0-7]{1,3})|(\n)|(.))", re.DOTALL)
_LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def tokens(code: str, syntax: Syntax) -> Iterator[Token]:
    """The tokens of a text, comments and blanks left out."""
    index = 0
    while index < len(code):
        if any(code.startswith(mark, index) for mark in syntax.comments):
            end = code.find("\n", index)
            index = len(code) if end < 0 else end
            continue
        match = _SCANNER.match(code, index)
        assert match is not None  # the last alternative takes any character
        index = match.end()
        if match["quote"]:
            index, token = _string(code, match, syntax)
            yield token
        elif match.lastgroup == "name":
            yield Token("name", match[0])
        elif match.lastgroup == "break":
            yield Token("break", match[0])
        elif match.lastgroup != "space":
            yield Token("sign", match[0])


def _string(code: str, opening: re.Match[str], syntax: Syntax) -> tuple[int, Token]:
    prefix, quote = opening["prefix"].lower(), opening["quote"]
    end = _closing(code, opening.end(), quote, raw=False)
    body = code[opening.end() : end]
    kind: Kind = "shell" if quote == "`" and syntax.backquote == "shell" else "text"
    after = min(end + len(quote), len(code))
    if not _interpolates(prefix, quote, syntax):
        return after, Token(kind, "", word(body if "r" in prefix else unescaped(body)))
    return after, Token(kind, "", _with_holes(body, syntax))


def _interpolates(prefix: str, quote: str, syntax: Syntax) -> bool:
    if syntax.interpolation is None:
        return False
    return "f" in prefix if syntax.within == "f" else quote[0] in syntax.within


def _closing(code: str, start: int, quote: str, *, raw: bool) -> int:
    index = start
    while index < len(code):
        if code[index] == "\\" and not raw:
            index += 2
        elif code.startswith(quote, index):
            return index
        else:
            index += 1
    return len(code)


def _with_holes(body: str, syntax: Syntax) -> Word:
    assert syntax.interpolation is not None
    pieces: list[str | Hole] = []
    at = 0
    for hole in syntax.interpolation.finditer(body):
        pieces += [unescaped(body[at : hole.start()]), Hole(hole[0], "computed")]
        at = hole.end()
    return joined([*pieces, unescaped(body[at:])])


def unescaped(body: str) -> str:
    """A string's value, with the escapes that the languages share."""
    return _ESCAPES.sub(_character, body) if "\\" in body else body


def _character(match: re.Match[str]) -> str:
    for group, base in ((1, 16), (2, 16), (3, 8)):
        if match[group]:
            number = int(match[group], base)
            return chr(number) if number < 0x110000 else "\ufffd"
    return "" if match[4] else _LETTERS.get(match[5], match[5])
