"""Payloads to canonical events: one reader for every dialect. Pure, and total on JSON objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ostiary.dialects.base import Dialect, EventSpec, FieldName, Path, ToolSpec, Unreadable
from ostiary.dialects.marks import foreign
from ostiary.dialects.payload import at, parse, strings, text_at
from ostiary.dialects.several import unpacked
from ostiary.dialects.spellings import on_drive, with_urls, workdir
from ostiary.event import EVENTS, Event, mcp_pair
from ostiary.records import NamedTuple

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
    if sent and event_name and _registered(dialect, sent) != _registered(dialect, event_name):
        return "is of another event than the one this hook is registered for"
    native, spec = _event(dialect, payload, event_name)
    lacking = next((key for key in (*dialect.always, *(spec.always if spec else ())) if key not in payload), None)
    if lacking:
        return f"lacks `{lacking}`, which every payload of {dialect.name} has"
    strange = next((key for key in dialect.never if key in payload), None)
    if strange:
        return f"has `{strange}`, which no payload of {dialect.name} has"
    torn = next((name for name in sorted(dialect.copies) if _disagree(dialect, payload, name)), None)
    if torn:
        return f"names two different values for its {torn}"
    if spec is None:
        return "is of no known event" if native else "names no event"
    if spec.gate and any("\0" in text for text in strings(payload)):
        return "has a NUL character in a text"
    return ""


def _registered(dialect: Dialect, name: str) -> str | None:
    """The event under which an event of that name is registered."""
    native = dialect.native(name)
    return (dialect.events[native].registered_as or native) if native else None


def _disagree(dialect: Dialect, payload: Payload, field: FieldName) -> bool:
    """Whether copies of one value differ: the agent, or who changed its payload, could mean either."""
    copies = [value for path in dialect.fields[field] if (value := at(payload, path)) is not None]
    if field == "event":
        copies = [_registered(dialect, name) if isinstance(name, str) else name for name in copies]
    return any(copy != copies[0] for copy in copies[1:])


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
    call = _call(dialect, payload, paths, spec) if spec and kind and kind.tool else _NO_CALL
    cwd, project, workdirs = text("cwd"), text("project"), _texts(payload, paths.get("workdirs", ()))
    if dialect.drives:
        cwd, project = cwd and on_drive(cwd), project and on_drive(project)
        workdirs = tuple(map(on_drive, workdirs))
    marked = text("subagent_marker") or text("subagent_id")
    subagent = text("subagent_type") or text("subagent_id") or marked if marked else None
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
        prompt=_prompt(payload, paths.get("prompt", ())),
        cwd=workdir(call.spec, call.native_input, cwd),
        project=project,
        workdirs=workdirs,
        session=text("session"),
        mode=text("mode"),
        subagent=subagent,
        interactive=_flag(payload, paths.get("interactive", ())),
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


def _prompt(payload: Payload, paths: tuple[Path, ...]) -> str | None:
    """The prompt, None where it is not understood. One that is empty is: a turn that goes on after a tool has it."""
    found = text_at(payload, paths)
    return "" if found is None and any(at(payload, path) == "" for path in paths) else found


def _first(payload: Payload, paths: tuple[Path, ...]) -> Any:
    return next((value for path in paths if (value := at(payload, path)) is not None), None)


def _flag(payload: Payload, paths: tuple[Path, ...]) -> bool | None:
    found = _first(payload, paths)
    return found if isinstance(found, bool) else None


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
    spec: ToolSpec | None = None


_NO_CALL: Final = _Call(None, None, None, {}, {}, True)
_Paths = Mapping[FieldName, tuple[Path, ...]]


def _call(dialect: Dialect, payload: Payload, paths: _Paths, event: EventSpec) -> _Call:
    name = text_at(payload, paths["tool"]) or event.tool or None
    sent = _sent(payload, paths, event.arguments)
    # A tool that comes with its server's name is that server's, whatever it is called.
    of_server = event.mcp or _named(payload, paths)
    spec = None if of_server else _by_input(dialect.tools.get(name or ""), sent)
    arguments, complete = _arguments(sent, spec)
    values, found = unpacked(spec, arguments)
    canonical, agree = _canonical(values, spec)
    whole = complete and agree and found and _first(payload, paths.get("truncated", ())) is not True
    own = spec or name in dialect.own_tools
    pair = _pair(dialect, payload, paths, name) if name and not own else None
    if event.mcp and name and not pair:
        pair = ("", name)
    tool = _shown(dialect, name, spec, pair)
    return _Call(tool, name, pair, with_urls(spec, canonical), arguments, whole, spec)


def _sent(payload: Payload, paths: _Paths, names: tuple[str, ...]) -> Any:
    """The arguments as they were sent; with `names` those of them that stand there, None if there is none."""
    sent = _first(payload, paths["input"])
    return {name: sent[name] for name in names if name in sent} or None if names and isinstance(sent, Mapping) else sent


def _by_input(spec: ToolSpec | None, sent: Any) -> ToolSpec | None:
    """The tool's facts; those of its other tool where the input is raw text."""
    return spec._replace(canonical=spec.text_tool) if spec and spec.text_tool and _raw(spec, sent) else spec


def _raw(spec: ToolSpec | None, sent: Any) -> bool:
    """Whether the input is raw text for the tool, and no JSON."""
    return bool(spec and spec.text and isinstance(sent, str) and not sent.lstrip().startswith("{"))


def _shown(dialect: Dialect, name: str | None, spec: ToolSpec | None, pair: tuple[str, str] | None) -> str | None:
    """The canonical tool name. An MCP tool keeps a native name that is in the canonical shape; one of an unknown server
    has a name that no tool of the agent has."""
    if spec:
        return spec.canonical
    if pair and not pair[0]:
        return f"{dialect.mcp_prefix}{pair[1]}"
    return f"mcp__{pair[0]}__{pair[1]}" if pair and name and not mcp_pair(name) else name


def _arguments(value: Any, spec: ToolSpec | None) -> tuple[Payload, bool]:
    """The arguments under native names and whether they are all there. Some agents send them as JSON text, and some
    tools take one raw text."""
    if isinstance(value, str):
        if spec and _raw(spec, value):
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


def _pair(dialect: Dialect, payload: Payload, paths: _Paths, name: str) -> tuple[str, str] | None:
    """The MCP pair. Where the payload names the server, its name is taken from there and only the tool from the
    tool's name: a server's name may hold the joint, and agents flatten other characters."""
    named = _named(payload, paths)
    if named:
        return named
    server = text_at(payload, paths.get("server", ()))
    if not name.startswith(dialect.mcp_prefix):
        return None
    rest = name[len(dialect.mcp_prefix) :]
    if not dialect.mcp_joint:
        return ("", rest) if dialect.mcp_unnamed and rest else None
    if server:
        own = _behind(rest, server, dialect.mcp_joint)
        if own:
            return server, own
    head, joint, tail = rest.partition(dialect.mcp_joint)
    return (head, tail) if head and joint and tail else None


def _named(payload: Payload, paths: _Paths) -> tuple[str, str] | None:
    """The MCP pair where the payload names both."""
    server = text_at(payload, paths.get("server", ()))
    tool = text_at(payload, paths.get("server_tool", ()))
    return (server, tool) if server and tool else None


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
