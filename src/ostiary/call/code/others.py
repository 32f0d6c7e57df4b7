"""Calls of interpreter code that no table knows, and known ones that are named without being called.

An unknown call is like an unknown program: what reads as a path or a URL among its literal arguments is perhaps
touched, and a function that is named like one that runs something perhaps runs a text that reads as a command.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from ostiary import urls
from ostiary.call.code.tables import ARGUMENT_TEXT, TRANSPARENT
from ostiary.call.code.tokens import Token
from ostiary.call.gather import Gathered, Nested
from ostiary.call.shapes import is_argument_path, is_url, reads_as_command
from ostiary.expressions import expression
from ostiary.words import Word, word

_RUNNING: Final = expression(r"exec|spawn|run|popen|system|shell|command|cmd|check_|call", re.IGNORECASE)
_CONNECTING: Final = expression(r"connect|socket|host|client|dial|inet|server|smtp|ftp|^new$", re.IGNORECASE)
_HOSTLIKE: Final = expression(r"[\w-]+(?:\.[\w-]+)+\.?(?::\d+)?")
_NODE_STARTS: Final = frozenset({"execSync", "execFileSync", "spawnSync", "execFile", "spawn", "exec", "fork"})
_CLOSING: Final = frozenset({")", "]", "}"})
_TOLD_LATER: Final = {"perl": ("@ARGV", "qx", "readpipe"), "ruby": ("%x",)}
_MODULES: Final = frozenset({"child_process", "node:child_process"})


def touched_by_others(
    read: Sequence[Token], known: frozenset[int], constants: Mapping[str, Word], out: Gathered
) -> None:
    """Add what calls may do with their literal arguments, besides those at the `known` places."""
    processes = _loads_processes(read)
    for index, texts in _literals(read, known, constants).items():
        name = read[index].text
        for text in texts:
            _touch(text, name, out)
        runs = _RUNNING.search(name) and (name != "exec" or processes)
        if runs and reads_as_command(" ".join(texts)):
            out.nested.append(Nested("code", word(" ".join(texts)), "bash", possible=True))


def _literals(read: Sequence[Token], known: frozenset[int], constants: Mapping[str, Word]) -> dict[int, list[str]]:
    """The literal texts among the arguments of each unknown call, by its place: also those in lists and in calls that
    give back what they are given, but not those in other calls."""
    found: dict[int, list[str]] = {}
    owners: list[int | None] = []
    for index, token in enumerate(read):
        if token.text in ("(", "[", "{"):
            owners.append(_owner(read, index, known, owners[-1] if owners else None))
        elif token.text in _CLOSING:
            owners[-1:] = []
        elif owners and (owner := owners[-1]) is not None:
            held = token.word if token.kind == "text" else constants.get(token.text) if token.kind == "name" else None
            if held is not None and held.text is not None and held.text.strip():
                found.setdefault(owner, []).append(held.text)
    return found


def _owner(read: Sequence[Token], index: int, known: frozenset[int], around: int | None) -> int | None:
    """The unknown call that a bracket's content belongs to, `around` for the one outside of it, None for none."""
    before = read[index - 1] if index else Token("break", "")
    if read[index].text != "(":
        return None if read[index].text == "{" and before.text in (")", ">") else around
    if before.text == "]":  # `a["b"](...)`
        return index - 1
    if before.kind != "name" or before.text in TRANSPARENT:
        return around
    defined = index > 1 and read[index - 2].text in ("def", "function", "class", "sub")
    return None if defined or index - 1 in known or before.text in ARGUMENT_TEXT else index - 1


def _touch(text: str, name: str, out: Gathered) -> None:
    if _CONNECTING.search(name) and _HOSTLIKE.fullmatch(text):
        out.connect(urls.host_of(text), certain=False)
    if is_url(text):
        out.connect(urls.host_of(text), certain=False)
    elif name != "get" and is_argument_path(text):
        out.path(word(text), "read", "write", "delete", certain=False)


def names_without_call(read: Sequence[Token], language: str, aliases: Mapping[str, str]) -> bool:
    """Whether something that starts programs, or the files to be read, is named in a way that no call shows."""
    if language == "python":
        return any(_python(read, index, aliases) for index in range(len(read)))
    if language == "node":
        return _loads_processes(read) and any(_node(read, index) for index in range(len(read)))
    if language == "php":
        return any(one.kind == "name" and one.text[:1] == "$" and two.text == "(" for one, two in pairwise(read))
    return any(token.kind == "name" and token.text in _TOLD_LATER.get(language, ()) for token in read)


def _loads_processes(read: Sequence[Token]) -> bool:
    return any(token.kind == "text" and token.word.text in _MODULES for token in read)


_STARTERS: Final = expression(
    r"os\.(?:system|popen|exec\w+|spawn\w+|posix_spawnp?)|subprocess\.[A-Za-z]\w*|pty\.spawn|sh\.\w+"
)
_NO_STARTERS: Final = frozenset(
    {"PIPE", "DEVNULL", "STDOUT", "CalledProcessError", "TimeoutExpired", "CompletedProcess"}
)


def _python(read: Sequence[Token], index: int, aliases: Mapping[str, str]) -> bool:
    token = read[index]
    if token.kind != "name" or token.text in _NO_STARTERS or _follows(read, index) in (".", "="):
        return False
    dotted = index > 1 and read[index - 1].text == "."
    head = read[index - 2].text if dotted else token.text
    full = aliases.get(head, head) + (f".{token.text}" if dotted else "")
    called = _follows(read, index) == "(" and not full.startswith("sh.")
    return _STARTERS.fullmatch(full) is not None and not called and not _imports(read, index)


def _imports(read: Sequence[Token], index: int) -> bool:
    while index > 0 and read[index - 1].kind != "break":
        index -= 1
        if read[index].text == "import":
            return True
    return False


def _node(read: Sequence[Token], index: int) -> bool:
    """`cp["execSync"]`, `{spawnSync: s}`, `promisify(exec)`; but not `{execSync} = require(...)`."""
    token = read[index]
    name = token.word.text if token.kind == "text" else token.text
    if name not in _NODE_STARTS or _follows(read, index) == "(":
        return False
    before = read[index - 1].text if index else ""
    plain = token.kind == "name" and before in ("{", ",") and _follows(read, index) in ("}", ",")
    return not plain


def _follows(read: Sequence[Token], index: int) -> str:
    return read[index + 1].text if index + 1 < len(read) else ""
