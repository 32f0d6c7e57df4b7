"""What Windows' shells do with words in ways of their own: encoded commands, started programs, piped objects."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ostiary.call.filters import UNTOLD
from ostiary.call.gather import Gathered, Nested
from ostiary.call.layers import Layer, layers_of
from ostiary.call.roles import apply
from ostiary.call.streams import printed
from ostiary.expressions import expression
from ostiary.programs import head
from ostiary.shell.model import Command
from ostiary.words import Hole, Word, joined, word

PATHS: Final = frozenset({"read", "write", "delete", "list", "tree", "move", "into", "edit"})
_WILDCARD: Final = expression(r"\*+|\?|\[[^\]]*\]")
_NO_FILES: Final = expression(r"(?:env|alias|function|variable|cert|wsman):", re.IGNORECASE)
_PIECE: Final = expression(r"\"([^\"]*)\"|'([^']*)'|(\S+)")
_LISTING: Final = frozenset({"Get-ChildItem", "Get-Item", "Resolve-Path", "Convert-Path"})
_FILTERS: Final = frozenset({"Where-Object", "Select-Object", "Sort-Object", "Get-Unique", "Group-Object"})


def decoded(code: Word) -> Nested:
    """The script that `-EncodedCommand` holds: UTF-16 in base64 (about_PowerShell_exe)."""
    try:
        import base64  # for encoded scripts alone

        text = base64.b64decode(code.text or "!", validate=True).decode("utf-16-le")
    except ValueError:
        return Nested("unknown", code, reason="encoded code that was not understood")
    return Nested("code", word(text), "powershell")


def expanded(item: Word) -> Word:
    """A path of a cmdlet, or of a command of cmd, with its wildcards as what they find; also between quotes."""
    pieces: list[str | Hole] = []
    for piece in item.pieces:
        if isinstance(piece, Hole):
            pieces.append(piece)
            continue
        end = 0
        for match in _WILDCARD.finditer(piece, 4 if piece[:4] in ("\\\\?\\", "//?/") else 0):
            pieces += [piece[end : match.start()], Hole(match[0], "found")]
            end = match.end()
        pieces.append(piece[end:])
    return joined(pieces, item.many)


def is_no_file(item: Word) -> bool:
    """Whether a path leads into a drive of PowerShell that holds neither files nor keys (about_Providers)."""
    return _NO_FILES.match(item.prefix) is not None


def started(layer: Layer, roles: Sequence[tuple[str, Word]], language: str) -> Iterator[Nested]:
    """The program that `Start-Process` starts with its arguments; files that are opened run, too."""
    programs = [item for role, item in roles if role == "program"]
    given = [piece for role, item in roles if role == "arguments" for piece in _pieces(item)]
    if programs:
        yield Nested("words", words=(programs[0], *given), language=language)
    elif given or (layer.arguments.loose and layer.invocation.name == "Start-Process"):
        yield Nested("unknown", reason="a program that is only known when it runs")


def _pieces(item: Word) -> Iterator[Word]:
    """Arguments in one text are told apart by blanks."""
    text = item.text
    if text is None:
        yield Word(item.pieces, many=True)
        return
    for match in _PIECE.finditer(text):
        yield word(match[1] or match[2] or match[3] or "")


def piped_paths(layer: Layer, command: Command, commands: Sequence[Command], out: Gathered) -> None:
    """The files that come through a pipe to a cmdlet that is given none."""
    data = layer.arguments.data
    role = data.stdin if data is not None else ""
    if head(role) not in PATHS or not command.reads_from or _names_a_path(layer, role):
        return
    apply(out, role, _source(command, commands))


def _names_a_path(layer: Layer, role: str) -> bool:
    given = layer.arguments
    own = 0 if role != "move" and role != "read" else 1
    return len(given.operands) > own or any(used.kind == role and used.value is not None for used in given.options)


def _source(command: Command, commands: Sequence[Command]) -> Word:
    while len(command.reads_from) == 1:
        command = commands[command.reads_from[0]]
        layer = layers_of(command.words, language=command.language)[-1] if command.words else None
        name = layer.invocation.name if layer else None
        if name in _FILTERS:
            continue
        text = printed(command)
        if text is not None:
            return text
        if layer is not None and name in _LISTING:
            return _below(layer)
        break
    return UNTOLD


def _below(layer: Layer) -> Word:
    given = layer.arguments
    roots = [used.value for used in given.options if used.kind in PATHS and used.value is not None]
    roots += list(given.operands[:1])
    if len(roots) > 1 or (not roots and given.loose):
        return UNTOLD
    root = expanded(roots[0]) if roots else word(".")
    if layer.invocation.name != "Get-ChildItem":
        return root
    return joined([*root.pieces, "" if root.suffix.endswith(("/", "\\")) else "/", Hole("**", "found")], many=True)
