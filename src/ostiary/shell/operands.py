"""Arguments of bash's builtins, taken apart."""

from __future__ import annotations

from ostiary.shell.syntax import Chain, Node, Pipeline, Sequence
from ostiary.words import Word


def last(node: Node) -> Node | None:
    """The command to which words behind a text would belong."""
    while isinstance(node, Sequence | Pipeline) and node.items:
        node = node.items[-1]
    return last(node.rest[-1][1]) if isinstance(node, Chain) else node


def value_of(words: tuple[Word, ...], option: str) -> Word | None:
    """The value of an option, joined or as the next word."""
    for index, item in enumerate(words):
        if item.text == option:
            return words[index + 1] if index + 1 < len(words) else None
        if item.prefix.startswith(option):
            return item.after(len(option))
    return None


def set_operands(words: tuple[Word, ...]) -> list[Word] | None:
    """What `set` makes the positional parameters, None if it leaves them alone."""
    skip = False
    for index, item in enumerate(words[1:], start=1):
        if item.text in ("--", "-"):
            rest = list(words[index + 1 :])
            return rest if rest or item.text == "--" else None
        if not skip and not item.prefix.startswith(("-", "+")):
            return list(words[index:])
        skip = not skip and item.text is not None and item.text.endswith("o")
    return None


def unwrapped(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The command behind `builtin` and `command`, nothing if those only describe it."""
    while words and words[0].text in ("builtin", "command"):
        words = words[1:]
        while words and words[0].text in ("-p", "--"):
            words = words[1:]
        if words and words[0].prefix.startswith("-"):
            return ()
    return words


def operand(words: tuple[Word, ...]) -> Word | None:
    """The first argument that is no option, None if there is none; no option takes a value."""
    return next(iter(operands(words, "")), None)


def operands(words: tuple[Word, ...], valued: str) -> list[Word]:
    """Arguments that are no options; `valued` are the option letters that take a value."""
    return _scanned(words, valued)[1]


def values(words: tuple[Word, ...], valued: str, letter: str) -> list[Word]:
    """The values of an option, each joined to it, also behind other letters, or the next word."""
    return [value for name, value in _scanned(words, valued)[0] if name == letter]


def _scanned(words: tuple[Word, ...], valued: str) -> tuple[list[tuple[str, Word]], list[Word]]:
    options: list[tuple[str, Word]] = []
    found: list[Word] = []
    waiting = ""
    for index, item in enumerate(words[1:], start=1):
        if waiting:
            options.append((waiting, item))
            waiting = ""
        elif item.text == "--":
            return options, found + list(words[index + 1 :])
        elif not item.prefix.startswith("-") or item.text == "-":
            found.append(item)
        else:
            letters = item.prefix[1:]
            at = next((at for at, letter in enumerate(letters) if letter in valued), None)
            if at is not None and at + 1 == len(letters) and item.text is not None:
                waiting = letters[at]
            elif at is not None:
                options.append((letters[at], item.after(at + 2)))
    return options, found
