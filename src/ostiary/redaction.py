"""What a record may keep of texts of others (law L11): names and places, never what looks like a secret."""

from __future__ import annotations

from typing import Final

from ostiary.digests import sha256
from ostiary.expressions import expression

# What tokens of well-known services have in them, and what short ones begin with, which other words have in them, too.
_MARKS: Final = (
    *(
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "npm_",
        "pypi-",
        "dop_v1_",
        "shpat_",
        "lin_api_",
    ),
    *("sk_live_", "sk_test_", "rk_live_", "pk_live_", "whsec_", "xoxb-", "xoxp-", "xoxa-", "xoxs-", "xapp-"),
    *("AKIA", "ASIA", "AIza", "ya29.", "AGE-SECRET-KEY-", "-----BEGIN"),
)
_STARTS: Final = ("sk-", "hf_", "eyJ", "SG.")
_MARKED: Final = 16  # characters from which on such a text is taken for a token
_LONG: Final = 20  # and one without
_TURNS: Final = 4  # changes between letters and digits that words, dates and versions of this length do not have

_SEGMENT: Final = 80
_STRANGE: Final = frozenset(":=\"'`<>|;&\\")  # in a name they show that it is text, not a file

_RUNS: Final = expression(r"[A-Za-z0-9_.+/~-]{16,}=*")
_ASSIGNED: Final = expression(
    r"(?i)((?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|credentials?)[\"']?\s*[=:]\s*[\"']?|\bbearer\s+|\bbasic\s+)"
    r"[^\s\"'&;]+"
)
_USERINFO: Final = expression(r"(://[^/\s:@]*:)[^/\s@]+@")

CUT: Final = 200
"""Characters of a text of others that stay as they are."""


def secret(text: str) -> bool:
    """Whether one word looks like a secret: a token of a well-known service, or a long one with letters and digits
    mixed."""
    if len(text) >= _MARKED and (text.startswith(_STARTS) or any(mark in text for mark in _MARKS)):
        return True
    if len(text) < _LONG:
        return False
    turns, before = 0, ""
    for char in text:
        kind = "digit" if char.isdigit() else "letter" if char.isalpha() else ""
        turns += bool(before and kind and kind != before)
        before = kind
    return turns >= _TURNS


def without_secrets(text: str) -> str:
    """The text with every word that looks like a secret, and every value of what is called one, as its length."""
    text = _ASSIGNED.sub(lambda found: f"{found[1]}{length(found[0][len(found[1]) :])}", text)
    text = _USERINFO.sub(r"\1<hidden>@", text)
    return _RUNS.sub(lambda found: length(found[0]) if _secrets(found[0]) else found[0], text)


def _secrets(text: str) -> bool:
    """Whether this, a part of it, or what stands behind an option's letter looks like one."""
    return any(secret(piece) for piece in (text, *text.split("/"), text[len("-p") :] if text[0] == "-" else ""))


def place(path: str, home: str | None, certain: bool = True) -> str:
    """A path with the home as `~`. A name in it that is no name of a file by its looks, or looks like a secret, is its
    length; and so is the last one where it is not certain that it is a path at all, unless it has an ending."""
    if home and (path == home or path.startswith(f"{home.rstrip('/')}/")):
        path = f"~{path[len(home.rstrip('/')) :]}"
    names = path.split("/")
    kept = [name if _is_name(name) else length(name) for name in names]
    if not certain and len(names) == 1 and "." not in names[-1]:
        kept[-1] = length(names[-1])
    return short("/".join(kept))


def _is_name(name: str) -> bool:
    drive = len(name) == len("C:") and name.endswith(":")
    return drive or (len(name) <= _SEGMENT and not secret(name) and _STRANGE.isdisjoint(name))


def short(text: str) -> str:
    """A text, of a long one its beginning and a digest, so that the same one is known again."""
    if len(text) <= CUT:
        return text
    return f"{text[: CUT // 2]}...{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def length(text: str) -> str:
    """What is kept of a text that is not kept. No digest: that of a short word is the word, to who tries them all."""
    return f"<{len(text)}>"
