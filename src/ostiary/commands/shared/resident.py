"""The resident service, for verbs that people type."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeVar

from ostiary import client
from ostiary.commands.shared.exits import Refused
from ostiary.commands.shared.world import places
from ostiary.explain import ServiceStatus
from ostiary.install import Service
from ostiary.service.address import NoAddress, address, addresses
from ostiary.service.asking import ask
from ostiary.service.protocol import Malformed
from ostiary.service.starting import CLEAN, command
from ostiary.service.web.entrance import forget_token, token_file
from ostiary.sources.places import NoPlace, find_places
from ostiary.sources.settings import NAME

T = TypeVar("T")

_SECONDS: Final = 15.0  # a service that ends answers first
_PAUSE: Final = 0.05


def registered(config_dir: str | None) -> Service | None:
    """What asks the service of a folder of policy (absolute; None: the usual one), None where there can be none."""
    try:
        socket = address(find_places(config_dir), config_dir)
    except (NoAddress, NoPlace):
        return None
    return Service(_client(), socket)


def _client() -> tuple[str, ...]:
    """What starts the fastest client that is here: the one that wheels for this system bring, else Python's."""
    native = os.path.join(sysconfig.get_path("scripts"), "ostiary-client")
    if os.path.isfile(native) and os.access(native, os.X_OK):
        return (native,)
    return (sys.executable, "-I", "-S", os.path.join(os.path.dirname(os.path.abspath(client.__file__)), "client.py"))


def web(config_dir: str | None) -> str:
    """The address at which the service answers HTTP; it is started if none runs. Raises `Refused` where it does not."""
    if status(config_dir) is None:
        begin(config_dir)
    found = status(config_dir)
    http = found.http if found else {}
    if http.get("address"):
        return str(http["address"])
    where = os.path.join(places(config_dir).user, NAME)
    why = http.get("problem") or f"`http: {{listen: true}}` in {where} turns it on, `ostiary restart` makes it act"
    raise Refused(f"the service does not answer HTTP: {why}")


def token(config_dir: str | None) -> str:
    """The file of the token of the service."""
    return token_file(places(config_dir).state)


def renew_token(config_dir: str | None) -> str:
    """Takes the token of the service away, so that the next one makes another; the file that will hold it. Raises
    `Refused`."""
    try:
        forget_token(places(config_dir).state)
    except OSError as error:
        raise Refused(f"the token cannot be removed: {error.strerror}") from None
    return token(config_dir)


def status(config_dir: str | None) -> ServiceStatus | None:
    """What the service says of itself, None if none runs or it does not answer."""
    for path in _paths(config_dir):
        with suppress(OSError, Malformed, KeyError, TypeError):
            if said := ask(path, "status"):
                numbers = said["pid"], said["seconds"], said["calls"], said["milliseconds"]
                return ServiceStatus(*numbers, said["http"], said["watcher"], tuple(said["reloads"]))
    return None


def end(config_dir: str | None) -> list[int]:
    """Ends the service and waits for it; its processes. Raises `Refused` where it does not."""
    ended: list[int] = []
    for path in _paths(config_dir):
        if said := _asked(path, "stop"):
            _until(partial(_gone, path), f"the service at {path} does not end")
            ended.append(int(said["pid"]))
    return ended


def begin(config_dir: str | None) -> int:
    """Starts the service and waits until it answers; its process. Raises `Refused` where it does not."""
    named = _absolute(config_dir)
    try:
        path = address(places(config_dir), named)
    except NoAddress as error:
        raise Refused(str(error)) from None
    null = subprocess.DEVNULL
    subprocess.Popen(  # noqa: S603 our own program, by its full name
        command(named, path), env=CLEAN, cwd="/", stdin=null, stdout=null, stderr=null, start_new_session=True
    )
    said = _until(lambda: _asked(path, "status"), "the service does not start; `ostiary serve` tells why")
    return int(said["pid"])


def _paths(config_dir: str | None) -> tuple[str, ...]:
    return addresses(places(config_dir), _absolute(config_dir))


def _absolute(config_dir: str | None) -> str | None:
    return os.path.abspath(config_dir) if config_dir else None


def _asked(path: str, word: str) -> dict[str, Any] | None:
    try:
        return ask(path, word)
    except (OSError, Malformed) as error:
        raise Refused(f"whatever listens at {path} does not answer: {error}") from None


def _gone(path: str) -> bool:
    return not os.path.lexists(path)


def _until(happens: Callable[[], T | None], otherwise: str) -> T:
    end = time.monotonic() + _SECONDS
    while not (found := happens()):
        if time.monotonic() > end:
            raise Refused(otherwise)
        time.sleep(_PAUSE)
    return found
