"""What people define besides the shipped data: their programs, and the arguments of their tools."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ostiary.event import Event
from ostiary.records import NamedTuple, dataclass, field
from ostiary.tools import Role

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class ToolDefinition(NamedTuple):
    """What the arguments of one tool mean: `roles` pairs names of arguments with their roles. `server` is the tool's
    MCP server, empty for a tool that is none. `sources` are those who may have configured the server, where the agent
    tells; empty: anybody but a project or a plugin, which may lend a server of theirs a name that people know.
    `anyone` lifts that. `complete` says that the tool does nothing besides what its arguments say."""

    server: str
    tool: str
    roles: tuple[tuple[str, Role], ...]
    sources: tuple[str, ...] = ()
    anyone: bool = False
    complete: bool = False

    def fits(self, event: Event) -> bool:
        """Whether the event's tool is meant."""
        if not self.server:
            return event.mcp is None and event.tool == self.tool
        if event.mcp != (self.server, self.tool):
            return False
        if event.mcp_source is None or (self.anyone and not self.sources):
            return True
        return event.mcp_source in self.sources if self.sources else event.mcp_source not in _BORROWED


_BORROWED: Final = frozenset({"project", "plugin"})


@dataclass(frozen=True, slots=True)
class Definitions:
    """`programs` are entries like those of the shipped table, by name; `tools` in the order in which they count. `rank`
    is that of the lowest tier they may come from."""

    programs: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    tools: tuple[ToolDefinition, ...] = ()
    rank: int = 0

    def tool(self, event: Event) -> ToolDefinition | None:
        """The first definition of the event's tool."""
        return next((item for item in self.tools if item.fits(event)), None)


NOTHING: Final = Definitions()
"""No definitions."""
