"""The `tool` matcher (law L1), and its exact counterpart for foreign settings files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Final

from pydantic import PlainValidator

from ostiary import patterns
from ostiary.matchers.base import Lint, Plan, Value, refuse, refuse_typographic
from ostiary.spelling import nearest, shown
from ostiary.tools import TOOLS

LONGEST: Final = 1000

_EXPLICIT: Final = re.compile("/(.+)/([gimsuy]*)")
_SET: Final = re.compile("[A-Za-z0-9_|]+")
_LIST: Final = re.compile(r"\s*[A-Za-z0-9_-]+\s*([|,]\s*[A-Za-z0-9_-]+\s*)*")
_SERVER: Final = re.compile(r"mcp__(?P<server>[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*)(?:__\*|_*\*)?")
_STAR: Final = re.compile(r"[A-Za-z0-9_|*-]*\*[A-Za-z0-9_|*-]*")
_PERMISSION: Final = re.compile(r"[A-Za-z_]+\((?!\?).*[\s:/~].*\)")
_ATOMS: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_REPEAT: Final = re.compile("[*+{]")
_NEGATIVE: Final = re.compile(r"\(\?<?!")


def tool_plan(pattern: str) -> Plan:
    """The plan of a `tool:` pattern in a rule file. Raises the error of `matchers.base.refuse` for a pattern that is
    invalid or surely means something else."""
    if pattern in ("", "*"):
        return ("tool", "all")
    if not pattern.strip():
        raise refuse("a tool pattern of blanks matches nothing", "remove the key to match every tool")
    refuse_typographic(pattern.strip())
    if len(pattern) > LONGEST:
        raise refuse(f"a tool pattern has {LONGEST} characters at most")
    explicit = _EXPLICIT.fullmatch(pattern)
    if explicit:
        return _search(pattern, explicit[1], explicit[2])
    if _LIST.fullmatch(pattern) and re.search(r"[\s,]", pattern):
        return _exact([name.strip() for name in re.split("[|,]", pattern)])
    if _SET.fullmatch(pattern):
        return _exact([name for name in pattern.split("|") if name])
    return _cover(pattern)


def _exact(names: list[str]) -> Plan:
    for name in names:
        _refuse_server(name)
    return ("tool", "exact", tuple(dict.fromkeys(names)))


def _search(pattern: str, body: str, flags: str) -> Plan:
    kept = re.sub("[gyu]", "", flags)
    why = _invalid(body, kept)
    if why:
        raise refuse(f"`{shown(pattern)}` is not a valid regular expression: {why}")
    return ("tool", "search", body, kept)


def _cover(pattern: str) -> Plan:
    _refuse_server(pattern)
    if _STAR.fullmatch(pattern):
        raise refuse(
            f"`*` in a tool pattern repeats what stands before it: `{shown(pattern)}` is no glob",
            f"write `{re.sub('[*]+', '.*', shown(pattern))}`",
        )
    if _PERMISSION.fullmatch(pattern):
        raise refuse(
            f"`{shown(pattern)}` names a use of a tool, not a tool",
            "such entries belong to the lists `deny`, `ask` and `allow`",
        )
    why = _invalid(pattern)
    if why:
        help = "a tool pattern is a name, names joined by `|`, or a regular expression"
        raise refuse(f"`{shown(pattern)}` is not a valid regular expression: {why}", help)
    return ("tool", "cover", pattern, True) if _negative(pattern) else ("tool", "cover", pattern)


def _refuse_server(name: str) -> None:
    server = _SERVER.fullmatch(name)
    if server:
        raise refuse(
            f"`{shown(name)}` names a server, not a tool", f"write `mcp: {{server: {server['server']}}}` under `when`"
        )
    if re.fullmatch(r"mcp__\*|mcp(__)?", name):
        raise refuse(f"`{shown(name)}` names no tool", 'write `mcp: {server: "*"}` under `when`')


def _invalid(body: str, flags: str = "") -> str:
    """Why a regular expression does not compile by itself, empty if it does. By itself: wrapped in anchors, `a)|(b`
    would compile and match by its parts."""
    if len(set(flags)) != len(flags):
        return "a flag stands twice"
    try:
        patterns.compiled(body, flags)
    except ValueError as error:
        return str(error).rpartition(": ")[2]
    return ""


def _negative(body: str) -> bool:
    """Whether the pattern has a negative look-around, escapes and sets aside."""
    return bool(_NEGATIVE.search(_ATOMS.sub("", body)))


def _plan(value: Any) -> Plan:
    if isinstance(value, str):
        return tool_plan(value)
    help = f"write `{'|'.join(value)}`" if value and all(isinstance(item, str) for item in _items(value)) else ""
    raise refuse("a tool pattern is one text", help or "write a name, or names joined by `|`")


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [None]


class ToolMatcher(Value[Annotated[Plan, PlainValidator(_plan, json_schema_input_type=str)]]):
    """The tool that is called. One of:

    - a name, or names joined by `|`: `Bash`, `Edit|Write`. Canonical names and aliases both count, in this very case;
    - `/.../` with flags: a regular expression that is searched in the canonical name;
    - anything else: a regular expression that must cover the canonical name or an alias: `web_.*`. With a negative
      look-around (`(?!Bash).*`) it must cover the canonical name and every alias;
    - `"*"`: every tool.

    `mcp` is for the tools of MCP servers. Beside `command` or `script`, `Bash` means every shell. On events without a
    tool it is ignored.
    """

    def compile(self) -> Plan:
        """The plan of this condition."""
        return self.root

    def lints(self, names: frozenset[str]) -> Iterator[Lint]:
        """Names that no known tool has."""
        if self.root[1] == "exact":
            for name in self.root[2]:
                if name not in names and not re.fullmatch("mcp__.+?__.+", name):
                    yield Lint((), *unknown_tool(name, names))
            if not self.root[2]:
                yield Lint((), "the pattern names no tool")
        elif self.root[1] != "all" and not self._fits(names):
            yield Lint((), "the pattern fits no known tool")

    def _fits(self, names: frozenset[str]) -> bool:
        """Whether some known tool is fitted. What is not worth the search counts as fitting."""
        kind, body = self.root[1:3]
        if "mcp" in body or len(_REPEAT.findall(body)) > 3:
            return True
        compiled = patterns.compiled(body, self.root[3] if kind == "search" else "")
        find = compiled.search if kind == "search" else compiled.fullmatch
        every = kind == "cover" and len(self.root) > 3
        try:
            return any(
                all(find(name, timeout=patterns.SEARCH_SECONDS) for name in group) for group in _groups(names, every)
            )
        except TimeoutError:
            return True


def _groups(names: frozenset[str], whole: bool) -> Iterator[tuple[str, ...]]:
    """The names one by one; or with `whole` all names of a tool together."""
    tools = [TOOLS.names(tool) for tool in TOOLS.tools] if whole else []
    yield from tools
    yield from ((name,) for name in sorted(names.difference(*tools)))


def unknown_tool(name: str, names: frozenset[str]) -> tuple[str, str]:
    """Message and help for a name that no known tool has."""
    near = nearest(name, names, 0.75)
    help = f"did you mean `{near}`?" if near else "give it a meaning under `aliases` if it is right"
    return f"no known tool is called `{shown(name)}`", help


def compile_foreign_tool(pattern: str | None) -> tuple[Plan, str | None]:
    """The plan of a matcher in a foreign settings file and a warning, None if there is nothing to warn of.

    Follows afk's matcher to the letter (its four paths, without trimming; an invalid pattern is compared as it is
    written), save that regular expressions are Python's. A pattern that is only valid between afk's anchors keeps the
    meaning it has there, and is warned of.
    """
    if pattern in (None, "", "*"):
        return ("tool", "all"), None
    assert pattern is not None
    explicit = _EXPLICIT.fullmatch(pattern)
    if explicit:
        flags = re.sub("[gyu]", "", explicit[2])
        why = _invalid(explicit[1], flags)
        return _literal(pattern, why) if why else (("tool", "search", explicit[1], flags), None)
    if _SET.fullmatch(pattern):
        return ("tool", "exact", tuple(name for name in pattern.split("|") if name)), None
    why = _invalid(pattern)
    if not why:
        return ("tool", "cover", pattern), None
    wrapped = rf"[\s\S]*?(?:^(?:{pattern})$)[\s\S]*"
    if not _invalid(wrapped):
        return ("tool", "cover", wrapped), f"`{shown(pattern)}` breaks out of its anchors and fits more than it names"
    return _literal(pattern, why)


def _literal(pattern: str, why: str) -> tuple[Plan, str]:
    warning = f"`{shown(pattern)}` is not a valid regular expression ({why}): it fits only a tool of that very name"
    return ("tool", "literal", pattern), warning
