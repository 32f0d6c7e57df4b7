"""Errors of a model, told in the words of a YAML author."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, get_args

from pydantic import BaseModel, Tag
from pydantic_core import ErrorDetails

from ostiary.document.node import Location, Node, found
from ostiary.spelling import nearest, shown, unknown

_EXPECTED: Final = {
    "string_type": "text",
    "bool_type": "`true` or `false`",
    "bool_parsing": "`true` or `false`",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}


def told(error: ErrorDetails, node: Node, model: type[BaseModel]) -> tuple[str, str]:
    """Message and help of one error; `node` is what stands at its place."""
    kind, location, context = error["type"], error["loc"], error.get("ctx", {})
    if "message" in context:  # an error of our own: it brings its words along (`matchers.base.refuse`)
        return context["message"], context["help"]
    if kind == "missing":
        return f"the key `{location[-1]}` is missing", f"add `{location[-1]}: ...`"
    if kind == "extra_forbidden":
        return _unknown_key(str(location[-1]), model, location[:-1])
    if kind == "literal_error":
        return _not_one_of(node, context["expected"])
    message = f"expected {_EXPECTED.get(kind, 'another value')}, found {_quoted(node)}"
    return message, _help(kind, node, names(model, location))


def _unknown_key(key: str, model: type[BaseModel], location: Location) -> tuple[str, str]:
    """Message and help for a key; one that belongs a level deeper is sent there."""
    known = names(model, location)
    message, help = unknown("key", key, known)
    if near := _meant(key, known, _EVERYDAY_KEYS):
        help = f"did you mean `{near}`?"
    above = next((name for name in _in_order(model, location) if key in names(model, (*location, name))), "")
    return message, f"it belongs under `{above}`" if above else help


def names(model: type[BaseModel], location: Location) -> list[str]:
    """The keys that a mapping at `location` may hold, sorted."""
    return sorted(_in_order(model, location))


def _in_order(model: type[BaseModel], location: Location) -> list[str]:
    """The same, as the model has them."""
    types: list[Any] = [model]
    for part in location:
        below = [field.annotation for item in _all_models(types) for field in _fields(item, part)]
        types = below or [chosen for item in types for chosen in _tagged(item, part)] or types
    models = _all_models(types)
    fields = [pair for item in models for pair in item.model_fields.items()]
    return list(dict.fromkeys(field.alias or key for key, field in fields if key != "root" and not field.exclude))


def _fields(model: type[BaseModel], part: str | int) -> Iterator[Any]:
    return (field for key, field in model.model_fields.items() if part == (field.alias or key) and key != "root")


def _tagged(annotation: Any, part: str | int) -> Iterator[Any]:
    """The alternative of a union that a validator took, by its tag."""
    arguments = get_args(annotation)
    if any(isinstance(item, Tag) and item.tag == part for item in arguments):
        yield arguments[0]
    for argument in arguments:
        yield from _tagged(argument, part)


def _all_models(annotations: list[Any]) -> list[type[BaseModel]]:
    return list(dict.fromkeys(found for annotation in annotations for found in _models(annotation)))


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models that a value of this type may be, through unions and containers."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        root = annotation.model_fields.get("root")
        yield from _models(root.annotation) if root else ()
    for argument in get_args(annotation):
        yield from _models(argument)


def _not_one_of(node: Node, expected: str) -> tuple[str, str]:
    options = [option.strip("'") for option in re.split(", | or ", expected)]
    near = nearest(node.source, options, 0.6) or _meant(node.source, options, _EVERYDAY)
    listed = ", ".join(f"`{option}`" for option in options[:-1])
    message = f"expected {listed} or `{options[-1]}`" if listed else f"expected `{options[-1]}`"
    return f"{message}, found {_quoted(node)}", f"did you mean `{near}`?" if near else ""


def _meant(text: str, options: list[str], everyday: Mapping[str, tuple[str, ...]]) -> str:
    """The option that a word of everyday speech stands for, empty if none."""
    return next((option for option, words in everyday.items() if option in options and text.lower() in words), "")


_EVERYDAY: Final = {
    "deny": ("no", "false", "off", "never", "block", "forbid", "reject", "refuse"),
    "allow": ("yes", "true", "on", "always", "permit", "approve", "accept"),
    "ask": ("confirm", "prompt", "maybe", "warn"),
}
# What other products' rule files, and beginners, call these keys.
_EVERYDAY_KEYS: Final = {
    "decision": ("action", "effect", "verdict", "result", "permission", "then", "do"),
    "when": ("if", "where", "match", "matches", "matcher", "condition", "conditions", "pattern"),
    "unless": ("except", "exclude", "ignore", "else"),
    "help": ("hint", "fix", "suggestion", "remedy", "instead"),
    "id": ("name", "rule", "title", "key"),
    "any": ("or", "one_of", "oneof", "anyof"),
    "all": ("and", "all_of", "allof"),
    "connects": ("host", "hosts", "domain", "domains", "url", "urls", "network"),
    "command": ("cmd", "bash", "shell", "run"),
    "program": ("name", "cmd", "command", "binary", "executable"),
    "flag": ("option", "options", "switch", "switches"),
    "arg": ("operand", "operands", "argument", "arguments"),
}


def _quoted(node: Node) -> str:
    """What a node is, with its text."""
    if isinstance(node.value, dict | list):
        return found(node)
    return f"`{shown(node.source)}`" if isinstance(node.value, str) else f"{found(node)}, `{shown(node.source)}`"


def _help(kind: str, node: Node, known: list[str]) -> str:
    """Help for a value of the wrong shape; `known` are the keys of the mappings that may stand there."""
    expected, value = _EXPECTED.get(kind), node.value
    if expected == "text" and not isinstance(value, dict | list):
        return f'quote it: `"{node.source}"`'
    if expected == "a list" and isinstance(value, str) and not known:
        return f'write `["{shown(node.source)}"]`'
    if expected == "a list" and isinstance(value, dict):
        return "each item of a list begins with `- `"
    if expected == "a mapping" and isinstance(value, list) and {"any", "all"} <= set(known):
        return "put the list under `any` or `all`"
    return ""
