"""What a YAML syntax error means, said in the words of its author.

The parser's own words are matched only to tell cases apart; they never reach people. Words of a version not known here
fall to the last row.
"""

from __future__ import annotations

import re
from typing import Final

from ruamel.yaml.error import MarkedYAMLError

from ostiary.problems import Problem
from ostiary.records import NamedTuple


class _Case(NamedTuple):
    """`words` is searched in the parser's text, `char` holds the characters that may stand at the place (all if
    empty). `at_start` gives the place where the broken thing starts instead of where it broke."""

    words: str
    char: str
    message: str
    help: str
    at_start: bool = False


_QUOTE_FLOW: Final = "inside `[...]` and `{...}` a text that holds `{`, `}`, `[`, `]` or `,` needs quotes"

ALIAS: Final = "`*` at the start of a value is a YAML alias"

_CASES: Final = (
    _Case("", "\t", "a tab cannot indent", "use blanks"),
    _Case("scanning an alias", "", ALIAS, "quote the text", at_start=True),
    _Case("scanning an anchor", "", "`&` at the start of a value is a YAML anchor", "quote the text", at_start=True),
    _Case("scanning a (quoted|double-quoted) scalar.*end of stream", "", "the quote is not closed", "", at_start=True),
    _Case(
        "double-quoted scalar",
        "",
        "`\\` in double quotes starts an escape that YAML does not know",
        "use single quotes, or write `\\\\`",
    ),
    _Case("cannot start any token", "%", "`%` cannot start an unquoted text", "quote the text"),
    _Case("cannot start any token", "@", "`@` cannot start an unquoted text", "quote the text"),
    _Case("cannot start any token", "`", "a backtick cannot start an unquoted text", "quote the text"),
    _Case("tag", "", "tags are refused", "quote a text that starts with `!`", at_start=True),
    _Case(
        "block scalar",
        "",
        "only a line end may follow `|` or `>`",
        "quote a text that starts with `|` or `>`",
        at_start=True,
    ),
    _Case("flow (mapping|sequence).*stream end", "", "the bracket is not closed", _QUOTE_FLOW, at_start=True),
    _Case("flow node.*stream end", "", "the bracket is not closed", _QUOTE_FLOW),
    _Case("flow mapping.*expected ',' or '}'", "", "expected `,` or `}`", _QUOTE_FLOW),
    _Case("flow sequence.*expected ',' or '\\]'", "", "expected `,` or `]`", _QUOTE_FLOW),
    _Case("", "]}", "a closing bracket without an opening one", "quote texts that hold brackets"),
    _Case("mapping values are not allowed", "", "a second `: ` in one line", "quote the text that holds the colon"),
    _Case("keys are not allowed", "", "`?` at the start of a value is a YAML key", "quote the text"),
    _Case("entries are not allowed", "", "a list item cannot start here", "put it on a line of its own"),
    _Case(
        "could not find expected ':'",
        "",
        "a line that is neither a key nor a list item",
        "write `key: value`; a text over several lines is indented or follows `|`",
        at_start=True,
    ),
    _Case("found '<scalar>'", "", "a text cannot go on after a closing quote or bracket", "quote the whole text"),
    _Case("block end|document start", "", "the indentation does not fit the lines above", ""),
    _Case("", ",", "a text cannot start with `,`", "quote the text"),
    _Case("", "", "this is not valid YAML", ""),
)
_ALIAS_LINE: Final = re.compile(r"\s*(- +)*\*")


def explained(error: MarkedYAMLError, text: str, file: str) -> Problem:
    """The problem behind a parser's error. Nothing of the file's text is in it."""
    mark = error.problem_mark
    words = f"{error.context or ''} {error.problem or ''}"
    char = text[mark.index : mark.index + 1] if mark else ""
    case = next(case for case in _CASES if re.search(case.words, words) and (not case.char or _holds(case.char, char)))
    if mark and _ALIAS_LINE.match(text.split("\n")[mark.line]):
        case = _CASES[1]
    if case.at_start and error.context_mark:
        mark = error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
    return Problem(file, line, column, "", case.message, case.help)


def _holds(chars: str, char: str) -> bool:
    return bool(char) and char in chars


_FAR_ESCAPE: Final = re.compile(r"\\U(?!000|0010)[0-9a-fA-F]{8}")


def far_escape(text: str, file: str) -> Problem:
    """The problem of an escape `\\UXXXXXXXX` beyond the last character, which the parser cannot place."""
    match = _FAR_ESCAPE.search(text)
    before = text[: match.start()] if match else ""
    line, column = (before.count("\n") + 1, len(before) - before.rfind("\n")) if match else (0, 0)
    return Problem(file, line, column, "", "an escape in double quotes names no character")
