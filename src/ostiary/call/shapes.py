"""What a text looks like where nothing says what it means: a path, a URL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ostiary.expressions import expression
from ostiary.words import Hole, Word, joined

_ENDING: Final = expression(r"[^\s/]*\.[A-Za-z][A-Za-z0-9]{0,9}", re.DOTALL)
_URL: Final = expression(r"[A-Za-z][A-Za-z0-9+.\-]*://")
_KEY: Final = expression(r"[A-Za-z_][A-Za-z0-9_.\-]*=")
_START: Final = ("/", "~", ".", "\\\\")

DEVICES: Final = frozenset(
    [f"/dev/{name}" for name in ("null", "stdin", "stdout", "stderr", "tty", "zero", "full", "random", "urandom")]
)


def is_path(item: Word) -> bool:
    """A path by shape: it has a slash, starts with `.` or `~`, or ends like a file name (`.env`, `x.py`); no URL."""
    text = item.text
    if text is None:
        text = "".join(_shown(piece) for piece in item.pieces)
    if not text or text == "-" or _URL.match(text):
        return False
    return "/" in text or "\\" in text or text[0] in ".~" or _ENDING.fullmatch(text) is not None


def _shown(piece: str | Hole) -> str:
    if isinstance(piece, str):
        return piece
    return piece.source if piece.kind in ("glob", "found") else ""


_PROVIDER: Final = expression(r"(?:Microsoft\.PowerShell\.Core[\\/])?FileSystem::", re.IGNORECASE)
_HIVE: Final = expression(
    r"(?:Registry::[\\/]?)?"
    r"(HKLM|HKCU|HKCR|HKU|HKCC|HKEY_(?:LOCAL_MACHINE|CURRENT_USER|CLASSES_ROOT|USERS|CURRENT_CONFIG))(?:$|:[\\/]*|\\+)",
    re.IGNORECASE,
)
_HIVES: Final = {
    "HKEY_LOCAL_MACHINE": "HKLM",
    "HKEY_CURRENT_USER": "HKCU",
    "HKEY_CLASSES_ROOT": "HKCR",
    "HKEY_USERS": "HKU",
    "HKEY_CURRENT_CONFIG": "HKCC",
}

_PLACES: Final = {"$HOME": "~", "${HOME}": "~", "$PWD": ".", "${PWD}": "."}


def at_place(item: Word) -> Word:
    """The path with the home or the working directory at its start as `~` or `.`: in the middle of a word, after `=`
    or before `:`, they were left as the variables that hold them. PowerShell's name of the file system is left out. A
    key of the registry of Windows begins with `/` and the short name of its hive, however it was written."""
    first = item.pieces[0] if item.pieces else ""
    if isinstance(first, str) and first[:2].upper() in ("FI", "MI") and (provider := _PROVIDER.match(first)):
        return joined([first[provider.end() :], *item.pieces[1:]], item.many)
    if isinstance(first, str) and first[:2].upper() in ("HK", "RE") and (hive := _HIVE.match(first)):
        name = _HIVES.get(hive[1].upper(), hive[1].upper())
        return joined([f"/{name}/{first[hive.end() :]}".replace("\\", "/"), *item.pieces[1:]], item.many)
    if not isinstance(first, Hole) or first.kind != "outside" or first.source not in _PLACES:
        return item
    following = item.pieces[1] if len(item.pieces) > 1 else "/"
    whole = isinstance(following, str) and following.startswith("/")
    return joined([_PLACES[first.source], *item.pieces[1:]], item.many) if whole else item


def share_host(item: Word) -> str:
    """The machine of a path like `\\\\host\\share`, which is sent the user's name; empty for any other path."""
    match = _SHARE.match(item.prefix)
    name = match[1].lower() if match else ""
    return "" if name in _HERE or name.startswith("127.") else name


_SHARE: Final = expression(r"[\\/]{2}(?:[?.][\\/]UNC[\\/])?([^\\/@?]+)(?:@[^\\/]*)?[\\/]", re.IGNORECASE)
_HERE: Final = frozenset({".", "localhost", "::1"})


def is_url(text: str) -> bool:
    """Whether a text starts as a URL with a scheme does."""
    return _URL.match(text) is not None


def is_argument_path(text: str) -> bool:
    """A path by shape in a tool's argument, where sentences stand too: without blanks, unless it starts as a path."""
    if len(text) > 4096 or "\n" in text:
        return False
    if any(sign.isspace() for sign in text) and not (text.startswith(_START) or text[1:2] == ":"):
        return False
    return is_path(Word((text,)))


