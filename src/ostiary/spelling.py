"""Words in messages: the nearest known name, and text of a file as it may stand in a sentence."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], cutoff: float = 0.7) -> str:
    """The known name that looks most like `name`, first in its case, then in any; empty if none is as like as `cutoff`
    (0 to 1)."""
    import difflib  # for messages alone, which a hook has none of

    cut, names = name[:80], sorted(known)
    folded = {item.lower(): item for item in names}
    for close in difflib.get_close_matches(cut, names, 1, cutoff):
        return close
    for close in difflib.get_close_matches(cut.lower(), folded, 1, cutoff):
        return folded[close]
    return ""


def nearest_help(name: str, known: Iterable[str]) -> str:
    """Help for an unknown name: the nearest known one, else all of them."""
    names = sorted(known)
    near = nearest(name, names)
    return f"did you mean `{near}`?" if near else f"known are {', '.join(f'`{item}`' for item in names)}"


def unknown(what: str, name: str, known: Iterable[str]) -> tuple[str, str]:
    """Message and help for a name that is none of the known ones; `what` says what it should name."""
    return f"unknown {what} `{shown(name)}`", nearest_help(name, known)


def shown(text: str, limit: int = 80) -> str:
    """Text of a file inside a message: one line, no backticks, cut at `limit` characters."""
    line = " ".join(text.replace("`", "'").split())
    return line if len(line) <= limit else line[: limit - 3] + "..."
