"""Settings files of other agents, tier by tier, each read once: where they lie, and which of their plugins run.

Files are looked for below the user's home as the user database tells it, and in the project the agent was started in;
variables of the environment name no place (law L6).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from ostiary.foreign import AGENTS, AgentName, Origin, Server, servers
from ostiary.foreign.switches import Switches, document, read
from ostiary.problems import Problem
from ostiary.records import NamedTuple, replace
from ostiary.sources.discover import FOREIGN, OWN, Source, checked, read_all
from ostiary.sources.files import exists
from ostiary.sources.looks import realpath
from ostiary.sources.places import Managed, Places
from ostiary.sources.plugins import MANIFEST, Plugin, afk_plugins, claude_plugins, json_in, names_in
from ostiary.sources.roots import Roots

MANAGED: Final = {
    "darwin": "/Library/Application Support/ClaudeCode",
    "win32": "C:\\Program Files\\ClaudeCode",
}.get(sys.platform, "/etc/claude-code")
"""Where Claude Code's managed settings lie."""

_WANTED: Final = ("hooks", "enableShellHooks", "allowProjectHooks", "enablePluginHooks")
"""Keys of which a file of a project or plugin must have one to be looked at: most of these files hold no hooks."""


class Where(NamedTuple):
    """Where settings files are looked for: the user's home (None: not known), the folders of the project that the agent
    was started in (its root, then that folder itself), and Claude Code's managed place."""

    home: str | None
    project: tuple[str, ...]
    managed: Managed = Managed(MANAGED)


def where(places: Places, roots: Roots, start: str | None) -> Where:
    """Where the settings files of an agent that was started in the folder `start` are looked for."""
    project = (roots.start, realpath(start)) if roots.start and start else ()
    return Where(places.home, tuple(dict.fromkeys(project)))


class Found(NamedTuple):
    """The settings files that were found, in the order of the walk, and what their owner should know besides."""

    sources: tuple[Source, ...] = ()
    problems: tuple[Problem, ...] = ()


def discover_foreign(agents: Iterable[AgentName], where: Where) -> Found:
    """The settings files of these agents. A file that lies in two places comes once, as what it is first."""
    wanted = set(agents)
    first: dict[str, Source] = {}
    for agent in AGENTS:
        for source in _DISCOVER[agent](where) if agent in wanted else ():
            first.setdefault(realpath(source.path), source)
    return Found(tuple(first.values()), tuple(_strays(where)) if "afk" in wanted else ())


def _claude(where: Where) -> Iterator[Source]:
    """Managed settings switch off everything below them, the user's what is below those, and a project nothing but its
    own file."""
    managed = tuple(_managed(where.managed))
    user = tuple(read_all(_own(where, Origin("claude-code", "user", base="~/.claude/"), _CLAUDE_USER), OWN))
    above, own = _switches(managed), _switches(user)
    urls = _urls((*above, *own))
    off = f"`disableAllHooks` in {where.managed.path}" if any(one.off for one in above) else ""
    only = f"`allowManagedHooksOnly` in {where.managed.path}" if any(one.managed_only for one in above) else ""
    users = "`disableAllHooks` in the user's settings" if any(one.off for one in own) else ""
    yield from (_said(source, off, urls, where) for source in managed)
    yield from (_said(source, off or only, urls, where) for source in user)
    plugins = claude_plugins(where.home, where.project, own, above)
    for files in (_project(where, "claude-code", _CLAUDE_PROJECT), _plugins("claude-code", plugins)):
        for source in filter(_matters, read_all(files, FOREIGN)):
            yield _said(source, off or only or users, urls, where)


_CLAUDE_USER: Final = (".claude/settings.json",)
_CLAUDE_PROJECT: Final = (".claude/settings.json", ".claude/settings.local.json")


def _afk(where: Where) -> Iterator[Source]:
    user = tuple(read_all(_own(where, Origin("afk", "user"), _AFK_USER), OWN))
    yield from user
    yield from filter(_matters, read_all(_project(where, "afk", _AFK_PROJECT), FOREIGN))
    switches = _switches(user)
    for source in filter(_matters, read_all(_plugins("afk", afk_plugins(where.home)), FOREIGN)):
        assert source.origin
        name = source.origin.plugin
        disabled = tuple(item for one in switches for item in one.disabled.get(name, ()))
        passed = tuple(dict.fromkeys(item for one in switches for item in one.passed.get(name, ())))
        yield replace(source, origin=source.origin._replace(disabled=disabled, passed=passed))


