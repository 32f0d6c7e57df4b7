"""The tree of a bash text as `reading` and `grammar` make it: structure only, nothing is expanded yet.

A word is a plain string where nothing in it is special, else a tuple of parts.
"""

from __future__ import annotations

from typing import Literal as Choice
from typing import TypeAlias

from ostiary.records import NamedTuple, dataclass


class Literal(NamedTuple):
    """Text of a word. `quoted` text is taken as it is; unquoted text may hold braces, patterns, a tilde."""

    text: str
    quoted: bool


class Parameter(NamedTuple):
    """`$name` and `${name...}`. `operation` is empty for the plain value, `#` for the length, `!` for indirection,
    the operator for defaults (`-`, `:=`, `+` ...), `@` for a transformation (`operand` is its letter), else the first
    character of what cuts or changes the value. `subscript` is what stands between brackets, None without."""

    source: str
    name: str
    quoted: bool
    operation: str = ""
    operand: tuple[Part, ...] = ()
    subscript: tuple[Part, ...] | None = None


class Substitution(NamedTuple):
    """`$(...)` and backticks; `direction` is `<` or `>` for the process substitutions `<(...)` and `>(...)`."""

    source: str
    body: Sequence
    quoted: bool
    direction: str = ""


class Arithmetic(NamedTuple):
    """`$((...))`, and what stands in `((...))`. `parts` are its text with the expansions in it."""

    source: str
    parts: tuple[Part, ...]


class Pattern(NamedTuple):
    """An extended pattern, `@(a|b)`. `parts` are its text with the expansions in it."""

    source: str
    parts: tuple[Part, ...]


Part: TypeAlias = Literal | Parameter | Substitution | Arithmetic | Pattern
RawWord: TypeAlias = str | tuple[Part, ...]


class Array(NamedTuple):
    """`(a b c)` as the value of an assignment."""

    source: str
    items: tuple[RawWord, ...]


class Assign(NamedTuple):
    """`name=value`, `name+=value`, `name[subscript]=value`."""

    name: str
    value: RawWord | Array
    append: bool = False
    subscript: tuple[Part, ...] | None = None


@dataclass(slots=True)
class Document:
    """A here-document. Its body stands after the line that announces it, so it is filled in later."""

    delimiter: str
    quoted: bool
    strip: bool
    body: tuple[Part, ...] = ()


class Redirection(NamedTuple):
    """One redirection, its operator without the descriptor; `variable` is set to the descriptor in `{variable}> f`,
    `descriptor` is the number that is written before the operator."""

    operator: str
    target: RawWord | Document
    variable: str = ""
    descriptor: str = ""


class Simple(NamedTuple):
    """A simple command. A word of a declaration builtin (`export A=b`) may be an assignment."""

    text: str
    assignments: tuple[Assign, ...]
    words: tuple[RawWord | Assign, ...]
    redirections: tuple[Redirection, ...]


class Sequence(NamedTuple):
    """Commands one after the other; also a group in braces."""

    items: tuple[Node, ...]


class Background(NamedTuple):
    """`body &`"""

    body: Node


class Chain(NamedTuple):
    """`first && a || b`: each of `rest` with the operator before it."""

    first: Node
    rest: tuple[tuple[str, Node], ...]


class Pipeline(NamedTuple):
    """Two or more commands joined by pipes."""

    items: tuple[Node, ...]


class Negated(NamedTuple):
    """`! body`"""

    body: Node


class Redirected(NamedTuple):
    """A compound command with redirections, `{ ...; } > f`."""

    text: str
    body: Node
    redirections: tuple[Redirection, ...]


class Subshell(NamedTuple):
    """`( ... )`"""

    body: Node


class Coprocess(NamedTuple):
    """`coproc name body`; the variable of that name holds its descriptors."""

    name: str
    body: Node


class If(NamedTuple):
    """Conditions with their bodies in order, and what runs if none holds."""

    branches: tuple[tuple[Sequence, Sequence], ...]
    otherwise: Sequence | None


class Loop(NamedTuple):
    """`while` and `until`."""

    condition: Sequence
    body: Sequence


class For(NamedTuple):
    """`for name in words`; `words` is None where the positional parameters are meant, `chosen` for `select`."""

    name: str
    words: tuple[RawWord, ...] | None
    body: Sequence
    chosen: bool = False


class Counting(NamedTuple):
    """`for ((...; ...; ...))`"""

    head: Arithmetic
    body: Sequence


class CaseItem(NamedTuple):
    """One arm of `case`; it `falls` into the next one with `;&`."""

    patterns: tuple[RawWord, ...]
    body: Sequence
    falls: bool


class Case(NamedTuple):
    """`case subject in ... esac`"""

    subject: RawWord
    items: tuple[CaseItem, ...]


class Function(NamedTuple):
    """A function's definition."""

    name: str
    body: Node


class Test(NamedTuple):
    """`[[ ... ]]`. `evaluates` says that it computes with the values of variables (`-eq`, `-v` ...)."""

    text: str
    words: tuple[RawWord, ...]
    evaluates: bool


class Unread(NamedTuple):
    """A stretch that was not understood, and why."""

    text: str
    reason: str


Node: TypeAlias = (
    Simple
    | Sequence
    | Background
    | Chain
    | Pipeline
    | Negated
    | Redirected
    | Subshell
    | Coprocess
    | If
    | Loop
    | For
    | Counting
    | Case
    | Function
    | Test
    | Arithmetic
    | Unread
)

Quoting = Choice["none", "double", "document"]


def plain_text(word: RawWord | Assign) -> str | None:
    """The text of a word without expansions, None for any other."""
    if isinstance(word, str):
        return word
    if isinstance(word, Assign):
        return None
    texts = [part.text for part in word if isinstance(part, Literal)]
    return "".join(texts) if len(texts) == len(word) else None


class Unreadable(Exception):
    """The text at hand is not understood. `limit` names the bound that was hit, if one was."""

    def __init__(self, reason: str, limit: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.limit = limit
