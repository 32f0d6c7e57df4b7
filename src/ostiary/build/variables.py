"""Variables: `${name}` in the values of a rule file.

They are filled in before the file is read as a model, so that what they make is checked like what is written. An item
that is exactly `${name}` becomes the items of a list variable; inside a longer text only a single text can stand.
`$${` is a literal `${`. Keys, examples and the variables themselves are left as they are, and so is what a rule runs:
there `${...}` is the shell's, or stands for a value of the event.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from ostiary.document import MOST_PROBLEMS, Document, Flaw, Node
from ostiary.records import dataclass, field, replace
from ostiary.spelling import nearest, shown

Values = Mapping[str, str | tuple[str, ...]]

_REFERENCE: Final = re.compile(r"\$(?:\$\{|\{([A-Za-z_][A-Za-z0-9_-]*)\})")
ROOM: Final = 1 << 20
"""Characters that the variables of one file may make: a few short lists could otherwise make millions of items."""
_OVERHEAD: Final = 64
_NOT_FILLED: Final = ("vars", "examples")


def declared(document: Document) -> dict[str, str | tuple[str, ...]]:
    """The variables a file declares, with their own values. What is no text and no list of texts is passed over: the
    model refuses it."""
    node = document.root.value.get("vars") if isinstance(document.root.value, dict) else None
    items = node.value.items() if node and isinstance(node.value, dict) else ()
    return {name: value for name, item in items if (value := _value(item)) is not None}


def _value(node: Node) -> str | tuple[str, ...] | None:
    if isinstance(node.value, list):
        texts = tuple(item.value for item in node.value)
        return texts if all(isinstance(text, str) for text in texts) else None
    return node.value if isinstance(node.value, str) else None


@dataclass(slots=True)
class _Run:
    """One run over a document: the values, the variables that were used, how many characters may still be made, and how
    many flaws were told."""

    values: Values
    used: set[str] = field(default_factory=set)
    room: int = ROOM
    told: int = 0

    def takes(self, names: Iterable[str]) -> bool:
        """Whether there is room for the values of these variables; a text costs a little more than its length."""
        for name in names:
            value = self.values.get(name, "")
            self.room -= sum(len(text) + _OVERHEAD for text in ((value,) if isinstance(value, str) else value))
        return self.room >= 0


def filled(document: Document, params: Values) -> tuple[Document, list[Flaw], list[Flaw]]:
    """The document with its variables filled in, what is wrong (errors) and what is odd (warnings). `params` are values
    from outside, in place of the file's own."""
    own = declared(document)
    run = _Run({**own, **{name: value for name, value in params.items() if name in own}})
    flaws = list(_nested(own))
    root, errors = _fill(document.root, run, ())
    odd = [
        Flaw(("vars", name), f"the variable `{shown(name)}` is not used", "remove it", True, "warning")
        for name in own
        if name not in run.used
    ]
    return replace(document, root=root), [*flaws, *errors], odd


def _nested(own: Values) -> Iterator[Flaw]:
    for name, value in own.items():
        texts = (value,) if isinstance(value, str) else value
        if any(match[1] for text in texts for match in _REFERENCE.finditer(text)):
            yield Flaw(("vars", name), "a variable cannot use another one", "write the text out")


def _fill(node: Node, run: _Run, way: tuple[str | int, ...]) -> tuple[Node, list[Flaw]]:
    """The node with everything below it filled in."""
    value = node.value
    if isinstance(value, str):
        return _fill_text(node, run, way)
    if isinstance(value, dict):
        flaws: list[Flaw] = []
        filled: dict[str, Node] = {}
        for key, child in value.items():
            filled[key], below = (child, []) if _stays(way, key) else _fill(child, run, (*way, key))
            flaws += below
        return node._replace(value=filled), flaws
    return _fill_items(node, run, way) if isinstance(value, list) else (node, [])


def _stays(way: tuple[str | int, ...], key: str) -> bool:
    return key in _NOT_FILLED or (key == "run" and way[:1] == ("rules",) and len(way) == 2)


def _fill_items(node: Node, run: _Run, way: tuple[str | int, ...]) -> tuple[Node, list[Flaw]]:
    items: list[Node] = []
    flaws: list[Flaw] = []
    for child in node.value:
        item, below = _fill(child, run, (*way, len(items)))
        # The list of a list variable is spliced in; a list that was written as one stays.
        items += item.value if isinstance(child.value, str) and isinstance(item.value, list) else [item]
        flaws += below
    return node._replace(value=items), flaws


def _fill_text(node: Node, run: _Run, way: tuple[str | int, ...]) -> tuple[Node, list[Flaw]]:
    text: str = node.value
    if "${" not in text:
        return node, []
    names = [match[1] for match in _REFERENCE.finditer(text) if match[1]]
    run.used.update(names)
    if not run.takes(names):
        return node, [Flaw(way, "the variables make too much text", "use fewer of them, or shorter ones")]
    whole = _REFERENCE.fullmatch(text)
    values = run.values.get(whole[1] or "") if whole else None
    if isinstance(values, tuple):
        return node._replace(value=[node._replace(value=item, source=item) for item in values]), []
    filled = _REFERENCE.sub(lambda match: _inserted(match, run.values), text)
    flaws = list(islice(_flaws(text, run.values, way), MOST_PROBLEMS - run.told))
    run.told += len(flaws)
    return node._replace(value=filled, source=filled), flaws


def _inserted(match: re.Match[str], values: Values) -> str:
    value: Any = values.get(match[1]) if match[1] else "${"
    return value if isinstance(value, str) else match[0]


def _flaws(text: str, values: Values, way: tuple[str | int, ...]) -> Iterator[Flaw]:
    for match in _REFERENCE.finditer(text):
        name = match[1]
        if not name:
            continue
        if name not in values:
            near = nearest(name, values)
            help = f"did you mean `{near}`?" if near else "declare it under `vars`, or write `$${` for a literal `${`"
            yield Flaw(way, f"unknown variable `{name}`", help)
        elif not isinstance(values[name], str):
            yield Flaw(way, f"`{name}` is a list: it can only stand alone", "use it as a whole value or item")
