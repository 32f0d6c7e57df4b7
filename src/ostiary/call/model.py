"""A tool call taken apart: parts, and what each touches."""

from __future__ import annotations

from typing import Final, Literal

from ostiary.call.defined import NOTHING, Definitions
from ostiary.paths import Tree
from ostiary.records import NamedTuple, dataclass
from ostiary.redaction import CUT, length, secret
from ostiary.words import Hole, Word

AccessKind = Literal["read", "write", "delete", "connect", "execute"]
KINDS: Final[tuple[AccessKind, ...]] = ("read", "write", "delete", "connect", "execute")

FURTHER: Final = Word((Hole("...", "computed"),), many=True)
"""Arguments that a program like `xargs` adds and the text does not tell."""

Origin = Literal[
    "argument",  # an argument of the program or tool
    "input",  # an input redirection, `<`
    "output",  # the target of an output redirection, also of sed and awk, which no allow of a command covers
    "implied",  # the read that an edit of the same file implies
]


@dataclass(frozen=True, slots=True)
class Access:
    """One thing a part touches: a path (relative ones against the part's `cwd`), or `host[:port]` for `connect`, or
    the file whose code runs for `execute`. `certain` is False for what the part may touch (an operand of an unknown
    program that looks like a path). `tree` says how the files below the target are read, too; None if they are not.
    `listing` says that of a file only the name and size are read, of a folder the names in it."""

    kind: AccessKind
    target: Word
    certain: bool = True
    origin: Origin = "argument"
    tree: Tree | None = None
    listing: bool = False


@dataclass(frozen=True, slots=True)
class Option:
    """One option as it was given. `names` are all its spellings (`-f`, `--force`), of which one or more may be meant
    where an abbreviation is ambiguous. `role` is what the option's data says it does, empty if nothing special.
    `ambiguous` says that the names belong to more than one option, so that a set of allowed ones must hold them all."""

    names: frozenset[str]
    value: Word | None = None
    role: str = ""
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class Invocation:
    """A program with its arguments, as one layer of a part: `sudo env A=1 git push` has three, outermost first.

    `words` are the program and everything after it. `name` is the program's base name (without `.exe`), None if the
    text does not tell; `outside` says that it is then only a variable from outside (`$CC`). `bare` says that the
    program was written without a folder. `via` names the wrappers outside of it. `transparent` says that all those
    wrappers are inert, so that an allow may look through them. `known` says that the program has data. `options`,
    `subcommand`, `operands` are the arguments as the program reads them; `loose` are words that may be options
    (unknown words, before any `--`). `plain` is the invocation without global options: program, subcommand, rest.
    `refs` are the git refs it touches by name, empty for the branch that is checked out, None for no ref; with
    `perhaps_path` the one ref is a path instead where a file of that name exists. `folds` says that program and
    options are named without case, `aliases` are the program's other names in its shell, in lower case.
    `may_run` says that a program may stand somewhere among the words, as in an unknown wrapper's. `inner` is the
    position of the program that it runs, None if there is none.
    """

    words: tuple[Word, ...]
    name: str | None
    outside: bool = False
    bare: bool = True
    via: tuple[str, ...] = ()
    transparent: bool = True
    known: bool = False
    options: tuple[Option, ...] = ()
    subcommand: tuple[str, ...] = ()
    operands: tuple[Word, ...] = ()
    loose: tuple[Word, ...] = ()
    plain: tuple[Word, ...] = ()
    refs: tuple[Word, ...] | None = None
    perhaps_path: bool = False
    folds: bool = False
    aliases: frozenset[str] = frozenset()
    may_run: bool = False
    inner: int | None = None

    @property
    def shape(self) -> str:
        """The program, its subcommand if it is known to have some, and the names of its options, without any value: a
        word that only may be an option, or has a value in it, is left out."""
        given = (max(option.names, key=lambda name: (len(name), name)) for option in self.options if option.names)
        known = self.subcommand if self.known else ()
        name = length(self.name) if self.name and secret(self.name) else self.name or "?"
        return " ".join((name, *filter(_is_word, known), *filter(_is_option, given)))


_LONGEST: Final = 40


def _is_option(name: str) -> bool:
    """Whether this is an option's name and nothing else: not `-pSECRET`."""
    return len(name) == len("-x") or (name.startswith("--") and _is_word(name[2:]))


def _is_word(text: str) -> bool:
    return len(text) <= _LONGEST and text.replace("-", "").isalnum() and not secret(text)


