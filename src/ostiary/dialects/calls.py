"""Tool calls as an agent would send them: the reader the other way round, for probes and tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ostiary.dialects.base import Dialect, EventSpec, FieldName, Path
from ostiary.dialects.marks import MARKS, foreign
from ostiary.event import EVENTS, mcp_pair

SESSION: Final = "probe"


def gates(dialect: Dialect) -> Iterator[str]:
    """The native events that a tool call passes before it runs and that are registered by default."""
    for native, spec in dialect.events.items():
        kind = EVENTS.get(spec.canonical)
        if kind and kind.before_tool and spec.gate and spec.register == "always":
            yield native


def calls(
    dialect: Dialect, native: str, tool: str, arguments: Mapping[str, Any], cwd: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each native tool that means the canonical `tool` (or is the MCP tool `mcp__server__tool`), with the payload in
    which the native event carries a call of it. None where the event does not carry such calls."""
    spec = dialect.events[native]
    for name in _natives(dialect, spec, tool):
        fields = _fields(tool, None if spec.tool else name, _native(dialect, name, arguments), cwd)
        payload = _payload(dialect, native, _placed(dialect, spec, fields))
        if payload is not None:
            yield name, payload


def _natives(dialect: Dialect, spec: EventSpec, tool: str) -> tuple[str, ...]:
    pair = mcp_pair(tool)
    if pair:
        return _mcp_names(dialect, spec, *pair)
    natives = tuple(name for name, facts in dialect.tools.items() if facts.canonical == tool)
    return tuple(name for name in natives if not spec.mcp and (not spec.tool or name == spec.tool))


def _mcp_names(dialect: Dialect, spec: EventSpec, server: str, tool: str) -> tuple[str, ...]:
    """The native name of an MCP tool: its own where the server is named beside it, else one that holds both."""
    paths = {**dialect.fields, **spec.fields}
    if spec.tool:
        return ()
    if paths.get("server"):
        return (tool,) if spec.mcp else (f"{dialect.mcp_prefix}{server}{dialect.mcp_joint or '_'}{tool}",)
    return (f"{dialect.mcp_prefix}{server}{dialect.mcp_joint}{tool}",) if dialect.mcp_joint else ()


def _native(dialect: Dialect, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by the names that the agent has for them; of several the first."""
    renames = dialect.tools[name].renames if name in dialect.tools else {}
    native = {canonical: original for original, canonical in reversed(list(renames.items()))}
    return {native.get(key, key): value for key, value in arguments.items()}


def _fields(tool: str, name: str | None, arguments: Mapping[str, Any], cwd: str) -> dict[FieldName, Any]:
    """What a payload tells, None what it does not; `name` is the tool's native one."""
    server, server_tool = mcp_pair(tool) or (None, None)
    return {
        "session": SESSION,
        "cwd": cwd,
        "tool": name,
        "input": arguments,
        "server": server,
        "server_tool": server_tool,
    }


def _placed(dialect: Dialect, spec: EventSpec, fields: Mapping[FieldName, Any]) -> list[tuple[Path, Any]]:
    """What stands where in the payload: in the first place of a field, in each where they hold copies."""
    paths = {**dialect.fields, **spec.fields}
    return [
        (path, value) for field, value in fields.items() for path in _places(dialect, field, paths) if value is not None
    ]


def _places(dialect: Dialect, field: FieldName, paths: Mapping[FieldName, tuple[Path, ...]]) -> tuple[Path, ...]:
    found = paths.get(field, ())
    return found if field in dialect.copies else found[:1]


def _payload(dialect: Dialect, native: str, values: list[tuple[Path, Any]]) -> dict[str, Any] | None:
    """The payload with its event's name in the first of its spellings that shows the agent and no other."""
    spec = dialect.events[native]
    for name in (native, *spec.aliases):
        payload: dict[str, Any] = {}
        for path, value in (*((path, name) for path in _places(dialect, "event", dialect.fields)), *values):
            _put(payload, path, value)
        for keys in ((), *(mark.has for mark in MARKS if mark.agent == dialect.name)):
            marked = {**dict.fromkeys((*dialect.always, *spec.always, *keys), SESSION), **payload}
            if foreign(dialect, marked) is None:
                return marked
    return None


def _put(payload: dict[str, Any], path: Path, value: Any) -> None:
    """Puts a value at a path; the arguments of a tool may lie at the root, between the other keys."""
    if not path:
        payload.update(value)
        return
    *heads, last = path
    for head in heads:
        payload = payload.setdefault(head, {})
    before = payload.get(last)
    payload[last] = {**before, **value} if isinstance(before, dict) and isinstance(value, dict) else value
