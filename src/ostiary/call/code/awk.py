"""What an awk program does besides printing: files it reads and writes, commands it runs."""

from __future__ import annotations

from collections.abc import Sequence

from ostiary.call.code.calls import value_of
from ostiary.call.code.tokens import MAX_TOKENS, SYNTAX, Token, tokens
from ostiary.call.gather import Gathered, Nested
from ostiary.call.model import AccessKind
from ostiary.call.sockets import AWK, touch_file
from ostiary.words import Word, word


def read_awk(code: str, out: Gathered) -> None:
    """Add the accesses and commands of a program."""
    read = list(tokens(code, SYNTAX["awk"]))
    if len(read) > MAX_TOKENS:
        out.nested.append(Nested("unknown", word(code), reason="code longer than what is analysed"))
        return
    printing = False
    for index, token in enumerate(read):
        if token.kind == "text" and AWK.match(token.word.prefix):
            touch_file(out, token.word, (), AWK)
        elif token.kind == "break" or token.text in ("{", "}"):
            printing = False
        elif token.text in ("print", "printf"):
            printing = True
        elif token.text == "system":
            _run(_inside(read, index + 1), out)
        elif token.text in (">", ">>") and printing:
            _write(_until_break(read, index + 1), out)
        elif token.text == "|" and printing:
            _run(_until_break(read, index + 1), out)
        elif token.text == "getline":
            _getline(read, index, out)
        elif token.text.startswith("@"):
            out.nested.append(Nested("unknown", reason="awk loads code or calls what a variable names"))


def _inside(read: Sequence[Token], index: int) -> tuple[Token, ...]:
    end = next((at for at in range(index, len(read)) if read[at].text == ")"), len(read))
    return tuple(read[index + 1 : end])


def _until_break(read: Sequence[Token], index: int) -> tuple[Token, ...]:
    end = next(
        (at for at in range(index, len(read)) if read[at].kind == "break" or read[at].text in ("}", "|")), len(read)
    )
    return tuple(read[index:end])


def _run(argument: tuple[Token, ...], out: Gathered) -> None:
    if argument and argument[0].text == "&":
        argument = argument[1:]
    value = value_of(argument, {})
    if AWK.match(value.prefix):
        return
    if argument and value.prefix:
        out.nested.append(Nested("code", value, "bash"))
    else:
        out.nested.append(Nested("unknown", reason="awk runs a command it computes"))


def _write(argument: tuple[Token, ...], out: Gathered) -> None:
    _file(value_of(argument, {}), "write", all(token.kind == "text" for token in argument), out)


def _file(target: Word, kind: AccessKind, certain: bool, out: Gathered) -> None:
    if not AWK.match(target.prefix):
        out.path(target, kind, certain=certain, origin="output" if kind == "write" else "argument")


def _getline(read: Sequence[Token], index: int, out: Gathered) -> None:
    both = index > 1 and read[index - 2].text == "|" and read[index - 1].text == "&"
    if both or (index and read[index - 1].text == "|"):
        index -= both
        start = index - 1
        while start and read[start - 1].kind == "text":
            start -= 1
        _run(tuple(read[start : index - 1]), out)
    for at in range(index + 1, min(index + 4, len(read) - 1)):
        if read[at].text == "<":
            argument = (read[at + 1],)
            _file(value_of(argument, {}), "read", argument[0].kind == "text", out)
            return