@dataclass(frozen=True, slots=True)
class Opening:
    """Something in a part that can execute, write, connect or change how a program is found, and that an allow covers
    only where its rule names it (closure, law L3). `kind` `option`: `names` are the option's spellings; `unknown`: an
    option the data of a closed program does not know; `assignment`: `names` holds the variable; `definition`: a
    function, alias or hashed program of that name; `word`: `names` holds a subcommand that may be anything, or a
    setting that other programs obey."""

    kind: Literal["option", "unknown", "assignment", "definition", "word"]
    names: frozenset[str]
    why: str


class Switch(NamedTuple):
    """A command before a part, in the same call, after which the branch `name` is checked out: whether it is `sure` to
    have succeeded, and whether the name is a path instead where a file of that name exists."""

    name: Word
    sure: bool = False
    perhaps_path: bool = False


class Source(NamedTuple):
    """The file that a part comes from, which a part of the call runs. `label` is for people: the file as the call names
    it, and the line. `carrier` is the position of that part. `settled`: what the text of the file does not tell counts
    as not there; other code that is not in the call's text is not judged either. `cut`: the part stands for what of the
    file was not read, for its length or another bound, or for how it is written."""

    label: str
    carrier: int
    settled: bool = True
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that runs: a simple command of a script, or the whole call of any other tool.

    `invocations` are its layers, empty where no program runs. `cwd` is the absolute directory, None if the text does
    not tell; `fallbacks` are those it runs in if an earlier `cd` failed, of which its accesses are possible ones.
    `environment` are the variables the text sets for it. `complete` says that it does nothing besides its accesses;
    `pure`, that those only read. `pipes_from` and `pipes_to` are the positions, among the parts, of its
    neighbours in the pipeline. `unparsed` is the reason why the stretch was not understood. `repository` is where it
    works, relative to its directory, if not there (`git -C x`); `switches` are what may have checked out another branch
    before it, in their order. A `possible` part runs only if a text is what it looks like: rules answer *maybe* on it
    at most, and no allow owes it anything. `source` is the file that it was read from, None for what stands in the
    call; no allow speaks for such a part, and none owes it anything. An `idle` part only steers the script: beside
    others no allow owes it anything either.
    """

    text: str
    invocations: tuple[Invocation, ...] = ()
    accesses: tuple[Access, ...] = ()
    cwd: str | None = None
    environment: tuple[tuple[str, Word], ...] = ()
    openings: tuple[Opening, ...] = ()
    complete: bool = False
    pure: bool = False
    pipes_from: tuple[int, ...] = ()
    pipes_to: tuple[int, ...] = ()
    unparsed: str = ""
    fallbacks: tuple[str | None, ...] = ()
    repository: Word | None = None
    switches: tuple[Switch, ...] = ()
    possible: bool = False
    source: Source | None = None
    idle: bool = False

    @property
    def beside(self) -> bool:
        """Whether it is judged for what stops alone: it runs only perhaps, or comes from a file."""
        return self.possible or self.source is not None

    @property
    def program(self) -> str:
        """Base name of the innermost program, empty if none runs or the text does not tell."""
        return (self.invocations[-1].name or "") if self.invocations else ""

    @property
    def shape(self) -> str:
        """What runs, outermost first, by programs and names of options; empty where nothing does."""
        return " ".join(invocation.shape for invocation in self.invocations)[:CUT]


@dataclass(frozen=True, slots=True)
class Call:
    """The analysed event. `script` is the text given to a shell, None for other tools. `content` are the texts the
    call writes or sends. `limit` names a bound that was hit, `unmapped` says that the tool's arguments have no
    mapping, so that its accesses are only possible ones. `unread` are the files whose code it runs and of which the
    text was not given to the analysis, by absolute path; `read` are the texts of those that were. `defined` are the
    definitions it was read with. `readings` are several readings of one event, with fewer and with more definitions, of
    which `parts` has all parts; empty for a single one."""

    parts: tuple[Part, ...]
    script: str | None = None
    content: tuple[str, ...] = ()
    limit: str = ""
    unmapped: bool = False
    unread: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    defined: Definitions = NOTHING
    readings: tuple[Call, ...] = ()

    def at(self, index: int) -> tuple[Call, int]:
        """The reading that a part belongs to, and the part's position there."""
        for reading in self.readings:
            if index < len(reading.parts):
                return reading, index
            index -= len(reading.parts)
        return self, index

    def read_by(self, rank: int) -> Call:
        """The reading that a tier of this rank trusts: with what it and higher tiers define."""
        readings = self.readings or (self,)
        return next((reading for reading in reversed(readings) if reading.defined.rank <= rank), readings[0])
