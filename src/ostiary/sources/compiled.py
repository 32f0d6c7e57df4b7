"""What compiling one source gave, good or not, in the form the cache and the last-good store keep."""

from __future__ import annotations

import marshal
from typing import Any, Final

from ostiary.digests import sha256
from ostiary.policy import FilePlan, file_plan, plain
from ostiary.problems import Problem
from ostiary.records import NamedTuple

FORMAT: Final = 6
"""Version of the stored form. Plans of another form are compiled again."""

_CHECKSUM: Final = sha256().digest_size


class Compiled(NamedTuple):
    """The result for one source: its plan with warnings, or None with errors. `includes` are the files that were asked
    for on the way, each with the SHA-256 (hex) of its bytes, empty where it could not be read; `scripts` are the files
    of the project that its handlers name, likewise. `settings` is what a settings file says, which has no plan; None
    for all others and where there are errors."""

    plan: FilePlan | None
    problems: tuple[Problem, ...]
    includes: tuple[tuple[str, str], ...]
    scripts: tuple[tuple[str, str], ...] = ()
    settings: tuple[tuple[str, Any], ...] | None = None


def pack(compiled: Compiled) -> bytes:
    """The stored form: a checksum, then the value."""
    plan, problems, includes, scripts, settings = compiled
    value = (FORMAT, plain(plan), tuple(map(_fields, problems)), includes, scripts, settings)
    return seal(value)


def unpack(data: bytes) -> Compiled | None:
    """The value of a stored form; None for anything damaged or of another version. For what `unseal` is for."""
    try:
        return _value(unseal(data))
    except Exception:  # whatever is wrong with a cached value, compiling again mends it
        return None


def seal(value: Any) -> bytes:
    """Plain values as bytes, behind their checksum."""
    body = marshal.dumps(value)
    return sha256(body).digest() + body


def unseal(data: bytes) -> Any:
    """What was sealed; None for anything damaged. Only for files that nobody else can write: the reader of these values
    is no defence against made-up ones."""
    checksum, body = data[:_CHECKSUM], data[_CHECKSUM:]
    if sha256(body).digest() != checksum:
        return None
    try:
        return marshal.loads(body)  # noqa: S302 the file is ours alone, and whole
    except (ValueError, EOFError, TypeError):
        return None


def _value(value: Any) -> Compiled | None:
    version, plan, problems, includes, scripts, settings = value
    if version != FORMAT:
        return None
    told = tuple(Problem(*fields) for fields in problems)
    return Compiled(file_plan(plan) if plan else None, told, includes, scripts, settings)


def _fields(problem: Problem) -> tuple[Any, ...]:
    return (
        problem.file,
        problem.line,
        problem.column,
        problem.where,
        problem.message,
        problem.help,
        problem.severity,
    )
