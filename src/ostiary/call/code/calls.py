"""Calls of interpreter code: literal arguments of known calls are accesses, computed ones are possible accesses, and
code that is only known when it runs is not told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ostiary.call.code.others import names_without_call, touched_by_others
from ostiary.call.code.tables import BARE, CALLS, KEYWORDS, REFLECTED
from ostiary.call.code.tokens import MAX_TOKENS, SYNTAX, Token, tokens
from ostiary.call.gather import Gathered, Nested
from ostiary.call.model import FURTHER, AccessKind
from ostiary.call.roles import apply
from ostiary.records import NamedTuple
from ostiary.words import Hole, Word, joined, word

COMPUTED: Final = Word((Hole("computed", "computed"),))

_KINDS: Final[dict[str, tuple[AccessKind, ...]]] = {
    "read": ("read",),
    "location": ("read",),
    "write": ("write",),
    "delete": ("delete",),
    "move": ("read", "delete"),
    "open": ("read", "write"),
    "url": ("connect",),
    "host": ("connect",),
    "run": ("execute",),
}

Argument = tuple[Token, ...]


class Found(NamedTuple):
    """A known call: where its name stands, the roles of its arguments, the arguments, the object it is a method of."""

    at: int
    roles: str
    arguments: tuple[Argument, ...]
    subject: Word


def read_calls(code: str, language: str, out: Gathered) -> None:
    """Add what the code of a language with a table does by known calls."""
    read = []
    for token in tokens(code, SYNTAX[language]):
        read.append(token)
        if len(read) > MAX_TOKENS:
            out.nested.append(Nested("unknown", word(code), reason="code longer than what is analysed"))
            return
    constants = _constants(read)
    for before, token in zip((Token("break", ""), *read), read, strict=False):
        if token.kind == "shell" or (token.kind == "text" and before.text == "$" and language == "node"):
            out.nested.append(Nested("code", token.word, "bash"))
    known = list(_calls(read, language, constants))
    for found in known:
        _apply_call(found, constants, out)
    touched_by_others(read, frozenset(found.at for found in known), constants, out)
    if names_without_call(read, language, _aliases(read) if language == "python" else {}):
        _not_told(out)


def _constants(read: Sequence[Token]) -> dict[str, Word]:
    """Variables that are given one literal text or path, once."""
    given: dict[str, Word | None] = {}
    for index, token in enumerate(read[:-2]):
        if token.kind == "name" and read[index + 1].text == "=":
            value, end = _literal(read, index + 2)
            literal = end >= len(read) or read[end].kind == "break"
            given[token.text] = value if literal and token.text not in given else None
    return {name: value for name, value in given.items() if value is not None}


def _literal(read: Sequence[Token], start: int) -> tuple[Word | None, int]:
    """A text, or python's `Path("a") / "b"`, and where it ends."""
    texts = [token.text for token in read[start : start + 2]]
    at = start + 2 if texts in (["Path", "("], ["PurePath", "("]) else start
    if at >= len(read) or read[at].kind != "text":
        return None, at
    value, end = read[at].word, at + 1
    if at == start:
        return value, end
    if end >= len(read) or read[end].text != ")":
        return None, end
    end += 1
    while end + 1 < len(read) and read[end].text == "/" and read[end + 1].kind == "text":
        value = joined([*value.pieces, "/", *read[end + 1].word.pieces])
        end += 2
    return value, end


def _calls(read: Sequence[Token], language: str, constants: dict[str, Word]) -> Iterator[Found]:
    table, aliases = CALLS[language], _aliases(read) if language == "python" else {}
    for index, token in enumerate(read):
        if token.kind != "name":
            continue
        after = read[index + 1] if index + 1 < len(read) else None
        if after is None or not (after.text == "(" or (language in BARE and _begins_argument(after))):
            continue
        chain = _chain(read, index)
        head, dot, rest = chain.partition(".")
        full = aliases.get(head, head) + dot + rest
        method = table.get("." + token.text) if dot or _is_method(read, index) else None
        roles = (table.get(full) or method) if dot else (method or table.get(full))
        reflective = token.text == "getattr" and language == "python"
        if not (roles or reflective):
            continue
        arguments = _arguments(read, index + 1)
        if reflective and _reflects(arguments, aliases):
            roles = "dynamic"
        if roles and not _defines(read, index):
            yield Found(index, roles, arguments, _subject(read, index, constants))


