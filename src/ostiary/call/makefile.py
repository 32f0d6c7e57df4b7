"""Makefiles: the recipes of the goals that a call asks for and of what those depend on, and what runs while make reads.

Conditions are not judged: what stands under one may hold. Included files are not followed. Where a makefile has more
than is read, that is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from ostiary.call.makevalues import Expander, Found, Meter, Unread, Value, outside
from ostiary.expressions import expression
from ostiary.records import NamedTuple, dataclass, field, replace
from ostiary.words import Word

MAX_LINES: Final = 5_000
"""Lines of a makefile that are looked at, blank ones and comments aside."""
MAX_TRIED: Final = 50_000
"""Rules with a pattern that are tried for goals, and goals."""

_TOO_LONG: Final = "the makefile has too many lines"
_TOO_MANY: Final = "the makefile has too many goals"
_TOO_MUCH: Final = "a text of the makefile stands for too much"

_CONDITION: Final = expression(r"(?:ifn?eq|ifn?def|else|endif)\b")
_MODIFIER: Final = expression(r"\s*(?:export|override|private|unexport)\s+")
_SIGNS: Final = expression(r"[@+\s-]*")
_SUFFIXES: Final = expression(r"(\.\w+)(\.\w+)")
_WIDE: Final = expression(r"%|^\.DEFAULT$|^\.\w+\.\w+$")


class Recipe(NamedTuple):
    """A command as the shell gets it, and its number in the makefile. `possible`: perhaps it runs, or another one does.
    `shell` is the program that runs it. `problem` says why something at that place is not read."""

    text: str
    line: int
    possible: bool = False
    shell: str = "/bin/sh"
    problem: str = ""


class _Line(NamedTuple):
    """A line with what continues it."""

    text: str
    number: int


@dataclass(frozen=True, slots=True, eq=False)
class _Rule:
    """What makes some targets; itself, not what it holds, tells it from another one."""

    targets: tuple[str, ...]
    needs: tuple[str, ...]
    lines: list[_Line] = field(default_factory=list)


class _Goal(NamedTuple):
    """A goal as one rule makes it, with what `%` stands for."""

    name: str
    rule: _Rule
    stem: str = ""

    @property
    def needs(self) -> list[str]:
        return [name.replace("%", self.stem, 1) for name in self.rule.needs if name != "|"]

    @property
    def here(self) -> Mapping[str, tuple[str, ...]]:
        """What the variables hold that make sets for each goal."""
        needs = self.needs
        every = (" ".join(needs),) if needs else ()
        held = {"@": (self.name,), "*": (self.stem,), "<": tuple(needs[:1]), "^": every, "+": every, "?": every}
        return {name: texts for name, texts in held.items() if any(texts)}


def recipes(text: str, goals: Iterable[Word]) -> Iterator[Recipe]:
    """What `make` with these operands runs, as far as the text tells: all of it if one of the operands is not known."""
    given = [item.text for item in goals]
    made = _Makefile(dict(_assigned(given)))
    made.read(text)
    wanted = [item for item in given if item and "=" not in item]
    if None in given:
        wanted = [name for rule in made.rules for name in rule.targets]
    followed = list(made.follow(wanted or made.usual()))
    found = (recipe for goal in followed for line in goal.rule.lines for recipe in made.recipe(line, goal))
    problems: set[str] = set()
    for recipe in (*made.early, *found):
        if recipe.problem not in problems:
            problems |= {recipe.problem} - {""}
            yield recipe


def _assigned(given: Iterable[str | None]) -> Iterator[tuple[str, str]]:
    for item in given:
        name, equals, value = (item or "").partition("=")
        if equals:
            yield name.rstrip(":?+!"), value


def _lines(text: str) -> Iterator[_Line]:
    """Lines with what continues them, but for blank ones. In a recipe the backslash stays, for the shell."""
    pending, first = "", 0
    for number, whole in enumerate(text.split("\n"), 1):
        line = whole.removesuffix("\r")
        pending, first = pending + line, first or number
        if (len(line) - len(line.rstrip("\\"))) % 2:
            pending = f"{pending}\n" if pending.startswith("\t") else f"{pending[:-1]} "
            continue
        if pending.strip():
            yield _Line(pending, first)
        pending, first = "", 0
    if pending.strip():
        yield _Line(pending, first)


class _Makefile:
    """What was read of a makefile. `given` are the variables of the call, which are stronger than the file's; `early`
    is what runs while make reads."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self.given = given
        self.values: dict[str, tuple[Value, ...]] = {name: (Value(text),) for name, text in given.items()}
        self.meter = Meter()
        self.rules: list[_Rule] = []
        self.early: list[Recipe] = []
        self.current: _Rule | None = None
        self.defining: tuple[str, list[str]] | None = None
        self.further: list[str] = []
        self.prefix = "\t"
        self.left = MAX_LINES

    def read(self, text: str) -> None:
        """Reads a makefile, and what make itself adds to it."""
        self.further = [text]
        for more in self.further:  # grows meanwhile
            for line in _lines(more):
                self.left -= 1
                if self.left < 0:
                    self.early.append(Recipe("", line.number, problem=_TOO_LONG))
                    return
                self._line(line)

    def _line(self, line: _Line) -> None:
        if self.defining is not None:
            self._define(line)
        elif line.text.startswith(self.prefix) and self.current is not None:
            self.current.lines.append(_Line(line.text[1:], line.number))
            if "eval" in line.text:
                self._early(line)
        else:
            end = next(outside(line.text, "#"), len(line.text))
            self._statement(line._replace(text=line.text[:end].strip()))

    def _define(self, line: _Line) -> None:
        assert self.defining is not None
        name, body = self.defining
        if line.text.strip() == "endef":
            self.defining = None
            self._assign(name, "=", "\n".join(body), line)
        else:
            body.append(line.text)

    def _statement(self, line: _Line) -> None:
        text = line.text
        while found := _MODIFIER.match(text):
            text = text[found.end() :]
        if text.startswith("define "):
            self.defining = text.split()[1].rstrip(":?+!="), []
            return
        self._early(line)
        if not _CONDITION.match(text) and not self._assignment(text, line):
            self._rule(text, line)

    def _early(self, line: _Line) -> None:
        """Note what runs while make reads a line, and read what it makes more of the makefile."""
        found = Found()
        try:
            Expander(self.values, self.meter, found).texts(line.text)
        except Unread:
            self.early.append(Recipe("", line.number, problem=_TOO_MUCH))
        self.early += [Recipe(text, line.number) for text in found.runs]
        self.further += found.evals

    def _assignment(self, text: str, line: _Line) -> bool:
        """Whether a text sets a variable; it is set then."""
        at = next(outside(text, ":="), None)
        if at is None:
            return False
        equals = at + len(text[at:]) - len(text[at:].lstrip(":"))
        if text[equals : equals + 1] != "=":
            return False
        kind = text[at - 1] if at and text[at - 1] in "?+!" else ""
        name = text[: at - len(kind)].strip()
        for one in self._names(name) if "$" in name else (name,):
            self._assign(one, kind or text[at], text[equals + 1 :].lstrip(), line)
        return True

    def _assign(self, name: str, kind: str, text: str, line: _Line) -> None:
        before = self.values.get(name, ())
        if name == ".RECIPEPREFIX":
            self.prefix = text[:1] or "\t"
        if kind == "!":
            self.early.append(Recipe(text, line.number))
            text = f"$(shell {text})"
        if name in self.given and "override" not in line.text:
            return
        if kind == "+" and before:
            self.values[name] = tuple(value._replace(text=f"{value.text} {text}") for value in before)
        else:
            self.values[name] = tuple(dict.fromkeys((*before, *self._held(text, kind == ":"))))

    def _held(self, text: str, at_once: bool) -> tuple[Value, ...]:
        if not at_once:
            return (Value(text),)
        try:
            return tuple(Value(one, True) for one in Expander(self.values, self.meter, Found()).texts(text))
        except Unread:
            return (Value(text),)

    def _rule(self, text: str, line: _Line) -> None:
        colon = next(outside(text, ":"), None)
        if colon is None:
            return
        rest = text[colon:].lstrip(":")
        semicolon = next(outside(rest, ";"), len(rest))
        if self._assignment(_MODIFIER.sub("", rest[:semicolon]), line):
            return  # of these targets alone; it is taken for one of all
        pattern = next(outside(rest, ":"), None)
        needs = rest[:semicolon] if pattern is None else rest[pattern + 1 : semicolon]
        self.current = _Rule(self._names(text[:colon].rstrip("&")), self._names(needs))
        if pattern is not None:
            self._static(self._names(rest[:pattern]))
        else:
            self.rules.append(self.current)
        if rest[semicolon + 1 :].strip():
            self.current.lines.append(_Line(rest[semicolon + 1 :], line.number))

    def _static(self, patterns: tuple[str, ...]) -> None:
        """A rule of named targets with a pattern: one for each of them, which share their lines."""
        assert self.current is not None
        for name in self.current.targets:
            stem = next((stem for one in patterns if (stem := _stem(one, name)) is not None), "")
            needs = tuple(need.replace("%", stem, 1) for need in self.current.needs)
            self.rules.append(_Rule((name,), needs, self.current.lines))

    def _names(self, text: str) -> tuple[str, ...]:
        try:
            texts = Expander(self.values, self.meter, Found()).texts(text)
        except Unread:
            return ()
        return tuple(dict.fromkeys(name.replace("\\", "") for one in texts for name in one.split()))

    def usual(self) -> list[str]:
        """The goals where none is named."""
        names = [name for rule in self.rules for name in rule.targets]
        first = next((name for name in names if "%" not in name and (name[0] != "." or "/" in name)), None)
        chosen = self._names("$(.DEFAULT_GOAL)") if ".DEFAULT_GOAL" in self.values else ()
        return [*chosen, *filter(None, [first])]

    def follow(self, wanted: list[str]) -> Iterator[_Goal]:
        """The goals and everything that they depend on, each once; a pattern is not used a second time below itself."""
        above: tuple[_Rule, ...] = ()
        pending = [(name, above) for name in reversed(wanted)]
        named, patterns = self._sorted()
        seen: set[str] = set()
        while pending:
            name, above = pending.pop()
            if name in seen:
                continue
            seen.add(name)
            if len(seen) * (1 + len(patterns)) > MAX_TRIED:
                self.early.append(Recipe("", 1, problem=_TOO_MANY))
                return
            for goal in _made_by(name, named.get(name, []), [rule for rule in patterns if rule not in above]):
                yield goal
                below = (*above, goal.rule) if goal.stem else above
                pending.extend((need, below) for need in reversed(goal.needs))

    def _sorted(self) -> tuple[Mapping[str, list[_Rule]], list[_Rule]]:
        """The rules by the names of their targets, and those that may make other names, too."""
        named: dict[str, list[_Rule]] = {}
        for rule in self.rules:
            for name in rule.targets:
                named.setdefault(name, []).append(rule)
        return named, [rule for rule in self.rules if any(map(_WIDE.search, rule.targets))]

    def recipe(self, line: _Line, goal: _Goal) -> Iterator[Recipe]:
        """What one line of a recipe may be."""
        found = Found()
        expander = Expander(self.values, self.meter, found, goal.here)
        try:
            texts = expander.texts(line.text)
            shells = expander.texts("$(SHELL)")
        except Unread:
            yield Recipe("", line.number, problem=_TOO_MUCH)
            return
        possible = bool(goal.stem) or len(texts) > 1
        for text in texts:
            for command in text.split("\n") if "\n" in text and "\n" not in line.text else (text,):
                plain = _SIGNS.sub("", command, count=1)
                if plain:
                    yield from (Recipe(plain, line.number, possible or len(shells) > 1, shell) for shell in shells)
        inside = "".join(texts)
        yield from (Recipe(run, line.number, possible) for run in found.runs if f"$({run})" not in inside)


