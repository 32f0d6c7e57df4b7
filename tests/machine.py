"""A machine of the tests' own: an empty home and no managed policy, whoever runs them and whatever that user has
installed; and files are made with the usual modes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ostiary.commands.shared import resident
from ostiary.sources import ancestry, places


@contextmanager
def own_machine(base: Path) -> Iterator[None]:
    """Inside the block this process finds nothing of the real machine's places. `base` is an empty folder."""
    home, managed = base / "home", str(base / "managed")
    home.mkdir()
    umask = os.umask(0o022)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HOME", "USERPROFILE", *(name for name in os.environ if name.startswith("XDG_"))):
            patch.setenv(name, str(home))
        layouts = places.LAYOUTS.items()
        patch.setattr(places, "LAYOUTS", {name: layout._replace(managed=managed) for name, layout in layouts})
        _settle(patch, str(home))
        patch.setattr(ancestry, "above", lambda: ())  # an agent may have started the tests
        patch.setattr(resident, "registered", lambda _config_dir: None)  # what hooks start outlives a test
        yield
    os.umask(umask)


if sys.platform == "win32":

    def _settle(patch: pytest.MonkeyPatch, home: str) -> None:
        from ostiary.sources import windows

        patch.setattr(windows, "known_folder", lambda folder: os.path.join(home, str(folder)))

else:
    import pwd

    def _settle(patch: pytest.MonkeyPatch, home: str) -> None:
        """Makes the user database give this user the home."""
        by_id, by_name, user = pwd.getpwuid, pwd.getpwnam, os.getuid()

        def settled(entry: pwd.struct_passwd) -> pwd.struct_passwd:
            own = entry.pw_uid == user
            return pwd.struct_passwd((*entry[:5], home, *entry[6:])) if own else entry

        patch.setattr(pwd, "getpwuid", lambda uid: settled(by_id(uid)))
        patch.setattr(pwd, "getpwnam", lambda name: settled(by_name(name)))
