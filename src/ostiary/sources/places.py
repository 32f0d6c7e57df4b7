"""Where policy, state and cache lie on each system. From the user database or `--config-dir`, never the environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Final

from ostiary.records import NamedTuple, dataclass
from ostiary.sources.account import account

if sys.platform == "win32":
    from ostiary.sources import windows


class NoPlace(Exception):
    """The user's own folders cannot be told, and no `--config-dir` names others."""


@dataclass(frozen=True, slots=True)
class Managed:
    """The managed place: a folder, and the user ids that may own it and everything in it and above it. `top` is the
    folder from which down owners and modes are looked at, empty for the root of the file system."""

    path: str
    owners: frozenset[int] = frozenset({0})
    top: str = ""


def vouched(path: str | os.PathLike[str]) -> Managed:
    """A managed place named in code: who names it vouches for the folders above it."""
    found = os.path.abspath(path)
    return Managed(found, owners=frozenset({0, _user()}), top=found)


def _user() -> int:
    if sys.platform == "win32":
        return 0
    return os.geteuid()


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The folders of one installation, absolute: `user` holds the user's policy, `state` the trust store and last good
    plans, `cache` compiled plans, `packs` the rule files shipped with the package. `named`: `--config-dir` names the
    user's folder, so that it must be there. `home` is the user's own folder, None where the system tells none."""

    managed: Managed
    user: str
    state: str
    cache: str
    packs: str
    named: bool = False
    home: str | None = None


class Layout(NamedTuple):
    """Where one system keeps things; `{home}` and the like stand for folders that the system tells."""

    managed: str
    user: str
    state: str
    cache: str


# The FHS and the defaults of the XDG base directories; Apple's file system guide; Windows' known folders.
LAYOUTS: Final[Mapping[str, Layout]] = {
    "linux": Layout(
        managed="/etc/ostiary",
        user="{home}/.config/ostiary",
        state="{home}/.local/state/ostiary",
        cache="{home}/.cache/ostiary",
    ),
    "darwin": Layout(
        managed="/Library/Application Support/Ostiary",
        user="{home}/.config/ostiary",
        state="{home}/.local/state/ostiary",
        cache="{home}/Library/Caches/ostiary",
    ),
    "win32": Layout(
        managed="{programs}\\Ostiary\\policy",
        user="{roaming}\\ostiary",
        state="{local}\\ostiary",
        cache="{local}\\ostiary\\cache",
    ),
}


def find_places(config_dir: str | None = None, managed: Managed | None = None) -> Places:
    """The places of this user, or those below `config_dir` (absolute). Raises `NoPlace` where neither tells."""
    return place(LAYOUTS.get(sys.platform, LAYOUTS["linux"]), _folders(), config_dir, managed)


def place(
    layout: Layout, folders: Mapping[str, str], config_dir: str | None = None, managed: Managed | None = None
) -> Places:
    """The places of a layout with the system's folders put in. Raises `NoPlace` if a folder it needs is missing."""
    try:
        managed = managed or Managed(layout.managed.format_map(folders))
        if config_dir is not None:
            state = os.path.join(config_dir, "state")
            user, cache = config_dir, os.path.join(state, "cache")
        else:
            user, state, cache = (text.format_map(folders) for text in layout[1:])
    except KeyError as missing:
        message = f"the user database tells no {missing.args[0]} folder for this user: name one with `--config-dir`"
        raise NoPlace(message) from None
    return Places(
        managed=managed,
        user=user,
        state=state,
        cache=cache,
        packs=_packs(),
        named=config_dir is not None,
        home=folders.get("home"),
    )


if sys.platform == "win32":

    def _folders() -> dict[str, str]:
        found = {
            "home": windows.known_folder(windows.PROFILE),
            "roaming": windows.known_folder(windows.ROAMING),
            "local": windows.known_folder(windows.LOCAL),
            "programs": windows.known_folder(windows.PROGRAMS),
        }
        return {name: path for name, path in found.items() if path}

else:

    def _folders() -> dict[str, str]:
        user = account()
        return {"home": user.home} if user else {}


def _packs() -> str:
    """`policies` inside the installed package; in a checkout beside `src`."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    shipped = os.path.join(package, "policies")
    return shipped if os.path.isdir(shipped) else os.path.join(os.path.dirname(os.path.dirname(package)), "policies")
