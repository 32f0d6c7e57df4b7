"""`settings.yaml`: the gates that let handlers of the user, of projects and of plugins run (law L6), and what agents
are told when Ostiary itself fails (law L7).

Only managed and user settings are read; what managed settings say, user settings cannot change.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from ostiary.dialects import OnError
from ostiary.document import load
from ostiary.policy import Gates
from ostiary.problems import PolicyError, Problem
from ostiary.records import NamedTuple
from ostiary.sources.discover import OWN
from ostiary.sources.files import Unreadable, exists, read
from ostiary.sources.owners import wrong
from ostiary.sources.places import NoPlace, Places, find_places
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
    on_error: OnError | None = Field(
        default=None,
        description="What a gate answers when Ostiary itself fails: `deny`, `ask` or `continue`, which leaves the call "
        "to the agent. Not the `on_error` of a rule, which is about its handler.",
    )


class Settings(NamedTuple):
    """The gates, what a gate answers when Ostiary itself fails, and what is wrong with the files that say so."""

    gates: Gates
    on_error: OnError
    problems: tuple[Problem, ...]


def load_settings(places: Places, roots: Roots) -> Settings:
    """The settings that act. A file that is broken says the strictest of everything that no file above it says."""
    files, problems = _files(places)
    return Settings(_gates(files), _on_error(files), (*_refused(roots), *problems))


def contract(config_dir: str | None) -> OnError:
    """What a gate answers when Ostiary itself fails; the strictest where the settings cannot be read. Raises nothing
    but what is wrong with this process."""
    try:
        return _on_error(_files(find_places(config_dir))[0])
    except NoPlace:
        return "deny"


def gates(config_dir: str | None) -> Gates:
    """Which gates are open; none where the settings cannot be read. Raises nothing but what is wrong with this
    process."""
    try:
        return _gates(_files(find_places(config_dir))[0])
    except NoPlace:
        return Gates()


_STRICTEST: Final = SettingsFile(
    enable_shell_hooks=False, allow_project_hooks=False, enable_plugin_hooks=False, on_error="deny"
)


def _files(places: Places) -> tuple[list[SettingsFile], list[Problem]]:
    """The files, the one that overrules the other first, and what is wrong with them."""
    found: list[SettingsFile] = []
    problems: list[Problem] = []
    for folder in (places.managed.path, places.user):
        try:
            found.append(_file(os.path.join(folder, NAME), places))
        except PolicyError as error:
            problems += error.problems
            found.append(_STRICTEST)
    return found, problems


def _on_error(files: list[SettingsFile]) -> OnError:
    said: OnError | None = _said(files, "on_error")
    return said or "deny"


def _gates(files: list[SettingsFile]) -> Gates:
    return Gates(**{gate.name: _said(files, gate.name) is True for gate in fields(Gates)})


def _said(files: list[SettingsFile], name: str) -> Any:
    """What the first file that says anything says."""
    said = (getattr(file, name) for file in files)
    return next((value for value in said if value is not None), None)


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
