"""Tools other than shells: accesses from the roles of their arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ostiary import urls
from ostiary.call.gather import Gathered
from ostiary.call.model import Call, Part
from ostiary.call.patch import read_patch
from ostiary.call.roles import apply
from ostiary.call.shapes import is_argument_path, is_url
from ostiary.event import Event
from ostiary.tools import Role, Tool
from ostiary.words import word

MAX_LEAVES: Final = 2000
"""Texts inside the arguments of one call that are looked at."""
MAX_NESTING: Final = 64
"""Lists and mappings inside each other."""

SETTINGS: Final = frozenset(
    (
        *("description", "timeout", "run_in_background", "old_string", "replace_all", "offset", "limit", "output_mode"),
        *("type", "head_limit", "multiline", "cell_id", "cell_type", "edit_mode", "model", "isolation", "name"),
        *("team_name", "pages", "max_turns", "resume", "mode", "language", "thread_id", "dangerouslyDisableSandbox"),
        *("instruction", "exclude", "exclude_pattern", "ignore"),
        *("login", "tty", "yield_time_ms", "max_output_tokens", "justification", "sandbox_permissions"),
    )
)
"""Arguments without a role that are known to name no file and no host."""

_KINDS: Final[dict[Role, str]] = {"read": "read", "write": "write", "edit": "edit", "delete": "delete", "list": "list"}


def analyse_tool(event: Event, tool: Tool | None) -> Call:
    """The call of a tool that is no shell. Never raises, whatever its arguments are."""
    out = Gathered()
    limit = "" if event.input_complete else "the arguments are not complete"
    roles = tool.roles if tool else {}
    for name, value in event.input.items():
        role = roles.get(name)
        if role is None:
            if not tool or name not in SETTINGS:
                _by_shape(value, out)
        elif not _argument(role, value, out):
            limit = limit or f"argument `{name}` is not what it should be"
            _by_shape(value, out)
    if tool is not None:
        _absent(tool, event.input, out)
    listed = bool(tool and tool.listed and not limit)
    part = Part(
        event.tool or event.name,
        accesses=tuple(dict.fromkeys(out.accesses)),
        cwd=event.cwd,
        complete=listed,
        pure=listed and all(access.kind == "read" for access in out.accesses),
    )
    return Call((part,), None, tuple(out.content), limit, unmapped=not roles and event.tool is not None and not listed)


def _argument(role: Role, value: Any, out: Gathered) -> bool:
    """Add one argument; False if its value is not of the kind that its role needs."""
    if role in ("content", "prompt"):
        out.content.extend(leaves(value))
        return True
    if role in ("data", "name"):
        return True
    if isinstance(value, tuple) and all(isinstance(item, str) for item in value):
        understood = [_argument(role, item, out) for item in value]  # each item is taken in, also behind a strange one
        return all(understood)
    if not isinstance(value, str):
        return value is None and role in ("list", "connect")
    if role == "patch":
        return read_patch(value, out)
    if role == "connect":
        return _connect(value, out)
    apply(out, _KINDS[role], word(value))
    return True


def _connect(value: str, out: Gathered) -> bool:
    apply(out, "url", word(value))
    return True


def _absent(tool: Tool, given: Mapping[str, Any], out: Gathered) -> None:
    """A tool that lists or searches does so in the working directory where no directory is named."""
    for name, role in tool.roles.items():
        if role == "list" and not given.get(name):
            out.path(word("."), "read")


def _by_shape(value: Any, out: Gathered) -> None:
    """Strings without a role: what reads as a path may be touched in every way, what reads as a URL be connected to."""
    for text in leaves(value):
        if is_url(text):
            if text[:5].lower() == "file:":
                out.path(word(text[5:].removeprefix("//")), "read", "write", "delete", certain=False)
            else:
                out.connect(urls.host_of(text), certain=False)
        elif is_argument_path(text):
            out.path(word(text), "read", "write", "delete", certain=False)


def leaves(value: Any) -> Iterator[str]:
    """The strings inside an argument, in order; the keys of mappings are none."""
    pending: list[tuple[Any, int]] = [(value, 0)]
    seen = 0
    while pending and seen < MAX_LEAVES:
        item, depth = pending.pop()
        if isinstance(item, str):
            seen += 1
            yield item
        elif depth < MAX_NESTING:
            inside = item.values() if isinstance(item, Mapping) else item if isinstance(item, list | tuple) else ()
            pending.extend((child, depth + 1) for child in reversed(list(inside)))
