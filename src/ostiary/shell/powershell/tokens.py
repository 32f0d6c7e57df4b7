"""What tokens of a PowerShell text look like, as patterns (its language specification, chapter 2).

Dashes and quotes have typographic twins that mean the same; names and keywords ignore case.
"""

from __future__ import annotations

import re
from typing import Final

from ostiary.expressions import expression

SINGLE: Final = "'\u2018\u2019\u201a\u201b"
DOUBLE: Final = '"\u201c\u201d\u201e'
DASHES: Final = "-\u2013\u2014\u2015"

SPACES: Final = expression(r"(?:[ \t\f\v\u00a0\u0085]|`\r?\n|<#.*?#>)+", re.DOTALL)
NEWLINES: Final = expression(r"(?:[\s;]|`\r?\n|<#.*?#>|#[^\n]*)+", re.DOTALL)
LINES: Final = expression(r"(?:\s|`\r?\n|<#.*?#>|#[^\n]*)+", re.DOTALL)
COMMENT: Final = expression(r"#[^\n]*")
CONTINUED: Final = expression(r"(?:\s|<#.*?#>|#[^\n]*)*\|(?!\|)", re.DOTALL)

PLAIN: Final = expression(rf"[^\s`$|&;(){{}},{SINGLE}{DOUBLE}]+")
BARE_END: Final = frozenset(" \t\f\v\u00a0\u0085\r\n|&;(){},")
STRING_RUN: Final = expression(rf"[^`${DOUBLE}]+")
VARIABLE: Final = expression(r"\$(?:\{(?P<braced>[^}`]+)\}|(?P<plain>(?:\w+:)?\w+|[$?^]))")
HERE: Final = expression(rf"@([{SINGLE}{DOUBLE}])[ \t]*\r?\n")
HERE_END: Final = {
    "'": expression(rf"(?:\r?\n)[{SINGLE}]@"),
    '"': expression(rf"(?:\r?\n)[{DOUBLE}]@"),
}
REDIRECTION: Final = expression(r"(?P<stream>[1-6*])?(?P<operator>>>|>)(?P<merge>&[12])?|<")
SPLAT: Final = expression(r"@\w+")
TEXT: Final = expression(r"'[^']*'|\"[^\"`$]*\"|\b[0-9]+\b")
TEXTS: Final = expression(rf"@?\(\s*(?:{TEXT.pattern})(?:\s*,\s*(?:{TEXT.pattern}))*\s*\)")
NUMBER: Final = expression(
    r"(?:0x[0-9a-f]+|[0-9]+(?:\.(?!\.)[0-9]*)?(?:e[+-]?[0-9]+)?|\.[0-9]+)[ldunsy]*(?:[kmgtp]b)?(?![\w\\/:-]|\.(?!\.))",
    re.IGNORECASE,
)
TYPE: Final = expression(r"\[[ ]*([A-Za-z_][\w.+`]*(?:\[[\w.,\[\] +`]*\])*)[ ]*\]")
ATTRIBUTE: Final = expression(r"\[\s*[A-Za-z_][\w.]*\s*\(")
NAMED: Final = expression(r"[A-Za-z_]\w*\s*(?:=(?!=)|(?=[,)]))")
KEY: Final = expression(r"[\w.-]+")
MEMBER: Final = expression(r"(?:\?\.|::|\.)(?=[\w'\"$(])")
NAME: Final = expression(r"\w+")
OPERATOR: Final = expression(
    rf"[{DASHES}](?:[A-Za-z]+)\b|\.\.|\?\?=|\?\?|\+\+|--|[-+*/%]=|[-+*/%!,?:=]|[{DASHES}]", re.IGNORECASE
)
ASSIGNMENT: Final = expression(
    r"(?:\[[\w.]+(?:\[\])?\]\s*)?\$(?:\{(?P<braced>[^}`]+)\}|(?P<plain>(?:\w+:)?\w+))[ \t]*"
    r"(?P<operator>(?:\?\?|[-+*/%])?=)(?!=)"
)
KEYWORD: Final = expression(
    r"(if|elseif|else|while|until|for|foreach|do|switch|try|catch|finally|trap|function|filter|param|return|throw|exit"
    r"|break|continue|begin|process|end|dynamicparam|class|enum|using|data|workflow|configuration|parallel|sequence"
    r"|inlinescript)(?=[\s({;}]|\Z)",
    re.IGNORECASE,
)
LOOP_HEAD: Final = expression(r"\(\s*(\$(?:\w+:)?\w+|\$\{[^}]+\})\s+in\b", re.IGNORECASE)
FUNCTION: Final = expression(r"[^\s({]+")
BRANCH: Final = expression(r"(elseif|else|catch|finally)(?=[\s({\[]|\Z)", re.IGNORECASE)
STOP_PARSING: Final = expression(rf"[{DASHES}]{{2}}%(?=\s|\Z)([^\r\n|]*)")

_ESCAPES: Final = {"0": "\0", "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def escaped(sign: str) -> str:
    """What a backtick before a character makes. `` `e `` and `` `u `` are plain letters in Windows PowerShell, and read
    that way: no name holds an escape character."""
    return _ESCAPES.get(sign, sign)


def dashed(text: str) -> str:
    """A parameter with the plain dash."""
    return "-" + text[1:] if text[:1] in DASHES and text else text
