"""Writes the JSON schemas that are generated from the models: `python tools/write_schemas.py`. A test compares them."""

from __future__ import annotations

import json
from pathlib import Path

from ostiary import definitions, rules, suites

FOLDER = Path(__file__).resolve().parent.parent / "schemas"
SCHEMAS = {
    "policy": rules.json_schema,
    "programs": definitions.programs_schema,
    "suite": suites.json_schema,
    "tools": definitions.tools_schema,
}


def text(name: str) -> str:
    """The schema as it is committed."""
    return json.dumps(SCHEMAS[name](), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for schema in SCHEMAS:
        (FOLDER / f"{schema}.schema.json").write_text(text(schema), encoding="utf-8")
