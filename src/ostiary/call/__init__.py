"""An event to parts and accesses: what runs, and what each of it touches. Pure: no facts beyond the given ones."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ostiary.call.defined import NOTHING, Definitions
from ostiary.call.model import Call, Opening, Part
from ostiary.event import Event
from ostiary.facts import Given
from ostiary.records import replace
from ostiary.tools import Tool, ToolTable

NO_TEXTS: Final[Mapping[str, str | None]] = MappingProxyType({})

__all__ = ["NOTHING", "Definitions", "analyse"]


def analyse(
    event: Event,
    given: Given,
    tools: ToolTable,
    texts: Mapping[str, str | None] = NO_TEXTS,
    levels: tuple[Definitions, ...] = (NOTHING,),
) -> Call:
    """The call of an event. Every event has at least one part: the event itself where nothing runs (law L3). `texts`
    are what is known of the files that it runs, by absolute path: None for one that is not read. Never raises, whatever
    the arguments are.

    `levels` are definitions, those of higher tiers before those with lower tiers' added. The call has the parts of
    every reading, so that whoever stops one of them stops it, and an allow has to cover all: what a lower tier defines
    never makes an answer looser (law L6)."""
    readings: list[Call] = []
    for defined in levels:
        found = _reading(event, given, tools, defined, texts)
        if not readings or replace(found, defined=readings[-1].defined) != readings[-1]:
            readings.append(found)
    return readings[0] if len(readings) == 1 else _several(tuple(readings))


def _several(readings: tuple[Call, ...]) -> Call:
    return replace(
        readings[0],
        parts=tuple(part for reading in readings for part in reading.parts),
        content=tuple(dict.fromkeys(text for reading in readings for text in reading.content)),
        limit=next((reading.limit for reading in readings if reading.limit), ""),
        unread=tuple(dict.fromkeys(path for reading in readings for path in reading.unread)),
        read=tuple(dict.fromkeys(text for reading in readings for text in reading.read)),
        readings=readings,
    )


def _reading(
    event: Event, given: Given, tools: ToolTable, defined: Definitions, texts: Mapping[str, str | None]
) -> Call:
    tool = tools.tools.get(event.tool) if event.tool is not None else None
    if defined is NOTHING:
        return _read(event, given, tool, defined, texts)
    from ostiary.programs import knowing  # late: few files define anything

    with knowing(defined.programs):
        return replace(_read(event, given, tool, defined, texts), defined=defined)


def _read(event: Event, given: Given, tool: Tool | None, defined: Definitions, texts: Mapping[str, str | None]) -> Call:
    if event.tool is None:
        return Call((Part(event.name, cwd=event.cwd),), limit="" if event.input_complete else "input is not complete")
    if tool is not None and tool.language is not None:
        return _shell_call(event, tool, given, texts)
    from ostiary.call.tool import analyse_tool  # late: shell calls need it not

    return analyse_tool(event, tool, given, defined.tool(event))


def _shell_call(event: Event, tool: Tool, given: Given, texts: Mapping[str, str | None]) -> Call:
    """The call of a shell: the parts of its script, and what its other arguments touch."""
    # Both read shells, which cost a hook 10 ms to import; calls of other tools need not pay that.
    from ostiary.call import files, parts

    name = next((name for name, role in tool.roles.items() if role == "script"), "")
    scripts = _scripts(event.input.get(name))
    if not scripts:
        part = Part(tool.name, cwd=event.cwd, unparsed=f"argument `{name}` is missing or no text")
        return Call((part,), None, limit="the script is not known")
    assert tool.language is not None
    builder = files.FileBuilder(given, texts=texts)
    around = parts.Around(None, openings=(_TYPED,), variables=()) if tool.typed else parts.Around(_start(event, given))
    for script in scripts:
        if not builder.limit:
            builder.script(script, tool.language, around)
    found = builder.finished()
    limit = builder.limit or ("" if event.input_complete else "the arguments are not complete")
    content = (*scripts, *builder.content) if tool.typed else tuple(builder.content)
    read = tuple(builder.read.values())
    return Call(found, "\n".join(scripts), content, limit, unread=tuple(builder.unread), read=read)


# Rules that stop see the commands of a text that may be typed into a shell; no allow covers what may be anything else.
_TYPED: Final = Opening("unknown", frozenset(), "what reads this text is not known")


def _scripts(value: object) -> tuple[str, ...]:
    """The scripts of a call: one text, or several (a tuple) that each run in a shell of their own. A list is none: it
    may be the words of one command."""
    several = value if isinstance(value, tuple) else (value,)
    return several if all(isinstance(script, str) for script in several) else ()


def _start(event: Event, given: Given) -> str | None:
    """Where the script starts; a working directory is absolute or not known."""
    if event.cwd is None:
        return None
    text = event.cwd.replace("\\", "/") if given.windows else event.cwd
    return text if text.startswith("/") or (given.windows and text[1:2] == ":") else None
