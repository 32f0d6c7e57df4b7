"""The MCP servers that Claude Code is configured with, which `mcp_tool` hooks name without saying what they are.

Facts are of its page on MCP. A server whose configuration looks up variables is not known here, save for the folder of
a plugin: what an environment holds must not decide which program runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ostiary.foreign import Server

_PLUGIN: Final = "${CLAUDE_PLUGIN_ROOT}"
_HTTP: Final = ("http", "streamable-http")


def read(configuration: Mapping[str, Any], folder: str = "") -> Iterator[Server]:
    """The servers under `mcpServers`; `folder` is that of the plugin whose configuration it is."""
    listed = configuration.get("mcpServers")
    for name, entry in listed.items() if isinstance(listed, Mapping) else ():
        server = _server(name, _filled(entry, folder)) if isinstance(entry, Mapping) else None
        if server and "${" not in repr(server):
            yield server


def _filled(value: Any, folder: str) -> Any:
    """The value with the plugin's folder put in."""
    if isinstance(value, str):
        return value.replace(_PLUGIN, folder) if folder else value
    if isinstance(value, Mapping):
        return {key: _filled(item, folder) for key, item in value.items()}
    return [_filled(item, folder) for item in value] if isinstance(value, list) else value


def _server(name: str, entry: Mapping[str, Any]) -> Server | None:
    kind, command, url = entry.get("type", "stdio"), entry.get("command"), entry.get("url")
    arguments = entry.get("args", [])
    if kind == "stdio" and isinstance(command, str) and command and isinstance(arguments, list):
        words = (command, *arguments)
        environment = _texts(entry.get("env"))
        if environment is not None and all(isinstance(word, str) and "\0" not in word for word in words):
            return Server(name, words, environment)
    headers = _texts(entry.get("headers"))
    if kind in _HTTP and isinstance(url, str) and url.startswith(("https://", "http://")) and headers is not None:
        return Server(name, url=url, headers=headers)
    return None


def _texts(value: Any) -> tuple[tuple[str, str], ...] | None:
    """An object of texts as pairs, also where there is none; None for anything else."""
    if value is None:
        return ()
    fits = isinstance(value, Mapping) and all(isinstance(item, str) and "\0" not in item for item in value.values())
    return tuple(value.items()) if fits else None
