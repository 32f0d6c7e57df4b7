"""Foreign text made fit for showing: nothing in it can move a cursor, turn a line round or hide (law L6), and it has
a length."""

from __future__ import annotations

from typing import Final

# Control, format (bidi, zero-width, tags), surrogate, private use, unassigned; line and paragraph separators.
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANKS: Final = frozenset("\t\n\v\f\r\x85\u2028\u2029")

# Fillers and variation selectors take no room; runs of them can carry a message that only a model reads.
_FILLERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
_SELECTORS: Final = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))

CUT_MARK: Final = " [cut]"


def visible(text: str) -> str:
    """The text on one line, without control characters (so without working terminal sequences), characters that change
    its direction and characters of no width. Line ends and tabs become blanks. What a terminal would have swallowed
    with a sequence stays to be read.

    Renderers that read markup must still be told that this text holds none.
    """
    return text if text.isascii() and text.isprintable() else _made_visible(text)


def cut(text: str, limit: int) -> str:
    """The text in at most `limit` UTF-16 units, the measure of most agents; a cut text says so."""
    if 2 * len(text) <= limit:
        return text
    units = text.encode("utf-16-le", "surrogatepass")
    if len(units) <= 2 * limit:
        return text
    kept = units[: 2 * max(limit - len(CUT_MARK), 0)].decode("utf-16-le", "ignore")
    return (kept + CUT_MARK)[:limit]


def hidden(text: str) -> int:
    """How many characters `visible` leaves out."""
    return len(text) - len(visible(text))


def _made_visible(text: str) -> str:
    from unicodedata import category  # most texts are ASCII, and a hook pays for it

    def shown(char: str) -> str:
        if char in _BLANKS:
            return " "
        return "" if char in _FILLERS or char in _SELECTORS or category(char) in _HIDDEN else char

    return "".join(map(shown, text))
