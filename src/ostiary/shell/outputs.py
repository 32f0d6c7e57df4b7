"""What a command substitution prints, where the program's manual tells: `pwd`, and the new path of `mktemp`."""

from __future__ import annotations

from typing import Final

from ostiary.expressions import expression
from ostiary.shell.scope import Scope
from ostiary.shell.syntax import Sequence, Simple, plain_text
from ostiary.words import Hole

_FLAGS: Final = frozenset({"-d", "--directory", "-q", "--quiet", "-dq", "-qd"})
_TEMPLATE: Final = expression(r"([A-Za-z0-9_][A-Za-z0-9._-]*)XXX[A-Za-z0-9._-]*")
_TEMPORARY: Final = "/tmp/"  # noqa: S108 a text, nothing is opened there
_USUAL: Final = "tmp."


def printed(body: Sequence, source: str, scope: Scope) -> list[str | Hole] | None:
    """What `$(...)` becomes, None where the text does not tell. A name that `mktemp` makes up is found in the folder
    for temporary files: it is new, so nothing of anybody else has it."""
    words = _plain(body)
    if not words or scope.opaque or words[0] in scope.defined or "PATH" in scope.values:
        return None
    if words[0] == "pwd" and set(words[1:]) <= {"-L", "-P"}:
        return [Hole("$PWD", "outside")]
    start = _start(words[1:]) if words[0] == "mktemp" and "TMPDIR" not in scope.values else None
    return [_TEMPORARY + start, Hole(source, "found")] if start else None


def _plain(body: Sequence) -> list[str]:
    """The words of the only command, nothing if there is more to it."""
    only = body.items[0] if len(body.items) == 1 else None
    if not isinstance(only, Simple) or only.assignments or only.redirections:
        return []
    texts = [plain_text(item) for item in only.words]
    known = [text for text in texts if text is not None]
    return known if len(known) == len(texts) else []


def _start(words: list[str]) -> str | None:
    """How the name begins that `mktemp` makes up in the usual folder; None where it takes another one, or fails since
    the template is too short, and prints nothing."""
    if len(words) > 1 and words[-2] == "-t":
        template = _TEMPLATE.fullmatch(words[-1])
        return template[1].rstrip("X") if template and set(words[:-2]) <= _FLAGS else None
    return _USUAL if set(words) <= _FLAGS else None
