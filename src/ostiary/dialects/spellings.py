"""Folders and URLs as payloads spell them, brought to the one form that the rest reads. Pure: no file is looked at."""

from __future__ import annotations

import ntpath
import posixpath
from collections.abc import Mapping
from typing import Any, Final

from ostiary.dialects.base import ToolSpec
from ostiary.expressions import expression

_DRIVE: Final = expression(r"/([A-Za-z]:(?:[\\/]|$))")
_WINDOWS: Final = expression(r"[A-Za-z]:[\\/]|\\\\")
_URL: Final = expression(r"[A-Za-z][A-Za-z0-9+.\-]*://\S+")
_AFTER: Final = ".,;:!?'\"`)]}>"
"""Marks that end a sentence or a bracket, not a URL."""


def on_drive(folder: str) -> str:
    """A folder of Windows without the slash that a URL's path has before the drive; any other one as it is."""
    return _DRIVE.sub(r"\1", folder, count=1) if _DRIVE.match(folder) else folder


def below(base: str | None, folder: str) -> str | None:
    """A folder that a call names, absolute; None where it is relative to one that is not known. Nothing is expanded:
    agents hand it to the system, not to a shell."""
    if _WINDOWS.match(folder) or (base and _WINDOWS.match(base)):
        path = ntpath.normpath(ntpath.join(base or "", folder))
        return path if _WINDOWS.match(path) else None
    path = posixpath.normpath(posixpath.join(base or "", folder))
    return path if path.startswith("/") else None


def workdir(tool: ToolSpec | None, arguments: Mapping[str, Any], cwd: str | None) -> str | None:
    """The folder in which a call runs: the one that its arguments name, else the event's. None where they name
    several, or none that can be read."""
    found = [arguments[name] for name in (tool.workdir if tool else ()) if arguments.get(name) not in (None, "")]
    if not found:
        return cwd
    return below(cwd, found[0]) if isinstance(found[0], str) and all(name == found[0] for name in found) else None


def with_urls(tool: ToolSpec | None, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """The canonical arguments with the URLs in the tool's text as `url`: one as a text, several as a tuple."""
    text = arguments.get(tool.urls) if tool and tool.urls else None
    found = [url.rstrip(_AFTER) for url in _URL.findall(text)] if isinstance(text, str) else []
    named = arguments.get("url")
    if not found or not (named is None or isinstance(named, str)):
        return arguments
    urls = tuple(dict.fromkeys([*([named] if named else []), *found]))
    return {**arguments, "url": urls[0] if len(urls) == 1 else urls}


def without_urls(tool: ToolSpec | None, sent: Mapping[str, Any], read: Mapping[str, Any], new: Any) -> Any:
    """New canonical arguments without the URLs that `with_urls` added to the ones that were read; None where they were
    changed, since they stand in the tool's text."""
    if not tool or not tool.urls or read.get("url") == sent.get("url"):
        return new
    if _listed(new.get("url")) != _listed(read.get("url")):
        return None
    rest = {key: value for key, value in new.items() if key != "url"}
    return {**rest, "url": sent["url"]} if "url" in sent else rest


def _listed(urls: Any) -> Any:
    return list(urls) if isinstance(urls, tuple) else urls
