"""Files whose code a part runs: which they are, and what of their text runs, in which language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from ostiary import programs
from ostiary.call.gather import Gathered
from ostiary.call.layers import SYSTEM_FOLDERS, Layer, layers_of
from ostiary.call.model import Access, Invocation, Part
from ostiary.call.places import directory
from ostiary.call.shapes import is_device
from ostiary.expressions import expression
from ostiary.facts import SCRIPT_BYTES, Given
from ostiary.programs import Arguments, head
from ostiary.records import NamedTuple
from ostiary.words import Hole, Word, word

if TYPE_CHECKING:
    from ostiary.call.manifest import Script

BUILD_FILES: Final = {
    **dict.fromkeys(("make", "gmake"), ("GNUmakefile", "makefile", "Makefile")),
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun"), ("package.json",)),
}
"""Files that programs look for by themselves, where none is named: the first one that exists."""

ADRIFT: Final = "\0"
"""What the path of a file begins with of which only the spelling is known: its folder or a piece of its name is not."""

_MAKES: Final = frozenset({"make", "gmake"})
_NO_SHELL: Final = "another program than a shell runs the recipes"
_HERE: Final = frozenset({"source", "."})
_ENDINGS: Final = {
    "bash": "bash sh zsh ksh",
    "powershell": "ps1 psm1",
    "cmd": "bat cmd",
    "python": "py pyw",
    "node": "js mjs cjs ts mts cts tsx jsx",
    "ruby": "rb",
    "perl": "pl pm",
    "php": "php",
}
_LANGUAGE: Final = {ending: language for language, endings in _ENDINGS.items() for ending in endings.split()}
_READ_AS: Final = {"fish": "bash"}
# What marks come before a text or its second bytes become where they are no characters.
_MARKS: Final = "\ufeff\ufffd"
_BRACED: Final = expression(r"\$\{(\w+)\}")
_ENCODED: Final = expression(r"(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)")
_PLAIN: Final = expression(
    r"utf[-_]?8(?:[-_]sig)?|(?:us[-_]?)?ascii|latin[-_]?1|iso[-_]?8859[-_]\d+|(?:cp|windows[-_])125\d", re.IGNORECASE
)
_NO_ENCODING: Final = "the file is in an encoding that is not read"
_TOO_LONG: Final = "the file is too long"
_NO_MANIFEST: Final = "the manifest is damaged"


class Loaded(NamedTuple):
    """A file whose code runs. `path` is absolute, or `ADRIFT` with its spelling; `name` is as the call writes `target`.
    `language` is empty where the file tells it. `arguments` are what it is run with, its own name first, None if they
    are not known. `goals` are what of a build file is asked for. `possible`: perhaps another file runs. `own`: in a
    shell of its own, whose functions nobody else calls."""

    path: str
    name: str
    language: str
    arguments: tuple[Word, ...] | None = None
    goals: tuple[Word, ...] = ()
    possible: bool = False
    own: bool = False
    target: Word = Word(())


class Piece(NamedTuple):
    """A stretch of a file that runs: its text, the line it begins on, its language and what it is run with. `possible`:
    perhaps another one runs. `problem` says why it is not read, empty if it is."""

    text: str
    line: int
    language: str
    arguments: tuple[Word, ...] | None = None
    possible: bool = False
    problem: str = ""


def build_files(layer: Layer, out: Gathered) -> None:
    """Add the files that a program looks for by itself. Of make's several the last is the one that people use."""
    name = layer.invocation.name or ""
    if name not in BUILD_FILES or (name in _MAKES and any(access.kind == "execute" for access in out.accesses)):
        return
    if name in _MAKES or _goals(layer.arguments):
        *others, usual = BUILD_FILES[name]
        for item in others:
            out.path(word(item), "execute", certain=False)
        out.path(word(usual), "execute")


def loaded(layers: tuple[Layer, ...], accesses: Iterable[Access], cwd: str | None, given: Given) -> Iterator[Loaded]:
    """The files whose code a part with these layers and accesses runs."""
    for access in accesses:
        if access.kind == "execute" and access.target.text != "" and not is_device(access.target):
            path = place(access.target, cwd, given)
            language, arguments, goals = _run_as(access, layers)
            possible = (not access.certain and language != "make") or path.startswith(ADRIFT)
            own = _in_own_shell(access, layers)
            yield Loaded(path, str(access.target), language, arguments, goals, possible, own, access.target)


