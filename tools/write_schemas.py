"""Writes the JSON schemas and the OpenAPI document, which are generated: `python tools/write_schemas.py`. Tests compare
them."""

from __future__ import annotations

import json
from pathlib import Path

from ostiary import definitions, rules, suites
from ostiary.service.web import openapi

FOLDER = Path(__file__).resolve().parent.parent / "schemas"
SCHEMAS = {
    "openapi.json": openapi.document,
    "policy.schema.json": rules.json_schema,
    "programs.schema.json": definitions.programs_schema,
    "suite.schema.json": suites.json_schema,
    "tools.schema.json": definitions.tools_schema,
}


def text(name: str) -> str:
    """The schema as it is committed."""
    return json.dumps(SCHEMAS[name](), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for schema in SCHEMAS:
        (FOLDER / schema).write_text(text(schema), encoding="utf-8")
