"""Where Ostiary itself lies on this machine: what `guard` keeps agents from changing."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import Final

from ostiary.guard import Ours
from ostiary.sources.account import account
from ostiary.sources.looks import realpath
from ostiary.sources.places import Places
from ostiary.sources.runtime import runtime_folders

_SITES: Final = ("site-packages", "dist-packages")


def find_ours(places: Places) -> Ours:
    """The places of this installation, each as it is named and with its links resolved."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    site = os.path.dirname(package)
    own = (places.user, places.state, places.cache, places.managed.path, *runtime_folders(places)[:-1])
    return {
        "own": _both(own),
        "above": _both(() if places.named else _above(own)),
        "engine": _both((package, sys.prefix) if sys.prefix != sys.base_prefix else (package,)),
        "site": _both((site,) if os.path.basename(site) in _SITES else ()),
        "bin": _both((os.path.dirname(sys.executable),) if sys.executable else ()),
        "program": _both((sys.executable,) if sys.executable else ()),
    }


def _both(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(form for path in paths for form in (path, realpath(path))))


def _above(folders: Iterable[str]) -> Iterator[str]:
    """The folders that these lie in, below the user's home: who works in the home itself may clear it up."""
    user = account()
    home = os.path.join(user.home, "") if user else ""
    for folder in folders:
        above = os.path.dirname(folder)
        while home and above.startswith(home):
            yield above
            above = os.path.dirname(above)
