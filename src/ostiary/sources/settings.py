"""What `settings.yaml` says: the gates that let handlers of the user, of projects and of plugins run, whose reviews
count (law L6), what agents are told when Ostiary itself fails (law L7), and what is recorded (law L11).

Only managed and user settings are read; what managed settings say, user settings cannot change.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from ostiary.dialects import OnError
from ostiary.policy import Gates, ModelPlan
from ostiary.problems import Problem
from ostiary.records import NamedTuple, replace
from ostiary.sources.desk import Desk, compiled
from ostiary.sources.discover import OWN, Source
from ostiary.sources.files import Unreadable, exists, read
from ostiary.sources.looks import realpath
from ostiary.sources.owners import wrong
from ostiary.sources.places import Managed
from ostiary.sources.record import Log
from ostiary.sources.roots import Roots
from ostiary.tiers import TierName

if TYPE_CHECKING:
    from ostiary.foreign import AgentName

NAME: Final = "settings.yaml"

TrustMode = Literal["user", "managed-only"]
"""Whose reviews count: those that users record with `ostiary trust`, or only the digests that managed settings list."""

Said = Mapping[str, Any]
"""What one settings file says, by key; what it leaves out is absent."""


GATES: Final = ("enable_shell_hooks", "allow_project_hooks", "enable_plugin_hooks")
"""The names of the gates."""


class Web(NamedTuple):
    """Whether the service answers HTTP on a port of this machine, on which (0: it chooses one), and whether it does so
    where others share the machine."""

    listen: bool = False
    port: int = 0
    shared_host: bool = False


class Settings(NamedTuple):
    """The settings that act, and what is wrong with the files that say so. `trusted` are digests (SHA-256, hex) of rule
    files that managed settings trust wherever they lie. `hooks_from` are the agents whose settings files are read for
    hooks, `models` those that judge. `removed` are managed files that were taken away on purpose. `log` is what the
    record keeps, `on_unrecordable` what a gate answers where an event cannot be recorded, `http` how the service is
    reached besides its socket. `managed` and `user` are what each file says."""

    gates: Gates
    on_error: OnError
    on_unrecordable: OnError
    log: Log
    http: Web
    trust: TrustMode
    trusted: frozenset[str]
    hooks_from: tuple[AgentName, ...]
    models: tuple[ModelPlan, ...]
    removed: frozenset[str]
    managed: Said
    user: Said
    problems: tuple[Problem, ...]


# A file that is broken says the strictest of everything that no file above it says.
_STRICTEST: Final[Said] = {
    **dict.fromkeys(GATES, False),
    "on_error": "deny",
    "on_unrecordable": "deny",
    "log": {"detail": "digest"},
    "http": {"listen": False},
    "trust": "managed-only",
}


def load_settings(desk: Desk, roots: Roots) -> Settings:
    """The settings that act. Raises `Miss` as `desk.compiled` does."""
    managed, wrong_managed = _said(_managed(desk.places.managed), desk)
    user, wrong_user = _said(_user(desk.places.user), desk)
    gates = Gates(**{gate: managed.get(gate, user.get(gate)) is True for gate in GATES})
    return Settings(
        gates,
        managed.get("on_error", user.get("on_error", "deny")),
        managed.get("on_unrecordable", user.get("on_unrecordable", "continue")),
        Log(**{**user.get("log", {}), **managed.get("log", {})}),
        _http(managed.get("http", {}), user.get("http", {})),
        managed.get("trust", "user"),
        frozenset(managed.get("trusted", ())),
        managed.get("hooks_from", user.get("hooks_from", ())),
        _models({"user": user, "managed": managed}),
        frozenset(managed.get("removed", ())),
        managed,
        user,
        (*_refused(roots), *wrong_managed, *wrong_user),
    )


def _http(managed: Said, user: Said) -> Web:
    """How the service is reached. Managed settings can forbid what users turn on, and turn nothing on."""
    listen = user.get("listen") is True and managed.get("listen") is not False
    shared = user.get("shared_host") is True and managed.get("shared_host") is not False
    return Web(listen, user.get("port", 0), shared)


def _models(files: Mapping[TierName, Said]) -> tuple[ModelPlan, ...]:
    """The models of these files. Of two with one name the last one is meant."""
    found = {
        name: ModelPlan(name, tier, *(said.get(key, "") for key in ModelPlan._fields[2:]))
        for tier, file in files.items()
        for name, said in file.get("models", {}).items()
    }
    return tuple(found.values())


def _said(source: Source, desk: Desk) -> tuple[Said, tuple[Problem, ...]]:
    """What a file says, and what is wrong with it; an absent one says nothing."""
    if source.problem:
        # Of a file that is not there, its folder is what is wrong, and `discover` tells that.
        return _STRICTEST, (source.problem,) if exists(source.path) else ()
    if source.raw is None:
        return {}, ()
    _, found = compiled(source, desk)
    return (_STRICTEST if found.settings is None else dict(found.settings)), found.problems


def _managed(managed: Managed) -> Source:
    path = os.path.join(managed.path, NAME)
    folder = realpath(managed.path)
    source = Source(tier="managed", path=path, label=path, folder=folder, within=(), limit=OWN.file, holds="settings")
    # That there is no file says nothing either where others can take it away.
    reason = wrong(managed, path if exists(path) else managed.path) if exists(managed.path) else ""
    return source.broken(reason) if reason else _read(source)


def _user(folder: str) -> Source:
    path = os.path.join(folder, NAME)
    return _read(Source(tier="user", path=path, label=path, folder=folder, within=(), limit=OWN.file, holds="settings"))


def _read(source: Source) -> Source:
    """The source with its bytes, without any if there is no file."""
    try:
        return replace(source, raw=read(source.path, source.limit))
    except FileNotFoundError:
        return source
    except Unreadable as error:
        return source.broken(str(error))


def _refused(roots: Roots) -> Iterator[Problem]:
    for folder in roots.folders:
        path = os.path.join(folder.path, NAME)
        if exists(path):
            message = "a project cannot set gates, and this file is not read"
            yield Problem(path, 0, 0, "", message, "gates are set in user or managed settings", "warning")
