"""`ostiary hook`: what agents call. Reads one payload, prints one answer, exits at once (laws L7 and L8).

    ostiary hook --agent AGENT [--event EVENT] [--config-dir FOLDER] [--socket PATH] [--spent SECONDS]
        [--failed REASON [--of AGENT:EVENT]]

With `--socket` the service that listens there is started for the calls to come, once this one is answered. A client of
that service says with `--spent` how long it waited in vain, and with `--failed` that the call came to nothing, as the
event that it was found to be (`--of`).

Nothing but the answer goes to standard output. Arguments are read by hand and modules are imported late: this runs
before every tool call, a module that cannot be imported must close the gate like any other failure, and the process
that keeps the time must be small when it forks.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NoReturn

from ostiary.commands.shared.keeper import Job, Said, Tell, Told, keep
from ostiary.records import NamedTuple

if TYPE_CHECKING:
    from ostiary.dialects import Answer, Dialect, OnError

_LIMIT: Final = 16 * 1024 * 1024 + 1
_BLOCKED: Final = 2
_OPTIONS: Final = ("--agent", "--event", "--config-dir", "--socket", "--spent", "--failed", "--of")
_LEAST: Final = 0.5  # seconds that an answer may take however much was spent
_OBJECTS: Final = 200_000
_USAGE: Final = "ostiary hook --agent AGENT [--event EVENT] [--config-dir FOLDER]"


class Options(NamedTuple):
    """The arguments. `problem` says what is wrong with them, empty if nothing is. `spent` are seconds, `of` is an agent
    and its event."""

    agent: str | None
    event: str | None
    config_dir: str | None
    problem: str
    socket: str | None = None
    spent: float = 0.0
    failed: str | None = None
    of: tuple[str, str | None] | None = None


def main(arguments: list[str], keep: Callable[[Job], NoReturn] = keep) -> NoReturn:
    """Answers one event and ends the process."""
    gc.set_threshold(_OBJECTS)  # what is imported stays; looking through it for what does not takes 4 ms
    options = parse(arguments)
    keep(
        Job(
            work=lambda tell: answer(options, tell),
            failing=lambda told, problem: instead(options, told, problem),
            last=lambda problem: last_resort(options, problem),
            then=lambda: start_service(options),
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
        if name not in _OPTIONS or name in found:
            problems.append("there is an argument that is unknown or said twice")
        elif not value:
            problems.append(f"`{name}` has no value")
        else:
            found[name] = value
    folder = found.get("--config-dir")
    for path in (name for name in ("--config-dir", "--socket") if not os.path.isabs(found.get(name, "/"))):
        problems.append(f"`{path}` is no absolute path")
    spent = found.get("--spent", "0")
    agent, _, event = found.get("--of", "").partition(":")
    return Options(
        found.get("--agent"),
        found.get("--event"),
        folder,
        "; ".join(problems),
        found.get("--socket"),
        float(spent) if spent.replace(".", "", 1).isdigit() else 0.0,
        found.get("--failed"),
        (agent, event or None) if agent else None,
    )


def answer(options: Options, tell: Tell) -> Said:
    """The answer to the payload on standard input. May raise anything."""
    from ostiary.dialects import DIALECTS, unreadable  # late, so that a broken installation is a failure like any other

    dialect = DIALECTS.get(options.agent or "")
    if dialect is None:
        return last_resort(options, f"usage: {_USAGE}, where AGENT is one of: {', '.join(DIALECTS)}")
    if options.problem:
        reason = f"the hook is registered with wrong arguments: {options.problem}"
        return _said(unreadable(dialect, options.event, reason))
    if options.failed is not None:
        return instead(options, _about(options.of), options.failed)
    tell(told(dialect, options.event, options.spent))
    return _decided(options, dialect, tell)


def _decided(options: Options, dialect: Dialect, tell: Tell) -> Said:
    from ostiary import cold  # late: slow

    call = cold.HookCall(_payload(), dialect.name, options.event, options.config_dir, _start(), options.spent)
    listener = cold.Listener(on_error, lambda dialect, name: tell(told(dialect, name, options.spent)))
    try:
        return _said(cold.decide(call, None, listener))
    except cold.Miss:
        from ostiary.sources.compiling import compile_source  # slow: only where a rule file is new or was changed

        return _said(cold.decide(call, compile_source, listener))


def told(dialect: Dialect, event_name: str | None, spent: float = 0.0) -> Told:
    """What is known of an answer as soon as its agent and event are, so many seconds after the agent asked."""
    native = dialect.native(event_name)
    return Told(dialect.name, native, max(dialect.timeouts.deadline(native) - spent, _LEAST))


def _about(of: tuple[str, str | None] | None) -> Told | None:
    """What a service found out of a call before it failed."""
    from ostiary.dialects import DIALECTS  # late: as in `answer`

    return Told(of[0], DIALECTS[of[0]].native(of[1]), 0.0) if of and of[0] in DIALECTS else None


def instead(options: Options, told: Told | None, problem: str) -> Said:
    """What is said where the work came to nothing. May raise anything."""
    from ostiary.dialects import DIALECTS, unreadable  # late: as in `answer`

    declared = DIALECTS.get(options.agent or "")
    if declared is None:
        return last_resort(options, problem)
    name, native = (told.agent, told.event) if told else (declared.name, options.event)
    dialect = DIALECTS[name]
    # A hook that is registered wrongly may name any folder, and nobody knows what silence means there.
    if options.problem or (options.event and declared.native(options.event) is None):
        return _said(unreadable(dialect, native, problem))
    answer = unreadable(dialect, native, problem, on_error(options.config_dir))
    if not _recorded(options, dialect, native, problem, answer):
        answer = unreadable(dialect, native, problem, on_error(options.config_dir, False))
    return _said(answer)


def _recorded(options: Options, dialect: Dialect, native: str | None, problem: str, answer: Answer) -> bool:
    """Records what is said where the work came to nothing; False if that is not possible either."""
    try:
        from ostiary.sources import record  # late: as in `on_error`
        from ostiary.sources.entry import Unjudged

        return record.unjudged(options.config_dir, Unjudged(dialect, native, problem, answer.said))
    except Exception:
        return False


def start_service(options: Options) -> None:
    """Starts the service that a client found nobody at. Raises OSError."""
    if options.socket and not options.problem:
        from ostiary.service import starting  # late: only where the hook is registered with a service

        starting.start(options.socket, options.config_dir)


def on_error(config_dir: str | None, recorded: bool = True, /) -> OnError:
    """What a gate answers when Ostiary itself fails, and where that is not `recorded` either: as the settings say, the
    strictest where they cannot be read."""
    try:
        from ostiary.sources import failing  # late: slow, and only where something failed

        return failing.on_error(config_dir, recorded)
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
