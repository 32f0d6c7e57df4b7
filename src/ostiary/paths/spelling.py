"""Every way to write a path, brought to one form: absolute, no `.` or `..`, forward slashes.

A path that the text does not tell wholly keeps its holes as signs: `BASE` is a whole unknown directory, `OPEN` any text
inside one segment, `FLAT` and `ONE` what `*` and `?` of a shell's pathname expansion can stand for, `DEEP` what `**`
can: folders below the one before it, none of them hidden. What a program finds may be hidden: `NAME` is any text inside
a name it finds, `BASE` after a known folder anything below it. A variable may hold slashes and `..`, so whatever stands
before it tells nothing: `/tmp/$X/a` is `BASE/a`. The signs are private-use characters, which a real path is cleared of.
"""

from __future__ import annotations

import re
from typing import Final

from ostiary.expressions import expression
from ostiary.facts import Given, Knowledge
from ostiary.records import NamedTuple
from ostiary.words import Hole, Word

OPEN: Final = "\ue000"
FLAT: Final = "\ue001"
BASE: Final = "\ue002"
ONE: Final = "\ue003"
DEEP: Final = "\ue004"
NAME: Final = "\ue005"
SIGNS: Final = frozenset((OPEN, FLAT, BASE, ONE, DEEP, NAME))

MAX_PATH: Final = 4096
"""Characters of a path; a longer one names no file on the systems we run on."""

_SIGN: Final = expression("[\ue000-\ue005]")
_UP: Final = expression(  # `.*` finds `..` in shells older than bash 5.2
    f"(?<![^/])(?=[^/]*[{FLAT}{ONE}])[.{ONE}](?=[^/]){FLAT}*[.{ONE}]?{FLAT}*(?![^/])"
)
_STARS: Final = expression(f"(?<![^/]){FLAT}{FLAT}+(?![^/])")
_DRIVE: Final = expression(r"(?:/(?:mnt|cygdrive))?/([A-Za-z])(?=/|$)")
_NAMESPACE: Final = expression(r"//[?.]/(?:UNC/)?", re.IGNORECASE)
_LOCAL_SHARE: Final = expression(r"//?(?:localhost|127(?:\.[0-9]+){3}|::1|[.])/([A-Za-z])\$(?=/|$)", re.IGNORECASE)
_SHORT_NAME: Final = expression(r"(?<![^/])[^/~]{1,6}~[0-9](?:\.[^/.]{0,3})?(?![^/])")
_HIVE: Final = expression(r"/HK(?:LM|CU|CR|U|CC)(?=/|$)")
_ROOT_LINK: Final = expression(r"/proc/(?:self|thread-self|[0-9]+)(?:/task/[0-9]+)?/root")
_CWD_LINK: Final = expression(r"/proc/(?:self|thread-self)/cwd")


class Spelling(NamedTuple):
    """A path in one form. `text` is absolute, with signs where it is not known; `known` says that it has none."""

    text: str
    known: bool


def _composed(text: str) -> str:
    from unicodedata import normalize  # most paths are ASCII, and a hook pays for it

    return normalize("NFC", text)


def spelled(target: Word, cwd: str | None, knowledge: Knowledge) -> Spelling:
    """The absolute form of a path as written, relative ones against `cwd`. Asks for other users' homes."""
    found: Spelling | None = knowledge.kept.get((target, cwd))
    if found is None:
        found = knowledge.kept[target, cwd] = _spelled(target, cwd, knowledge)
    return found


def _spelled(target: Word, cwd: str | None, knowledge: Knowledge) -> Spelling:
    given = knowledge.given
    text = target.text
    text = _signed(target) if text is None else _cleared(text)
    if not text.isascii():
        text = _composed(text)
    if given.windows:
        text = _SHORT_NAME.sub(NAME, text.replace("\\", "/"))
    if text.startswith("~"):
        text = _expanded(text, knowledge)
    text = _windows(text) if given.windows else text
    if not _absolute(text, given):
        text = f"{_base(cwd, given)}/{text}"
    if OPEN in text:
        text = _from_last_hole(text)
    flat = _joined(_walked(text, cwd))
    return Spelling(flat, is_known(flat))


def on_drive(path: Spelling, target: Word, cwd: str | None, given: Given) -> Spelling:
    """On Windows a path from the root is on the drive of the directory: `\\x` in `C:/work` is `C:/x`."""
    drive = (cwd or given.start or "")[:2].upper()
    rooted = target.prefix[:1] in ("/", "\\") and target.prefix[1:2] not in ("/", "\\") and path.text[1:2] != ":"
    if not (given.windows and rooted and drive[1:] == ":") or _HIVE.match(path.text):
        return path
    return Spelling(drive + path.text, path.known)


