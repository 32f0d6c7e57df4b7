"""`run: {mcp_tool: ...}`: a tool of an MCP server."""

from __future__ import annotations

import json
from typing import Annotated, Any, ClassVar

from pydantic import Field, PlainValidator, StrictBool, model_validator

from ostiary.handlers.base import CA_FILE, PRIVATE, PROXY, HandlerSpec, Proxy, Url
from ostiary.matchers.base import Name, Spec, described, refuse


def _input(value: Any) -> str:
    if not isinstance(value, dict):
        raise refuse("expected a mapping", 'write `input: {path: "${tool_input.file_path}"}`')
    return json.dumps(value)


Input = Annotated[str, PlainValidator(_input, json_schema_input_type=dict[str, Any])]


class Server(Spec):
    """Where the MCP server is: a program that is started for each call, or an address."""

    command: Name | None = described("a program, found as that of a `command` handler, that speaks MCP on its streams")
    args: tuple[str, ...] = Field(default=(), description="its arguments")
    env: dict[str, str] = Field(default={}, description="variables that it gets besides a few harmless ones")
    url: Url | None = described(
        "the address of a server that speaks streamable HTTP: `https`, or `http` to this machine"
    )
    headers: dict[str, str] = Field(
        default={}, description="headers of each request; `$NAME` and `${NAME}` are variables of `allowed_env`"
    )
    allowed_env: tuple[Name, ...] = Field(default=(), description="environment variables that `headers` may hold")
    private: StrictBool = Field(default=False, description=PRIVATE)
    proxy: Proxy | None = described(PROXY)
    ca_file: Name | None = described(CA_FILE)

    @model_validator(mode="after")
    def _one_place(self) -> Server:
        if (self.command is None) == (self.url is None):
            raise refuse("expected either `command` or `url`", "write `server: {command: ./server.py}`")
        if self.command is None and (self.args or self.env):
            raise refuse("`args` and `env` belong to `command`", "remove them")
        of_url = (self.headers, self.allowed_env, self.private, self.proxy, self.ca_file)
        if self.url is None and any(of_url):
            raise refuse("`headers`, `allowed_env`, `private`, `proxy` and `ca_file` belong to `url`", "remove them")
        return self


class McpTool(HandlerSpec):
    """Calls a tool of an MCP server. What its text says is read as the output of a command that exited with 0; a result
    that is marked as an error is a failure. Needs the extra `ostiary[mcp]`.

        run: {mcp_tool: scan, server: {command: ./scanner.py}, input: {file: "${tool_input.file_path}"}}

    In the texts of `input`, however deep, `${path}` is the value at that dotted path of what a command gets on its
    standard input: a text as it is, anything else as JSON, and nothing where there is none.
    """

    kind: ClassVar[str] = "mcp_tool"

    mcp_tool: Name = Field(description="the name of the tool, without the server")
    server: Server = Field(description="where the server is")
    input: Input = Field(default="{}", description="the arguments of the tool", json_schema_extra={"default": {}})

    def options(self) -> tuple[tuple[str, Any], ...]:
        """The kind's own options as plain values."""
        where = self.server
        return (
            ("tool", self.mcp_tool),
            ("command", (where.command, *where.args) if where.command else ()),
            ("environment", tuple(where.env.items())),
            ("url", where.url or ""),
            ("headers", tuple(where.headers.items())),
            ("allowed_env", where.allowed_env),
            ("private", where.private),
            ("ca_file", where.ca_file),
            ("proxy", where.proxy),
            ("input", self.input),
        )
