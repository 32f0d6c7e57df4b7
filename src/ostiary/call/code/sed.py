"""What a sed script does besides editing: files it reads and writes, commands it runs."""

from __future__ import annotations

from typing import Final

from ostiary.call.gather import Gathered, Nested
from ostiary.expressions import expression
from ostiary.words import word

_ADDRESS: Final = expression(r"\s*(?:[0-9]+|\$)?(?:[~+,!\s]*(?:[0-9]+|\$)?)*")
_FLAGS: Final = expression(r"[gpimIM0-9]*([ew]?)")
_SIMPLE: Final = frozenset("dDgGhHnNpPxz=F{}#;")


def read_sed(script: str, out: Gathered) -> None:
    """Add the accesses and commands of a script; what is not understood is not told."""
    index = 0
    while index < len(script):
        after = _command(script, _past_addresses(script, index), out)
        if after is None:
            out.nested.append(Nested("unknown", word(script[index:]), reason="sed script that was not understood"))
            return
        index = after


def _past_addresses(script: str, index: int) -> int:
    while index < len(script):
        match = _ADDRESS.match(script, index)
        after = match.end() if match else index
        if script[after : after + 1] == "/":
            after = _delimited(script, after + 1, "/")
        elif script[after : after + 1] == "\\" and after + 1 < len(script):
            after = _delimited(script, after + 2, script[after + 1])
        else:
            return after
        while script[after : after + 1] in ("I", "M"):
            after += 1
        index = after
    return index


def _delimited(script: str, index: int, delimiter: str) -> int:
    """The position after the next delimiter that stands outside of brackets and is not escaped."""
    bracket = False
    while index < len(script):
        sign = script[index]
        if sign == "\\":
            index += 1
        elif bracket:
            bracket = sign != "]"
        elif sign == delimiter:
            return index + 1
        elif sign == "[" and "]" in script[index + 2 :]:
            bracket = True
            index += script[index + 1 : index + 2] in ("]", "^")
        index += 1
    return len(script) + 1


def _command(script: str, index: int, out: Gathered) -> int | None:
    """Read one command; the position after it, None if it was not understood."""
    if index >= len(script):
        return index
    name = script[index]
    if name.isspace() or name in "{};":
        return index + 1
    if name == "#":
        return _line_end(script, index)
    if name in "sy":
        return _substitution(script, index, out)
    if name in "rRwW":
        return _file(script, index + 1, "read" if name in "rR" else "write", out)
    if name == "e":
        return _execute(script, index + 1, out)
    if name in "aic":
        return _text_end(script, index + 1)
    if name in ":btTvqQlL" or name in _SIMPLE:
        ends = [at for at in (script.find(end, index + 1) for end in ";\n}") if at >= 0]
        return min(ends, default=len(script)) + (not ends)
    return None


def _line_end(script: str, index: int) -> int:
    end = script.find("\n", index)
    return len(script) if end < 0 else end + 1


def _text_end(script: str, index: int) -> int:
    end = _line_end(script, index)
    while end < len(script) and script[:end].endswith("\\\n"):
        end = _line_end(script, end)
    return end


def _file(script: str, index: int, kind: str, out: Gathered) -> int:
    end = _line_end(script, index)
    target = word(script[index:end].strip())
    if kind == "read":
        out.path(target, "read")
    else:
        out.path(target, "write", origin="output")
    return end


def _execute(script: str, index: int, out: Gathered) -> int:
    end = _line_end(script, index)
    command = script[index:end].strip()
    if command and not command.startswith(("}", ";")):
        out.nested.append(Nested("code", word(command), "bash"))
    else:
        out.nested.append(Nested("unknown", reason="sed runs the lines it reads"))
    return end


def _substitution(script: str, index: int, out: Gathered) -> int | None:
    delimiter = script[index + 1 : index + 2]
    if not delimiter or delimiter in "\n\\":
        return None
    middle = _delimited(script, index + 2, delimiter)
    end = _plain_end(script, middle, delimiter)
    if end > len(script) or script[index] == "y":
        return end if end <= len(script) else None
    match = _FLAGS.match(script, end)
    assert match is not None
    if match[1] == "e":
        out.nested.append(Nested("unknown", reason="sed runs the text it substitutes"))
        return match.end()
    return _file(script, match.end(), "write", out) if match[1] == "w" else match.end()


def _plain_end(script: str, index: int, delimiter: str) -> int:
    """As `_delimited`, where brackets mean nothing."""
    while index < len(script):
        if script[index] == "\\":
            index += 1
        elif script[index] == delimiter:
            return index + 1
        index += 1
    return len(script) + 1
