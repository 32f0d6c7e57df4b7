"""Variables that programs run: what they hold is a script that is perhaps run, or a file whose code is. Variables and
options that make a shell read its text otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from ostiary import programs
from ostiary.call.gather import Gathered, Nested
from ostiary.call.layers import Layer
from ostiary.expressions import expression
from ostiary.words import Word

_SUBSTITUTION: Final = expression(r"\$[({]|`|[<>]\(")
_MARKS: Final = "!|-"
"""What may stand before the command: git's mark of shell text, the pipe of `LESSOPEN`."""


def run_by(variables: Iterable[tuple[str, Word]], seen: set[tuple[str, Word]], out: Gathered) -> Iterator[Nested]:
    """The scripts in variables whose value is told, without those that were `seen`, which grows by them. Files are
    added as possible `execute` accesses."""
    for name, value in variables:
        if (name, value) in seen:
            continue
        seen.add((name, value))
        if programs.expanded(name) and _SUBSTITUTION.search(str(value)):
            yield Nested("unknown", value, reason="the value of a variable is expanded again", possible=True)
        role = programs.run_from(name)
        if role == "run":
            out.path(value, "execute", certain=False)
        elif role == "command" and value.prefix and all(hole.kind == "outside" for hole in value.holes):
            yield Nested("code", _unmarked(value), possible=True)


def read_otherwise(layers: tuple[Layer, ...], variables: Iterable[tuple[str, Word]]) -> Iterator[Nested]:
    """A shell that takes assignments among the words of commands (bash's manual, 4.3.1) is in doubt."""
    given = layers[-1].arguments if layers else None
    if given is None or given.data is None or given.data.stdin != "code:bash":
        return
    values = [str(used.value) for used in given.options if used.names & {"-o"}]
    values += [str(value) for name, value in variables if name == "SHELLOPTS"]
    if any("keyword" in value for value in values) or any("-k" in used.names for used in given.options):
        yield Nested("unknown", reason="assignments among the words of commands")


def _unmarked(value: Word) -> Word:
    return value.after(len(value.prefix) - len(value.prefix.lstrip(_MARKS)))