def reads_as_command(text: str) -> bool:
    """Whether a text begins with the name of a known program and goes on."""
    first, *rest = text.split(maxsplit=1)[:2] or [""]
    if not rest:
        return False
    from ostiary.programs import base_name, known_as  # late: reads what programs do

    return known_as(base_name(first)) is not None


def value_of_key(item: Word) -> Word | None:
    """The value of `key=value`, None for any other word."""
    key = _KEY.match(item.prefix)
    return item.after(key.end()) if key else None


def paths_in(item: Word) -> Iterator[Word]:
    """What reads as a path in a word of an unknown program: the word or the value of `key=value`, `@path`, a `file:`
    URL, and what stands between colons."""
    value = value_of_key(item)
    base = item if value is None else value
    whole = next((found for found in (base, item) if is_path(found)), None)
    if whole is not None:
        yield whole
    if base.prefix.startswith("@"):
        yield from paths_in(base.after(1))
    elif base.prefix[:5].lower() == "file:":
        yield base.after(7 if base.prefix[5:7] == "//" else 5)
    elif not is_url(base.prefix):
        yield from (piece for piece in _between_colons(base) if is_path(piece))


def _between_colons(item: Word) -> list[Word]:
    """`a:b` as its pieces, none for a word without a colon."""
    found: list[list[str | Hole]] = [[]]
    for piece in item.pieces:
        first, *others = piece.split(":") if isinstance(piece, str) else [piece]
        found[-1].append(first)
        found.extend([other] for other in others)
    return [joined(pieces) for pieces in found] if len(found) > 1 else []


def is_device(item: Word) -> bool:
    """A place that keeps nothing and tells nothing: `/dev/null`, the terminal, a descriptor; or `-` for a stream."""
    text = item.text
    if text is None:
        return is_process(item)
    return text in DEVICES or text == "-" or text.startswith(("/dev/fd/", "/proc/self/fd/"))


_DESCRIPTOR: Final = expression(r"/(?:dev|proc/(?:self|thread-self|\$\$))/fd/(.*)")
_STANDARD: Final = {"/dev/stdin": "0", "/dev/stdout": "1", "/dev/stderr": "2"}


def descriptor(item: Word) -> str:
    """The number of the descriptor that a path names, `?` for one that is not told, empty if it names none."""
    if item.text in _STANDARD:
        return _STANDARD[item.text]
    match = _DESCRIPTOR.match(str(item))
    if match is None:
        return ""
    return match[1] if item.text is not None and match[1].isdigit() else "?"


def is_process(item: Word) -> bool:
    """A process substitution, whose commands are parts of their own."""
    first = item.pieces[0] if len(item.pieces) == 1 else ""
    return isinstance(first, Hole) and first.source.startswith(("<(", ">("))


def is_stream(item: Word) -> bool:
    """Whether code comes through a pipe or from a process substitution, and not from a file."""
    first = item.pieces[0] if len(item.pieces) == 1 else ""
    return isinstance(first, Hole) and (first.source == "|" or is_process(item))


def last_segment(item: Word) -> str:
    """The last segment of a path that is known to its end, empty otherwise."""
    text = item.text
    return "" if text is None else text.rstrip("/").rsplit("/", 1)[-1]


_CODE: Final = frozenset(
    (
        *(
            "sh",
            "bash",
            "zsh",
            "ksh",
            "fish",
            "ps1",
            "psm1",
            "bat",
            "cmd",
            "py",
            "pyw",
            "pyz",
            "js",
            "mjs",
            "cjs",
            "ts",
        ),
        *("mts", "cts", "tsx", "jsx", "rb", "pl", "pm", "php", "phar", "lua", "awk", "sed", "sql", "vim", "el", "r"),
        *("jl", "go", "java", "jar", "kts", "groovy", "gradle", "tcl", "exp", "scm", "rkt", "hs", "ml", "clj", "ex"),
        *("exs", "erl", "swift", "cs", "fsx", "mk", "bats", "t", "so", "wasm"),
    )
)


def is_no_script(item: Word) -> bool:
    """Whether the file that a program is to run is none by its name: `.env`, `server.pem`."""
    name = last_segment(item)
    stem, dot, ending = name.rpartition(".")
    return bool(dot) and (not stem or ending.lower() not in _CODE)
