"""Commands of sftp, ftp and lftp: the files here that they send and fetch, the hosts that they open, and what they run
here.

Facts: the manual pages sftp(1) ("INTERACTIVE COMMANDS"), ftp(1) and lftp(1).
"""

from __future__ import annotations

import shlex
from typing import Final

from ostiary.call.gather import Gathered, Nested
from ostiary.call.model import AccessKind
from ostiary.expressions import expression
from ostiary.paths import Tree
from ostiary.records import replace
from ostiary.words import Hole, Word, joined, word

MAX_COMMANDS: Final = 1000
"""Commands of one text that are read."""

_SHELL: Final = expression(r"(?:!|(?:shell|local)\s)\s*(.*)")
_GLOB: Final = expression(r"([*?]|\[[^\]]*\])")
_JOINTS: Final = frozenset({";", "&", "&&", "||", ";;"})
_SENDS: Final = frozenset({"put", "reput", "send", "append", "mput"})
_FETCHES: Final = frozenset({"get", "reget", "recv", "mget", "newer", "pget"})
_MANY: Final = frozenset({"mput", "mget"})
_OPENS: Final = frozenset({"open", "connect", "lftp"})
_VALUED: Final = frozenset({"-O", "-o", "-u", "-p", "-e", "-n", "-P", "-x", "-X", "-i", "-I"})  # of lftp


def read_transfers(text: str, out: Gathered) -> None:
    """Add what the commands of sftp and ftp do, a line each."""
    _Reader(out, lftp=False).read(text)


def read_lftp(text: str, out: Gathered) -> None:
    """Add what the commands of lftp do."""
    _Reader(out, lftp=True).read(text)


class _Reader:
    """Reads commands one after another: `lcd` changes where the files of those behind it are. Those of `lftp` take any
    number of files, say with `-o` what one is called where it goes, and have joints and redirections."""

    def __init__(self, out: Gathered, lftp: bool) -> None:
        self._out = out
        self._lftp = lftp
        self._here = ""

    def read(self, text: str) -> None:
        """Adds all of a text."""
        for number, line in enumerate(text.split("\n")):
            if number == MAX_COMMANDS:
                self._unknown(text, "more commands than what is analysed")
                return
            self._line(line.strip().lstrip("-@ "))

    def _line(self, line: str) -> None:
        shell = _SHELL.fullmatch(line)
        if shell:
            self._out.nested.append(Nested("code", word(shell[1]), "bash"))
            return
        tokens = shlex.shlex(line, posix=True, punctuation_chars=";&|>" if self._lftp else False)
        tokens.whitespace_split = True
        try:
            words = list(tokens)
        except ValueError:
            self._unknown(line, "a quote that is not closed")
            return
        command: list[str] = []
        for place, item in enumerate(words):
            if self._lftp and item == "|":
                self._out.nested.append(Nested("code", word(line.partition("|")[2]), "bash"))
                break
            if self._lftp and item in _JOINTS:
                self._command(command)
                command = []
            elif self._lftp and item in (">", ">>"):
                self._touch(words[place + 1 : place + 2], "write")
            else:
                command.append(item)
        self._command(command)

    def _command(self, words: list[str]) -> None:
        """Adds one command."""
        name, given = words[0].lower() if words else "", words[1:]
        operands, values = _sorted(given) if self._lftp else ([one for one in given if one[:1] != "-"], {})
        if name in _SENDS:
            whole = any("r" in one.lower() for one in given if one[:1] == "-")
            self._touch(operands if self._lftp or name in _MANY else operands[:1], "read", whole)
        elif name in _FETCHES:
            self._fetch(name, operands, values)
        elif name == "mirror":
            back = not {"-R", "--reverse"}.isdisjoint(given)
            self._touch((operands[:1] if back else operands[1:2]) or ["."], "read" if back else "write", back)
        elif name == "lcd" and operands:
            self._here = self._path(operands[0])
        elif name == "lmkdir":
            self._touch(operands, "write")
        elif name == "source":
            self._touch(operands, "execute")
        elif name in _OPENS and operands:
            self._out.connect(word(operands[0].rpartition("@")[2]))

    def _fetch(self, name: str, operands: list[str], values: dict[str, str]) -> None:
        folder = values.get("-O", "")
        if name in _MANY:
            self._touch([folder or "."], "write")
            return
        called = [values["-o"]] if "-o" in values else [] if self._lftp else operands[1:2]
        sources = operands if self._lftp else operands[:1]
        fetched = [f"{folder}/{base}" if folder else base for source in sources if (base := source.rpartition("/")[2])]
        self._touch(called or fetched, "write")

    def _touch(self, paths: list[str], kind: AccessKind, whole: bool = False) -> None:
        """Adds an access to each path, `whole` to all that lies below it."""
        before = len(self._out.accesses)
        for path in paths:
            self._out.path(_globbed(self._path(path)), kind)
        if whole:
            found = self._out.accesses[before:]
            self._out.accesses[before:] = [replace(access, tree=Tree()) for access in found]

    def _path(self, path: str) -> str:
        return path if not self._here or path.startswith(("/", "~")) else f"{self._here}/{path}"

    def _unknown(self, text: str, why: str) -> None:
        self._out.nested.append(Nested("unknown", word(text), reason=why))


def _sorted(given: list[str]) -> tuple[list[str], dict[str, str]]:
    """The operands, and the values of options."""
    operands: list[str] = []
    values: dict[str, str] = {}
    rest = iter(given)
    for item in rest:
        if item in _VALUED:
            values[item] = next(rest, "")
        elif not item.startswith("-"):
            operands.append(item)
    return operands, values


def _globbed(text: str) -> Word:
    """A path, of which the program takes every file that fits. What a shell put into the text is not told."""
    if "$" in text or "`" in text:
        return Word((Hole(text, "computed"),))
    pieces = [Hole(piece, "glob") if index % 2 else piece for index, piece in enumerate(_GLOB.split(text))]
    return joined(pieces, many=len(pieces) > 1)
