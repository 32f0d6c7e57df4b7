"""The `mcp` matcher."""

from __future__ import annotations

from typing import Any

from pydantic import model_validator

from ostiary.matchers.base import Plan, Spec, Texts, described, refuse


class Mcp(Spec):
    """A tool of an MCP server, by the server's name and its own.

    when: {mcp: {server: github, tool: ["delete_*", "merge_*"]}}
    """

    server: Texts | None = described("names of servers (texts)")
    tool: Texts | None = described("names of the server's tools (texts), without the server")
    source: Texts | None = described(
        "who configured the server (texts), where the agent tells: `user`, `project`, `plugin`"
    )

    @model_validator(mode="before")
    @classmethod
    def _some_key(cls, value: Any) -> Any:
        if value == {}:
            raise refuse("the mapping is empty", 'write `server: "*"` for every MCP tool')
        return value

    def compile(self) -> Plan:
        """The plan of this condition."""
        return ("mcp", self.server, self.tool, self.source)