def is_known(path: str) -> bool:
    """Whether a spelled path has no unknown stretch."""
    return not SIGNS & set(path)


def _cleared(text: str) -> str:
    return text if text.isascii() else _SIGN.sub("\ufffd", text)


def _signed(target: Word) -> str:
    text = "".join(_cleared(piece) if isinstance(piece, str) else _sign_of(piece) for piece in target.pieces)
    return _UP.sub(OPEN, _STARS.sub(DEEP, text))


def _from_last_hole(text: str) -> str:
    name, slash, below = text[text.rindex(OPEN) + 1 :].partition("/")
    # With an empty hole `$X.` and `$X..` are no names but the directory itself and the one above.
    return f"/{BASE}/{below}" if name in ("", ".", "..") and slash else f"/{BASE}{_named(name)}{slash}{below}"


def _named(name: str) -> str:
    return "" if name in (".", "..") else f"/{OPEN}{name}"


def _sign_of(hole: Hole) -> str:
    if hole.kind == "found":
        return BASE if hole.source[:2] == "**" else NAME
    if hole.kind != "glob" or re.search(r"[@!+*?]\(|/", hole.source):
        return OPEN
    return "".join(FLAT if sign == "*" else ONE for sign in re.findall(r"\*|\?|\[[^\]]*\]?|.", hole.source, re.DOTALL))


def _expanded(text: str, knowledge: Knowledge) -> str:
    """`~` and `~user` replaced; an unknown home is an unknown directory."""
    user, slash, rest = text[1:].partition("/")
    if not user:
        return (knowledge.given.home or f"/{BASE}") + slash + rest
    if SIGNS & set(user) or user in ("+", "-"):
        return f"/{OPEN}"
    home = knowledge.ask("home_of", user)
    return (home if isinstance(home, str) else f"/{BASE}") + slash + rest


def _windows(text: str) -> str:
    text = _LOCAL_SHARE.sub(r"\1:", _NAMESPACE.sub("/", text))
    if re.match(r"/[A-Za-z]:", text):
        text = text[1:]
    if drive := _DRIVE.match(text):
        text = f"{drive[1]}:{text[drive.end() :]}"
    if re.match(r"[A-Za-z]:", text):
        head, rest = text[0].upper() + ":", text[2:]
        text = f"{head}{rest}" if rest.startswith("/") or not rest else f"{head}/{BASE}/{rest}"
    head, rest = (text[:2], text[2:]) if re.match(r"[A-Z]:", text) else ("", text)
    return head + "/".join(_plain_name(segment) for segment in rest.split("/"))


def _plain_name(segment: str) -> str:
    """A name without stream (`x::$DATA`), and without the trailing dots and blanks that Windows drops."""
    return segment if segment in (".", "..") else segment.split(":", 1)[0].rstrip(". ")


def _absolute(text: str, given: Given) -> bool:
    return text.startswith("/") or (given.windows and text[1:2] == ":")


def _base(cwd: str | None, given: Given) -> str:
    """The directory that a relative path starts from."""
    if cwd is None:
        return f"/{BASE}"
    return _windows(cwd.replace("\\", "/")) if given.windows else cwd


def collapsed(text: str) -> str:
    """Without empty segments, `.` and `..`; an unknown directory stays one however far up the path leads."""
    return _joined(_walked(text, None))


def _walked(text: str, cwd: str | None) -> list[str]:
    """The segments that a path leads through, links of `/proc` taken as they are met."""
    out: list[str] = []
    for segment in text.split("/"):
        if segment == "..":
            out = [BASE] if out and out[-1] in (BASE, DEEP) else out[:-1]
        elif segment not in ("", "."):
            out.append(segment)
            if out[0] == "proc" and segment in ("root", "cwd"):
                out = _through_proc(out, cwd)
    return out


def _through_proc(out: list[str], cwd: str | None) -> list[str]:
    """`/proc/self/root` is `/`, `/proc/self/cwd` the current directory."""
    path = _joined(out)
    if _ROOT_LINK.fullmatch(path):
        return []
    return _walked(cwd or f"/{BASE}", None) if _CWD_LINK.fullmatch(path) else out


def _joined(segments: list[str]) -> str:
    joined = "/".join(segments)
    return joined if re.match(r"[A-Z]:(/|$)", joined) else f"/{joined}"
