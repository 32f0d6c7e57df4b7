"""The JSON schema of the format in the words of draft 7, which editors read."""

from __future__ import annotations

from typing import Any


def portable(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema as pydantic makes it, in draft 7: definitions under their old name, no `null` (an empty key is refused),
    no titles made of key names."""
    moved = _rewritten(schema)
    top = {"$schema": "http://json-schema.org/draft-07/schema#", "title": "Ostiary rule file", "required": ["version"]}
    return {**top, **{key: moved[key] for key in sorted(moved)}}


def _rewritten(value: Any, named: bool = False) -> Any:
    """The value rewritten; `named` says that its keys are names, not words of the schema."""
    if isinstance(value, list):
        return [_rewritten(item) for item in value]
    if isinstance(value, str):
        return value.replace("#/$defs/", "#/definitions/")
    if not isinstance(value, dict):
        return value
    if named:
        return {key: _rewritten(item) for key, item in value.items()}
    kept = {key: item for key, item in value.items() if key not in ("title", "discriminator") and item is not None}
    options = [item for item in kept.get("anyOf", ()) if item != {"type": "null"}]
    if len(options) == 1:
        kept = {**options[0], **{key: item for key, item in kept.items() if key != "anyOf"}}
    elif options:
        kept["anyOf"] = options
    if "oneOf" in kept:  # shapes may overlap where a list of texts meets a list of patterns
        kept["anyOf"] = kept.pop("oneOf")
    if "$ref" in kept and len(kept) > 1:  # draft 7 reads nothing beside a reference
        kept["allOf"] = [{"$ref": kept.pop("$ref")}]
    return {_KEYS.get(key, key): _rewritten(item, key in ("properties", "$defs")) for key, item in kept.items()}


_KEYS = {"$defs": "definitions"}
