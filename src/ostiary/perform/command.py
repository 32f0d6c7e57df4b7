"""Programs of this machine as handlers.

In the shell form the shell is given exactly what the author of the rule wrote. What an event says reaches a program on
standard input, in its environment, or as an argument of its own where there is no shell: a folder named `$(id)` and an
argument that a model chose are data there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any, Final

from ostiary.decision import Decision
from ostiary.perform.environment import environment, folder_of_project, folder_of_rule, of_event, search_path
from ostiary.perform.payload import encoded
from ostiary.perform.placeholders import filled
from ostiary.perform.processes import run
from ostiary.perform.program import Program
from ostiary.perform.replies import of_command
from ostiary.perform.runtime import Job

_SUFFIXES: Final = ("", ".exe", ".com") if sys.platform == "win32" else ("",)
_POWERSHELL: Final = "powershell" if sys.platform == "win32" else "pwsh"
_POWERSHELL_READS: Final = ("-NoProfile", "-NonInteractive", "-Command")
_BATCH: Final = (".bat", ".cmd")


class NotFound(Exception):
    """There is no such program or folder; the message says which."""


def perform(job: Job) -> Decision:
    """Runs the program and reads its answer."""
    request = job.request
    try:
        program = Program(
            _command(job),
            encoded(job.payload),
            _folder(job),
            environment(job),
            job.deadline,
            job.runtime.cancel,
            unbound=job.runtime.ends,
        )
    except NotFound as missing:
        return Decision(failure=str(missing))
    return of_command(run(program), request.contract, request.event.name)


def _folder(job: Job) -> str:
    """Where it runs: never where the event says."""
    if job.options["cwd"] == "project":
        if not (project := folder_of_project(job)):
            raise NotFound("it is to run in the folder of the project, and there is no project")
        return project
    return folder_of_rule(job)


def _command(job: Job) -> tuple[str, ...] | str:
    text: str = job.options["command"]
    if job.options["args"] is None:
        shell = job.options.get("shell") == "powershell"
        return (program_of(_POWERSHELL, job), *_POWERSHELL_READS, text) if shell else _shell(text)
    known: Mapping[str, Any] = {**dict(job.options["environment"]), **of_event(job)}
    program = program_of(filled(text, known), job)
    return with_arguments(program, tuple(filled(job.options["args"], {**job.payload, **known})))


def with_arguments(program: str, arguments: tuple[str, ...]) -> tuple[str, ...]:
    """The whole command. Raises `NotFound` for a program that would not take its arguments for data."""
    if arguments and program.lower().endswith(_BATCH):
        raise NotFound(f"`{program}` is a batch file, in whose arguments everything may be a command")
    return (program, *arguments)


def program_of(name: str, job: Job) -> str:
    """The absolute path of a program: from the folder of the rule file, or among those of the system. Raises
    `NotFound`."""
    if name.startswith("~/") and job.runtime.home:
        return os.path.join(job.runtime.home, name[2:])
    if os.path.dirname(name):
        folder = job.request.plan.folder
        if not folder and not os.path.isabs(name):
            raise NotFound(f"`{name}` starts from the folder of a rule file, and there is none")
        return os.path.normpath(os.path.join(folder, name))
    for folder in search_path():
        for suffix in _SUFFIXES:
            path = os.path.join(folder, name + suffix)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    raise NotFound(f"there is no program `{name}` in the folders of the system")


if sys.platform == "win32":
    from ostiary.perform.windows import system_folder

    def _shell(text: str) -> str:
        # `/s` takes exactly the outer quotes away.
        return f'"{system_folder()}\\cmd.exe" /d /s /c "{text}"'

else:

    def _shell(text: str) -> tuple[str, ...]:
        return ("/bin/sh", "-c", text)
