"""The `mcp` matcher."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import model_validator

from ostiary.matchers.base import Lint, Plan, Spec, Texts, described, refuse
from ostiary.spelling import shown


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

    def lints(self, names: frozenset[str]) -> Iterator[Lint]:  # noqa: ARG002 servers are known to nobody
        """Names as agents write them, server and tool in one."""
        for key, patterns in (("server", self.server or ()), ("tool", self.tool or ())):
            for kind, text, *_ in patterns:
                if kind != "re" and text.startswith("mcp__"):
                    help = f"write `mcp: {{{_parted(text)}}}` under `when`"
                    yield Lint((key,), f"`{shown(text)}` is not the {key}'s own name", help)


def _parted(name: str) -> str:
    """`mcp__server__tool` as the keys of this matcher."""
    server, _, tool = shown(name).removeprefix("mcp__").partition("__")
    return f'server: {server}, tool: "{tool}"' if tool else f"server: {server}"
