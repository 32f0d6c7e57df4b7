"""What builtins of bash do to the shell that runs them: directory, variables, functions, aliases (its manual, 4)."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import takewhile
from typing import Final

from ostiary.expressions import expression
from ostiary.shell.deferral import Deferral
from ostiary.shell.operands import last, operand, operands, set_operands, unwrapped, value_of, values
from ostiary.shell.pieces import directory
from ostiary.shell.scope import UNKNOWN_DIRECTORY, Scope
from ostiary.shell.second import read
from ostiary.shell.simple import DECLARATIONS
from ostiary.shell.syntax import Node, Sequence, Simple
from ostiary.words import Hole, Word, joined, phrase, word

_NAME: Final = expression(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[.*)?", re.DOTALL)
_DEFINITION: Final = expression(r"([A-Za-z_][A-Za-z0-9_]*)(\+?=)")
# Declared integers, lower and upper case, read-only variables.
_CHANGING: Final = expression("[iclur]")
_JUMPS: Final = frozenset({"break", "continue", "builtin", "command"})
_STACK_ENTRY: Final = expression(r"[+-][0-9]*")
_RELATIVE: Final = expression(r"(?![/~])(?!\.\.?(?:/|\Z)).")
_REEXPANDED: Final = expression(r"\[.*(?:\$\(|`|\$\{)", re.DOTALL)
# Option letters that take the next word, by builtin.
_SETTERS: Final = {"read": "dinNptu", "mapfile": "cCdnOsu", "readarray": "cCdnOsu", "getopts": "", "wait": ""}
# Options whose value is a variable's name.
_NAMING: Final = {"read": "a", "wait": "p"}
_COMPLETING: Final = "AGWFCXPSo"
# What a callback is run with.
_FURTHER: Final = ' "$@"'
_UNNAMED: Final = {
    "read": ["REPLY"],
    "mapfile": ["MAPFILE"],
    "readarray": ["MAPFILE"],
    "getopts": ["OPTARG", "OPTIND"],
    "wait": [],
}
# Declarations that hold while a function runs.
_LOCAL: Final = frozenset({"local", "declare", "typeset"})
_SUBSCRIPTED: Final = DECLARATIONS | _SETTERS.keys() | {"test", "[", "unset", "let"}


class Effects(Deferral):
    """Knows what builtins change."""

    def effects(self, words: tuple[Word, ...], scope: Scope, declared: tuple[str, ...]) -> None:
        """What a command does to the state of its shell."""
        name = words[0].text if words else ""
        if name is not None and name not in _EFFECTIVE and name not in scope.defined:
            return
        words = unwrapped(words)
        name = words[0].text if words else ""
        if name is None:
            if any(hole.kind != "outside" for hole in words[0].holes):
                self.anything(scope)
        elif name in scope.defined:
            # An alias may stand for any text, so only a function is known better, if it surely replaces no builtin.
            found = self.functions.get(name) if name not in _EFFECTIVE else None
            self.anything(scope) if found is None else self.disturb(found, scope)
        elif name in DECLARATIONS:
            self._declare(words, scope, declared)
        elif name in self._EFFECTS:
            self._EFFECTS[name](self, words, scope)
        if name in _SUBSCRIPTED or (name == "printf" and any(item.prefix.startswith("-v") for item in words)):
            self._subscripts(words, scope)

    def is_program(self, value: Word) -> bool:
        """Whether a variable's value, as the first word of a command, runs a program and no builtin with effects."""
        name, *_ = (value.text or "").split() or [""]
        effects = name in self._EFFECTS or name in DECLARATIONS or name in _JUMPS
        return bool(name) and not effects and name not in self.bodies

    def _subscripts(self, words: tuple[Word, ...], scope: Scope) -> None:
        """Operands that a builtin takes for variables, whose subscripts are expanded again."""
        for item in words[1:]:
            if any(isinstance(piece, str) and _REEXPANDED.search(piece) for piece in item.pieces):
                self.unread(str(item), "an operand is expanded again", scope)

    def _change_directory(self, words: tuple[Word, ...], scope: Scope) -> None:
        # Where `-P` leads depends on links.
        physical = any(item.prefix.startswith("-") and "P" in item.prefix for item in words[1:])
        scope.moved(UNKNOWN_DIRECTORY if physical else self._destination(operand(words), scope))

    def _destination(self, target: Word | None, scope: Scope) -> Word:
        if target is None:
            return UNKNOWN_DIRECTORY if "HOME" in scope.values or scope.evaluated else word("~")
        searched = "CDPATH" in scope.values and _RELATIVE.match(target.prefix)
        if searched or target.text == "-" or target.many:
            return UNKNOWN_DIRECTORY
        return directory(scope.cwd, target)

    def _push_directory(self, words: tuple[Word, ...], scope: Scope) -> None:
        target = operand(words)
        if target is None or len(words) > 2 or _STACK_ENTRY.fullmatch(target.text or ""):
            scope.moved(UNKNOWN_DIRECTORY)
            scope.stack = None
            return
        scope.stack = None if scope.stack is None else (*scope.stack, scope.cwd)
        scope.moved(self._destination(target, scope))

    def _pop_directory(self, words: tuple[Word, ...], scope: Scope) -> None:
        if not scope.stack or len(words) > 1:
            scope.moved(UNKNOWN_DIRECTORY)
            scope.stack = None
            return
        *rest, scope.cwd = scope.stack
        scope.stack = tuple(rest)

    def _declare(self, words: tuple[Word, ...], scope: Scope, declared: tuple[str, ...]) -> None:
        program = words[0].text or ""
        options = "".join(item.text or "" for item in words[1:] if item.prefix.startswith("-"))
        changed = set(declared) if program == "local" and not scope.late else set()
        for name in declared:
            self._localise(name, program, scope)
        for item in words[1:]:
            changed |= self._declared(item, program, scope) if not item.prefix.startswith("-") else set()
        # What a name refers to may be an array's item, whose subscript is expanded at every use.
        refers = program != "export" and "n" in options
        if program == "readonly" or refers or _CHANGING.search(options):
            changed |= set(declared)
            scope.changing |= changed
        if ("i" in options or refers) and self.endangered(scope):
            self.unread(str(phrase(words)), "the value of a variable is expanded again", scope)
        if refers:
            scope.clobber(evaluated=True)
        if "f" in options and (program == "export" or "x" in options):
            self._export_functions(words, scope)
        for name in changed:
            scope.taint(name)

    def _declared(self, item: Word, program: str, scope: Scope) -> set[str]:
        """Carry out one operand of a declaration; the variables whose values are not what they seem then."""
        found = _DEFINITION.match(item.prefix)
        if found is not None and found[2] == "=":
            scope.assign(found[1], item.after(found.end()))
            self._localise(found[1], program, scope)
            return set() if program != "local" or scope.late else {found[1]}
        match = found or _NAME.fullmatch(item.text or "")
        if match is None:
            # Any name may be meant.
            scope.clobber(evaluated=True)
            return set()
        self._localise(match[1], program, scope)
        return {match[1]} if found is not None or program != "export" else set()

    def _localise(self, name: str, program: str, scope: Scope) -> None:
        """A variable that has its value only while a function runs."""
        if scope.late and program in _LOCAL:
            scope.record.note(name, None)

    def _set_variables(self, words: tuple[Word, ...], scope: Scope) -> None:
        program = words[0].text or ""
        names = operands(words, _SETTERS[program])
        letter = _NAMING.get(program, "")
        joined_names = values(words, _SETTERS[program] + letter, letter)
        for item in (*names, *joined_names, *map(word, _UNNAMED[program])):
            self._set_variable(item, scope)
        self._callbacks(words, scope)

    def _set_variable(self, item: Word, scope: Scope) -> None:
        match = _NAME.fullmatch(item.text or "")
        if item.text is None:
            scope.clobber(evaluated=True)
        elif match is not None:
            scope.taint(match[1])

    def _callbacks(self, words: tuple[Word, ...], scope: Scope) -> None:
        """`mapfile -C text` and `compgen -C text` run the text with further words, `compgen -W text` expands it."""
        valued = _SETTERS.get(words[0].text or "", _COMPLETING)
        for value in values(words, valued, "C"):
            self._nested(joined([*value.pieces, _FURTHER]), "a computed text is run", scope)
        for value in values(words, valued, "W"):
            if value.text is None or "$" in value.text or "`" in value.text:
                self.unread(str(value), "an operand is expanded again", scope)

    def _printf(self, words: tuple[Word, ...], scope: Scope) -> None:
        if len(words) > 2 and words[1].text == "-v":
            self._set_variable(words[2], scope)
        elif len(words) > 1 and words[1].prefix.startswith("-v"):
            self._set_variable(words[1].after(len("-v")), scope)

    def _let(self, words: tuple[Word, ...], scope: Scope) -> None:
        for item in words[1:]:
            self.evaluate(str(item), scope)

    def _unset(self, words: tuple[Word, ...], scope: Scope) -> None:
        for item in words[1:]:
            self._set_variable(item, scope)
            scope.exports.pop(item.text or "", None)

    def _set(self, words: tuple[Word, ...], scope: Scope) -> None:
        given = set_operands(words)
        if given is not None:
            scope.give(given)
        self._switch(words, scope)

    def _shopt(self, words: tuple[Word, ...], scope: Scope) -> None:
        if any(item.prefix.startswith("-") and "o" in item.prefix for item in words[1:]):
            self._switch(words, scope)

    def _switch(self, words: tuple[Word, ...], scope: Scope) -> None:
        if _switches(words, "a", "allexport"):
            self._export_functions(words, scope)
        if _switches(words, "k", "keyword"):
            self.unread(str(phrase(words)), "assignments among the words of commands", scope)

    def _export_functions(self, words: tuple[Word, ...], scope: Scope) -> None:
        """Other shells may call the functions, with what is exported to them."""
        scope.record.opaque = True
        whole = self.survey_all()
        if whole.functions and whole.misprinted:
            self.unread(str(phrase(words)), "a function that other shells read otherwise", scope)

    def _shift(self, words: tuple[Word, ...], scope: Scope) -> None:
        count = "1" if len(words) == 1 else words[1].text or ""
        if scope.arguments is None or len(words) > 2 or not re.fullmatch("[0-9]{1,4}", count):
            scope.set_arguments(None)
            return
        given = scope.arguments[1:]
        # A count that is too large changes nothing.
        gone = int(count) if int(count) <= len(given) else 0
        known = not any(item.many for item in given[:gone])
        scope.set_arguments(scope.arguments[:1] + given[gone:] if known else None)

    def _eval(self, words: tuple[Word, ...], scope: Scope) -> None:
        text = words[1] if len(words) == 2 else Word((Hole("eval", "computed"),))
        self.disturb(self.surveyed(text, scope), scope)

    def _source(self, words: tuple[Word, ...], scope: Scope) -> None:  # noqa: ARG002 all of them have this signature
        scope.clobber()

    def _trap(self, words: tuple[Word, ...], scope: Scope) -> None:
        handler = operand(words)
        if handler is not None:
            found = self.surveyed(handler, scope)
            if any(item.text not in ("EXIT", "0") for item in words[2:]):
                self.interrupt(found, scope)

    def _exit(self, words: tuple[Word, ...], scope: Scope) -> None:
        # With two arguments it fails and goes on.
        scope.dead = len(words) == 1 or (len(words) == 2 and (words[1].text or "-").isdigit())

    def _return(self, words: tuple[Word, ...], scope: Scope) -> None:
        # Outside of a function it fails and goes on.
        if scope.late:
            self._exit(words, scope)

    def _alias(self, words: tuple[Word, ...], scope: Scope) -> None:
        for item in words[1:]:
            name, equals, _ = item.prefix.partition("=")
            if equals:
                self._define(name, scope)
                scope.aliases |= {name}
                script = self._nested(item.after(len(name) + 1), "an alias has a computed value", scope)
                if item.suffix.endswith((" ", "\t")):
                    self.unread(str(item), "an alias of which the next word may be an alias", scope)
                self._mean(name, last(script), scope)
            elif item.text is None:
                self.unread(str(item), "an alias has a computed name", scope)

    def _mean(self, name: str, meaning: Node | None, scope: Scope) -> None:
        """A name stands for a command, to which the arguments behind it are added."""
        self.budget.handle(len(scope.meanings))
        if isinstance(meaning, Simple) and meaning.words:
            scope.meanings = scope.meanings | {name: meaning}

    def _nested(self, value: Word, reason: str, scope: Scope) -> Sequence:
        """Take in a text that the shell runs later, `reason` says why not if it is not known."""
        if value.text is None:
            self.unread(str(value), reason, scope)
            return Sequence(())
        outer, self.group = self.group, []
        script = read(value.text, self.budget)[0]
        self.visit(script, self.later(scope))
        self.group = outer
        return script

    def _define(self, name: str, scope: Scope) -> None:
        scope.defined |= {name}
        self.bodies.setdefault(name, [])

    def _unalias(self, words: tuple[Word, ...], scope: Scope) -> None:
        gone = {item.text for item in words[1:]}
        gone = gone if "-a" not in gone else set(scope.aliases)
        scope.defined -= scope.aliases & gone
        scope.aliases -= gone

    def _hash(self, words: tuple[Word, ...], scope: Scope) -> None:
        if any(item.prefix.startswith("-p") for item in words[1:]):
            for item in operands(words, "p"):
                self._define(str(item), scope)
                self._hashed(str(item), value_of(words, "-p"), scope)

    def _hashed(self, name: str, path: Word | None, scope: Scope) -> None:
        if path is None or not path.text:
            self.unread(name, "a name stands for a computed program", scope)
        else:
            self._mean(name, Simple(name, (), (path.text,), ()), scope)

    def _enable(self, words: tuple[Word, ...], scope: Scope) -> None:
        if any(item.prefix.startswith("-") for item in words[1:]):
            for item in operands(words, "f"):
                self._define(str(item), scope)

    _EFFECTS: Final[dict[str, Callable[[Effects, tuple[Word, ...], Scope], None]]] = {
        "cd": _change_directory,
        "chdir": _change_directory,
        "pushd": _push_directory,
        "popd": _pop_directory,
        **dict.fromkeys(_SETTERS, _set_variables),
        "printf": _printf,
        "let": _let,
        "unset": _unset,
        "set": _set,
        "shopt": _shopt,
        "shift": _shift,
        "eval": _eval,
        "source": _source,
        ".": _source,
        "trap": _trap,
        "exit": _exit,
        "return": _return,
        "compgen": _callbacks,
        "complete": _callbacks,
        "alias": _alias,
        "unalias": _unalias,
        "hash": _hash,
        "enable": _enable,
    }


def _switches(words: tuple[Word, ...], letter: str, name: str) -> bool:
    """Whether `set` or `shopt` may switch on the option of this letter and name."""
    options = takewhile(lambda item: item.text not in ("--", "-"), words[1:])
    return any(item.text == name or (item.prefix[:1] == "-" and letter in item.prefix) for item in options)


_EFFECTIVE: Final = Effects._EFFECTS.keys() | _SUBSCRIPTED | {"builtin", "command"}