def programs_run(layers: tuple[Layer, ...], part: Part) -> Iterator[Loaded]:
    """The file that a part runs as its program, where that may be one that the call writes: found in a folder that the
    call searches for programs, or of a name that is not told. Such a name may be any program's, so only a file of the
    very same spelling is taken for it."""
    if layers and runs_file(layers[-1].invocation, part.environment):
        words = layers[-1].invocation.words
        name = str(words[0])
        target = words[0] if layers[-1].invocation.bare else Word((Hole(name, "outside"),))
        yield Loaded(ADRIFT + spelled(name), name, "", words, possible=True, own=True, target=target)


def runs_file(invocation: Invocation, environment: Iterable[tuple[str, Word]]) -> bool:
    """Whether a program may be a file that the call writes, though it names no path."""
    if invocation.name is None:
        return not any(isinstance(piece, str) and "/" in piece for piece in invocation.words[0].pieces)
    return invocation.bare and any(name == "PATH" for name, _ in environment)


def place(file: Word, cwd: str | None, given: Given) -> str:
    """The path of a file that a part names: absolute, or `ADRIFT` with its spelling."""
    return directory(file, cwd, given) or ADRIFT + spelled(str(file)).removeprefix("./")


def spelled(text: str) -> str:
    """A text with its variables in one spelling: `$x` for `${x}`."""
    return _BRACED.sub(r"$\1", text)


def _in_own_shell(access: Access, layers: tuple[Layer, ...]) -> bool:
    """Whether a script is what a process runs, by its path or as the first operand of its shell."""
    if not layers or layers[-1].invocation.name in _HERE:
        return False
    first = layers[-1].arguments.operands[:1]
    return access.target in (layers[-1].invocation.words[0], *first)


def _run_as(access: Access, layers: tuple[Layer, ...]) -> tuple[str, tuple[Word, ...] | None, tuple[Word, ...]]:
    """In which language a file runs, with which arguments, and what of it."""
    for layer in layers:
        if layer.invocation.words[0] == access.target:
            return "", layer.invocation.words, ()
    if not layers:
        return "", None, ()
    name, given, words = layers[-1].invocation.name or "", layers[-1].arguments, layers[-1].invocation.words
    if name in _MAKES:
        return "make", None, given.operands
    if name in BUILD_FILES and access.target.suffix.endswith("package.json"):
        named = given.data is not None and given.data.path[1:] == ("run",)
        return "npm", given.operands[1:] if named else given.operands, tuple(map(word, _goals(given)))
    after = words[words.index(access.target) :] if access.target in words else None
    if name in _HERE:
        return "bash", after if after and len(after) > 1 else None, ()
    return given.data.stdin.partition(":")[2] if given.data and head(given.data.stdin) == "code" else "", after, ()


def pieces(file: Loaded, text: str) -> Iterator[Piece]:
    """What of a file's text runs. Nothing of a file in an unknown language."""
    language = file.language or _told_by(file, text)
    plain = text.replace("\0", "").lstrip(_MARKS)
    if language:
        yield from _pieces(file, plain, _READ_AS.get(language, language))
        if len(text) > SCRIPT_BYTES:
            yield Piece("", 1, language, problem=_TOO_LONG)


def _pieces(file: Loaded, text: str, language: str) -> Iterator[Piece]:
    if language == "make":
        from ostiary.call.makefile import recipes  # only here, as below: other calls need not pay for it

        for recipe in recipes(text, file.goals):
            language = _interpreter(recipe.shell.split())
            problem = recipe.problem if language else _NO_SHELL
            yield Piece(recipe.text, recipe.line, language, None, recipe.possible, problem)
    elif language == "npm":
        scripts = _scripts(text, file)
        yield from (Piece(script.text, script.line, "bash") for script in scripts or ())
        if scripts is None:
            yield Piece("", 1, language, problem=_NO_MANIFEST)
    else:
        cookie = _ENCODED.match(text) if language == "python" else None
        problem = _NO_ENCODING if cookie and not _PLAIN.fullmatch(cookie[1]) else ""
        yield Piece(text, 1, language, file.arguments, problem=problem)


