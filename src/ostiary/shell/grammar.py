"""Commands of a bash text: lists, pipelines and compound commands around simple ones (bash's manual, section 3.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ostiary.expressions import expression
from ostiary.shell.simple import RESERVED, WORD_END, SimpleReader
from ostiary.shell.syntax import (
    Arithmetic,
    Background,
    Case,
    CaseItem,
    Chain,
    Coprocess,
    Counting,
    For,
    Function,
    If,
    Loop,
    Negated,
    Node,
    Pipeline,
    RawWord,
    Redirected,
    Sequence,
    Simple,
    Subshell,
    Test,
    Unread,
    Unreadable,
    plain_text,
)

_JOINS: Final = r"(?:\\\n)*"
_GAP: Final = rf"{_JOINS}[ \t](?:[ \t]|\\\n)*"
_NEGATION: Final = expression("!" + WORD_END)
_TIME: Final = expression(rf"time(?:{_GAP}-{_JOINS}p{WORD_END})?(?:{_GAP}-{_JOINS}-{WORD_END})?{WORD_END}")
_IDENTIFIER: Final = expression(r"[A-Za-z_][A-Za-z0-9_]*")
_IN: Final = expression("in" + WORD_END)
_COMPOUND: Final = expression(r"\(|(?:if|while|until|for|select|case|\[\[|\{)" + WORD_END)
_COPROCESS: Final = expression(rf"([A-Za-z_][A-Za-z0-9_]*){_GAP}(?={_COMPOUND.pattern})")
_TEST_END: Final = expression(r"\]\]" + WORD_END)
_TEST_OPERATOR: Final = expression(r"&&|\|\||[()]|[<>](?!\()|!" + WORD_END)
_EVALUATING: Final = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R"})
_ITEM_ENDS: Final = (";;&", ";;", ";&")
_NOTHING: Final[frozenset[str]] = frozenset()
_THEN: Final = frozenset({"then"})
_ELSE: Final = frozenset({"elif", "else", "fi"})
_FI: Final = frozenset({"fi"})
_DO: Final = frozenset({"do"})
_DONE: Final = frozenset({"done"})
_BRACE: Final = frozenset({"}"})
_ESAC: Final = frozenset({"esac"})


class Reader(SimpleReader):
    """Reads a whole text."""

    __slots__ = ()

    def script(self) -> Sequence:
        """The whole text. Where it cannot be read, the commands before that place and the rest as unread."""
        items: list[Node] = []
        mark, count = 0, 0
        try:
            while self.newlines():
                self.close_chunk(mark)
                mark, count = self.pos, len(self.simples)
                items.append(self._listed())
            self.read_documents()
            self.close_chunk(mark)
        except Unreadable as problem:
            items.extend(self.simples[count:])
            items.append(Unread(self.text[mark:], problem.reason))
            self._broke_off(problem.limit)
        return Sequence(tuple(items))

    def _broke_off(self, limit: str) -> None:
        # Positions after a break mean nothing, so there is nothing that a second parser could agree with.
        self.chunks = []
        self.broken = True
        self.family[0].limit = self.family[0].limit or limit

    def sequence(self, stops: frozenset[str]) -> Sequence:
        """Commands up to a reserved word of `stops`, a closing parenthesis or the end of a case item."""
        items: list[Node] = []
        while self.newlines() not in ("", ")") and not self.text.startswith((";;", ";&"), self.pos):
            reserved = RESERVED.match(self.text, self.pos)
            if reserved is not None and reserved[0] in stops:
                break
            # Bash 5.2 runs what it prints of a substitution, and behind a here-document it prints no `;`.
            if self.inside and self.announced:
                raise Unreadable("commands behind a here-document in a substitution")
            items.append(self._listed())
        return Sequence(tuple(items))

    def _listed(self) -> Node:
        """One list item with the `;` or `&` after it."""
        node = self._chain()
        char = self.blanks()
        if char == "&":
            self.pos += 1
            self.refuse_join(">")
            return Background(node)
        if char == ";" and not self.text.startswith((";;", ";&"), self.pos):
            self.pos += 1
        elif char not in ("", "\n", ")", ";") and not RESERVED.match(self.text, self.pos):
            raise Unreadable("an operator or the end of a line is missing")
        return node

    def _chain(self) -> Node:
        first = self._pipeline()
        rest: list[tuple[str, Node]] = []
        while self.blanks() and (operator := self.text[self.pos : self.pos + 2]) in ("&&", "||"):
            self.pos += 2
            self.newlines()
            rest.append((operator, self._pipeline()))
        return Chain(first, tuple(rest)) if rest else first

    def _pipeline(self) -> Node:
        negated, last = self._prefixes()
        if last and self.blanks() in ("", "\n"):
            # Bash takes `!` or `time` alone for a pipeline of nothing.
            return Negated(Sequence(())) if negated else Sequence(())
        items = [_timed(self._command(), last)]
        while self.blanks() == "|" and not self.text.startswith("||", self.pos):
            self.pos += 2 if self.text.startswith("|&", self.pos) else 1
            self.newlines()
            items.append(self._command())
        node = items[0] if len(items) == 1 else Pipeline(tuple(items))
        return Negated(node) if negated else node

    def _prefixes(self) -> tuple[bool, str]:
        """Skip `!` and `time`; whether a `!` was among them, and the last one with its options."""
        negated, last = False, ""
        while self.blanks() in ("!", "t") and (
            match := _NEGATION.match(self.text, self.pos) or _TIME.match(self.text, self.pos)
        ):
            self.intricate = True
            last = match[0].replace("\\\n", "")
            negated = negated or last == "!"
            self.masks.append((match.start(), match.end(), " "))
            self.pos = match.end()
        return negated, last

    def _command(self) -> Node:
        self.budget.spend()
        reserved = RESERVED.match(self.text, self.pos)
        if reserved is not None:
            reader = self._COMPOUND.get(reserved[0])
            if reader is None:
                raise Unreadable(f"`{reserved[0]}` does not belong here")
            return self._compound(reserved.end(), reader)
        if self.text.startswith("(", self.pos):
            return self._compound(self.pos, Reader._parenthesis)
        return self.simple()

    def _compound(self, start: int, reader: Callable[[Reader], Node]) -> Node:
        self.intricate = True
        self.budget.enter()
        self.pos = start
        node = reader(self)
        self.budget.leave()
        self.blanks()
        mark = self.pos
        redirections = self.redirections()
        return Redirected(self.text[mark : self.pos], node, redirections) if redirections else node

    def function_body(self, name: str) -> Function:
        """The function of this name: the compound command that stands here. Raises `Unreadable` where none does."""
        self.newlines()
        if not _COMPOUND.match(self.text, self.pos):
            raise Unreadable("a function's body is missing")
        return Function(name, self._command())

    def _function(self) -> Node:
        self.blanks()
        name = plain_text(self.word())
        if name is None:
            raise Unreadable("a function's name is not plain")
        if self.blanks() == "(":
            self.pos += 1
            self._expect(")")
        return self.function_body(name)

    def _parenthesis(self) -> Node:
        if self.text.startswith("((", self.pos):
            start = self.pos
            self.pos += 2
            parts = self.arithmetic()
            if parts is not None:
                return Arithmetic(self.text[start : self.pos], parts)
            self.pos = start
        self.pos += 1
        self.refuse_join("(")
        body = self._filled(_NOTHING)
        self._expect(")")
        return Subshell(body)

    def _filled(self, stops: frozenset[str]) -> Sequence:
        body = self.sequence(stops)
        if not body.items:
            raise Unreadable("a command is missing")
        return body

    def _expect(self, token: str) -> None:
        self.blanks()
        if not self.text.startswith(token, self.pos):
            raise Unreadable(f"`{token}` is missing")
        self.pos += len(token)

    def _body(self, opening: str, closing: str, stops: frozenset[str]) -> Sequence:
        """`opening commands closing`"""
        self._expect(opening)
        body = self._filled(stops)
        self._expect(closing)
        return body

    def _group(self) -> Node:
        body = self._filled(_BRACE)
        self._expect("}")
        return body

    def _if(self) -> Node:
        branches: list[tuple[Sequence, Sequence]] = []
        otherwise = None
        while True:
            condition = self._filled(_THEN)
            self._expect("then")
            branches.append((condition, self._filled(_ELSE)))
            if not self.text.startswith("elif", self.pos):
                break
            self.pos += len("elif")
        if self.text.startswith("else", self.pos):
            self.pos += len("else")
            otherwise = self._filled(_FI)
        self._expect("fi")
        return If(tuple(branches), otherwise)

    def _loop(self) -> Node:
        condition = self._filled(_DO)
        return Loop(condition, self._body("do", "done", _DONE))

    def _for(self) -> Node:
        self.blanks()
        if self.text.startswith("((", self.pos):
            return self._counting()
        return self._listing(chosen=False)

    def _select(self) -> Node:
        return self._listing(chosen=True)

    def _listing(self, chosen: bool) -> Node:
        self.blanks()
        name = _IDENTIFIER.match(self.text, self.pos)
        if name is None:
            raise Unreadable("a loop's variable is missing")
        self.pos = name.end()
        self.newlines()
        words = self._listed_words()
        return For(name[0], words, self._loop_body(), chosen)

    def _listed_words(self) -> tuple[RawWord, ...] | None:
        match = _IN.match(self.text, self.pos)
        if match is None:
            return None
        self.pos = match.end()
        words: list[RawWord] = []
        while self.blanks() not in (";", "\n", "", "&", "|"):
            words.append(self.word())
        return tuple(words)

    def _loop_body(self) -> Sequence:
        if self.blanks() == ";":
            self.pos += 1
        if self.newlines() == "{":
            return self._body("{", "}", _BRACE)
        return self._body("do", "done", _DONE)

    def _counting(self) -> Node:
        start = self.pos
        self.pos += 2
        parts = self.arithmetic()
        if parts is None:
            raise Unreadable("the head of a loop is not closed")
        head = Arithmetic(self.text[start : self.pos], parts)
        return Counting(head, self._loop_body())

    def _case(self) -> Node:
        self.blanks()
        subject = self.word()
        self.newlines()
        self._expect("in")
        items: list[CaseItem] = []
        while self.newlines() and not self._at_esac():
            items.append(self._case_item())
        self._expect("esac")
        return Case(subject, tuple(items))

    def _at_esac(self) -> bool:
        match = RESERVED.match(self.text, self.pos)
        return match is not None and match[0] == "esac"

    def _case_item(self) -> CaseItem:
        if self.text.startswith("(", self.pos):
            self.pos += 1
        patterns: list[RawWord] = []
        while not patterns or self.blanks() == "|":
            self.pos += 1 if patterns else 0
            self.blanks()
            patterns.append(self.word())
        self._expect(")")
        body = self.sequence(_ESAC)
        end = next((end for end in _ITEM_ENDS if self.text.startswith(end, self.pos)), "")
        if not end and not self._at_esac():
            raise Unreadable("the end of a case is missing")
        if end == ";&":
            self.masks.append((self.pos, self.pos + 2, ";"))
        self.pos += len(end)
        return CaseItem(tuple(patterns), body, end == ";&")

    def _coproc(self) -> Node:
        mark = self.pos - len("coproc")
        self.blanks()
        name = "COPROC"
        match = _COPROCESS.match(self.text, self.pos)
        if match is not None and not _COMPOUND.match(self.text, self.pos):
            name, self.pos = match[1], match.end()
        self.masks.append((mark, self.pos, " "))
        return Coprocess(name, self._command())

    def _test(self) -> Node:
        start = self.pos - len("[[")
        words: list[RawWord] = []
        evaluates = False
        while self.newlines() and not _TEST_END.match(self.text, self.pos):
            operator = _TEST_OPERATOR.match(self.text, self.pos)
            if operator is not None:
                self.pos = operator.end()
                if operator[0] in ("<", ">"):
                    self.refuse_join("(")
                continue
            mark = self.pos
            words.append(self.word())
            evaluates = evaluates or self.text[mark : self.pos].replace("\\\n", "") in _EVALUATING
            if self.text.startswith("=~", mark) and self.pos == mark + len("=~"):
                self.newlines()
                words.append(self.regular_expression())
        self._expect("]]")
        return Test(self.text[start : self.pos], tuple(words), evaluates)

    _COMPOUND: Final[dict[str, Callable[[Reader], Node]]] = {
        "{": _group,
        "if": _if,
        "while": _loop,
        "until": _loop,
        "for": _for,
        "select": _select,
        "case": _case,
        "function": _function,
        "coproc": _coproc,
        "[[": _test,
    }


def _timed(node: Node, prefix: str) -> Node:
    """What runs behind `time` with its options. An option of another kind is a program for bash, and one of the program
    `time` for shells that do not know the word."""
    if isinstance(node, Simple) and node.words and not node.assignments and prefix.startswith("time"):
        first = plain_text(node.words[0])
        if first is not None and first.startswith("-"):
            return Sequence((node, Simple(node.text, (), (*prefix.split(), *node.words), node.redirections)))
    return node
