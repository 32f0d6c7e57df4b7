"""What a shell script comes to: simple commands, each with its words and what surrounds it."""

from __future__ import annotations

from typing import Literal

from ostiary.records import dataclass, field
from ostiary.words import Word

RedirectKind = Literal["read", "write", "append", "both", "here-document", "here-string", "descriptor"]


@dataclass(frozen=True, slots=True)
class Assignment:
    """`NAME=value`. A value the text does not tell has holes."""

    name: str
    value: Word


@dataclass(frozen=True, slots=True)
class Redirect:
    """One redirection. `target` is the file, the here-document's body (`expands` says whether its text is expanded) or
    the here-string. `descriptor` copies and closes (`2>&1`, `3>&-`) touch no file. `number` is the descriptor that is
    opened, in braces the variable that will hold it, empty where the shell has no numbers."""

    kind: RedirectKind
    target: Word
    expands: bool = False
    number: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command that the script may run.

    `words` are program and arguments with quoting resolved; empty for a script without a command (assignments,
    redirections, `[[ ]]`, an empty text) and for an unparsed stretch. `assignments` stand before the command,
    `exported` were put into the environment earlier in the script. `defined` names functions, aliases and hashed
    programs that the script defines before or around the command. `cwd` is the directory relative to where the script
    starts (known empty word: unchanged), as `cd` moved it; with holes where the text does not tell. `fallbacks` are
    the directories it runs in if a `cd` before it failed that nothing asks about (`cd x; rm y`). `reads_from` and
    `feeds` are positions in `Script.commands` of the neighbours in its pipeline. The first `inherited` redirections are
    those of what surrounds it (groups, an `exec` before it, calls of its function). `unparsed` is the reason why the
    stretch was not understood, empty for an understood command. `language` is the shell that looks the program up:
    `bash`, `powershell` or `cmd`. `after` are positions of commands that have succeeded when it runs (`a && b`), as far
    as the text says so; `again` says that it may run more than once, or later than it stands (a loop, a function).
    `variables` are those that a text finds which it runs in this very shell (`eval`, `trap`), as far as they are known;
    None for a command that runs its texts in shells of their own.
    """

    text: str
    words: tuple[Word, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    exported: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    defined: frozenset[str] = frozenset()
    cwd: Word = field(default_factory=lambda: Word(()))
    reads_from: tuple[int, ...] = ()
    feeds: tuple[int, ...] = ()
    unparsed: str = ""
    fallbacks: tuple[Word, ...] = ()
    language: str = "bash"
    after: tuple[int, ...] = ()
    again: bool = False
    inherited: int = 0
    variables: tuple[tuple[str, Word], ...] | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """A script's commands in the order of their text; a text that runs nothing has one command without words.
    `limit` names the bound that was hit while reading it, if one was."""

    commands: tuple[Command, ...]
    limit: str = ""
