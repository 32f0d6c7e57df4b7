"""Words of generated scripts: quotes, expansions and substitutions of every kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from random import Random

NAMES = ("x", "y", "A", "B_1", "arr")
PLAIN = (
    "a",
    "b",
    "-x",
    "--long=1",
    "1",
    "a.b",
    "a/b",
    "x=y",
    "a:b",
    "-",
    "--",
    "%s",
    "a,b",
    "~",
    "~/z",
    "^",
    "+x",
    "é",
)
ODD = (
    "{a,b}",
    "a{1..3}b",
    "{a}",
    "{",
    "}",
    "{}",
    "*",
    "?",
    "[ab]",
    "*.c",
    "a*b",
    "if",
    "then",
    "done",
    "in",
    "!",
    "]]",
    "#",
)
ODD_MORE = (
    "a#b",
    "{a,b{c,d}}",
    "@(a|b)",
    "+(x)",
    "!(y)",
    "[[",
    "do",
    "esac",
    "\\;",
    "=",
    "a=",
    "[",
    "]",
    "time",
    "~x",
    "!x",
)
ESCAPES = ("\\ ", "\\$", "\\`", '\\"', "\\'", "\\\\", "\\#", "\\;", "\\&", "\\(", "\\a", "\\\n", "a\\\nb", "\\{", "\\*")
ANSI = ("$'a'", "$'a\\'b'", "$'\\n'", "$'\\x41'", "$'\\\\'", "$'a;b'", "$'\\101\\t'", "$'\"'", "$'`'", "$'$(c9)'")
BLANKS = (" ",) * 20 + ("  ", "\t", " \\\n", " \t ", "\\\n ")
OPERATIONS = (":-", "-", ":=", "=", ":+", "+", ":?", "?", "#", "##", "%", "%%", "/a/", "//a/", "/#a/", ":1:", "^", ",,")
ARITHMETIC = (
    "1",
    "x",
    "x+1",
    "x++",
    "x=2",
    "x<<1",
    "(x)",
    "x>y?1:2",
    "arr[1]",
    "$x",
    "x[$y]",
    "16#f",
    "~x",
    "x,y",
    "$#",
)


class Words(ABC):
    """Makes words. `room` is how many more parts this script may get, `bodies` are those of the here-documents that
    wait for the end of the line, `one_line` says that no newline may come."""

    def __init__(self, random: Random, runnable: bool = False) -> None:
        self.random = random
        self.runnable = runnable
        self.room = 0
        self.bodies: list[str] = []
        self.one_line = 0

    def pick(self, *choices: str) -> str:
        """One of the texts."""
        return self.random.choice(choices)

    def chance(self, percent: float) -> bool:
        """Whether something happens that happens so often; never once the script is large."""
        return self.random.random() * 100 < percent

    def deeper(self, percent: float) -> bool:
        """The same for what makes the script larger."""
        if self.room <= 0 or not self.chance(percent):
            return False
        self.room -= 1
        return True

    def blank(self) -> str:
        return self.random.choice(BLANKS)

    def gap(self) -> str:
        """A blank or none."""
        return self.blank() if self.chance(50) else ""

    def simple_line(self) -> str:
        """A command without a newline."""
        return f"{self.program()} {self.random.choice(PLAIN[:8])}"

    @abstractmethod
    def and_or(self) -> str:
        """Commands joined by `&&` and `||`."""

    @abstractmethod
    def lists(self, count: int) -> str:
        """So many lists of commands, each with its end."""

    @abstractmethod
    def end(self) -> str:
        """The end of a command, and the bodies of the here-documents that waited for it."""

    @abstractmethod
    def program(self) -> str:
        """A program's word."""

    def word(self) -> str:
        """One word, made of a few parts."""
        text = self.part()
        while self.chance(22):
            text += self.part()
        return text.replace("\n", " ") if self.bodies and "\n" in text.replace("\\\n", "") else text

    def part(self) -> str:
        if self.chance(50):
            return self.random.choice(PLAIN)
        if self.deeper(42):
            return self.random.choice(self.NESTED)(self)
        return self.random.choice(self.FLAT)(self)

    def odd(self) -> str:
        return self.random.choice(ODD if self.chance(70) else ODD_MORE)

    def escaped(self) -> str:
        return self.random.choice(ESCAPES)

    def ansi(self) -> str:
        return self.random.choice(ANSI)

    def single_quoted(self) -> str:
        return (
            "'" + self.pick("", "a b", "$x", "$(c9)", "`c9`", '"', ";", "# a", "\\", "a|b", "<<E", "{a,b}", "é") + "'"
        )

    def parameter(self) -> str:
        name = self.random.choice(NAMES)
        return self.pick(
            f"${name}",
            f"${{{name}}}",
            "$1",
            "$PWD",
            "$@",
            '"$@"',
            "$*",
            "$?",
            "$#",
            "$$",
            "$!",
            "$-",
            "${#x}",
            "${!x}",
            "${#}",
            "${x[@]}",
            "${arr[1]}",
            "${#arr[@]}",
            "${!arr[@]}",
            "$_",
            "${10}",
            "${x^^}",
            "${x@Q}",
            "$",
        )

    def double_quoted(self) -> str:
        text = ""
        for _ in range(self.random.choice((0, 1, 2, 2, 3))):
            text += self.quoted_part()
        return self.pick("", "", "", "", "$") + f'"{text}"'

    def quoted_part(self) -> str:
        if self.deeper(30):
            return self.random.choice((Words.substitution, Words.backticks, Words.operation_quoted, Words.expansion))(
                self
            )
        return self.pick(
            "a b",
            "it's",
            "$x",
            "${x}",
            '\\"',
            "\\$",
            "\\`",
            "\\\\",
            "# a",
            ";",
            "|",
            "(",
            ")",
            "{a,b}",
            "$",
            "\\\n",
            "*",
            "'",
            "\\a",
            "!",
            "é",
            "<<E",
        )

    def substitution(self) -> str:
        if self.bodies:
            return f"$({self.simple_line()})"
        waiting, self.bodies = self.bodies, []
        text = self.and_or() if self.chance(70) else self.lists(self.random.choice((1, 2)))
        if self.bodies:
            text += self.end()
        self.bodies = waiting
        space = " " if text[:1] == "(" else self.pick("", "", " ")
        closing = (
            "\n" if text.rstrip(" ").rpartition("\n")[2].startswith("#") or " #" in text.rpartition("\n")[2] else ""
        )
        return f"$({space}{text}{closing})"

    def backticks(self) -> str:
        inner = f"{self.program()} {self.word()}" if not self.bodies and self.chance(50) else self.simple_line()
        if "`" in inner:
            inner = inner.replace("\\", "\\\\").replace("`", "\\`")
        return f"`{inner}`"

    def process(self) -> str:
        return self.pick("<", ">") + self.substitution()[1:]

    def expansion(self) -> str:
        """`$((...))`"""
        return f"$(({self.expression()}))"

    def expression(self) -> str:
        text = self.random.choice(ARITHMETIC)
        if self.deeper(12):
            text += "+" + self.random.choice((Words.substitution, Words.backticks, Words.expansion))(self)
        return text

    def operation(self) -> str:
        return self.operated(self.word())

    def operation_quoted(self) -> str:
        inner = "".join(self.quoted_part() for _ in range(self.random.choice((0, 1, 2))))
        return self.operated(inner.replace("'", ""))

    def operated(self, operand: str) -> str:
        name = self.pick(*NAMES, "1", "@", "x[0]", "arr[@]")
        operation = self.random.choice(OPERATIONS)
        return f"${{{name}{operation}{operand}}}"

    NESTED: tuple[Callable[[Words], str], ...] = (
        *(substitution, substitution, substitution, backticks, backticks, process, expansion, operation, operation),
        *(double_quoted, double_quoted),
    )
    FLAT: tuple[Callable[[Words], str], ...] = (
        odd,
        escaped,
        ansi,
        single_quoted,
        parameter,
        parameter,
        double_quoted,
    )
