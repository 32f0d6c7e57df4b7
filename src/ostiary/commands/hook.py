"""`ostiary hook`: what agents call. Reads one payload, prints one answer, exits at once (laws L7 and L8).

    ostiary hook --agent AGENT [--event EVENT] [--config-dir FOLDER]

Nothing but the answer goes to standard output. Arguments are read by hand and modules are imported late: this runs
before every tool call, a module that cannot be imported must close the gate like any other failure, and the process
that keeps the time must be small when it forks.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NoReturn

from ostiary.commands.shared.keeper import Job, Said, Tell, Told, keep
from ostiary.records import NamedTuple

if TYPE_CHECKING:
    from ostiary.dialects import Answer, Dialect, OnError

_LIMIT: Final = 16 * 1024 * 1024 + 1
_BLOCKED: Final = 2
_USAGE: Final = "ostiary hook --agent AGENT [--event EVENT] [--config-dir FOLDER]"


class Options(NamedTuple):
    """The arguments. `problem` says what is wrong with them, empty if nothing is."""

    agent: str | None
    event: str | None
    config_dir: str | None
    problem: str


def main(arguments: list[str], keep: Callable[[Job], NoReturn] = keep) -> NoReturn:
    """Answers one event and ends the process."""
    options = parse(arguments)
    keep(
        Job(
            work=lambda tell: answer(options, tell),
            failing=lambda told, problem: instead(options, told, problem),
            last=lambda problem: last_resort(options, problem),
        )
    )


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


def answer(options: Options, tell: Tell) -> Said:
    """The answer to the payload on standard input. May raise anything."""
    from ostiary.dialects import DIALECTS, unreadable  # late, so that a broken installation is a failure like any other

    dialect = DIALECTS.get(options.agent or "")
    if dialect is None:
        return last_resort(options, f"usage: {_USAGE}, where AGENT is one of: {', '.join(DIALECTS)}")
    if options.problem:
        reason = f"the hook is registered with wrong arguments: {options.problem}"
        return _said(unreadable(dialect, options.event, reason))
    tell(_told(dialect, options.event))
    return _decided(options, dialect, tell)


def _decided(options: Options, dialect: Dialect, tell: Tell) -> Said:
    from ostiary import cold  # late: slow

    call = cold.HookCall(_payload(), dialect.name, options.event, options.config_dir, _start())
    listener = cold.Listener(on_error, lambda dialect, name: tell(_told(dialect, name)))
    try:
        return _said(cold.decide(call, None, listener))
    except cold.Miss:
        from ostiary.sources.compiling import compile_source  # slow: only where a rule file is new or was changed

        return _said(cold.decide(call, compile_source, listener))


def _told(dialect: Dialect, event_name: str | None) -> Told:
    native = dialect.native(event_name)
    return Told(dialect.name, native, dialect.timeouts.deadline(native))


def instead(options: Options, told: Told | None, problem: str) -> Said:
    """What is said where the work came to nothing. May raise anything."""
    from ostiary.dialects import DIALECTS, unreadable  # late: as in `answer`

    declared = DIALECTS.get(options.agent or "")
    if declared is None:
        return last_resort(options, problem)
    name, native = (told.agent, told.event) if told else (declared.name, options.event)
    # A hook that is registered wrongly may name any folder, and nobody knows what silence means there.
    wrong = options.problem or (options.event and declared.native(options.event) is None)
    return _said(unreadable(DIALECTS[name], native, problem, "deny" if wrong else on_error(options.config_dir)))


def on_error(config_dir: str | None) -> OnError:
    """What a gate answers when Ostiary itself fails: as the settings say, the strictest where they cannot be read."""
    try:
        from ostiary.sources import failing  # late: slow, and only where something failed

        return failing.on_error(config_dir)
    except Exception:
        return "deny"


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
