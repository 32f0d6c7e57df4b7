"""Programs and files that handlers name and that are not there: such a handler only ever fails."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator

from ostiary import shell
from ostiary.policy import FilePlan, HandlerPlan
from ostiary.problems import Problem

_HELP = "paths start from the folder of the rule file"


def absent(plans: Iterable[FilePlan]) -> Iterator[Problem]:
    """A warning for each rule of these files, and of those they include, whose handler cannot be started."""
    for file in (file for plan in plans for file in plan.whole):
        for rule in file.rules:
            path = _path(rule.handler) if rule.handler else ""
            message, help = _wrong(path, program=rule.handler is not None and rule.handler.kind != "python")
            if path and message:
                yield Problem(file.label, rule.line, 0, "", f"the handler of `{rule.id}` {message}", help, "warning")


def _wrong(path: str, *, program: bool) -> tuple[str, str]:
    """What keeps a file from being used, and how to mend it; empty if nothing does."""
    if not os.path.isfile(path):
        return f"needs a file that is not there: {path}", _HELP
    if program and not os.access(path, os.X_OK):
        return f"needs a program that may not be run: {path}", f"`chmod +x {path}`"
    return "", ""


def _path(handler: HandlerPlan) -> str:
    """The absolute path of what a handler starts, empty where the rule does not tell it: a bare name, or an address."""
    options = dict(handler.spec)
    if handler.kind == "python":
        return os.path.join(handler.folder, *options["python"].partition(":")[0].split(".")) + ".py"
    if handler.kind == "mcp_tool":
        name = options["command"][0] if options["command"] else ""
    elif handler.kind != "command":
        name = ""
    elif options["args"] is None:
        name = "" if options["cwd"] == "project" else _first_word(options["command"])
    else:
        name = options["command"]
    if not os.path.dirname(name) or name.startswith("~") or "$" in name:
        return ""
    return os.path.normpath(os.path.join(handler.folder, name))


def _first_word(text: str) -> str:
    """The program of a command line that is one command of a POSIX shell, empty for any other."""
    commands = shell.parse(text).commands if sys.platform != "win32" else ()
    return commands[0].words[0].text or "" if len(commands) == 1 and commands[0].words else ""
