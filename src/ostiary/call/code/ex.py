"""What commands of vi, ex, less and gdb do besides editing: shell commands, files they read and write.

Facts: vim's documentation (`:help range`, `:help :!`, `:help :w_c`, `:help :bar`), less's manual (`!`).
"""

from __future__ import annotations

import re
from typing import Final

from ostiary.call.gather import Gathered, Nested
from ostiary.expressions import expression
from ostiary.words import word

MAX_COMMANDS: Final = 1000
"""Commands of one text that are read."""

_START: Final = expression(
    r"[:\s]*(?:[%0-9.,;$+'<>-]*\s*)"
    r"(?:(?:sil(?:e(?:nt?)?)?|noa\w*|keep\w*|lockm\w*|hid\w*|tab|vert\w*|unsil\w*|windo|bufdo|argdo|tabdo)!?[:\s]+)*"
)
_SHELL: Final = expression(
    r"(?:(?:(?:r(?:e(?:ad?)?)?|w(?:r(?:i(?:te?)?)?)?)\s+)?!|(?:sh(?:ell)?|ter(?:m(?:inal)?)?)\s)(?P<code>.*)", re.S
)
_WRITES: Final = expression(
    r"(?:w(?:r(?:i(?:te?)?)?)?|sav(?:e(?:as)?)?|up(?:date)?|wq|x(?:it)?|mks\w*)!?\s+(?:>>\s*)?(?P<path>\S.*)"
)
_READS: Final = expression(
    r"(?:r(?:e(?:ad?)?)?|e(?:d(?:it?)?)?|sp(?:lit)?|vs(?:plit)?|tabe\w*|vie\w*)!?\s+(?P<path>\S.*)"
)
_RUNS: Final = expression(r"(?:so(?:urce)?|lua?f(?:ile)?|py3?f(?:ile)?|pyxf(?:ile)?|rubyf(?:ile)?)!?\s+(?P<path>\S.*)")
_ACTING: Final = expression(
    r"\b(?:system(?:list)?|job_start|jobstart|term_start|termopen|libcall|writefile|delete|execute|feedkeys)\s*\("
    r"|^(?:exe\w*|norm\w*|lua|py\w*|perl|ruby|tcl|mz\w*|call\s+\w*exec\w*|gr\w*|mak\w*|au\w*|g|v)(?:!?[\s/]|$)(?:.*[!(<\"']|\s*\S)"
    r"|\bpython\s"
)
_BAR: Final = expression(r"(?<!\\)\|")


def read_ex(text: str, out: Gathered) -> None:
    """Add what the commands do, a line each, with bars between those of one line."""
    read = 0
    for line in text.splitlines():
        rest = line
        while rest:
            rest = _command(rest, out)
            read += 1
            if read > MAX_COMMANDS:
                out.nested.append(Nested("unknown", word(text), reason="more commands than what is analysed"))
                return


def _command(text: str, out: Gathered) -> str:
    """Add the first command of a line; what stands behind its bar."""
    start = _START.match(text)
    text = text[start.end() :] if start else text
    shell = _SHELL.match(text)
    if shell:
        out.nested.append(Nested("code", word(shell["code"]), "bash"))
        return ""
    bar = _BAR.search(text)
    one, rest = (text[: bar.start()], text[bar.end() :]) if bar else (text, "")
    if _ACTING.search(one):
        out.nested.append(
            Nested("unknown", word(one), reason="a command of the editor that may run or write something")
        )
    _files(one.strip(), out)
    return rest


def _files(text: str, out: Gathered) -> None:
    if found := _WRITES.fullmatch(text):
        out.path(word(found["path"]), "write")
    elif found := _READS.fullmatch(text):
        out.path(word(found["path"]), "read")
    elif found := _RUNS.fullmatch(text):
        out.path(word(found["path"]), "execute")