_AFK_USER: Final = (".afk/config/afk.config.json", ".afk/config/settings.json")
_AFK_PROJECT: Final = ("afk.config.json", ".afk/settings.json")

_DISCOVER: Final[Mapping[AgentName, Callable[[Where], Iterator[Source]]]] = {"claude-code": _claude, "afk": _afk}


def _own(where: Where, origin: Origin, names: tuple[str, ...]) -> Iterator[Source]:
    for name in names if where.home else ():
        path = os.path.join(where.home or "", *name.split("/"))
        yield _source(origin, path, path, OWN.file)


def _managed(managed: Managed) -> Iterator[Source]:
    """Managed settings. A file that others than administrators can write is broken."""
    folder = os.path.join(managed.path, "managed-settings.d")
    more = [os.path.join(folder, name) for name in names_in(folder) if name.endswith(".json")]
    paths = [os.path.join(managed.path, "managed-settings.json"), *more]
    origin = Origin("claude-code", "managed")
    for source in read_all((_source(origin, path, path, OWN.file) for path in paths), OWN):
        yield checked(source, managed)


def _project(where: Where, agent: AgentName, names: tuple[str, ...]) -> Iterator[Source]:
    """The files of the project. Links must not lead out of it."""
    for folder in where.project:
        for name in names:
            root, path = where.project[0], os.path.join(folder, *name.split("/"))
            label = os.path.relpath(path, root).replace(os.sep, "/")
            found = _source(Origin(agent, "project", folder), path, label, FOREIGN.file)
            yield replace(found, within=(root,), root=root, reviewable=True)


def _plugins(agent: AgentName, plugins: Iterable[Plugin]) -> Iterator[Source]:
    for plugin in plugins:
        origin = Origin(agent, "plugin", plugin.root, plugin=plugin.name)
        for path in plugin.files:
            yield replace(_source(origin, path, path, FOREIGN.file), within=(plugin.root,))


def _source(origin: Origin, path: str, label: str, limit: int) -> Source:
    folder = realpath(os.path.dirname(path))
    return Source(
        tier=origin.tier,
        path=path,
        label=label,
        folder=folder,
        within=(),
        limit=limit,
        holds="hooks",
        origin=origin,
    )


def _switches(sources: tuple[Source, ...]) -> tuple[Switches, ...]:
    return tuple(read(source.raw) for source in sources if source.raw is not None)


def _said(source: Source, off: str, urls: tuple[str, ...] | None, where: Where) -> Source:
    """The source with what other files say about it."""
    assert source.origin
    names = source.raw is not None and _NAMES_SERVERS in source.raw
    servers = tuple(_servers(source, source.origin, where)) if names else ()
    return replace(source, origin=source.origin._replace(off=off, urls=urls, servers=servers))


_NAMES_SERVERS: Final = b"mcp_tool"


def _servers(source: Source, origin: Origin, where: Where) -> Iterator[Server]:
    """The servers that hooks of a file may name: those that its own tier configures. A project decides nothing for its
    user's hooks, and neither it nor a plugin gets the user's servers, which may hold credentials."""
    if source.tier == "plugin":
        for name in (".mcp.json", MANIFEST):
            yield from servers.read(json_in(os.path.join(origin.folder, name), (origin.folder,)), origin.folder)
    elif source.tier == "project":
        root = source.root or ""
        yield from servers.read(json_in(os.path.join(root, ".mcp.json"), (root,)))
    elif source.tier == "managed":
        yield from servers.read(json_in(os.path.join(where.managed.path, "managed-mcp.json")))
    else:
        yield from servers.read(json_in(os.path.join(where.home or "", ".claude.json")))


def _urls(switches: tuple[Switches, ...]) -> tuple[str, ...] | None:
    lists = [one.urls for one in switches if one.urls is not None]
    return tuple(dict.fromkeys(url for urls in lists for url in urls)) if lists else None


def _matters(source: Source) -> bool:
    """Whether a file may hold hooks, or cannot be read."""
    found = document(source.raw) if source.raw is not None else {}
    return not found or any(key in found for key in _WANTED)


def _strays(where: Where) -> Iterator[Problem]:
    """Files that look like afk's settings and are none."""
    path = os.path.join(where.home or "", ".afk", "settings.json")
    if where.home and exists(path):
        message = "afk does not read this file, so its hooks do not run"
        yield Problem(path, 0, 0, "", message, "move them to `~/.afk/config/settings.json`", "warning")
