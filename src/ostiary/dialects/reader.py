"""Payloads to canonical events: one reader for every dialect. Pure, and total on JSON objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ostiary.dialects.base import Dialect, EventSpec, FieldName, Path, ToolSpec, Unreadable
from ostiary.dialects.marks import foreign
from ostiary.dialects.payload import at, parse, strings, text_at
from ostiary.event import EVENTS, Event, mcp_pair

Payload = Mapping[str, Any]


def receive(dialect: Dialect, raw: bytes, event_name: str | None = None) -> Event | Unreadable:
    """The event in a hook's input, or why it is refused. `event_name` is the event the hook was registered for.

    Refused besides what `parse` refuses: a payload of another agent, of another event than the registered one, of no
    known event, with a NUL at a gate (the program behind the gate may stop reading there), of a tool gate without a
    tool.
    """
    registered = dialect.native(event_name)
    payload = parse(raw, repair=registered is not None and not dialect.events[registered].gate)
    if isinstance(payload, Unreadable):
        return payload
    refusal = _refusal(dialect, payload, event_name)
    if refusal:
        return Unreadable(f"the hook's input {refusal}")
    event = read(dialect, payload, event_name)
    if event.kind.before_tool and event.tool is None:
        return Unreadable("the hook's input names no tool")
    return event


def _refusal(dialect: Dialect, payload: Payload, event_name: str | None) -> str:
    host = foreign(dialect, payload)
    if host:
        return f"comes from {host}, but this hook is registered for {dialect.name}"
    sent = text_at(payload, dialect.fields["event"])
    if sent and event_name and dialect.native(sent) != dialect.native(event_name):
        return "is of another event than the one this hook is registered for"
    native, spec = _event(dialect, payload, event_name)
    if spec is None:
        return "is of no known event" if native else "names no event"
    if spec.gate and any("\0" in text for text in strings(payload)):
        return "has a NUL character in a text"
    return ""


def read(dialect: Dialect, payload: Payload, event_name: str | None = None) -> Event:
    """The canonical event of a payload. Never raises on a JSON object: values of a wrong type read as absent.

    The payload's own event name counts, `event_name` where it has none that is known. An event that the dialect does
    not know has an empty canonical name. Arguments that could not be read make the event's `input_complete` False.
    """
    native, spec = _event(dialect, payload, event_name)
    paths = {**dialect.fields, **(spec.fields if spec else {})}

    def text(name: FieldName) -> str | None:
        return text_at(payload, paths.get(name, ()))

    kind = EVENTS.get(spec.canonical) if spec else None
    call = _call(dialect, payload, paths, spec.tool if spec else "") if kind and kind.tool else _NO_CALL
    return Event(
        agent=dialect.name,
        name=spec.canonical if spec else "",
        native_name=native,
        tool=call.tool,
        native_tool=call.native_tool,
        mcp=call.mcp,
        mcp_source=text("server_source") if call.mcp else None,
        input=call.input,
        native_input=call.native_input,
        input_complete=call.complete,
        output=_first(payload, paths.get("output", ())),
        prompt=text("prompt"),
        cwd=text("cwd"),
        project=text("project"),
        workdirs=_texts(payload, paths.get("workdirs", ())),
        session=text("session"),
        mode=text("mode"),
        subagent=text("subagent_type") or text("subagent_id") if text("subagent_id") else None,
        lacks=dialect.lacks,
        data=payload,
    )


def _event(dialect: Dialect, payload: Payload, event_name: str | None) -> tuple[str, EventSpec | None]:
    """Native name and facts of the event; the name as it was sent if it is not known."""
    sent = text_at(payload, dialect.fields["event"])
    for name in (sent, event_name):
        native = dialect.native(name)
        if native is not None:
            return native, dialect.events[native]
    return sent or event_name or "", None


def _first(payload: Payload, paths: tuple[Path, ...]) -> Any:
    return next((value for path in paths if (value := at(payload, path)) is not None), None)


def _texts(payload: Payload, paths: tuple[Path, ...]) -> tuple[str, ...]:
    found = _first(payload, paths)
    return tuple(item for item in found if isinstance(item, str) and item) if isinstance(found, list) else ()


class _Call(NamedTuple):
    """The tool call in a payload, as far as it could be read."""

    tool: str | None
    native_tool: str | None
    mcp: tuple[str, str] | None
    input: Payload
    native_input: Payload
    complete: bool


_NO_CALL: Final = _Call(None, None, None, {}, {}, True)


def _call(dialect: Dialect, payload: Payload, paths: Mapping[FieldName, tuple[Path, ...]], implied: str) -> _Call:
    name = text_at(payload, paths["tool"]) or implied or None
    spec = dialect.tools.get(name or "")
    arguments, complete = _arguments(_first(payload, paths["input"]), spec)
    canonical, agree = _canonical(arguments, spec)
    whole = complete and agree and _first(payload, paths.get("truncated", ())) is not True
    pair = _pair(dialect, payload, paths, name) if name and not spec else None
    return _Call(_shown(name, spec, pair), name, pair, canonical, arguments, whole)


def _shown(name: str | None, spec: ToolSpec | None, pair: tuple[str, str] | None) -> str | None:
    """The canonical tool name. An MCP tool keeps a native name that is in the canonical shape."""
    if spec:
        return spec.canonical
    return f"mcp__{pair[0]}__{pair[1]}" if pair and name and not mcp_pair(name) else name


def _arguments(value: Any, spec: ToolSpec | None) -> tuple[Payload, bool]:
    """The arguments under native names and whether they are all there. Some agents send them as JSON text, and some
    tools take one raw text."""
    if isinstance(value, str):
        if spec and spec.text and not value.lstrip().startswith("{"):
            return {spec.text: value}, True
        parsed = parse(value.encode("utf-8", "replace"))
        return ({}, False) if isinstance(parsed, Unreadable) else (parsed, True)
    return (value, True) if isinstance(value, Mapping) else ({}, False)


def _canonical(arguments: Payload, spec: ToolSpec | None) -> tuple[Payload, bool]:
    """The arguments under canonical names, and whether native names that mean the same agree on the value."""
    if not spec or not spec.renames:
        return arguments, True
    canonical: dict[str, Any] = {}
    agree = True
    for native, value in arguments.items():
        name = spec.renames.get(native, native)
        agree = agree and canonical.get(name, value) == value
        canonical.setdefault(name, value)
    return canonical, agree


def _pair(
    dialect: Dialect, payload: Payload, paths: Mapping[FieldName, tuple[Path, ...]], name: str
) -> tuple[str, str] | None:
    """The MCP pair. Where the payload names the server, its name is taken from there and only the tool from the
    tool's name: a server's name may hold the joint, and agents flatten other characters."""
    server = text_at(payload, paths.get("server", ()))
    tool = text_at(payload, paths.get("server_tool", ()))
    if server and tool:
        return server, tool
    if not name.startswith(dialect.mcp_prefix):
        return None
    rest = name[len(dialect.mcp_prefix) :]
    if server:
        own = _behind(rest, server, dialect.mcp_joint)
        if own:
            return server, own
    head, joint, tail = rest.partition(dialect.mcp_joint)
    return (head, tail) if head and joint and tail else None


def _behind(rest: str, server: str, joint: str) -> str:
    """What follows `server` and the joint in `rest`, where `server` may be written in the flattened way."""
    position = rest.find(joint)
    while position >= 0:
        if _flat(rest[:position]) == _flat(server) and rest[position + len(joint) :]:
            return rest[position + len(joint) :]
        position = rest.find(joint, position + 1)
    return ""


def _flat(name: str) -> str:
    """A server's name with everything but letters, digits and hyphens as single underscores."""
    words = "".join(char if char.isascii() and (char.isalnum() or char == "-") else "_" for char in name)
    return "_".join(filter(None, words.split("_")))
