"""Whether the service answers on a port, and with which token: what settings say, and what the state folder keeps."""

from __future__ import annotations

import os
import secrets
import socket
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from ostiary.records import NamedTuple
from ostiary.service.stamps import Stamp, stamp
from ostiary.service.web.heads import LOOPBACK, Door
from ostiary.sources.compiling import compile_source
from ostiary.sources.desk import Desk
from ostiary.sources.files import Unreadable
from ostiary.sources.places import Places
from ostiary.sources.private import read_private, write_private
from ostiary.sources.roots import find_roots
from ostiary.sources.settings import NAME, load_settings

if sys.platform != "win32":
    import pwd

_TOKEN: Final = "token"
_PORT: Final = "port"
_LIMIT: Final = 256
_BYTES: Final = 32
_BACKLOG: Final = 128

# Where people begin among the users, and where they end (`login.defs` of Linux; macOS begins at 501).
_PEOPLE: Final = range(501 if sys.platform == "darwin" else 1000, 60_000)
_CLOSED: Final = ("nologin", "false", "sync", "halt", "shutdown")
_SESSIONS: Final = "/run/user"


class Entrance(NamedTuple):
    """Where the service answers HTTP besides its socket. `wanted`: settings say that it does; `problem` says why it
    does not, empty if it does or is not wanted. `files` are the settings that say so."""

    wanted: bool
    door: Door
    problem: str
    files: tuple[str, ...]

    @property
    def address(self) -> str:
        """Its URL, empty where it has no port."""
        return f"http://{LOOPBACK}:{self.door.port}" if self.door.port else ""

    def stamps(self) -> tuple[Stamp, ...]:
        """What tells those files from others at their places."""
        return tuple(map(stamp, self.files))


def entrance(places: Places) -> Entrance:
    """The entrance as settings say now; its port is 0 where it still has to be chosen."""
    files = (os.path.join(places.user, NAME), os.path.join(places.managed.path, NAME))
    said = load_settings(Desk(places, compile_source), find_roots(None)).http
    if not said.listen:
        return Entrance(False, Door(), "", files)
    others = () if said.shared_host else others_here()
    if others:
        why = f"other users share this machine ({', '.join(others)}), and settings do not say `shared_host: true`"
        return Entrance(True, Door(), why, files)
    try:
        return Entrance(True, Door(said.port or _port(places.state), token(places.state)), "", files)
    except (OSError, Unreadable) as error:
        return Entrance(True, Door(), f"there can be no token: {error}", files)


def listen(wanted: Entrance, state: str) -> tuple[Entrance, socket.socket | None]:
    """The entrance with a socket that listens there, None where none can."""
    if wanted.problem or not wanted.wanted:
        return wanted, None
    # That it is TCP has to be said: asyncio has only such a socket send what it has at once.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((LOOPBACK, wanted.door.port))
        listening.listen(_BACKLOG)
        port = listening.getsockname()[1]
        if not wanted.door.port:
            write_private(_file(state, _PORT), str(port).encode())
    except (OSError, Unreadable) as error:
        listening.close()
        reason = error.strerror.lower() if isinstance(error, OSError) and error.strerror else str(error)
        where = f"port {wanted.door.port}" if wanted.door.port else "a port"
        return wanted._replace(problem=f"{where} of {LOOPBACK} cannot be had: {reason}"), None
    return wanted._replace(door=wanted.door._replace(port=port)), listening


def token(state: str) -> str:
    """The token, made where there is none. Raises OSError or `Unreadable`."""
    path = _file(state, _TOKEN)
    found = (read_private(path, _LIMIT) or b"").decode("ascii", "replace").strip()
    if not found:
        found = secrets.token_urlsafe(_BYTES)
        write_private(path, f"{found}\n".encode(), durable=True)
    return found


def token_file(state: str) -> str:
    """The file of the token."""
    return _file(state, _TOKEN)


def forget_token(state: str) -> None:
    """Takes the token away; the next one that is asked for is another one. Raises OSError."""
    with suppress(FileNotFoundError):
        os.unlink(_file(state, _TOKEN))


def others_here() -> tuple[str, ...]:
    """The other people who have an account here, or are logged in."""
    if sys.platform == "win32":
        return ()
    accounts = ((one.pw_uid, one.pw_name, one.pw_shell) for one in pwd.getpwall())
    return others(accounts, _logged_in(), os.geteuid())


def others(accounts: Iterable[tuple[int, str, str]], logged_in: Iterable[int], own: int) -> tuple[str, ...]:
    """Names of the people among accounts (user, name, shell) who are not the `own` user and can log in, and users who
    did, by number where no account says their name."""
    known = {
        user: name
        for user, name, shell in accounts
        if user in _PEOPLE and user != own and os.path.basename(shell) not in _CLOSED
    }
    found = {user: str(user) for user in logged_in if user not in (0, own)}
    return tuple(dict.fromkeys((found | known).values()))


def _logged_in() -> list[int]:
    try:
        return [int(name) for name in os.listdir(_SESSIONS) if name.isdigit()]
    except OSError:
        return []


def _port(state: str) -> int:
    """The port that was chosen once, 0 if none was."""
    found = (read_private(_file(state, _PORT), _LIMIT) or b"").decode("ascii", "replace")
    return int(found) if found.isdigit() else 0


def _file(state: str, name: str) -> str:
    return os.path.join(state, "http", name)
