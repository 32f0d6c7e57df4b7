"""A grammar of bash scripts: every construct of bash's manual that may hold a command, in odd spellings.

The same `Random` gives the same scripts. `Grammar.script` makes a whole text. A `runnable` grammar makes scripts for
the execution oracle: their programs are stand-ins (`c0` ... `c9`), their files relative names, and the builtins in them
change nothing outside of their shell.
"""

from __future__ import annotations

from collections.abc import Callable

from fuzz.simple import PROGRAMS, Simples
from fuzz.words import NAMES

ENDS = (
    ("\n",) * 8
    + (";",) * 6
    + (" ; ", "\n\n", " &\n", "& ", ";\n", " # note\n", " # it's \"one\n", " \n \n", ";  # $(c9)\n")
)
OPERATORS = (" && ", " || ", "&&", "||", " &&\n", " || # note\n ", " && \\\n", "||\n\n")
TESTS = (
    "-f {0}",
    "-n {0}",
    "{0} = {1}",
    "{0} == a*",
    "{0} =~ ^a(b|c)$",
    "! -e {0}",
    "{0} -eq 1",
    "-v x",
    "{0} < {1}",
    "( {0} )",
)


class Grammar(Simples):
    """Makes scripts."""

    def script(self, room: int = 0) -> str:
        """A whole script, now and then with line joins anywhere."""
        self.room = room or self.random.choice((2, 4, 8, 12, 20))
        self.bodies, self.one_line = [], 0
        text = self.pick("", "", "", "", "# note\n", "\n", " ", "#!/bin/bash\n", "\\\n")
        text += self.lists(self.random.choice((1, 1, 2, 2, 3, 4)))
        while self.chance(12):
            at = self.random.randrange(len(text) + 1)
            text = text[:at] + "\\\n" + text[at:]
        return text

    def lists(self, count: int) -> str:
        """So many and-or lists, each with its end."""
        text = ""
        for _ in range(count):
            text += self.and_or() + self.end()
        return text

    def end(self) -> str:
        """The end of a command, and the bodies of the here-documents that waited for it."""
        if self.bodies and not self.one_line:
            bodies, self.bodies = self.bodies, []
            return self.pick("\n", "\n", ";\n", " # note\n", " &\n") + "".join(bodies)
        return self.random.choice(ENDS)

    def and_or(self) -> str:
        text = self.pipeline()
        while self.deeper(30):
            operator = self.random.choice(OPERATORS)
            if "\n" in operator and self.bodies and not operator.endswith("\\\n"):
                operator = " && "
            text += operator + self.pipeline()
        return text

    def pipeline(self) -> str:
        prefix = self.pick(*[""] * 20, "! ", "time ", "time -p ", "time\t", "!\t")
        if self.chance(0.3):
            prefix = self.pick("! ! ", "time ! ", "! time ", "time time ")
        text = prefix + self.command()
        while self.deeper(18):
            bar = self.pick(" | ", " | ", "|", " |& ", "|\\\n", " |\n" if not self.bodies else "|")
            text += bar + self.command()
        return text

    def command(self) -> str:
        """A simple or compound command."""
        if self.deeper(28):
            compound = self.random.choice(self.COMPOUNDS)(self)
            if self.chance(12):
                compound += self.gap() + self.redirection()
            return compound
        if self.runnable and self.chance(9):
            text = self.started()
            return f"{{ {text}; }}" if ";" in text or "|" in text else text
        return self.simple()

    def body(self, count: int = 0) -> str:
        """Commands inside of a compound command, with their end."""
        waiting, self.bodies = self.bodies, []
        outer, self.one_line = self.one_line, 0
        text = self.pick(" ", "\n", "  ", "\t", " \\\n", "\n# note\n", " ") if not waiting else " "
        if waiting:
            # A newline here would start the bodies of the here-documents outside.
            self.one_line = 1
            text += self.simple_line() + "; "
        else:
            text += self.lists(count or self.random.choice((1, 1, 1, 2)))
            if text[-1] not in "\n;& " or self.chance(0):
                text += ";"
            text = text if text.rstrip(" \n\t\\")[-1:] in ("&", ";") or text.endswith("\n") else text + "\n"
        self.one_line = outer
        self.bodies = waiting
        return text

    def group(self) -> str:
        return "{" + self.body() + "}"

    def subshell(self) -> str:
        return "(" + self.body().rstrip(";" if self.chance(30) else "") + ")"

    def conditional(self) -> str:
        text = "if" + self.body() + "then" + self.body()
        while self.deeper(25):
            text += "elif" + self.body() + "then" + self.body()
        if self.chance(40):
            text += "else" + self.body()
        return text + "fi"

    def loop(self) -> str:
        return self.pick("while", "until") + self.body() + "do" + self.body() + self.leave() + "done"

    def leave(self) -> str:
        return "break\n" if self.runnable else self.pick("", "", "break; ", "continue\n")

    def each(self) -> str:
        name = self.random.choice(NAMES[:4])
        words = "".join(self.blank() + self.word() for _ in range(self.random.choice((0, 1, 2, 2, 3))))
        header = self.pick(
            f"for {name} in{words};", f"for {name} in{words}\n", f"for {name};", f"for {name}\nin{words};"
        )
        if self.bodies:
            header = header.replace("\n", " ")
            header = header if header.endswith(";") else header + ";"
        if self.chance(8):
            return header + " {" + self.body() + "}"
        return header + " do" + self.body() + "done"

    def select(self) -> str:
        return f"select {self.random.choice(NAMES[:4])} in {self.word()}; do" + self.body() + self.leave() + "done"

    def counting(self) -> str:
        head = self.pick("i=0;i<2;i++", " i=0 ; i<2 ; ++i ")
        return f"for (({head})){self.pick(';', ' ', '')} do" + self.body() + "done"

    def case(self) -> str:
        text = f"case {self.word()} in" + ("\n" if not self.bodies and self.chance(50) else " ")
        for _ in range(self.random.choice((1, 1, 2))):
            patterns = self.pick("", "", "(") + self.pattern()
            while self.chance(25):
                patterns += self.pick("|", " | ") + self.pattern()
            ends = self.pick(";;", ";;", ";;", " ;; ", ";&", ";;&", "\n;;\n" if not self.bodies else ";;")
            inside = self.body() if self.chance(85) else " "
            text += (
                patterns
                + self.pick(")", " )")
                + inside.rstrip("; " if inside.endswith("; ") else "")
                + " "
                + ends
                + " "
            )
        return text + "esac"

    def pattern(self) -> str:
        return self.pick("a", "*", "a*", "'b c'", '"$x"', "[ab]", "?", "-x", "\\*", "@(a|b)", "$x", "a\\ b")

    def function(self) -> str:
        name = self.pick("fn", "gn", "f-1", *PROGRAMS[:2])
        head = self.pick(
            f"{name}()",
            f"{name} ( )",
            f"function {name}",
            f"function {name}()",
            f"{name}()\n" if not self.bodies else f"{name}()",
        )
        return (
            head + " " + self.random.choice((Grammar.group, Grammar.group, Grammar.subshell, Grammar.conditional))(self)
        )

    def test(self) -> str:
        inner = self.random.choice(TESTS).format(self.word(), self.word())
        if self.chance(20):
            inner += self.pick(" && ", " || ") + self.random.choice(TESTS).format(self.word(), self.word())
        return f"[[ {inner} ]]"

    def arithmetic(self) -> str:
        return f"(({self.gap()}{self.expression()}{self.gap()}))"

    def coprocess(self) -> str:
        if self.runnable and self.chance(40):
            return "coproc " + self.simple()
        return self.pick("coproc ", "coproc NAME ") + self.group()

    COMPOUNDS: tuple[Callable[[Grammar], str], ...] = (
        *(group, group, subshell, subshell, conditional, conditional, loop, each, each, case, case, function),
        *(test, test, arithmetic, select, counting, coprocess),
    )
