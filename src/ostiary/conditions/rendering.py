"""Conditions in the words of the rule file: shortened for an explanation, whole for a review."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from ostiary import paths, urls
from ostiary.conditions.view import Plan

Render = Callable[[Plan, int | None], str]


def rendered(plan: Plan, most: int | None = None) -> str:
    """A condition in one line, with at most so many items of each list; None shows all."""
    if plan[0] in ("all", "any"):
        return _joined(plan, " and " if plan[0] == "all" else " or ", rendered, most)
    if plan[0] == "not":
        return f"not ({rendered(plan[1], most)})"
    return _LEAVES.get(plan[0], _texts)(plan, most)


def text(plan: object) -> str:
    """A text plan as it was written."""
    if isinstance(plan, tuple) and len(plan) == 3 and plan[0] == "re":
        return f"/{plan[1]}/{plan[2]}"
    return str(plan[1]) if isinstance(plan, tuple) and len(plan) == 2 else _scalar(plan)


def _scalar(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _some(items: Iterable[str], joint: str, most: int | None) -> str:
    listed = list(items)
    return joint.join(listed if most is None or len(listed) <= most else [*listed[:most], "..."])


def _joined(plan: Plan, joint: str, render: Render, most: int | None) -> str:
    def part(child: Plan) -> str:
        shown = render(child, most)
        return f"({shown})" if child[0] in ("all", "any") and child[0] != plan[0] and len(child[1]) > 1 else shown

    return _some(map(part, plan[1]), joint, most)


def _texts(plan: Plan, most: int | None) -> str:
    if len(plan) > 1 and isinstance(plan[1], tuple):
        return f"{plan[0]} {_some(map(text, plan[1]), ', ', most)}"
    return " ".join([plan[0], *map(_scalar, plan[1:])])


def _tool(plan: Plan, most: int | None) -> str:
    match plan[1:]:
        case ("all",):
            return "tool *"
        case ("exact", names):
            return f"tool {_some(names, ' | ', most)}"
        case ("search", body, flags):
            return f"tool /{body}/{flags}"
        case _:
            return f"tool {plan[2]}"


def _accesses(plan: Plan, most: int | None) -> str:
    if plan[1][:1] in (("outside",), ("written_by",), ("autorun",)):
        return f"{plan[0]} {' '.join(plan[1]).replace('_', ' ')}"
    show = urls.shown if plan[0] == "connects" else paths.shown
    return f"{plan[0]} {_some(map(show, plan[1]), ', ', most)}"


def _mcp(plan: Plan, most: int | None) -> str:
    named = zip(("server", "tool", "source"), plan[1:], strict=True)
    said = [f"{name} {_some(map(text, texts), ', ', most)}" for name, texts in named if texts is not None]
    return f"mcp {', '.join(said) or '*'}"


def _input(plan: Plan, most: int | None) -> str:
    return f"input {_some((_test(path, operator, operand, most) for path, operator, operand in plan[1]), ', ', most)}"


def _test(path: tuple[str, ...], operator: str, operand: Any, most: int | None) -> str:
    value = _some(map(_scalar, operand), " | ", most) if operator == "in" else text(operand)
    return f"{'.'.join(path)} {operator} {value}"


def _script_is(plan: Plan, most: int | None) -> str:
    return f"script is {plan[1][0]}"


def _command(plan: Plan, most: int | None) -> str:
    return f"command {_of_command(plan[1], most)}"


def _of_command(plan: Plan, most: int | None) -> str:
    match plan[0]:
        case "all" | "any":
            return _joined(plan, ", " if plan[0] == "all" else " | ", _of_command, most)
        case "not" | "pipes_to" | "pipes_from":
            return f"{plan[0]} ({_of_command(plan[1], most)})"
        case "line":
            return f"`{text(plan[1])}`"
        case "subcommand":
            return f"subcommand {_some(map(' '.join, plan[1]), '|', most)}"
        case name:
            return f"{name} {_some(map(_item, plan[1]), ' ' if name == 'args' else '|', most)}"


def _item(item: object) -> str:
    """A name, a text, or either with the value it must have."""
    if isinstance(item, tuple) and item[0] not in ("eq", "glob", "re"):
        return " ".join(_item(one) for one in item if one is not None)
    return text(item)


_LEAVES: Final[Mapping[str, Render]] = {
    **dict.fromkeys(("reads", "writes", "deletes", "connects", "executes", "cwd"), _accesses),
    "command": _command,
    "tool": _tool,
    "mcp": _mcp,
    "input": _input,
    "script_is": _script_is,
}
