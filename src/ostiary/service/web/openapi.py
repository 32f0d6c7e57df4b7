"""The OpenAPI document of what the service answers over HTTP. Pure; `schemas/openapi.json` is made of it."""

from __future__ import annotations

from typing import Any, Final

from ostiary import __version__
from ostiary.dialects import DIALECTS
from ostiary.event import EVENTS
from ostiary.service.deciding import TEXTS
from ostiary.service.web.heads import LOOPBACK

_SAYS: Final = {
    "agent": "Who asks, as rules and the record name it. None of the agents that have hooks.",
    "tool": "A canonical tool name, an alias that means one tool, or `mcp__server__tool`.",
    "cwd": "The folder of the call, absolute.",
    "project": "The project's folder, absolute.",
    "session": "What remembers what calls wrote; without it nothing does.",
    "mode": "The permission mode.",
    "subagent": "The subagent that makes the call.",
    "prompt": "What a person typed.",
    "mcp_source": "Who configured the server of an MCP tool.",
}
_REFUSALS: Final = {
    "400": "It is no HTTP/1.1.",
    "401": "The token is missing, or is another one.",
    "403": "It comes from a web page.",
    "404": "There is nothing there.",
    "405": "Another method is answered there.",
    "408": "It did not come in whole in time.",
    "421": "It names another host, or another port.",
    "431": "Its head is too long.",
    "505": "It is another version of HTTP.",
}
_BODIES: Final = {
    "413": "The body is too long.",
    "415": "The body is not `application/json`, or is compressed.",
}
Json = dict[str, Any]


def document() -> Json:
    """The document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Ostiary",
            "version": __version__,
            "description": "What the resident service answers where `http: {listen: true}` in the user's settings says "
            "so. Anything but 200 has to mean deny.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": f"http://{LOOPBACK}:{{port}}", "variables": {"port": {"default": "7070"}}}],
        "security": [{"token": []}],
        "paths": {
            "/hook/{agent}": {"post": _hook()},
            "/v1/decide": {"post": _decide()},
            "/v1/status": {"get": _page("What the service says of itself.", "application/json", {"type": "object"})},
            "/metrics": {"get": _page("The same, and more, as Prometheus reads it.", "text/plain", {"type": "string"})},
            "/healthz": {"get": {**_page("Whether it answers.", "application/json", _HEALTH), "security": []}},
        },
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "`STATE/http/token`."}},
            "schemas": {"Event": _event(), "Error": _ERROR},
        },
    }


_HEALTH: Final[Json] = {
    "type": "object",
    "required": ["status"],
    "properties": {"status": {"const": "ok"}},
    "additionalProperties": False,
}
_ERROR: Final[Json] = {
    "type": "object",
    "required": ["error"],
    "properties": {"error": {"type": "string"}},
    "additionalProperties": False,
}


def _hook() -> Json:
    """One event of an agent."""
    agent = {"name": "agent", "in": "path", "required": True, "schema": {"enum": list(DIALECTS)}}
    event = {
        "name": "event",
        "in": "query",
        "schema": {"type": "string"},
        "description": "The agent's name of the event that the hook was registered for: what is said where the payload "
        "cannot be read depends on it.",
    }
    told = _answer("What the agent's hook would print; empty for nothing.", "application/json", {"type": "object"})
    spoken = {"403": _error("It comes from a web page; or what it says an agent only takes as an exit code.")}
    return {
        "summary": "An event, as the agent sends it to its hooks.",
        "parameters": [agent, event],
        "requestBody": _body({"type": "object"}),
        "responses": {"200": told, **_errors(_REFUSALS | _BODIES), **spoken},
    }


def _decide() -> Json:
    """A canonical event."""
    outcome = _answer("The outcome.", "application/json", {"$ref": "outcome.schema.json"})
    more = {"422": "It is no canonical event.", "503": "It could not be judged, which has to mean deny."}
    return {
        "summary": "A canonical event, judged and recorded.",
        "requestBody": _body({"$ref": "#/components/schemas/Event"}),
        "responses": {"200": outcome, **_errors(_REFUSALS | _BODIES | more)},
    }


def _page(summary: str, kind: str, schema: Json) -> Json:
    return {"summary": summary, "responses": {"200": _answer(summary, kind, schema), **_errors(_REFUSALS)}}


def _event() -> Json:
    texts: Json = {name: {"type": "string", "minLength": 1, "description": _SAYS[name]} for name in TEXTS}
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "event": {"enum": list(EVENTS), "default": "PreToolUse"},
            **texts,
            "start": {
                "type": "string",
                "minLength": 1,
                "description": "The folder the agent was started in.",
            },
            "input": {"type": "object", "description": "The arguments of a tool under their canonical names."},
            "output": {"description": "What a tool returned."},
            "workdirs": {"type": "array", "items": {"type": "string"}, "description": "Further folders it works in."},
            "interactive": {"type": "boolean", "description": "Whether a person is there to answer a question."},
        },
    }


def _body(schema: Json) -> Json:
    return {"required": True, "content": {"application/json": {"schema": schema}}}


def _answer(says: str, kind: str, schema: Json) -> Json:
    return {"description": says, "content": {kind: {"schema": schema}}}


def _errors(wanted: dict[str, str]) -> Json:
    return {status: _error(says) for status, says in sorted(wanted.items())}


def _error(says: str) -> Json:
    return _answer(says, "application/json", {"$ref": "#/components/schemas/Error"})