def _goals(given: Arguments) -> tuple[str, ...]:
    from ostiary.call.manifest import run_scripts

    return run_scripts(given)


def others(file: Loaded, given: Given) -> Iterator[Loaded]:
    """Where a program looks next for a file that is not there."""
    folder, _, name = file.path.rpartition("/")
    if file.language == "npm" and name == file.name:
        above = folder.rpartition("/")[0]
        if any(f"{above}/".startswith(f"{root}/") for root in (given.start, *given.roots) if root):
            yield file._replace(path=f"{above}/{name}")
    for ending in _LOOKED_FOR.get(file.language, ()):
        if not file.path.endswith(ending):
            yield file._replace(path=file.path + ending, name=file.name + ending)


_LOOKED_FOR: Final = {"python": ("/__main__.py",), "node": (".js", "/index.js")}


def _scripts(text: str, file: Loaded) -> list[Script] | None:
    """The scripts of a manifest, None of a damaged one; the words behind the name of one are added to it."""
    from ostiary.call.manifest import scripts

    names = tuple(map(str, file.goals))
    words = [item.text for item in file.arguments or ()]
    more = "".join(" '" + item.replace("'", "'\\''") + "'" for item in words if item is not None)
    found = scripts(text, names)
    return found and [
        one._replace(text=one.text + more) if one.name == names[len(names) // 2] else one for one in found
    ]


def _told_by(file: Loaded, text: str) -> str:
    """The language of a file that is run by its name, or by a program of which it is not known."""
    if text.startswith("#!"):
        return _interpreter(text.partition("\n")[0][2:].replace("\0", " ").split())
    ending = file.name.rpartition(".")[2].lower() if "." in file.name else ""
    run_by_name = file.arguments is not None and str(file.arguments[0]) == file.name
    # What the system itself cannot run either has a zero byte in its first line or is a script for the shell.
    if run_by_name and "\0" in text.partition("\n")[0] and text.startswith(("\x7f", "MZ", "\0", "\ufffd")):
        return ""
    return _LANGUAGE.get(ending, "bash" if run_by_name else "")


def _interpreter(words: list[str]) -> str:
    """The language of `#!PATH ARGUMENTS`, empty for one that is not known; through `env` and other wrappers."""
    if words and programs.base_name(words[0]) == "env":
        words = [_SPLIT.sub("", item) for item in words]
    layers = layers_of(tuple(word(item) for item in words if item))
    if not layers:
        return ""
    name, data = layers[-1].invocation.name, layers[-1].arguments.data
    return "make" if name in _MAKES else data.stdin.partition(":")[2] if data and head(data.stdin) == "code" else ""


# What `env` takes apart at blanks, as was done here.
_SPLIT: Final = expression(r"^(?:-v?S|--split-string(?:=|$))")


def run_by_path(layer: Layer, out: Gathered) -> None:
    """Add the code that a program is which is named by its path."""
    program = layer.invocation.words[0]
    written = str(program)
    if _is_cmdlet(layer, written):
        return
    if "/" in written and not any(isinstance(piece, str) and "/" in piece for piece in program.pieces):
        return  # the slash is in what a variable was written as
    if ("/" in written or "\\" in written) and not in_trusted_folder(written):
        out.path(program, "execute")


def _is_cmdlet(layer: Layer, written: str) -> bool:
    """Whether this is a cmdlet, perhaps with its module, or PowerShell itself; no script that is named like one."""
    name, data = layer.invocation.name, layer.arguments.data
    if not name or data is None or "cmdlet" not in data.traits:
        return False
    return programs.own_name(name, "powershell") is None or programs.own_name(written, "powershell") is not None


def in_trusted_folder(written: str) -> bool:
    """Whether a program is named by its path in a folder that only an administrator writes."""
    return any(written.startswith(folder) and "/" not in written[len(folder) :] for folder in SYSTEM_FOLDERS)
