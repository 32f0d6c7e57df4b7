"""`ostiary hook`: what agents call. Reads one payload, prints one answer, exits at once (laws L7 and L8).

    ostiary hook --agent AGENT [--event EVENT] [--config-dir FOLDER]

Nothing but the answer goes to standard output. Arguments are read by hand and modules are imported late: this runs
before every tool call, and a module that cannot be imported must close the gate like any other failure.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NoReturn

from ostiary.records import NamedTuple

if TYPE_CHECKING:
    from ostiary.dialects import Answer

_LIMIT: Final = 16 * 1024 * 1024 + 1
_BLOCKED: Final = 2
_USAGE: Final = "ostiary hook --agent AGENT [--event EVENT] [--config-dir FOLDER]"


class Said(NamedTuple):
    """What goes to standard output and standard error, and the exit code."""

    stdout: str
    stderr: str
    status: int


class Options(NamedTuple):
    """The arguments. `problem` says what is wrong with them, empty if nothing is."""

    agent: str | None
    event: str | None
    config_dir: str | None
    problem: str


def main(arguments: list[str]) -> NoReturn:
    """Answers one event and ends the process."""
    options = parse(arguments)
    try:
        said = answer(options)
    except BaseException as error:  # an interrupt too: agents go on when a hook dies
        said = last_resort(options, f"Ostiary failed: {type(error).__name__}")
    _say(said)


def parse(arguments: list[str]) -> Options:
    """The arguments, `--name value` or `--name=value`, each at most once."""
    found: dict[str, str] = {}
    problems: list[str] = []
    rest = arguments[::-1]
    while rest:
        name, equals, value = rest.pop().partition("=")
        if not equals and rest and not rest[-1].startswith("--"):
            value = rest.pop()
        if name not in ("--agent", "--event", "--config-dir") or name in found:
            problems.append("there is an argument that is unknown or said twice")
        elif not value:
            problems.append(f"`{name}` has no value")
        else:
            found[name] = value
    folder = found.get("--config-dir")
    if folder and not os.path.isabs(folder):
        problems.append("`--config-dir` is no absolute path")
    return Options(found.get("--agent"), found.get("--event"), folder, "; ".join(problems))


def answer(options: Options) -> Said:
    """The answer to the payload on standard input. May raise anything."""
    from ostiary import cold  # late, so that a broken installation is a failure like any other
    from ostiary.dialects import DIALECTS, unreadable

    dialect = DIALECTS.get(options.agent or "")
    if dialect is None:
        return last_resort(options, f"usage: {_USAGE}, where AGENT is one of: {', '.join(DIALECTS)}")
    if options.problem:
        reason = f"the hook is registered with wrong arguments: {options.problem}"
        return _said(unreadable(dialect, options.event, reason))
    call = cold.HookCall(_payload(), dialect.name, options.event, options.config_dir, _start())
    try:
        return _said(cold.decide(call))
    except cold.Miss:
        from ostiary.sources.compiling import compile_source  # slow: only where a rule file is new or was changed

        return _said(cold.decide(call, compile_source))


def last_resort(options: Options, reason: str) -> Said:
    """The answer where not even the agent's table can be used: exit code 2, which closes most gates of most agents. Not
    for the end of a turn, where it would mean *go on working* and our own failure would never let an agent stop."""
    ends = (options.event or "").casefold().endswith(("stop", "afteragent"))
    return Said("", f"{reason}\n", 0 if ends else _BLOCKED)


def _said(answer: Answer) -> Said:
    return Said(answer.stdout, answer.stderr, answer.status)


def _payload() -> bytes:
    """Standard input up to one byte more than a payload may have; nothing where it is closed or a terminal."""
    chunks, left = [], _LIMIT
    try:
        if os.isatty(0):
            return b""
        while left > 0 and (chunk := os.read(0, left)):
            chunks.append(chunk)
            left -= len(chunk)
    except OSError:
        return b""
    return b"".join(chunks)


def _start() -> str | None:
    """The folder the agent started the hook in, None if it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return None


def _say(said: Said) -> NoReturn:
    """Writes the answer and ends the process, without the clean-up that could still fail or take time. An answer that
    cannot be written closes the gate by the exit code."""
    status = said.status
    for descriptor, text in ((1, said.stdout), (2, said.stderr)):
        try:
            _write(descriptor, text.encode("utf-8", "backslashreplace"))
        except OSError:
            status = status or (_BLOCKED if descriptor == 1 else 0)
    os._exit(status)


def _write(descriptor: int, data: bytes) -> None:
    if data and sys.platform != "win32":
        with suppress(OSError):  # a pipe may have been left non-blocking by whoever made it
            os.set_blocking(descriptor, True)
    while data:
        data = data[os.write(descriptor, data) :]
