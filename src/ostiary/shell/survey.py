"""What a stretch of a script may change when it runs, found without running it: for loops and functions, whose
commands run after changes that stand below them in the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ostiary.expressions import expression
from ostiary.records import dataclass, field
from ostiary.shell.simple import DECLARATIONS
from ostiary.shell.syntax import (
    Arithmetic,
    Array,
    Assign,
    Coprocess,
    Document,
    For,
    Function,
    If,
    Literal,
    Parameter,
    RawWord,
    Redirection,
    Simple,
    Unread,
    plain_text,
)

_SETTERS: Final = DECLARATIONS | {"read", "mapfile", "readarray", "getopts", "wait", "unset"}
_MOVERS: Final = frozenset({"cd", "pushd", "popd", "chdir", "eval", "trap", "alias"})
_OPAQUE: Final = frozenset({"eval", "source", ".", "trap", "alias"})
_JUMPS: Final = frozenset({"break", "continue", "return", "exit"})
_IDENTIFIER: Final = expression(r"[A-Za-z_][A-Za-z0-9_]*")
_TARGET: Final = expression(r"(?:-v)?([A-Za-z_][A-Za-z0-9_]*)(?:\[|\+?=|\Z)")
_SETTING: Final = expression(r"(?<![=!<>])=(?!=)|\+\+|--")
_SUBSTITUTION: Final = expression(r"\$\(|`|\$\Z")
_SUBSCRIPT: Final = expression(r"[A-Za-z0-9_]\[[^\]\n]*(?:\$\(|`)")


@dataclass(slots=True)
class Survey:
    """What a stretch may do: set the variables `names`, define `functions`, call `programs`, change the directory
    (`moves`), set any variable (`opaque`), leave its loop early (`jumps`), set the positional parameters
    (`positional`). `misprinted` says that other shells may read it otherwise: bash prints them the functions it
    exports, and version 5.2 loses the body of a here-document in the condition of an `if`."""

    names: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)
    programs: set[str] = field(default_factory=set)
    moves: bool = False
    opaque: bool = False
    jumps: bool = False
    positional: bool = False
    misprinted: bool = False

    def add(self, other: Survey) -> None:
        """Perhaps the other stretch runs, too."""
        self.names |= other.names
        self.functions |= other.functions
        self.programs |= other.programs
        self.moves = self.moves or other.moves
        self.opaque = self.opaque or other.opaque
        self.jumps = self.jumps or other.jumps
        self.positional = self.positional or other.positional
        self.misprinted = self.misprinted or other.misprinted


def survey(node: object, outside: Callable[[str], bool]) -> Survey:
    """Survey a node. `outside` tells whether a variable is never set in the text: a program word made of such
    variables alone is taken as no builtin of the shell."""
    found = Survey()
    for item in _nodes(node):
        if isinstance(item, Simple):
            _command(item, found, outside)
        elif isinstance(item, Assign | For | Coprocess):
            found.names.add(item.name)
        elif isinstance(item, Redirection) and item.variable:
            found.names.add(item.variable)
        elif isinstance(item, Function):
            found.functions.add(item.name)
        elif isinstance(item, If):
            conditions = tuple(condition for condition, _ in item.branches)
            found.misprinted = found.misprinted or any(isinstance(inner, Document) for inner in _nodes(conditions))
        elif isinstance(item, Arithmetic):
            found.names.update(set_by_arithmetic("".join(p.text for p in item.parts if isinstance(p, Literal))))
        elif isinstance(item, Parameter) and item.operation in ("=", ":="):
            found.names.add(item.name)
        elif isinstance(item, Parameter) and item.operation == "!" and "=" in item.source:
            found.opaque = True
        elif isinstance(item, Unread):
            found.moves = found.opaque = found.jumps = True
    return found


def bodies(node: object) -> dict[str, list[Function]]:
    """The functions that a node defines, by name."""
    found: dict[str, list[Function]] = {}
    for item in _nodes(node):
        if isinstance(item, Function):
            found.setdefault(item.name, []).append(item)
    return found


def _command(node: Simple, found: Survey, outside: Callable[[str], bool]) -> None:
    words = list(node.words)
    while words and plain_text(words[0]) in ("command", "builtin"):
        del words[0]
    if not words:
        return
    name = plain_text(words[0])
    if name is not None:
        found.programs.add(name)
        found.moves = found.moves or name in _MOVERS
        found.opaque = found.opaque or name in _OPAQUE
        found.jumps = found.jumps or name in _JUMPS
        found.positional = found.positional or name in ("set", "shift")
    elif not _is_outside(words[0], outside):
        found.moves = found.opaque = found.jumps = True
    if name in _SETTERS:
        _arguments(words[1:], found)
    elif name == "let":
        found.names.update(name for word in words[1:] for name in _IDENTIFIER.findall(plain_text(word) or ""))
    elif name == "printf" and len(words) > 1 and (plain_text(words[1]) or "").startswith("-v"):
        _arguments(words[1:3], found)


def _is_outside(word: object, outside: Callable[[str], bool]) -> bool:
    parts = [part for part in word if part != Literal("", True)] if isinstance(word, tuple) else []
    part = parts[0] if len(parts) == 1 else None
    return isinstance(part, Parameter) and not part.operation and part.subscript is None and outside(part.name)


def _arguments(words: list[RawWord | Assign], found: Survey) -> None:
    for word in words:
        text = plain_text(word)
        match = _TARGET.match(text or "")
        if match is not None:
            found.names.add(match[1])
        elif text is None and not isinstance(word, Assign):
            found.opaque = True


def set_by_arithmetic(text: str) -> list[str]:
    """The variables that an arithmetic expression may set."""
    return _IDENTIFIER.findall(text) if _SETTING.search(text) else []


def smuggles(script: object) -> bool:
    """Whether the script holds text that runs a command if arithmetic takes it for a variable's value, such as
    `a[$(command)]`, or pieces of such a text where variables get their values."""
    for item in _nodes(script):
        if isinstance(item, Literal) and item.quoted and _SUBSCRIPT.search(item.text):
            return True
        if isinstance(item, Assign | Array | For) and _carries(item):
            return True
    return False


def _carries(node: Assign | Array | For) -> bool:
    values: object = node.words if isinstance(node, For) else node
    return any(isinstance(item, Literal) and item.quoted and _SUBSTITUTION.search(item.text) for item in _nodes(values))


def _nodes(node: object) -> Iterator[object]:
    """The node and everything below it."""
    stack = [node]
    while stack:
        item = stack.pop()
        yield item
        if isinstance(item, tuple):
            stack.extend(item)
        elif isinstance(item, Document):
            stack.append(item.body)
