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
    return next(iter(operands(words, "")), None)


def operands(words: tuple[Word, ...], valued: str) -> list[Word]:
    """Arguments that are no options; `valued` are the option letters that take the next word."""
    found: list[Word] = []
    skip = False
    for index, item in enumerate(words[1:], start=1):
        text = item.text or ""
        if item.text == "--":
            return found + list(words[index + 1 :])
        if skip or (text.startswith("-") and len(text) > 1):
            skip = not skip and text[-1] in valued
        else:
            found.append(item)
    return found
