"""`${dotted.path}` in the arguments of an MCP tool: values of the event, put in where a rule file names them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from ostiary.expressions import expression

_PLACEHOLDER: Final = expression(r"\$\{([^{}]*)\}")
_INDEX: Final = expression("[0-9]{1,9}")


def filled(value: Any, data: Mapping[str, Any]) -> Any:
    """The value with each `${path}` in its texts, however deep, replaced by what stands in `data` at that dotted path:
    a text as it is, any other value as JSON, and nothing where there is none. Numbers in a path count the items of a
    list from 0. Keys stay as they are, and what was put in is not searched again."""
    if isinstance(value, str):
        return _PLACEHOLDER.sub(lambda match: _text(match[1], data), value)
    if isinstance(value, Mapping):
        return {key: filled(item, data) for key, item in value.items()}
    return [filled(item, data) for item in value] if isinstance(value, list | tuple) else value


def _text(path: str, data: Mapping[str, Any]) -> str:
    found: Any = data
    for name in path.split("."):
        if isinstance(found, Mapping) and name in found:
            found = found[name]
        elif isinstance(found, list | tuple) and _INDEX.fullmatch(name) and int(name) < len(found):
            found = found[int(name)]
        else:
            return ""
    text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # halves of a pair cannot be sent
