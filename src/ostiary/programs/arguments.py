"""Arguments of a program as the program itself reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ostiary.expressions import expression
from ostiary.programs.lookup import subprogram
from ostiary.programs.model import Change, OptionData, Program, Slots
from ostiary.records import NamedTuple
from ostiary.words import Hole, Word, phrase, word

_ASSIGNMENT: Final = expression(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
# `env` and `sudo` take any name, though `sudo` takes what starts with a slash for a program.
_SETTING: Final = expression(r"[^=/][^=]*=")
_EXPRESSION: Final = frozenset("()!,")
_CLUSTER: Final = expression(r"-[A-Za-z0-9?]+")


class Used(NamedTuple):
    """An option as it was given. `names` are its spellings, `kind` the role of its value, `role` what it does. `words`
    are the command of an option like `-exec`. `known` says that the program's data has it, `ambiguous` that `names`
    holds spellings of several options, of which at least one is meant."""

    names: frozenset[str]
    value: Word | None = None
    kind: str = "data"
    role: str = ""
    words: tuple[Word, ...] = ()
    known: bool = True
    ambiguous: bool = False


class Arguments(NamedTuple):
    """The arguments of one program.

    `data` is what is known about the program (or its subcommand), None if nothing is. `operands` are its words that
    are neither option, value nor subcommand; `loose` those that may be options. `inner` is the position of the command
    that it runs, among all words, None if it runs none. `assignments` stand before that command. `plain` are the words
    without global options. `unknown_subcommand` says that the subcommand has no data.
    """

    data: Program | None
    options: tuple[Used, ...]
    subcommand: tuple[str, ...]
    operands: tuple[Word, ...]
    loose: tuple[Word, ...]
    inner: int | None
    assignments: tuple[Word, ...]
    plain: tuple[Word, ...]
    unknown_subcommand: bool = False


def by_shape(words: tuple[Word, ...]) -> Arguments:
    """The arguments of an unknown program: options by their looks, the leading operands also as its subcommand."""
    options: list[Used] = []
    operands: list[Word] = []
    loose: list[Word] = []
    ended = False
    for item in words[1:]:
        if ended:
            operands.append(item)
        elif item.text == "--":
            ended = True
        elif item.prefix.startswith("-") and item.text != "-":
            options.append(_shaped(item))
        else:
            operands.append(item)
            if may_be_option(item):
                loose.append(item)
    leading: list[str] = []
    for item in operands:
        if item.text is None or item in loose:
            break
        leading.append(item.text)
    return Arguments(None, tuple(options), tuple(leading), tuple(operands), tuple(loose), None, (), words)


def may_be_option(item: Word) -> bool:
    """Whether a word that starts with an unknown piece may be an option; a pathname pattern names files."""
    first = item.pieces[0] if item.pieces else ""
    return isinstance(first, Hole) and first.kind != "glob"


def _shaped(item: Word) -> Used:
    """An option of which only the looks are known: `-abc` may be a cluster, `--x=y` has a value."""
    name = item.prefix.partition("=")[0]
    value = item.after(len(name) + 1) if "=" in item.prefix else None
    if value is None and item.holes:
        return Used(frozenset({name}), Word(item.pieces[1:]), "shape", known=False, ambiguous=True)
    if len(name) > 2 and _CLUSTER.fullmatch(name):
        return Used(frozenset({name, *(f"-{sign}" for sign in name[1:])}), value, "shape", known=False, ambiguous=True)
    return Used(frozenset({name}), value, "shape", known=False)


class Reader:
    """Reads the words of one known program from left to right."""

    def __init__(self, words: tuple[Word, ...], data: Program) -> None:
        self.words = words
        self.data = data
        self.index = 1
        self.options: list[Used] = []
        self.subcommand: list[str] = []
        self.operands: list[Word] = []
        self.loose: list[Word] = []
        self.assignments: list[Word] = []
        self.plain: list[Word] = [words[0]]
        self.plain_from = 1
        self.inner: int | None = None
        self.ended = False
        self.choosing = bool(data.subcommands)
        self.unknown_subcommand = False

    def read(self) -> Arguments:
        """What the words mean."""
        while self.index < len(self.words) and self.inner is None:
            item = self.words[self.index]
            self.index += 1
            self._word(item)
        return Arguments(
            self.data,
            tuple(self.options),
            tuple(self.subcommand),
            tuple(self.operands),
            tuple(self.loose),
            self.inner,
            tuple(self.assignments),
            (*self.plain, *self.words[self.plain_from :]),
            self.unknown_subcommand,
        )

    def _word(self, item: Word) -> None:
        if self.ended:
            return self._operand(item)
        prefix = item.prefix
        if prefix.startswith("-") and item.text != "-":
            if item.text == "--":
                self.ended = True
            elif prefix.startswith("--") or "single" in self.data.traits:
                self._long(item, prefix)
            else:
                self._cluster(item, prefix)
        elif prefix.startswith("+") and "plus" in self.data.traits:
            self.options.append(Used(frozenset({"+"}), item.after(1), *_value_and_role(self.data.options.get("+"))))
        else:
            if may_be_option(item):
                self.loose.append(item)
                self.choosing = False  # it may be the subcommand, too
            self._operand(item)
        return None

    def _operand(self, item: Word) -> None:
        traits = self.data.traits
        if "expression" in traits and item.text in _EXPRESSION:
            return None
        if "bundle" in traits and self.index == 2 and item.text:
            return self._cluster(Word((f"-{item.text}",)), f"-{item.text}")
        if self.choosing and self._is_subcommand(item):
            return self._subcommand(item)
        self.choosing = False
        slots = self._slots()
        if slots.rest == "argv":
            if "assignments" in traits and _SETTING.match(item.prefix):
                self.assignments.append(item)
                return None
            if len(self.operands) >= len(slots.first):
                self.inner = self.index - 1
                return None
        self.operands.append(item)
        if ("stops" in traits and slots.rest != "argv") or (
            slots.rest == "shell" and len(self.operands) > len(slots.first)
        ):
            self.ended = True
        return None

    def _slots(self) -> Slots:
        """The roles of operands after what the options so far change about them."""
        return effective_slots(self.data, self.options) if self.data.changes else self.data.operands

    def _is_subcommand(self, item: Word) -> bool:
        """Whether a word stands for a subcommand: any does, unless the program also does something to operands of its
        own, as `bat` reads files besides `bat cache`."""
        return not self.data.acts or (item.text is not None and subprogram(self.data, item.text) is not None)

    def _subcommand(self, item: Word) -> None:
        text = None if item.text is None else self._in_full(item.text)
        below = None if text is None else subprogram(self.data, text)
        self.choosing = False
        if text is None:
            self.operands.append(item)
            self.loose.append(item)
            return
        self.subcommand.append(below.path[-1] if below else text)
        self.plain.append(item)
        self.plain_from = self.index
        if below:
            self.data = below
            self.choosing = bool(below.subcommands)
        else:
            self.unknown_subcommand = True

    def _in_full(self, text: str) -> str:
        """A subcommand as it is called, where the program takes the beginning of its name for it."""
        if "abbreviates" not in self.data.traits or text in self.data.subcommands:
            return text
        meant = {full for name, full in self.data.subcommands.items() if name.startswith(text)}
        return meant.pop() if len(meant) == 1 else text

    def _long(self, item: Word, prefix: str) -> None:
        name = prefix.partition("=")[0]
        value = item.after(len(name) + 1) if "=" in prefix else None
        if value is None and item.holes:
            self.loose.append(item)
            return
        found = self._named(name)
        if not found and "single" in self.data.traits and (attached := self._attached(item, prefix)):
            self.options.append(attached)
        elif not found:
            self.options.append(self._unlisted(name, value))
        elif len(found) > 1:
            names = frozenset[str]().union(*(data.names for data in found))
            role = next((data.role for data in found if data.role), "")
            self.options.append(Used(names, value, "shape", role, ambiguous=True))
        else:
            self._take(found[0], value)

    def _attached(self, item: Word, prefix: str) -> Used | None:
        """`-Ifolder` of a program whose long options have one dash: the longest known spelling that starts the word."""
        for length in range(len(prefix) - 1, 1, -1):
            data = self.data.options.get(prefix[:length])
            if data and data.kind in ("=", "?"):
                return Used(data.names, item.after(length), data.value, data.role)
        return None

    def _named(self, name: str) -> list[OptionData]:
        """The options a long name can mean: the exact one, else all that it abbreviates."""
        exact = self.data.options.get(name)
        if exact:
            return [exact]
        if not name.startswith("--") or len(name) < 3:
            return []
        found = {
            self.data.options[long].names: self.data.options[long] for long in self.data.longs if long.startswith(name)
        }
        return list(found.values())

    def _unlisted(self, name: str, value: Word | None) -> Used:
        positive = self.data.options.get("--" + name.removeprefix("--no-"))
        negated = "negatable" in self.data.traits and name.startswith("--no-") and positive
        if negated or name in ("--help", "--version"):
            return Used(frozenset({name}), value)
        return Used(frozenset({name}), value, "shape", known=False)

    def _cluster(self, item: Word, prefix: str) -> None:
        if "numeric" in self.data.traits and prefix[1:].isdigit():
            self.options.append(Used(frozenset({item.prefix}), None))
            return
        name, equals, _ = prefix.partition("=")
        whole = self.data.options.get(name) if len(name) > 2 else None
        if whole and (equals or not item.holes):  # `-nv` of wget, `-pe` of node, `-javaagent=x`
            self._take(whole, item.after(len(name) + 1) if equals else None)
            return
        for at in range(1, len(prefix)):
            data = self.data.options.get(f"-{prefix[at]}")
            if data is None:
                self._unlisted_letter(prefix, at)
                continue
            attached = item.after(at + 1) if at + 1 < len(prefix) or item.holes else None
            if data.kind and (attached is not None or data.kind == "?"):
                self._take_attached(data, attached)
                return
            self._take(data, None)
        if item.holes:
            self.loose.append(item)

    def _take_attached(self, data: OptionData, value: Word | None) -> None:
        """`-ovalue`; `-mmodule` takes everything that follows along."""
        words: tuple[Word, ...] = ()
        if data.kind == "$":
            self.ended = True
            if data.value == "argv" and value is not None:
                words = (value, *self.words[self.index :])
                self.index = len(self.words)
        self.options.append(Used(data.names, value, data.value, data.role, words))

    def _unlisted_letter(self, prefix: str, at: int) -> None:
        names = {f"-{prefix[at]}"} if at > 1 or len(prefix) == 2 else {prefix, f"-{prefix[at]}"}
        self.options.append(Used(frozenset(names), None, known=False, ambiguous=len(names) > 1))

    def _take(self, data: OptionData, value: Word | None) -> None:
        """One known option, with its value from the next words where it needs one."""
        words: tuple[Word, ...] = ()
        if data.kind == ";":
            words = self._until_semicolon()
        elif data.kind in ("1", "2"):
            taken = [self._next() for _ in range(2)]
            value = taken[int(data.kind) - 1] or value
        elif data.kind in ("=", "$") and value is None:
            if data.kind == "$" and data.value == "argv" and self.index < len(self.words):
                self.inner = self.index
            value = self._next() if self.inner is None else None
        if data.kind == "$" and data.value == "command" and value is not None:
            value = phrase((value, *self.words[self.index :]))
            self.index = len(self.words)
        if data.kind == "$":
            self.ended = True
        self.options.append(Used(data.names, value, data.value, data.role, words))

    def _next(self) -> Word | None:
        if self.index >= len(self.words):
            return None
        self.index += 1
        return self.words[self.index - 1]

    def _until_semicolon(self) -> tuple[Word, ...]:
        start = self.index
        while self.index < len(self.words) and self.words[self.index].text not in (";", "+", r"\;"):
            self.index += 1
        self.index += 1
        return self.words[start : self.index - 1]


def _value_and_role(data: OptionData | None) -> tuple[str, str]:
    return (data.value, data.role) if data else ("data", "")


def applying(data: Program, options: Sequence[Used]) -> list[Change]:
    """The changes that wait for options which are used."""
    if not data.changes or not options:
        return []
    used = frozenset[str]().union(*[one.names for one in options])
    return [change for change in data.changes if all(not names.isdisjoint(used) for names in change.names)]


def effective_slots(data: Program, options: Sequence[Used]) -> Slots:
    """The roles of operands, as the first change that applies says."""
    for change in applying(data, options):
        if change.operands is not None:
            return change.operands
    return data.operands


def is_assignment(item: Word) -> bool:
    """Whether a word is `NAME=value`."""
    return _ASSIGNMENT.match(item.prefix) is not None


def split_assignment(item: Word) -> tuple[str, Word]:
    """Name and value of a word that `is_assignment`."""
    name = item.prefix.partition("=")[0]
    return name.removesuffix("+"), item.after(len(name) + 1) if item.pieces else word("")
