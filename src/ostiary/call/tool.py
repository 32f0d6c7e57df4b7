"""Tools other than shells: accesses from the roles of their arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ostiary.call.defined import ToolDefinition
from ostiary.call.gather import Gathered
from ostiary.call.model import Call, Part
from ostiary.call.patch import read_patch
from ostiary.call.places import near
from ostiary.call.roles import apply
from ostiary.call.search import listed, narrowed
from ostiary.call.unmapped import MAX_LEAVES, MAX_NESTING, by_shape, run_perhaps
from ostiary.event import Event
from ostiary.expressions import expression
from ostiary.facts import Given
from ostiary.tools import Role, Tool
from ostiary.words import Word, word

if TYPE_CHECKING:
    from ostiary.call.parts import Builder

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

_KINDS: Final[dict[Role, str]] = {
    "read": "read",
    "write": "write",
    "edit": "edit",
    "delete": "delete",
    "list": "list",
    "search": "tree:visible",
    "move": "move",
}
_FOLDERS: Final[tuple[Role, ...]] = ("list", "search")
_SEARCHES: Final[dict[Role, Callable[[Word, tuple[str, ...], Gathered], None]]] = {
    "filter": narrowed,
    "pattern": listed,
}
# Agents differ in whether they expand these at the start of a path.
_HOME: Final = expression(r"(?:\$HOME|\$\{HOME\}|%USERPROFILE%|\$env:(?:USERPROFILE|HOME))(?=[/\\]|$)", re.IGNORECASE)


def analyse_tool(event: Event, tool: Tool | None, given: Given, defined: ToolDefinition | None = None) -> Call:
    """The call of a tool that is no shell; `defined` counts where its arguments have no roles. Never raises, whatever
    its arguments are."""
    out = Gathered(windows=given.windows, near=near(given))
    limit = "" if event.input_complete else "the arguments are not complete"
    mapped = tool is not None and bool(tool.roles or tool.listed)
    roles: Mapping[str, Role] = tool.roles if tool and mapped else dict(defined.roles) if defined else {}
    free: dict[str, Any] = {}
    scripts: list[str] = []
    for name, value in event.input.items():
        role = roles.get(name)
        if role is None:
            if not tool or name not in SETTINGS:
                by_shape(name, value, out)
                free[name] = value
        elif role == "script" and isinstance(value, str):
            scripts.append(value)
        elif not _argument(role, value, out):
            limit = limit or f"argument `{name}` is not what it should be"
            by_shape(name, value, out)
    _absent(roles, event.input, out)
    complete = tool.listed if tool and mapped else defined is not None and defined.complete and not (free or scripts)
    listed = complete and not limit
    part = Part(
        event.tool or event.name,
        accesses=tuple(dict.fromkeys(out.accesses)),
        cwd=event.cwd,
        complete=listed,
        pure=listed and all(access.kind == "read" for access in out.accesses),
    )
    unmapped = not roles and event.tool is not None and not listed
    if not scripts and not free:
        return Call((part,), None, tuple(out.content), limit, unmapped)
    builder = _builder(part, scripts, given)
    content = (*out.content, *builder.content)
    run_perhaps(builder, free, event.cwd)
    parts = (part, *builder.finished()[1:])
    return Call(parts, "\n".join(scripts) if scripts else None, content, limit or builder.limit, unmapped)


def _builder(part: Part, scripts: Sequence[str], given: Given) -> Builder:
    """What has the tool's own part and those of its scripts."""
    from ostiary.call.parts import Around, Builder  # reads shells, which cost a hook 10 ms to import

    builder = Builder(given, [part])
    for script in scripts:
        builder.script(script, "bash", Around(part.cwd))
    return builder


def _argument(role: Role, value: Any, out: Gathered) -> bool:
    """Add one argument; False if its value is not of the kind that its role needs."""
    if role in ("content", "prompt"):
        out.content.extend(leaves(value))
        return True
    if role in ("data", "name"):
        return True
    if role == "script":
        return False
    if role in _SEARCHES and value is None:
        return True
    if isinstance(value, tuple) and all(isinstance(item, str) for item in value):
        understood = [_argument(role, item, out) for item in value]  # each item is taken in, also behind a strange one
        return all(understood)
    if not isinstance(value, str):
        return value is None and role in (*_FOLDERS, "connect")
    if role in _SEARCHES:
        return True
    if role == "patch":
        return read_patch(value, out)
    if role == "connect":
        return _connect(value, out)
    apply(out, _KINDS[role], word(value))
    if home := _HOME.match(value):
        apply(out, _KINDS[role], word("~" + value[home.end() :]), certain=False)
    return True


def _connect(value: str, out: Gathered) -> bool:
    apply(out, "url", word(value))
    return True


def _absent(roles: Mapping[str, Role], given: Mapping[str, Any], out: Gathered) -> None:
    """A tool that lists or searches does so in the working directory where no directory is named, and where its other
    arguments say."""
    folder = "."
    for name, role in roles.items():
        if role in _FOLDERS:
            folder = given[name] if isinstance(given.get(name), str) and given[name] else "."
            if not given.get(name):
                apply(out, _KINDS[role], word("."))
        elif role in _SEARCHES and given.get(name):
            patterns = given[name] if isinstance(given[name], tuple) else (given[name],)
            _SEARCHES[role](word(folder), tuple(item for item in patterns if isinstance(item, str)), out)


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
