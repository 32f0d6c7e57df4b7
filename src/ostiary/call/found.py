"""Paths that a program finds and another one is given: what `xargs` reads from a pipe, what stands for `{}` in `-exec`.

They are words with holes that stay below the folder that was searched, so that a rule about other places does not ask.
A name with a blank in it may be split by `xargs` without `-0`; that is not considered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import Final

from ostiary import programs
from ostiary.call.streams import passed_on, printed
from ostiary.expressions import expression
from ostiary.programs import Arguments, Used, arguments
from ostiary.shell.model import Command
from ostiary.words import FOLLOWED as FOLLOWED_SOURCE
from ostiary.words import TRACKED as TRACKED_SOURCE
from ostiary.words import Hole, Word, joined, word

MAX_FOUND: Final = 12
"""Words that stand for what is found; more of them say no more than that it is unknown."""

BELOW: Final = Hole("**", "found")
VISIBLE: Final = Hole("**", "glob")
TRACKED: Final = Hole(TRACKED_SOURCE, "found")
FOLLOWED: Final = Hole(FOLLOWED_SOURCE, "found")
HERE: Final = word(".")

_NAMES: Final = frozenset({"-name", "-iname"})
_PRINTS: Final = frozenset({"-print", "-print0"})
_PRINTS_ELSE: Final = frozenset({"-printf", "-ls", "-f"})
_SILENT: Final = frozenset({"-prune", "-quit", "-delete"})
_ALTERNATIVES: Final = frozenset({"-o", "-or", ","})
_NEGATIONS: Final = frozenset({"!", "-not"})
_FILTERS: Final = frozenset({"sort", "head", "tail", "uniq", "shuf", "tac", "grep", "egrep", "fgrep", "cat"})
_CHANGING: Final = frozenset({"-c", "-b", "-o", "-n", "-H", "-l", "-L", "-A", "-B", "-C", "-Z", "-t", "--color", "-m"})
_LISTING: Final = frozenset({"-l", "-L", "--files", "--files-with-matches", "--files-without-match"})
_HIDDEN: Final = frozenset({"-u", "--hidden", "-."})

Names = list[Word] | None
"""What the names of found files match, None if any name will do."""


def piped(command: Command, commands: Sequence[Command]) -> tuple[Word, ...] | None:
    """The words that come through a command's pipe, None if the text does not tell what they are."""
    reader = command
    if command.redirects:
        text = passed_on(command, commands)
        return None if text is None or text.text is None else _separate(text.text, reader)
    while len(command.reads_from) == 1 and not command.redirects:
        command = commands[command.reads_from[0]]
        if not _passes_on(command):
            return _output(command, reader)
        if (name := _only(command)) is not None:
            return _with_name(piped(command, commands), name)
    return None


def substituted(words: tuple[Word, ...], commands: Sequence[Command]) -> tuple[Word, ...]:
    """The words of a command, with what programs find in place of `$(...)` around them."""
    if not any(item.many for item in words):
        return words
    found: list[Word] = []
    for item in words:
        told = _told(item, commands) if item.many and len(item.pieces) == 1 else None
        found.extend((item,) if told is None else told)
    return tuple(found)


def _told(item: Word, commands: Sequence[Command]) -> tuple[Word, ...] | None:
    hole = item.pieces[0]
    if not isinstance(hole, Hole) or hole.kind != "computed" or not hole.source.startswith(("$(", "`")):
        return None
    text = hole.source.removeprefix("$(").removesuffix(")").strip("`").strip()
    last = next((one for one in reversed(commands) if text.endswith(one.text) and one.language == "bash"), None)
    if last is None or _OTHER_COMMANDS.search(text):
        return None
    if not _passes_on(last):
        return found_by(last.words) if last.text == text and not last.redirects and not last.unparsed else None
    found, name = piped(last, commands), _only(last)
    return found if name is None else _with_name(found, name)


_OTHER_COMMANDS: Final = expression(r"[;&\n]|\|\||\$\(|`")


