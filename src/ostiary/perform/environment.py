"""The environment of handlers.

A project's `.env` reaches hooks (law L6), so nothing of their environment decides which program runs or where anybody's
home is: those come from the system. What remains are a few variables without weight, those that begin with `AFK_`, and
none whose name says that it is a secret. The author of a rule can add some or pass on all, secrets still excepted; the
user can name some that hooks of a plugin get, secret or not.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Final

from ostiary.perform.runtime import Job

SECRETS: Final = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_PASSWD", "_CREDENTIAL", "_CREDENTIALS")
"""Ends of names of variables that are not passed on."""

_PLAIN: Final = frozenset(("LANG", "LC_ALL", "LC_CTYPE", "TERM", "TMPDIR", "TMP", "TEMP", "APPDATA", "LOCALAPPDATA"))
_PREFIX: Final = "AFK_"


def environment(job: Job) -> dict[str, str]:
    """The variables of a handler."""
    given = job.runtime.environ
    names = given if job.options.get("full_environment") else [name for name in given if _harmless(name)]
    passed = {name: given[name] for name in names if not _secret(name)}
    passed |= {name: given[name] for name in job.options.get("passed", ()) if name in given}
    return {**passed, **_of_system(job.runtime.home), **dict(job.options.get("environment", ())), **of_event(job)}


def of_headers(job: Job) -> frozenset[str]:
    """The names of the variables that headers of requests may hold: those that the rule lists. Secrets are lent to no
    plugin, whose rules nobody reviews one by one, unless the user says so."""
    listed = frozenset(job.options["allowed_env"])
    if job.request.tier != "plugin":
        return listed
    lent = frozenset(job.options.get("passed", ()))
    return frozenset(name for name in listed if name in lent or not _secret(name))


def of_event(job: Job) -> dict[str, str]:
    """The variables that tell of the event."""
    event, project = job.request.event, folder_of_project(job)
    session, tool = event.session or "", str(job.payload.get("tool_name", ""))
    return {
        "OSTIARY_EVENT": event.name,
        "OSTIARY_PROJECT_DIR": project,
        "OSTIARY_SESSION_ID": session,
        "OSTIARY_TOOL": tool,
        "CLAUDE_PROJECT_DIR": project,
        "AFK_HOOK_EVENT": event.name,
        "AFK_PROJECT_DIR": project,
        "AFK_SESSION_ID": session,
        "AFK_TOOL_NAME": tool,
        "AGENTX_HOOK_EVENT": event.name,
        "AGENTX_SESSION_ID": session,
    }


def folder_of_project(job: Job) -> str:
    """The absolute folder of the project, empty if there is none. For rules of a project that is the one they were
    reviewed in, whichever the event names."""
    if job.request.tier == "project":
        return job.runtime.root
    return job.runtime.project or job.request.event.project or ""


def folder_of_rule(job: Job) -> str:
    """The absolute folder of the rule file, or what stands for it."""
    return job.request.plan.folder or job.runtime.home or os.path.abspath(os.sep)


def _secret(name: str) -> bool:
    return f"_{name}".upper().endswith(SECRETS)


def _harmless(name: str) -> bool:
    return name in _PLAIN or name.startswith(_PREFIX)


if sys.platform == "win32":
    from ostiary.perform.windows import system_folder

    def _of_system(home: str) -> Mapping[str, str]:
        folder = system_folder()
        root = os.path.dirname(folder)
        places = (folder, root, rf"{folder}\Wbem", rf"{folder}\WindowsPowerShell\v1.0")
        found = {"PATH": ";".join(places), "SYSTEMROOT": root, "COMSPEC": rf"{folder}\cmd.exe"}
        return found | ({"USERPROFILE": home} if home else {})

    def search_path() -> tuple[str, ...]:
        """The folders in which a bare name is looked up."""
        return tuple(_of_system("")["PATH"].split(";"))

else:
    import pwd

    # On macOS other programs may put themselves into the last two: they come after the system's.
    _PATH: Final = (
        "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:/opt/homebrew/bin"
        if sys.platform == "darwin"
        else "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin"
    )

    def _of_system(home: str) -> Mapping[str, str]:
        found = {"PATH": _PATH}
        try:
            entry = pwd.getpwuid(os.getuid())
        except KeyError:  # a container's free user
            return found | ({"HOME": home} if home else {})
        return found | {
            "HOME": home or entry.pw_dir,
            "USER": entry.pw_name,
            "LOGNAME": entry.pw_name,
            "SHELL": entry.pw_shell or "/bin/sh",
        }

    def search_path() -> tuple[str, ...]:
        """The folders in which a bare name is looked up."""
        return tuple(_PATH.split(":"))
