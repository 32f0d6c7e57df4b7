"""An MCP server that does what a test needs, well-behaved or not. `mcp_server.py [http PORT]`; else on its streams."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

from mcp.server.mcpserver import Context, MCPServer

OUTPUT = os.dup(1)  # the SDK keeps prints of tools off its stream; a server in another language may not
server = MCPServer("harbour", log_level="CRITICAL")


@server.tool(structured_output=False)
def say(text: str) -> str:
    """The text."""
    return text


@server.tool(structured_output=False)
def lines(texts: list[str]) -> list[str]:
    """Several texts."""
    return texts


@server.tool(structured_output=False)
def arguments(given: dict[str, Any]) -> str:
    """What came in, as context for the agent."""
    return json.dumps({"hookSpecificOutput": {"additionalContext": json.dumps(given, sort_keys=True)}})


@server.tool(structured_output=False)
def environment() -> str:
    """The names of its variables, and the folder it runs in."""
    return json.dumps({"hookSpecificOutput": {"additionalContext": " ".join([os.getcwd(), *sorted(os.environ)])}})


@server.tool(structured_output=False)
def fail(text: str) -> str:
    """An error."""
    raise ValueError(text)


@server.tool(structured_output=False)
def hang(pid_file: str) -> str:
    """Never, with a child that does not end either."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    with open(pid_file, "w") as file:
        file.write(f"{os.getpid()} {child.pid}")
    time.sleep(600)
    return ""


@server.tool(structured_output=False)
def leave(pid_file: str) -> str:
    """An answer, and a child that stays."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    with open(pid_file, "w") as file:
        file.write(f"{os.getpid()} {child.pid}")
    return "{}"


@server.tool(structured_output=False)
def flood() -> str:
    """A line without an end."""
    while True:
        os.write(OUTPUT, b"x" * 65536)


@server.tool(structured_output=False)
def rubbish() -> str:
    """Lines that are no messages, and then an answer."""
    os.write(OUTPUT, b"hello\n[1]\n{}\n\xff\xfe\n" * 100)
    return '{"decision": "block", "reason": "heard through the noise"}'


@server.tool(structured_output=False)
def die() -> str:
    """Nothing."""
    os._exit(3)


@server.tool(structured_output=False)
async def header(name: str, context: Context) -> str:
    """A header of the request."""
    request = context.request_context.request
    return json.dumps({"decision": "block", "reason": request.headers.get(name, "none")})


if __name__ == "__main__":
    if sys.argv[1:2] == ["http"]:
        server.run(transport="streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
    else:
        server.run(transport="stdio")