def _only(command: Command) -> Word | None:
    """The names that `grep '\\.py$'` lets pass, None where it says nothing about the end of names."""
    given = arguments(command.words)
    if command.words[0].text not in ("grep", "egrep") or len(given.operands) != 1 or given.options:
        return None
    ending = _ENDING_EXPRESSION.fullmatch(given.operands[0].text or "")
    return _shape(word(f"*.{ending[1]}"), False) if ending else None


_ENDING_EXPRESSION: Final = expression(r"(?:\.\*)?\\\.([A-Za-z0-9]+)\$")


def _with_name(found: tuple[Word, ...] | None, name: Word) -> tuple[Word, ...] | None:
    """What was found at any depth, with a name that it has besides."""
    if found is None:
        return None
    deep = (BELOW, TRACKED, FOLLOWED, VISIBLE)
    return tuple(
        joined([*item.pieces, "/", *name.pieces], many=True) if item.pieces and item.pieces[-1] in deep else item
        for item in found
    )


def _passes_on(command: Command) -> bool:
    """Whether a command only leaves out or reorders lines of its input."""
    name = command.words[0].text if command.words else None
    if name not in _FILTERS or command.redirects or not command.reads_from:
        return False
    given = arguments(command.words)
    patterns = 1 if name.endswith("grep") and not any("-e" in used.names for used in given.options) else 0
    known = all(used.known and (not used.names & _CHANGING or _counts(name, used)) for used in given.options)
    return known and len(given.operands) <= patterns


def _counts(name: str, used: Used) -> bool:
    """Whether `-n 5` of `head` is meant, which is about lines; so is everything `sort` is told."""
    return name == "sort" or (name in ("head", "tail", "shuf") and "-n" in used.names)


def _output(command: Command, reader: Command) -> tuple[Word, ...] | None:
    if command.unparsed or not command.words:
        return None
    text = printed(command)
    if text is None:
        return found_by(command.words)
    return None if text.text is None else _separate(text.text, reader)


def _separate(text: str, reader: Command) -> tuple[Word, ...] | None:
    """A text as the arguments that `xargs` makes of it: one from each line with `-I`."""
    given = arguments(reader.words)
    if not given.data or given.data.path[0] != "xargs":
        return None
    used = _used(given)
    if "-0" in used:
        items = text.removesuffix("\0").split("\0")
    elif "-d" in used or set(text) & set("'\"\\"):
        return None
    else:
        items = [line.strip() for line in text.splitlines()] if used & {"-I", "-i", "-J"} else text.split()
    return tuple(map(word, items))


