"""Plugins of other agents that are installed and switched on: their names, folders and files of hooks.

A folder is a plugin only with a manifest, `.claude-plugin/plugin.json`; afk takes that one too. Links are followed, and
a folder that several lead to counts once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from ostiary.foreign.switches import Switches, document
from ostiary.records import NamedTuple
from ostiary.sources.files import Unreadable, exists, inside, read
from ostiary.sources.looks import isdir, listdir, realpath

MANIFEST: Final = os.path.join(".claude-plugin", "plugin.json")
"""A plugin's manifest, from its folder."""
_HOOKS: Final = os.path.join("hooks", "hooks.json")
_BYTES: Final = 16 << 20
_DEPTH: Final = 5
_FOLDERS: Final = 2_000
"""Folders below afk's that are looked at."""


class Plugin(NamedTuple):
    """A plugin: the name in its manifest, its resolved folder, and those of its files that hold hooks."""

    name: str
    root: str
    files: tuple[str, ...]


def claude_plugins(
    home: str | None, project: tuple[str, ...], user: Iterable[Switches], managed: Iterable[Switches]
) -> Iterator[Plugin]:
    """The plugins of Claude Code that are installed for the user or this project, and switched on by the user's
    settings or the managed ones; a project switches none on or off."""
    folder = os.path.join(home or "", ".claude", "plugins")
    index = _object(json_in(os.path.join(folder, "installed_plugins.json")).get("plugins")) if home else {}
    above = {name: on for one in managed for name, on in one.plugins.items()}
    on = {name: on for one in user for name, on in one.plugins.items()} | above
    roots = [
        realpath(path)
        for name, entries in index.items()
        if on.get(name)
        for entry in (entries if isinstance(entries, list) else [entries])
        if (path := _installed(_object(entry), project))
    ]
    for root in dict.fromkeys(roots):
        yield from _plugin(root)


def _installed(entry: Mapping[str, Any], project: tuple[str, ...]) -> str:
    """The folder of an installation, empty for one that is another project's."""
    path, scope, only = (entry.get(key) for key in ("installPath", "scope", "projectPath"))
    if not isinstance(path, str) or not os.path.isabs(path):
        return ""
    if scope in ("project", "local"):
        return path if isinstance(only, str) and realpath(only) in map(realpath, project) else ""
    return path


def afk_plugins(home: str | None) -> Iterator[Plugin]:
    """The plugins below afk's folder. One that its index switches off does not run, nor does one that lies deeper than
    others (in what a marketplace keeps) and is not in the index."""
    top = os.path.join(home or "", ".afk", "plugins")
    if not home or not isdir(top):
        return
    index = _object(json_in(os.path.join(top, ".index.json")).get("plugins"))
    seen: set[str] = set()
    for path, depth in _below(top):
        root = realpath(path)
        if root in seen or not exists(os.path.join(root, MANIFEST)):
            continue
        seen.add(root)
        for plugin in _plugin(root):
            names = {os.path.basename(path), os.path.basename(root), plugin.name}
            if _enabled(index, names, installed=depth == 1):
                yield plugin


def _enabled(index: Mapping[str, Any], names: set[str], installed: bool) -> bool:
    entries = [entry for key, entry in index.items() if key in names or key.partition(":")[2] in names]
    if not entries:
        return installed
    return all(_object(entry).get("enabled") is True for entry in entries)


def _below(top: str) -> Iterator[tuple[str, int]]:
    """The folders below one, nearer ones first, with how deep they lie; none below a plugin."""
    waiting, count = [(top, 0)], 0
    while waiting:
        folder, depth = waiting.pop(0)
        for name in names_in(folder):
            path = os.path.join(folder, name)
            count += 1
            if count > _FOLDERS:
                return
            if name == ".git" or not isdir(path):
                continue
            yield path, depth + 1
            if depth + 1 < _DEPTH and not exists(os.path.join(path, MANIFEST)):
                waiting.append((path, depth + 1))


def names_in(folder: str) -> list[str]:
    """The names in a folder, sorted; none where it cannot be looked at."""
    try:
        return sorted(listdir(folder))
    except OSError:
        return []


def _plugin(root: str) -> Iterator[Plugin]:
    """The plugin in a folder, if it is one and has hooks: in the usual file, in those that its manifest names, or in
    the manifest itself."""
    manifest = os.path.join(root, MANIFEST)
    data = json_in(manifest)
    name = data.get("name")
    if not isinstance(name, str) or not name.strip():
        return
    said = data.get("hooks")
    named = [os.path.join(root, item) for item in (said if isinstance(said, list) else [said]) if isinstance(item, str)]
    paths = [os.path.join(root, _HOOKS), *named, *([manifest] if isinstance(said, dict) else [])]
    files = dict.fromkeys(path for path in map(os.path.normpath, paths) if inside(path, root) and exists(path))
    if files:
        yield Plugin(name.strip(), root, tuple(files))


def json_in(path: str, within: tuple[str, ...] = ()) -> Mapping[str, Any]:
    """The object in a JSON file, an empty one where that is no file which can be read."""
    try:
        return document(read(path, _BYTES, within))
    except (FileNotFoundError, Unreadable):
        return {}


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
