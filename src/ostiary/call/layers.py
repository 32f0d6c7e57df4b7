"""A command's words as layers: each wrapper, and the program it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ostiary import programs
from ostiary.call.model import FURTHER, Invocation, Option
from ostiary.programs import Arguments
from ostiary.records import NamedTuple
from ostiary.words import Hole, Word, joined, word

SYSTEM_FOLDERS: Final = ("/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/")
"""Folders that only an administrator writes; a program named by a path in one of them is the program of that name."""

MAX_LAYERS: Final = 24
"""Wrappers inside wrappers; beyond, the rest is an unknown program."""

Further = tuple[Word, ...] | None
"""Arguments that come through a pipe, None if they are not known."""


def _untold() -> Further:
    return None


class Layer(NamedTuple):
    """One layer: the invocation as rules see it, and the arguments with what is known about them."""

    invocation: Invocation
    arguments: Arguments


def layers_of(
    words: tuple[Word, ...],
    via: tuple[str, ...] = (),
    further: Callable[[], Further] = _untold,
    *,
    language: str = "bash",
    windows: bool = False,
) -> tuple[Layer, ...]:
    """The layers of a command, outermost first; `via` names the programs that are outside of the command itself,
    `further` tells the arguments that come through a pipe, where a wrapper takes them. `language` is the shell's that
    looks the programs up: an alias of PowerShell that is also a program may be either, and is a layer as both."""
    found: list[Layer] = []
    transparent = True
    while words and len(found) < MAX_LAYERS:
        arguments = programs.arguments(words, language)
        if language == "powershell" and _is_program_too(words[0], arguments, windows):
            given = programs.arguments(words)
            found.append(Layer(_invocation(words, given, via, transparent), given))
        invocation = _invocation(words, arguments, via, transparent, language)
        found.append(Layer(invocation, arguments))
        if arguments.inner is None:
            break
        via = (*via, invocation.name or str(words[0]))
        transparent = transparent and is_inert(arguments)
        words = inner_words(words, arguments, further)
    return tuple(found)


def invocation_of(words: tuple[Word, ...]) -> Invocation:
    """The outermost layer of a command."""
    return _invocation(words, programs.arguments(words), (), True)


_FETCHING: Final = frozenset({"npx", "npm", "pnpx", "pnpm", "yarn", "bunx", "bun", "uvx", "uv", "pipx"})
"""Programs that fetch a package, perhaps in a version, and run its program."""


def _is_program_too(item: Word, given: Arguments, windows: bool) -> bool:
    """Whether an alias of PowerShell names a program of other systems, of which `rm` and `curl` are no aliases."""
    return given.data is not None and (item.text or "").lower() in (_UNSURE if windows else _SHADOWED)


_UNSURE: Final = frozenset({"curl", "wget", "sc"})
"""Aliases of Windows PowerShell 5.1 that PowerShell 7 has no more."""


_SHADOWED: Final = frozenset(
    (
        *("cat", "clear", "compare", "cp", "curl", "diff", "kill", "ls", "man", "mount", "mv", "ps"),
        *("rm", "rmdir", "sc", "sleep", "sort", "start", "tee", "wget"),
    )
)
"""Those, and the aliases that PowerShell has on Windows only (about_Aliases, about_PowerShell_on_Linux)."""


def _invocation(
    words: tuple[Word, ...], given: Arguments, via: tuple[str, ...], transparent: bool, language: str = "bash"
) -> Invocation:
    name, bare = program_name(words[0], language) if words else (None, False)
    if name and via and via[-1] in _FETCHING:
        name = name.partition("@")[0] or name  # `npx cowsay@1.2` runs cowsay
    data = given.data
    folds = language != "bash" or (data is not None and not data.traits.isdisjoint(_FOLDING))
    git = data is not None and data.path[0] == "git"
    return Invocation(
        words,
        name,
        name is None and all(_is_outside(piece) for piece in _without_folder(words[0].pieces)) if words else False,
        bare,
        via,
        transparent,
        data is not None,
        tuple([Option(used.names, used.value, used.role, used.ambiguous) for used in given.options]),
        given.subcommand,
        given.operands,
        given.loose,
        given.plain,
        programs.refs(given) if git else None,
        git and programs.perhaps_path(given),
        folds,
        _other_names(words[0], given, language) if words and language != "bash" else _NONE,
        data is None or "runs" in data.traits,
        given.inner,
    )


_NONE: Final[frozenset[str]] = frozenset()
_FOLDING: Final = frozenset({"cmdlet", "net", "slashes"})


def _other_names(item: Word, given: Arguments, language: str) -> frozenset[str]:
    if given.data is None or item.text is None:
        return _NONE
    own = programs.own_name(item.text, language)
    return programs.names_of(own) if own is not None else _NONE


def program_name(item: Word, language: str = "bash") -> tuple[str | None, bool]:
    """Base name of the program a word names, None if the text does not tell; and whether it was written without a
    folder. A name that only a volume without case finds (`GIT`) is not bare."""
    text = item.text
    if text is None:
        tail = item.suffix.rpartition("/")[2] if "/" in item.suffix and not _ends_early(item) else ""
        return programs.base_name(tail) or None, False
    if language != "bash":
        return _name_without_case(text, language)
    name = programs.base_name(text)
    bare = "/" not in text and "\\" not in text
    if name != name.lower() and programs.known_as(name) == programs.known_as(name.lower()) is not None:
        return (name, bare) if name in _MIXED_CASE else (name.lower(), False)
    return name, bare


def _name_without_case(text: str, language: str) -> tuple[str, bool]:
    """Shells of Windows find programs without case; their own commands have one name."""
    name = programs.base_name(text)
    own = programs.own_name(text, language)
    if own is not None:
        return programs.shown_name(own), True
    bare = "/" not in text and "\\" not in text
    return (name.lower() if programs.known_as(name) else name), bare


def possible_names(item: Word) -> Iterator[Word]:
    """What is known of the base name of a program that the text does not tell: `r?` of `/bin/r?`. An expansion that is
    split may also end it."""
    yield Word(_without_folder(item.pieces), item.many)
    if item.many:
        yield Word(_without_folder(_before_blank(item.pieces)), True)


def _without_folder(pieces: Pieces) -> Pieces:
    for index in range(len(pieces) - 1, -1, -1):
        piece = pieces[index]
        if isinstance(piece, str) and "/" in piece:
            return joined([piece.rpartition("/")[2], *pieces[index + 1 :]]).pieces
    return pieces


def _before_blank(pieces: Pieces) -> Pieces:
    """The pieces up to the first expansion."""
    ends = [index for index, piece in enumerate(pieces) if isinstance(piece, Hole) and piece.kind in _EXPANSIONS]
    return pieces[: ends[0] + 1] if ends else pieces


def _ends_early(item: Word) -> bool:
    """Whether an expansion may end the name of a program that is known: `rm$X/a`."""
    name = _without_folder(_before_blank(item.pieces))[:-1]
    return item.many and len(name) == 1 and programs.known_as(str(name[0])) is not None


def _is_outside(piece: str | Hole) -> bool:
    return isinstance(piece, Hole) and piece.kind == "outside"


Pieces = tuple[str | Hole, ...]
_EXPANSIONS: Final = frozenset({"outside", "computed"})
_MIXED_CASE: Final = frozenset({"R", "Rscript"})


def is_inert(given: Arguments) -> bool:
    """Whether a wrapper changes nothing about what it runs; `env` without options and with inert variables is one."""
    assert given.data is not None
    if given.data.path == ("env",) and not given.options:
        return all(programs.inert(programs.split_assignment(item)[0]) for item in given.assignments)
    return "inert" in given.data.traits


def inner_words(
    words: tuple[Word, ...], given: Arguments, further: Callable[[], Further] = _untold
) -> tuple[Word, ...]:
    """The command that a wrapper runs, with the words that it adds."""
    assert given.data is not None
    assert given.inner is not None
    inner = words[given.inner :]
    if given.data.path[0] == "parallel":
        end = next((index for index, item in enumerate(inner) if item.prefix.startswith(":::")), None)
        if end == 0:
            return ()  # each of the words is a command
        inner = inner[:end]
    if "appends" not in given.data.traits:
        return inner
    reads_file = any(used.names & _FROM_FILE for used in given.options)
    return with_further(inner, _placeholder(given), None if reads_file else further())


_FROM_FILE: Final = frozenset({"-a", "--arg-file"})


def _placeholder(given: Arguments) -> str:
    """The text that stands for the further arguments (`xargs -I X`), empty if they are added at the end."""
    for used in given.options:
        if used.names & {"-I", "-J"} and used.value is not None:
            return used.value.text or ""
        if used.names & {"-i", "--replace"}:
            return (used.value.text if used.value else "{}") or "{}"
    return "{}" if given.data and given.data.path[0] in ("parallel", "fd") else ""


def with_further(words: tuple[Word, ...], placeholder: str, further: Further = None) -> tuple[Word, ...]:
    """The words with further ones in place of every placeholder, or at the end if there is none. Those are unknown if
    `further` is None."""
    if not placeholder or not any(placeholder in str(item) for item in words):
        return (*words, *(further if further is not None else (FURTHER,)))
    if further is None or not further:
        return tuple(_filled(item, placeholder, Word((Hole(placeholder, "computed"),))) for item in words)
    if len(further) == 1:
        return tuple(_filled(item, placeholder, further[0]) for item in words)
    unknown = Word((Hole(placeholder, "computed"),))
    filled = [further if item.text == placeholder else (_filled(item, placeholder, unknown),) for item in words]
    return tuple(found for several in filled for found in several)


def _filled(item: Word, placeholder: str, filling: Word) -> Word:
    pieces: list[str | Hole] = []
    for piece in item.pieces:
        if isinstance(piece, str) and placeholder in piece:
            for index, text in enumerate(piece.split(placeholder)):
                pieces.extend(filling.pieces if index else ())
                pieces.extend([text] if text else [])
        else:
            pieces.append(piece)
    return joined(pieces, item.many) if pieces else word("")