def _begins_argument(token: Token) -> bool:
    return token.kind in ("text", "shell") or (token.kind == "name" and token.text not in KEYWORDS)


def _chain(read: Sequence[Token], index: int) -> str:
    """`a.b.c` that ends at a name; a call or index before the last dot leaves only what follows it."""
    names = [read[index].text]
    while index >= 2 and read[index - 1].text in (".", "::") and read[index - 2].kind == "name":
        names.insert(0, read[index - 1].text)
        names.insert(0, read[index - 2].text)
        index -= 2
    return "".join(names)


def _is_method(read: Sequence[Token], index: int) -> bool:
    return index > 0 and read[index - 1].text == "."


def _defines(read: Sequence[Token], index: int) -> bool:
    return index > 0 and read[index - 1].text in ("def", "function", "class", "sub")


def _aliases(read: Sequence[Token]) -> dict[str, str]:
    """What the names of python's imports stand for."""
    found: dict[str, str] = {}
    for index, token in enumerate(read):
        if token.text == "import" and token.kind == "name":
            origin = _chain(read, index - 1) if _imports_from(read, index) else ""
            for name, alias in _imported(read, index + 1):
                found[alias] = f"{origin}.{name}" if origin else (name if alias != name.partition(".")[0] else alias)
    return found


def _imports_from(read: Sequence[Token], index: int) -> bool:
    at = index - 1
    while at > 0 and (read[at].kind == "name" or read[at].text == ".") and read[at].text != "from":
        at -= 1
    return at >= 0 and index > 0 and read[at].text == "from"


def _imported(read: Sequence[Token], index: int) -> Iterator[tuple[str, str]]:
    """Pairs of name and alias in `a.b as c, d`."""
    name, alias = "", ""
    while index < len(read) and read[index].kind != "break":
        token = read[index]
        if token.text == "as" and index + 1 < len(read):
            alias = read[index + 1].text
            index += 1
        elif token.text in (",", "(", ")"):
            if name:
                yield name, alias or name.partition(".")[0]
            name, alias = "", ""
        else:
            name += token.text
        index += 1
    if name:
        yield name, alias or name.partition(".")[0]


def _reflects(arguments: tuple[Argument, ...], aliases: dict[str, str]) -> bool:
    first = arguments[0] if arguments else ()
    return len(first) == 1 and aliases.get(first[0].text, first[0].text).partition(".")[0] in REFLECTED


def _arguments(read: Sequence[Token], index: int) -> tuple[Argument, ...]:
    """The arguments that start at a token, at a parenthesis or without one."""
    depth = 0
    arguments: list[list[Token]] = [[]]
    if read[index].text == "(":
        index += 1
    for token in read[index : index + 400]:
        if depth == 0 and (token.text in (")", "]", "}") or (token.kind == "break" and token.text == ";")):
            break
        if depth == 0 and token.text == ",":
            arguments.append([])
            continue
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if token.kind != "break":
            arguments[-1].append(token)
    return tuple(tuple(argument) for argument in arguments if argument)


def _subject(read: Sequence[Token], index: int, constants: dict[str, Word]) -> Word:
    """The path of `Path("x").read_text()`, `(Path("a") / "b").read_text()` or `p.read_text()`, else unknown."""
    if index < 2 or read[index - 1].text != ".":
        return COMPUTED
    before = read[index - 2]
    if before.kind == "name":
        chained = index > 2 and read[index - 3].text == "."
        return COMPUTED if chained else constants.get(before.text, COMPUTED)
    for start in range(index - 5, max(index - 12, -1), -1):
        value, end = _literal(read, start)
        if value is not None and read[start].kind == "name" and (end == index - 1 or _closed(read, start, end, index)):
            return value
    return COMPUTED


def _closed(read: Sequence[Token], start: int, end: int, index: int) -> bool:
    """Whether a path stands in parentheses of its own before the dot."""
    return end == index - 2 and read[end].text == ")" and start > 0 and read[start - 1].text == "("


def value_of(argument: Argument, constants: dict[str, Word]) -> Word:
    """The text of an argument: literals joined by `+` or side by side, constants; else one hole."""
    pieces: list[str | Hole] = []
    for position, token in enumerate(argument):
        if token.kind == "text":
            pieces.extend(token.word.pieces)
        elif token.kind == "name" and token.text in constants:
            pieces.extend(constants[token.text].pieces)
        elif token.text in ("+", ".", "..") and position:
            continue
        else:
            pieces.append(Hole(token.text or "computed", "computed"))
    return joined(pieces)


