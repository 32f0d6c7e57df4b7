"""Finding agents on this machine, and what their files register."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from typing import Final

from ostiary.commands.shared.world import LIMIT
from ostiary.dialects import DIALECTS, Dialect, OnError
from ostiary.dialects.base import Place
from ostiary.install.diagnosis import Hiding, Installation, Machine, ProgramState
from ostiary.install.inspect import File, Hook, hooks
from ostiary.install.json_text import JsonTextError, value
from ostiary.install.surroundings import CONTAINER_MARKS, Surroundings
from ostiary.sources import failing
from ostiary.sources.account import account
from ostiary.sources.files import Unreadable, read

PLATFORMS: Final = {"linux": "linux", "darwin": "macos", "win32": "windows"}
_KERNEL: Final = "/proc/version"


def home() -> str | None:
    """The user's home folder, None where the user database tells none."""
    user = account()
    return user.home if user else None


def here(dialect: Dialect) -> Iterator[Place]:
    """The registration files of this system."""
    platform = PLATFORMS.get(sys.platform, "linux")
    return (place for place in dialect.registration.places if place.platform in ("any", platform))


def located(place: Place, project: str) -> str | None:
    """The absolute path of a registration file, None if it is in a home folder that there is none of."""
    anchor = {"home": home(), "project": project, "/": ""}[place.anchor]
    if anchor is None:
        return None
    return os.path.join(anchor, *place.path.split("/")) if anchor else os.path.normpath(place.path)


def signs(dialect: Dialect) -> tuple[str, ...]:
    """The programs and folders that show that the agent is used here."""
    programs = filter(None, map(shutil.which, dialect.programs))
    base = home()
    folders = (os.path.join(base, *folder.split("/")) for folder in _folders(dialect)) if base else ()
    return (*programs, *filter(os.path.isdir, folders))


def _folders(dialect: Dialect) -> tuple[str, ...]:
    users = (place.path for place in here(dialect) if place.scope == "user" and place.anchor == "home")
    return dialect.folders or tuple(dict.fromkeys(path.rpartition("/")[0] for path in users if "/" in path))


def found_here() -> tuple[str, ...]:
    """The agents that show on this machine, in the order of the registry."""
    return tuple(name for name, dialect in DIALECTS.items() if signs(dialect))


def installation(dialect: Dialect, project: str) -> Installation:
    """Everything that is known of an agent here."""
    files: list[File] = []
    registered: list[Hook] = []
    broken: list[tuple[str, str]] = []
    for path, scope in _paths(dialect, project):
        try:
            file = File(path, scope, read(path, LIMIT).decode("utf-8"))
            registered += hooks(dialect, file)
            files.append(file)
        except FileNotFoundError:
            continue
        except (Unreadable, UnicodeDecodeError, JsonTextError) as error:
            broken.append((path, "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)))
    hiding = tuple(found for file in files if (found := _hiding(dialect, file.path)))
    return Installation(
        dialect, signs(dialect), tuple(files), tuple(registered), tuple(broken), _accepted(dialect), hiding
    )


def _hiding(dialect: Dialect, path: str) -> Hiding | None:
    """The file beside a registration file that takes its place, None if there is none or it cannot be read."""
    for name in dialect.registration.hidden_by:
        beside = os.path.join(os.path.dirname(path), *name.split("/"))
        if not os.path.exists(beside):
            continue
        try:
            found = value(read(beside, LIMIT).decode("utf-8"), ())
        except (OSError, Unreadable, UnicodeDecodeError, JsonTextError):
            return None
        return Hiding(beside, path, frozenset(found if isinstance(found, dict) else ()))
    return None


def _paths(dialect: Dialect, project: str) -> Iterator[tuple[str, str]]:
    for place in here(dialect):
        path = located(place, project)
        for name in dialect.registration.scripts.values() or ("",):
            if path is not None:
                yield os.path.join(path, name) if name else path, place.scope


def _accepted(dialect: Dialect) -> str | None:
    base = home()
    if dialect.accepted is None or base is None:
        return None
    try:
        return read(os.path.join(base, *dialect.accepted[0].split("/")), LIMIT).decode("utf-8", "replace")
    except (FileNotFoundError, Unreadable):
        return None


def machine(installations: Iterable[Installation]) -> Machine:
    """What the checks ask about this machine."""
    hooks_of = [hook for found in installations for hook in found.ours if hook.words]
    started = {program for hook in hooks_of for program in (hook.interpreter, hook.path)}
    started |= {hook.service.client[-1] for hook in hooks_of if hook.service}
    return Machine(
        python=sys.executable,
        programs={program: program_state(program) for program in started},
        agents=frozenset(found_here()),
        known_user=account() is not None,
        on_errors={folder: _on_error(folder) for folder in {hook.config_dir for hook in hooks_of}},
    )


def _on_error(config_dir: str | None) -> OnError:
    """What the hook finds in its settings; it takes no folder that is named by a relative path."""
    return "deny" if config_dir is not None and not os.path.isabs(config_dir) else failing.on_error(config_dir)


def program_state(program: str) -> ProgramState:
    """Whether a program can be started."""
    if not os.path.isfile(program):
        return "missing"
    return "good" if os.access(program, os.X_OK) else "not executable"


def surroundings() -> Surroundings:
    """What the system says about itself."""
    try:
        kernel = read_kernel()
    except OSError:
        kernel = ""
    return Surroundings(
        system=sys.platform,
        kernel=kernel,
        marks=tuple(filter(os.path.exists, CONTAINER_MARKS)),
        env=os.environ,
        user_id=_user_id(),
        known_user=account() is not None,
    )


def _user_id() -> int | None:
    if sys.platform == "win32":
        return None
    return os.getuid()


def read_kernel() -> str:
    """The kernel's own name, empty on systems without one to read. Raises OSError."""
    if not sys.platform.startswith("linux"):
        return ""
    with open(_KERNEL, encoding="utf-8", errors="replace") as file:
        return file.read()
