"""Scripts that package managers take from `package.json`."""

from __future__ import annotations

import json
from typing import Final

from ostiary.programs import Arguments
from ostiary.records import NamedTuple

_OWN: Final = frozenset({"test", "start", "stop", "restart"})
_INSTALLING: Final = frozenset({"install", "ci", "rebuild"})
_PREPARE: Final = ("preprepare", "prepare", "postprepare")
_LIFECYCLE: Final = ("preinstall", "install", "postinstall", "prepublish", *_PREPARE)
_PACKING: Final = ("prepack", *_PREPARE, "postpack")
_STOPPING: Final = ("prestop", "stop", "poststop", "prerestart")
_TESTING: Final = (*_LIFECYCLE, "pretest", "test", "posttest")
_FURTHER: Final = {
    "restart": (*_STOPPING, "restart", "postrestart", "prestart", "start", "poststart"),
    "publish": ("prepublishOnly", *_PACKING, "publish", "postpublish"),
    "pack": _PACKING,
    "version": ("preversion", "version", "postversion"),
    **dict.fromkeys(("it", "install-test", "cit", "clean-install-test", "sit"), _TESTING),
}
_ANY: Final = "*"


class Script(NamedTuple):
    """A script's name and text, and the line it stands on."""

    name: str
    text: str
    line: int


def run_scripts(given: Arguments) -> tuple[str, ...]:
    """The names of the scripts that a package manager runs, in order; those with `pre` and `post` may be missing."""
    if given.data is None:
        return ()
    manager, *path = given.data.path
    command = path[0] if path else ""
    name = ""
    if not command and given.subcommand and manager == "npm":
        command = given.subcommand[0]
    if command in _FURTHER:
        return _FURTHER[command]
    if command == "run":
        name = (given.operands[0].text or _ANY) if given.operands else ""
    elif command in _OWN and not (manager == "bun" and command == "test"):
        name = command
    elif command in _INSTALLING or (manager == "yarn" and not given.subcommand and not given.operands):
        return _LIFECYCLE if not any("--ignore-scripts" in used.names for used in given.options) else ()
    elif given.subcommand and manager in ("yarn", "pnpm", "bun"):
        name = given.subcommand[0]
    return (f"pre{name}", name, f"post{name}") if name else ()


def scripts(text: str, names: tuple[str, ...]) -> list[Script] | None:
    """The scripts of these names in the text of a `package.json`; None of one that is damaged."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    held = value.get("scripts") if isinstance(value, dict) else None
    given = held if isinstance(held, dict) else {}
    wanted = given if _ANY in names else names
    return [_script(text, name, given[name]) for name in wanted if isinstance(given.get(name), str)]


def _script(text: str, name: str, held: str) -> Script:
    place = text.find(json.dumps(name, ensure_ascii=False), max(text.find('"scripts"'), 0))
    return Script(name, held, text.count("\n", 0, max(place, 0)) + 1)
