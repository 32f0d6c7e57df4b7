"""What of a broken rule file can be read: so that its warnings are told together with its errors."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ValidationError

from ostiary.rules import Exemption, Rule, RuleFile

_LISTS = ("deny", "ask", "allow")


def salvaged(data: Any) -> RuleFile:
    """The file without what is wrong in it. Items that cannot be read are None, so that all others keep their place;
    only warnings may be taken from it."""
    given = data if isinstance(data, dict) else {}
    entries: dict[str, Any] = {key: tuple(_entry(key, item) for item in _items(given, key)) for key in _LISTS}
    return RuleFile.model_construct(
        **entries,
        rules=tuple(_model(Rule, item) for item in _items(given, "rules")),
        exceptions=tuple(_model(Exemption, item) for item in _items(given, "exceptions")),
    )


def _items(data: dict[str, Any], key: str) -> list[Any]:
    value = data.get(key)
    return value if isinstance(value, list) else []


def _entry(key: str, item: Any) -> Any:
    read = _model(RuleFile, {"version": 1, key: [item]})
    return getattr(read, key)[0] if read else None


def _model(model: type[BaseModel], item: Any) -> Any:
    try:
        return model.model_validate(item)
    except ValidationError:
        return None
