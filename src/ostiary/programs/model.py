"""What the data about programs says, and the small notation it is written in.

An option is `-o|--output=write!config`: its spellings, `=` if it takes a value, what the value is, and after `!` what
the option does. Kinds of value: `=` a value, attached or the next word; `=?` only attached; `=1` and `=2` two words, of
which the first or the second is the value; `=;` the words up to `;` or `+`; `=$` a value after which all words are
operands (`=$command`: all further words are shell text, `=$argv`: they are a program with its arguments).

Operands are `read... write`: a role for each by position, `...` after the role of those in the middle. Subcommands are
`install=i|ci`: `|` between commands with the same data, `=` between the names of one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ostiary.expressions import expression
from ostiary.records import NamedTuple, dataclass, field

Raw = Mapping[str, Any]

VALUE_ROLES: Final = frozenset(
    {
        "data",  # means nothing for policy
        "text",  # text that is printed or sent
        "shape",  # a possible access if it reads as a path
        "read",
        "write",
        "edit",  # read and written
        "delete",
        "move",  # read and deleted
        "download",  # a directory that takes what the URLs among the operands name
        "into",  # a directory or file that takes what the other operands name
        "revision",  # a git revision, `revision:path` or a path; a possible read
        "setting",  # `key=value` of which some keys name a command
        "list",  # a directory that is listed
        "tree",  # a directory whose files are read; `tree:visible`: no hidden ones, `tree:git`: no ignored ones
        "run",  # a file whose code runs; `run:LANG`
        "source",  # a file whose code runs in this shell
        "expression",  # a text that may run commands or write, or a path
        "code",  # code in the text; `code:LANG`
        "command",  # text for a shell
        "shell",  # words that are joined and given to a shell
        "argv",  # a program and its arguments
        "starts",  # a program that is started with arguments that stand elsewhere
        "assignment",  # `NAME=value` for the environment of what runs
        "url",
        "host",
        "place",  # a URL with a scheme, anything else is `shape`
        "location",  # a URL with a scheme, anything else is `read`
        "uri",  # a URL with a scheme, anything else is `data`
        "package",  # a package by name or URL
        "image",  # an image, perhaps with its registry
        "module",  # a module named by the host it is on
        "run-module",  # a module or a file that is run
        "database",  # a URL or `host=...`
        "forward",  # a tunnel: `[bind:]port:host:port`
        "jump",  # hosts on the way, joined by commas
        "connect-to",  # `host:port:host:port`
        "resolve",  # `host:port:address`
        "socat",  # an address of socat
        "worktree",  # where git keeps or checks out files
        "addresses",  # a file that names hosts or URLs, which are connected to
        "names",  # a file that names files, which are read
        "key",  # the name of a setting, before its value
        "anywhere",  # a host that the text does not tell: where a redirect leads
        "request",  # httpie's words: a method, a URL, `name=value`, `name=@file`
        "keys",  # keys that are typed into a program which runs elsewhere, perhaps a shell
        "remote",  # `host:path` or a local path that is read
        "remote-write",  # `host:path` or a local path that is written
        "remote-mirror",  # as `remote-write`, and files of it are removed
        "remote-move",  # as `remote`, and removed
        "remote-tree",  # `host:path` or a local folder whose files are read
        "repository",  # a URL, `host:path`, a local path, or the name of a remote
        "at-read",  # `@file` is read
        "form",  # `name=@file` or `name=<file` is read
        "param",  # `file://path`, `fileb://path` or `@path` is read, anything else is data
        "equals-read",  # `name=file` is read
        "cwd",  # the directory in which the other paths are taken
        "patch",  # a patch in the `*** Begin Patch` format
        "program",  # a program that is started with the `arguments` beside it
        "arguments",  # words for it, or one text that holds several
        "mount",  # `source:target`, of which the source is read and written
        "effect",  # changes something that is no file
    }
)

OPTION_ROLES: Final = frozenset({"", "read", "execute", "write", "delete", "config", "plugin", "effect"})

CLOSING_ROLES: Final = frozenset({"execute", "write", "delete", "config", "plugin"})
"""Roles of options that an allow covers only where its rule names the option (closure, law L3)."""

# What an option does where its value says it already.
_IMPLIED: Final = {
    "write": "write",
    "edit": "write",
    "delete": "delete",
    "move": "delete",
    "run": "execute",
    "source": "execute",
    "code": "execute",
    "command": "execute",
    "shell": "execute",
    "argv": "execute",
    "starts": "execute",
    "remote-write": "write",
    "mount": "write",
}

# Code that does nothing besides what is found in it.
_ANALYSED: Final = frozenset({"code:sed", "code:awk", "code:sql"})

TRAITS: Final = frozenset(
    {
        "complete",  # does nothing besides its accesses
        "closed",  # an option the data does not know may do anything
        "idle",  # steers the script and does nothing: beside what does something, an allow owes it nothing
        "inert",  # a wrapper that changes nothing about what it runs
        "stops",  # the first operand ends the options
        "single",  # long options with one dash (`-name`), no clusters
        "numeric",  # `-5` is an option
        "plus",  # `+x` is an option
        "negatable",  # `--no-x` belongs to every `--x`
        "bundle",  # the first word may be a cluster without a dash (`tar xf`)
        "assignments",  # `NAME=value` before the inner command
        "late",  # its directory option concerns operands, not the values of other options
        "abbreviates",  # a subcommand may be cut short where only one begins so
        "group",  # its subcommands are those of the program itself (`docker container run` is `docker run`)
        "globals",  # its options may also follow the subcommand
        "runs",  # may run a program that stands somewhere among its words, as an unknown program may
        "elsewhere",  # what it runs, runs on another machine or in a container
        "expression",  # `(`, `)`, `!` and `,` are no operands
        "cmdlet",  # PowerShell's parameters: no case, abbreviations, `-name:value`, operands for the first ones
        "net",  # a method: no options, the first operand of an instance's is the instance
        "slashes",  # `/s/q` and `/x:value` are options, without case
        "variables",  # `NAME=value` sets a variable of what it reads
        "joins",  # the inner command is given to a shell as one text
        "appends",  # the inner command gets further words that the text does not tell
    }
)

_OPTION: Final = expression(
    r"(?P<names>[^=!\s]+)(?:=(?P<kind>[?;$12]?)(?P<value>[a-z][a-z0-9:-]*)?)?(?:!(?P<role>[a-z]+))?"
)


class OptionData(NamedTuple):
    """One option. `names` are its spellings, `kind` is how it takes a value (empty: it takes none, `=`, `?`, `1`, `2`,
    `;`, `$`), `value` is the role of the value, `role` what the option does."""

    names: frozenset[str]
    kind: str = ""
    value: str = "data"
    role: str = ""


class Slots(NamedTuple):
    """Roles of operands by position: the first ones, those in the middle (empty if there are none), the last ones."""

    first: tuple[str, ...] = ()
    rest: str = ""
    last: tuple[str, ...] = ()


ANY_SHAPE: Final = Slots(rest="shape")
"""Operands of which nothing is known."""


class Change(NamedTuple):
    """What options change about the rest: the operands' roles, roles of other options' values, the accesses that are
    always made, and those that are made without operands. One of each set of `names` must be used."""

    names: tuple[frozenset[str], ...]
    operands: Slots | None = None
    values: Mapping[str, str] = {}
    also: tuple[tuple[str, str], ...] | None = None
    absent: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """What one program, or one subcommand of it, does with its arguments.

    `path` is the program and its subcommands. `absent` is a role and a path: what is touched where no operand stands.
    `also` are accesses that are always made. `stdin` is `code:LANG` where the standard input runs, `told:LANG` where
    only a text in the call is read so. `acts` says that it does something to operands of its own, `closes` that some
    option makes it do what an allow must name.
    """

    path: tuple[str, ...]
    traits: frozenset[str] = frozenset()
    options: Mapping[str, OptionData] = field(default_factory=dict)
    longs: tuple[str, ...] = ()
    operands: Slots = ANY_SHAPE
    absent: tuple[str, str] | None = None
    also: tuple[tuple[str, str], ...] = ()
    changes: tuple[Change, ...] = ()
    subcommands: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    stdin: str = ""
    acts: bool = False
    closes: bool = False


def option_data(token: str) -> OptionData:
    """An option from its notation. Raises ValueError for a bad one."""
    match = _OPTION.fullmatch(token)
    if not match:
        raise ValueError(f"`{token}` is no option")
    names = frozenset(match["names"].split("|"))
    if match["kind"] is None:
        return OptionData(names, "", "data", match["role"] or "")
    value = match["value"] or "data"
    implied = "" if value in _ANALYSED else _IMPLIED.get(head(value), "")
    return OptionData(names, match["kind"] or "=", value, match["role"] or implied)


def head(role: str) -> str:
    """A role without its language: `code:python` is `code`."""
    return role.partition(":")[0]


def slots(text: str) -> Slots:
    """Operand roles from their notation. Raises ValueError for a bad one."""
    words = text.split()
    middle = [index for index, item in enumerate(words) if item.endswith("...")]
    if len(middle) > 1:
        raise ValueError(f"`{text}` has two roles with `...`")
    if not middle:
        return Slots(tuple(words))
    at = middle[0]
    return Slots(tuple(words[:at]), words[at].removesuffix("..."), tuple(words[at + 1 :]))


def touch(text: str) -> tuple[str, str]:
    """`read:.` as role and path."""
    role, _, path = text.rpartition(":")
    return role, path


def build(path: tuple[str, ...], raw: Raw, above: Program | None = None) -> Program:
    """The program from its data; `above` is the program whose subcommand it is."""
    traits = frozenset(raw.get("is", "").split())
    if above is not None:
        traits |= above.traits & {"closed", "negatable", "runs"}
    options: dict[str, OptionData] = {}
    if above is not None and "globals" in above.traits:
        options.update(above.options)
        traits |= {"globals"} | (above.traits & {"single"})
    options.update(_options(raw.get("options", ""), "single" in traits))
    if "cmdlet" in traits:
        options = {name: _as_operand(data) for name, data in options.items()}
    operands = slots(raw["operands"]) if "operands" in raw else ANY_SHAPE
    return Program(
        path,
        traits,
        options,
        tuple(sorted(name for name in options if name.startswith("--"))),
        operands,
        touch(raw["absent"]) if "absent" in raw else None,
        tuple(touch(item) for item in raw.get("also", "").split()),
        tuple(_change(name, change) for name, change in raw.get("when", {}).items()),
        _canonical_names(raw.get("subcommands", {})),
        raw.get("keys", {}),
        raw.get("stdin", ""),
        any(head(role) not in _SILENT for role in (*operands.first, operands.rest, *operands.last)),
        any(option.role in CLOSING_ROLES for option in options.values()),
    )


_SILENT: Final = frozenset({"", "data", "text", "shape", "param", "effect"})
"""Roles of operands that come to no certain access."""


def _options(text: str, single: bool) -> dict[str, OptionData]:
    found: dict[str, OptionData] = {}
    for token in text.split():
        data = option_data(token)
        if single:
            data = data._replace(names=data.names | {f"-{name}" for name in data.names if not name.startswith("--")})
        found.update(dict.fromkeys(data.names, data))
    return found


def _as_operand(data: OptionData) -> OptionData:
    """A parameter that stands for an operand opens nothing more than the operand does."""
    named = data.names & _OPERANDS and head(data.value) in _ACCESSES
    return data._replace(role="") if named else data


_OPERANDS: Final = frozenset(
    {"-Path", "-LiteralPath", "-FilePath", "-Destination", "-DestinationPath", "-NewName", "-Name"}
)
_ACCESSES: Final = frozenset({"write", "edit", "delete", "move", "into"})


def _change(names: str, change: Any) -> Change:
    if isinstance(change, str):
        change = {"operands": change}
    return Change(
        tuple(frozenset(one.split("|")) for one in names.split()),
        slots(change["operands"]) if "operands" in change else None,
        change.get("values", {}),
        tuple(touch(item) for item in change["also"].split()) if "also" in change else None,
        touch(change["absent"]) if "absent" in change else None,
    )


def _canonical_names(raw: Raw) -> dict[str, str]:
    """Every name of a subcommand, with the one it is listed under first: `install=i|ci` are two commands, the first of
    which has two names."""
    found: dict[str, str] = {}
    for key in raw:
        for twins in key.split("|"):
            first, *others = twins.split("=")
            found.update(dict.fromkeys((first, *others), first))
    return found
