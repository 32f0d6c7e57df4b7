"""`input`: the arguments of a tool call, by path, with comparisons."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ostiary import patterns
from ostiary.answers import MAYBE, NO, YES, Answer
from ostiary.conditions.view import Condition, Plan, Stance, View
from ostiary.expressions import expression

_NUMBER: Final = expression(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)


def build(plan: Plan, stance: Stance) -> Condition:
    """`("input", ((path, operator, operand), ...))`: all tests hold. A test holds if it does for any value at its path;
    `"**"` in a path is any depth. Arguments that could not be read whole are *maybe* where they are not *yes*."""
    tests = [(path, _test(operator, operand)) for path, operator, operand in plan[1]]

    def condition(view: View) -> Answer:
        unread: Answer = NO if view.event.input_complete else MAYBE
        return min(
            max((test(value) for value in values(view.event.input, path)), default=unread) or unread
            for path, test in tests
        )

    return condition


def values(value: Any, path: tuple[str, ...]) -> Iterator[Any]:
    """The values at a path; list items are reached by their index or by `**`. A path that leads nowhere has none,
    except that its last step yields `MISSING` once for `exists: false`."""
    found = list(_walk(value, path))
    yield from found or [MISSING]


class _Missing:
    """Stands for no value, which is not JSON's null."""


MISSING: Final = _Missing()


def _walk(value: Any, path: tuple[str, ...]) -> Iterator[Any]:
    pending = [(value, path)]
    while pending:
        item, rest = pending.pop()
        if not rest:
            yield from item if isinstance(item, tuple) else (item,)  # several values of one argument: any of them
            continue
        children = _children(item)
        if rest[0] == "**":
            pending.append((item, rest[1:]))
            pending.extend((child, rest) for _, child in reversed(children))
        else:
            pending.extend((child, rest[1:]) for key, child in reversed(children) if key == rest[0])


def _children(item: Any) -> list[tuple[str, Any]]:
    if isinstance(item, Mapping):
        return list(item.items())
    if isinstance(item, list | tuple):
        return [(str(index), child) for index, child in enumerate(item)]
    return []


def _test(operator: str, operand: Any) -> Callable[[Any], Answer]:
    if operator == "exists":
        return lambda value: YES if (value is not MISSING) == operand else NO
    compare = _comparison(operator, operand)
    return lambda value: NO if value is MISSING else compare(value)


def _comparison(operator: str, operand: Any) -> Callable[[Any], Answer]:
    if operator in ("glob", "regex"):
        match = patterns.matcher(operand)
        return lambda value: match(value) if isinstance(value, str) else NO
    if operator == "equals":
        return lambda value: YES if same(value, operand) else NO
    if operator == "in":
        return lambda value: YES if any(same(value, one) for one in operand) else NO
    holds = _ORDER[operator]

    def ordered(value: Any) -> Answer:
        number = as_number(value)
        return NO if number is None else YES if holds(number, operand) else NO

    return ordered


_ORDER: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "gt": lambda value, bound: value > bound,
    "gte": lambda value, bound: value >= bound,
    "lt": lambda value, bound: value < bound,
    "lte": lambda value, bound: value <= bound,
}


def same(value: Any, wanted: Any) -> bool:
    """Equality as JSON sees it: true is not 1; text that spells a number equals that number, which a tool that takes
    either would also do."""
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    if isinstance(wanted, int | float) and isinstance(value, str):
        return as_number(value) == wanted
    return bool(value == wanted)


def as_number(value: Any) -> float | int | None:
    """A number, or text that spells one."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return float(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else None
