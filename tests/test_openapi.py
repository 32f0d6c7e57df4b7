"""The OpenAPI document says what the service answers over HTTP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ostiary.service.deciding import KEYS, Unfit, asked
from ostiary.service.web import openapi
from ostiary.service.web.heads import Door, head, refusal

SCHEMAS = Path(__file__).parents[1] / "schemas"
DOCUMENT = openapi.document()
EVENT = DOCUMENT["components"]["schemas"]["Event"]


def test_it_is_as_committed() -> None:
    committed = json.loads((SCHEMAS / "openapi.json").read_text("utf-8"))
    assert committed == DOCUMENT, "run `python tools/write_schemas.py`"


def test_references_lead_somewhere() -> None:
    for name in {one.split('"')[0] for one in json.dumps(DOCUMENT).split('"$ref": "')[1:]}:
        file, _, place = name.partition("#/")
        found = json.loads((SCHEMAS / file).read_text("utf-8")) if file else DOCUMENT
        for key in filter(None, place.split("/")):
            found = found[key]


def test_every_path_is_answered() -> None:
    known = [(method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods]
    kind = [(b"Content-Type", b"application/json")]
    for method, template in known:
        path = template.format(agent="grok")
        assert refusal(head(method.encode(), path.encode(), kind), Door(), ["grok"]) is None, path
        assert refusal(head(method.encode(), f"{path}x".encode(), kind), Door(), ["grok"]) is not None, path


EVENTS: list[dict[str, Any]] = [
    {"tool": "bash", "input": {"command": "ls"}, "cwd": "/", "workdirs": ["/a"], "interactive": True, "start": "/"},
    {"event": "Stop", "session": "s", "agent": "mine"},
    {"tool": "bash", "inputs": {}},
    {"tool": ""},
    {"tool": "bash", "input": []},
    {"tool": "bash", "workdirs": [1]},
    {"event": "Nothing"},
]


@pytest.mark.parametrize("event", EVENTS, ids=str)
def test_it_takes_the_events_that_are_taken(event: dict[str, Any]) -> None:
    try:
        asked(json.dumps(event).encode())
        taken = True
    except Unfit:
        taken = False
    assert Draft202012Validator(EVENT).is_valid(event) == taken


def test_it_knows_every_key() -> None:
    assert set(EVENT["properties"]) == KEYS
