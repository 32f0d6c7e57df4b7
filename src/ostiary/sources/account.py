"""Who runs this process and where their home is, from the user database (law L6).

Never from the environment: a project's `.env` reaches hooks, and whoever sets `HOME` would choose the policy.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from ostiary.records import NamedTuple


class Account(NamedTuple):
    """A user of the machine: name, and home as an absolute path."""

    name: str
    home: str


if sys.platform == "win32":
    from ostiary.sources import windows

    def account() -> Account | None:
        """The user this process runs as, None if the system does not say."""
        name, home = windows.user_name(), windows.known_folder(windows.PROFILE)
        return Account(name, home) if name and home else None

    def home_of(user: str) -> str | None:  # noqa: ARG001 Windows has no such database
        """The home of a user by name: never known here."""
        return None

else:
    import pwd

    def account() -> Account | None:
        """The user this process runs as, None if the user database does not know them (a container's free uid)."""
        return _entry(pwd.getpwuid, os.getuid())

    def home_of(user: str) -> str | None:
        """The home of a user by name, None if there is no such user."""
        found = _entry(pwd.getpwnam, user)
        return found and found.home

    def _entry(lookup: Any, key: int | str) -> Account | None:
        try:
            entry = lookup(key)
        except (KeyError, ValueError, OSError):
            return None
        return Account(entry.pw_name, entry.pw_dir) if os.path.isabs(entry.pw_dir) else None