def found_by(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The paths that a program prints, None for a program of which that is not known."""
    given = arguments(words)
    finder = _FINDERS.get(given.data.path[0]) if given.data else None
    found = finder(given) if finder else None
    return found if found is None or 0 < len(found) <= MAX_FOUND else None


def found_before(words: tuple[Word, ...], inside: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The paths that the command `inside` an action of `find` is run on."""
    size = len(inside)
    ends = [at - 1 for at in range(2, len(words)) if words[at : at + size] == inside]
    if programs.base_name(words[0].text or "") not in ("find", "gfind"):
        return None
    found = _below_roots(words, ends)
    return found if 0 < len(found) <= MAX_FOUND else None


def _by_find(given: Arguments) -> tuple[Word, ...] | None:
    others = [used for used in given.options if used.role or not used.known or used.names & _PRINTS_ELSE]
    if any(not used.names & _SILENT for used in others):
        return None
    words = given.plain
    ends = [at for at, item in enumerate(words) if item.text in _PRINTS]
    return _below_roots(words, ends or [len(words)])


def _below_roots(words: tuple[Word, ...], ends: list[int]) -> tuple[Word, ...]:
    start = next((at for at in range(1, len(words)) if _begins_expression(words[at])), len(words))
    roots = [item for item in words[1:start] if not item.prefix.startswith("-")] or [HERE]
    names: list[Word] = []
    hole = FOLLOWED if any(item.text in _FOLLOWS for item in words) else BELOW
    for end in ends:
        found = _Expression(words[start:end]).names()
        if found is None:
            return tuple(_deep(root, hole) for root in roots)
        names += [name for name in found if name not in names]
    return tuple(item for root in roots for item in _named(root, names, hole))


_FOLLOWS: Final = frozenset({"-L", "-follow", "-R", "--dereference-recursive", "--follow"})


def _begins_expression(item: Word) -> bool:
    text = item.text or item.prefix
    return text in ("(", "!") or (text.startswith("-") and text not in ("-H", "-L", "-P") and text[:2] != "-O")


def _deep(root: Word, hole: Hole) -> Word:
    """A folder, and everything below it."""
    pieces = list(root.pieces)
    slash = "" if root.suffix.endswith("/") else "/"
    return joined([*pieces, slash, hole], many=True)


def _named(root: Word, names: list[Word], hole: Hole) -> list[Word]:
    """What has one of the names below a folder; also what was named itself, if it has such a name."""
    found = [joined([*_deep(root, hole).pieces, "/", *name.pieces], many=True) for name in names]
    own = None if root.text is None else root.text.rstrip("/").rpartition("/")[2] or "/"
    itself = own is None or any(_may_be(own, name) for name in names)
    return [*found, root] if itself else found


def _may_be(own: str, name: Word) -> bool:
    signs = {"glob": "?", "found": "*"}
    shape = "".join(piece if isinstance(piece, str) else signs[piece.kind] for piece in name.pieces)
    return fnmatchcase(own.casefold(), shape.casefold())


class _Expression:
    """Reads the tests of `find` for the names that they ask for. What it says holds at the end of the words."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = words
        self.at = 0

    def names(self) -> Names:
        found: list[Word] = []
        while True:
            one = self._conjunction()
            if one is None:
                return None
            found += one
            if self.at >= len(self.words) or self.words[self.at].text not in _ALTERNATIVES:
                return found
            self.at += 1

    def _conjunction(self) -> Names:
        found: Names = None
        while self.at < len(self.words):
            item = self.words[self.at]
            if item.text in _ALTERNATIVES or item.text == ")":
                break
            self.at += 1
            one = self._test(item)
            found = found if one is None else one
        return found

    def _test(self, item: Word) -> Names:
        if item.text in _NEGATIONS and self.at < len(self.words):
            self.at += 1
            self._test(self.words[self.at - 1])
            return None
        if item.text == "(":
            found = self.names()
            self._close()
            return found
        value = self._value(item)
        return None if value is None or item.text not in _NAMES else [_shape(value, item.text == "-iname")]

    def _close(self) -> None:
        depth = 1
        while depth and self.at < len(self.words):
            depth += {"(": 1, ")": -1}.get(self.words[self.at].text or "", 0)
            self.at += 1

    def _value(self, item: Word) -> Word | None:
        """The value of a test, which is passed over."""
        data = programs.program("find")
        option = data.options.get(item.text or "") if data else None
        size = {"": 0, "1": 2, "2": 2}.get(option.kind, 1) if option else 0
        if option and option.kind == ";":
            rest = [at for at in range(self.at, len(self.words)) if self.words[at].text in (";", "+")]
            size = (rest[0] - self.at + 1) if rest else len(self.words)
        self.at += size
        return self.words[self.at - 1] if size and self.at <= len(self.words) else None


def _shape(value: Word, folded: bool) -> Word:
    """A pattern of `find` as a name with holes; unlike a shell's star, its star also takes a dot at the start."""
    text = value.text
    if text is None or set(text) & set("\\["):
        return Word((Hole(str(value), "found"),))
    pieces: list[str | Hole] = []
    for sign in text:
        if sign in "*?":
            pieces.append(Hole(sign, "found"))
        elif folded and sign.isalpha():
            pieces.append(Hole(sign, "glob") if sign.isascii() else Hole(sign, "found"))
        else:
            pieces.append(sign)
    return joined(pieces)


def _by_search(given: Arguments) -> tuple[Word, ...] | None:
    """`grep -l`, `rg -l`, `rg --files`: names of files below the roots, of those that `--include` names."""
    assert given.data is not None
    if not _used(given) & _LISTING or any(not option.known for option in given.options):
        return None
    roots = given.operands[len(programs.effective_slots(given.data, given.options).first) :]
    if given.data.path[0] == "rg" and not _used(given) & _HIDDEN:
        return _below(roots, VISIBLE)
    names = [used.value for used in given.options if "--include" in used.names and used.value is not None]
    hole = FOLLOWED if _used(given) & _FOLLOWS else BELOW
    if not names:
        return _below(roots, hole)
    shapes = [_shape(name, False) for name in names]
    return tuple(item for root in roots or (HERE,) for item in _named(root, shapes, hole))


def _used(given: Arguments) -> frozenset[str]:
    return frozenset[str]().union(*(option.names for option in given.options))


def _below(roots: tuple[Word, ...], hole: Hole) -> tuple[Word, ...]:
    """Everything below the roots, or below the current folder, which is then not written before the names."""
    return tuple(_deep(root, hole) for root in roots) or (Word((hole,), many=True),)


def _by_fd(given: Arguments) -> tuple[Word, ...] | None:
    if _used(given) & _FD_ELSE or not all(option.known for option in given.options):
        return None
    if not _used(given) & {"-H", *_HIDDEN}:
        return _below(given.operands[1:], VISIBLE)
    return _below(given.operands[1:], FOLLOWED if _used(given) & _FOLLOWS else BELOW)


def _by_ls(given: Arguments) -> tuple[Word, ...] | None:
    """`ls`: the names in the folder, the files that are named, and for folders that are, the names in them."""
    used = _used(given)
    if any(not option.known for option in given.options) or not used <= _LS_PLAIN:
        return None
    name = Hole("*", "found" if used & _LS_HIDDEN else "glob")
    return given.operands if "-d" in used and given.operands else (*given.operands, Word((name,), many=True))


_LS_HIDDEN: Final = frozenset({"-a", "--all", "-A", "--almost-all"})
_LS_PLAIN: Final = _LS_HIDDEN | {"-1", "-d", "--directory", "-t", "-r", "--reverse", "-S", "-X", "-v", "-U", "-u", "-c"}


def _by_git(given: Arguments) -> tuple[Word, ...] | None:
    """`git ls-files`: what is tracked below the named folders, or has the named pattern at any depth; the names that
    `git diff --name-only` and `git grep -l` print are such files, too."""
    more = any(not used.known or used.names & _GIT_ELSE for used in given.options)
    if not more and given.subcommand in _GIT_NAMES and _used(given) & _GIT_NAMES[given.subcommand]:
        return _below((), TRACKED)
    if given.subcommand != ("ls-files",) or more:
        return None
    names = [str(item) for item in given.operands if not item.holes or all(hole.kind == "glob" for hole in item.holes)]
    if given.operands and len(names) == len(given.operands) and all(map(_ENDING.fullmatch, names)):
        deep = Word((TRACKED, "/"))
        return tuple(joined([*deep.pieces, *_shape(word(name), False).pieces], many=True) for name in names)
    if any(hole.kind != "glob" for item in given.operands for hole in item.holes):
        return None
    if any(item.text is None or set(item.text) & set("*?[:") for item in given.operands):
        return _below((), BELOW if _used(given) & _UNTRACKED else TRACKED)
    return _below(given.operands, BELOW if _used(given) & _UNTRACKED else TRACKED)


_UNTRACKED: Final = frozenset({"-o", "--others", "-i", "--ignored"})
_GIT_NAMES: Final = {("diff",): {"--name-only"}, ("grep",): {"-l", "--name-only", "--files-with-matches"}}
_FD_ELSE: Final = frozenset({"-x", "-X", "-l", "--base-directory", "--search-path"})
_GIT_ELSE: Final = frozenset(
    {"-C", "-s", "-t", "-v", "--eol", "--debug", "--format", "-u", "--full-name", "--git-dir", "--work-tree"}
)
_ENDING: Final = expression(r"\*\.[A-Za-z0-9]+")


_FINDERS: Final[dict[str, Callable[[Arguments], tuple[Word, ...] | None]]] = {
    "find": _by_find,
    "grep": _by_search,
    "rg": _by_search,
    "fd": _by_fd,
    "ls": _by_ls,
    "git": _by_git,
}