def _made_by(name: str, named: list[_Rule], patterns: list[_Rule]) -> Iterator[_Goal]:
    """The goal as every rule makes it that names it; patterns count where none of them has a recipe."""
    yield from (_Goal(name, rule) for rule in named)
    if not any(rule.lines for rule in named):
        for rule in patterns:
            yield from (_Goal(name, fitting, stem) for fitting, stem in _fitting(rule, name))


def _stem(pattern: str, name: str) -> str | None:
    """What `%` stands for where a pattern fits a name."""
    before, percent, after = pattern.partition("%")
    fits = percent and len(name) > len(before) + len(after) and name.startswith(before) and name.endswith(after)
    return name[len(before) : len(name) - len(after)] if fits else None


def _fitting(rule: _Rule, name: str) -> Iterator[tuple[_Rule, str]]:
    """A rule as it makes a name by a pattern, an old one of two endings (`.c.o`) or as the last resort."""
    for target in rule.targets:
        endings = _SUFFIXES.fullmatch(target)
        if endings and name.endswith(endings[2]) and not rule.needs:
            stem = name.removesuffix(endings[2])
            yield replace(rule, needs=(stem + endings[1],)), stem
        elif target == ".DEFAULT":
            yield rule, name
        elif (found := _stem(target, name)) is not None:
            yield rule, found
