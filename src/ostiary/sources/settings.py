"""`settings.yaml`: the gates that let handlers of the user, of projects and of plugins run (law L6).

Only managed and user settings are read; what managed settings say, user settings cannot change.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from ostiary.document import load
from ostiary.problems import PolicyError, Problem
from ostiary.records import NamedTuple, dataclass
from ostiary.sources.discover import OWN
from ostiary.sources.files import Unreadable, exists, read
from ostiary.sources.owners import wrong
from ostiary.sources.places import Places
from ostiary.sources.roots import Roots

NAME: Final = "settings.yaml"


class SettingsFile(BaseModel):
    """A settings file. A gate that is left out says nothing; one is open only where its value is exactly `true`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    enable_shell_hooks: StrictBool | None = Field(
        default=None, description="Command handlers of user and project rules may run."
    )
    allow_project_hooks: StrictBool | None = Field(
        default=None, description="Handlers of reviewed project rules may run."
    )
    enable_plugin_hooks: StrictBool | None = Field(default=None, description="Handlers of plugins may run.")


@dataclass(frozen=True, slots=True)
class Gates:
    """Which gates are open; all are closed unless a settings file opens them."""

    enable_shell_hooks: bool = False
    allow_project_hooks: bool = False
    enable_plugin_hooks: bool = False


class Settings(NamedTuple):
    """The gates, and what is wrong with the files that set them."""

    gates: Gates
    problems: tuple[Problem, ...]


def load_settings(places: Places, roots: Roots) -> Settings:
    """The settings that act. A file that is broken opens nothing, and a broken managed one keeps all gates closed."""
    problems = list(_refused(roots))
    files: list[SettingsFile] = []
    for folder in (places.managed.path, places.user):
        try:
            files.append(_file(os.path.join(folder, NAME), places))
        except PolicyError as error:
            problems += error.problems
            files.append(_CLOSED)
    return Settings(Gates(**{gate: _open(gate, files) for gate in SettingsFile.model_fields}), tuple(problems))


_CLOSED: Final = SettingsFile(enable_shell_hooks=False, allow_project_hooks=False, enable_plugin_hooks=False)


def _open(gate: str, files: list[SettingsFile]) -> bool:
    """What the first file that says anything about a gate says."""
    said = (getattr(file, gate) for file in files)
    return next((value for value in said if value is not None), False)


def _file(path: str, places: Places) -> SettingsFile:
    """One settings file; an absent one says nothing. Raises `PolicyError`."""
    managed = path.startswith(places.managed.path)
    reason = wrong(places.managed, path) if managed and exists(path) else ""
    try:
        if reason:
            raise Unreadable(reason)
        return load(read(path, OWN.file), SettingsFile, path)[0]
    except FileNotFoundError:
        return SettingsFile()
    except Unreadable as error:
        raise PolicyError([Problem(path, 0, 0, "", str(error))]) from None


def _refused(roots: Roots) -> Iterator[Problem]:
    for folder in roots.folders:
        path = os.path.join(folder.path, NAME)
        if exists(path):
            message = "a project cannot set gates, and this file is not read"
            yield Problem(path, 0, 0, "", message, "gates are set in user or managed settings", "warning")