def _apply_call(found: Found, constants: dict[str, Word], out: Gathered) -> None:
    if found.roles.startswith("method:"):
        return _touch(out, found.roles.partition(":")[2], found.subject)
    plain = [argument for argument in found.arguments if not _is_keyword(argument)]
    if found.roles == "dynamic":
        return _not_told(out)
    if found.roles == "perl-open":
        return _perl_open(plain, constants, out)
    if found.roles == "open":
        return _open(plain, found.arguments, constants, out)
    for role, argument in zip(found.roles.split(), plain, strict=False):
        if role == "list-or-text":
            _program(argument, plain, constants, out)
        elif role == "module":
            _module(value_of(argument, constants), out)
        else:
            _touch(out, role, value_of(argument, constants))
    return None


def _is_keyword(argument: Argument) -> bool:
    return len(argument) > 1 and argument[0].kind == "name" and argument[1].text in ("=", ":")


def _touch(out: Gathered, role: str, value: Word) -> None:
    if role == "command":
        if value.holes and not value.prefix:
            return _not_told(out)
        out.nested.append(Nested("code", value, "bash"))
    elif role in _KINDS and value.text is None and not (value.prefix or value.suffix):
        for kind in _KINDS[role]:
            if kind == "connect":
                out.connect(value, certain=False)
            else:
                out.path(value, kind, certain=False)
    elif role != "data":
        apply(out, role, value)
    return None


def _not_told(out: Gathered) -> None:
    item = Nested("unknown", reason="code that is only known when it runs")
    if item not in out.nested:
        out.nested.append(item)


def _module(value: Word, out: Gathered) -> None:
    """A module: a file's code runs, a computed name can be any."""
    if value.text is None:
        _not_told(out)
    elif value.text.startswith((".", "/")):
        apply(out, "run", value)


def _open(plain: list[Argument], given: tuple[Argument, ...], constants: dict[str, Word], out: Gathered) -> None:
    if not plain:
        return
    named = [argument[2:] for argument in given if _is_keyword(argument) and argument[0].text == "mode"]
    mode = plain[1] if len(plain) > 1 else named[0] if named else ()
    text = value_of(mode, constants).text if mode else "r"
    roles = ("read", "write") if text is None or "+" in text else (("write",) if set(text) & set("wax") else ("read",))
    for role in roles:
        _touch(out, role, value_of(plain[0], constants))


def _perl_open(plain: list[Argument], constants: dict[str, Word], out: Gathered) -> None:
    """`open F, "<x"`, `open F, ">", "x"`, `open F, "cmd |"`."""
    values = [value_of(argument, constants) for argument in plain[1:3]]
    if not values or values[0].text is None:
        return _not_told(out)
    mode, target = values[0].text.strip(), values[1] if len(values) > 1 else None
    if "|" in mode[:1] + mode[-1:]:
        command = target if target is not None else word(mode.strip("|- "))
        return _touch(out, "command", command)
    if target is None:
        target = word(mode.lstrip("+<> "))
    roles = ("read", "write") if "+" in mode[:2] else ("write",) if mode.startswith(">") else ("read",)
    for role in roles:
        _touch(out, role, target)
    return None


def _program(first: Argument, plain: list[Argument], constants: dict[str, Word], out: Gathered) -> None:
    """A program as a list (`["rm", "-rf", "x"]`), as a name with a list (`"rm", ["x"]`), or as shell text."""
    listed = _listed(first, constants)
    if listed is None and len(plain) > 1:
        rest = _listed(plain[1], constants)
        texts = [value_of(argument, constants) for argument in plain]
        if rest is not None or not _all_texts(plain):
            texts = [texts[0], *(rest if rest is not None else [FURTHER])]
        listed = texts if texts[0].prefix else None
    if listed:
        out.nested.append(Nested("words", words=tuple(listed)))
    else:
        _touch(out, "command", value_of(first, constants))


def _all_texts(plain: list[Argument]) -> bool:
    return all(len(argument) == 1 and argument[0].kind == "text" for argument in plain)


def _listed(argument: Argument, constants: dict[str, Word]) -> list[Word] | None:
    """The items of a list or tuple literal, None for anything else."""
    if not argument or argument[0].text not in ("[", "("):
        return None
    items: list[list[Token]] = [[]]
    for token in argument[1:-1]:
        if token.text == ",":
            items.append([])
        else:
            items[-1].append(token)
    return [value_of(tuple(item), constants) for item in items if item]
