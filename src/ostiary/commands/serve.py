"""`ostiary serve`: the resident service of this user and a folder of policy. Hooks start it; it ends by itself."""

from __future__ import annotations

import os
import sys
from functools import partial
from importlib import import_module
from typing import Final, NoReturn

from ostiary import cold, explain, shell
from ostiary.commands import hook
from ostiary.commands.shared.exits import Exit
from ostiary.dialects import DIALECTS, Dialect, receive
from ostiary.perform.repeats import Repeats
from ostiary.service import protocol, watcher
from ostiary.service.address import NoAddress, address, lock, make_folder
from ostiary.service.deciding import Unfit, asked
from ostiary.service.protocol import Frame, Request
from ostiary.service.server import BOUNDS, Bounds, Server, Works
from ostiary.service.starting import CLEAN, command
from ostiary.service.web.entrance import entrance
from ostiary.service.web.house import DECIDE, FAILURE
from ostiary.service.working import Tell, Work
from ostiary.sources.compiling import compile_source
from ostiary.sources.discover import missing
from ostiary.sources.keeping import Keeping
from ostiary.sources.places import NoPlace, find_places

# What calls import when they first need it, so that workers share it.
_LATER: Final = (
    "ostiary.shell",
    "ostiary.call.parts",
    "ostiary.dialects.bodies",
    "ostiary.sources.failing",
    "ostiary.sources.foreign",
    "ostiary.sources.vanished",
    "ostiary.expressions",
    "regex",
    "tree_sitter_bash",
)

_USAGE: Final = "ostiary serve [--config-dir FOLDER] [--socket PATH]"


def main(arguments: list[str], bounds: Bounds = BOUNDS) -> NoReturn:
    """Runs the service until it ends."""
    config_dir, socket = _parsed([argument for argument in arguments if argument != "--clean"])
    if "--clean" not in arguments:
        os.execve(sys.executable, command(config_dir, socket), CLEAN)  # noqa: S606 our own program, by its full name
    os.chdir("/")
    os.umask(0o077)
    try:
        places = find_places(config_dir)
        if missing(places):
            _leave(f"`{places.user}` does not exist; name the folder that holds the rule files", Exit.USAGE)
        path = address(places, config_dir, socket)
        make_folder(path)
        held = lock(path)
        if held is None:
            _leave("the service runs already", Exit.CLEAN)
        _warm()
        works = Works(work(config_dir), alone(config_dir), partial(watcher.run, places))
        server = Server(path, works, entrance(places), places.state, bounds)
        server.run()
        if server.again:
            os.execve(sys.executable, command(config_dir, socket), CLEAN)  # noqa: S606 our own program, by its full name
    except (NoPlace, NoAddress, OSError) as error:
        _leave(f"there can be no service: {error}", Exit.FINDINGS)
    sys.exit(Exit.CLEAN)


def _parsed(arguments: list[str]) -> tuple[str | None, str | None]:
    """The folder of policy, and the socket that is wanted, both absolute; None where they are not said."""
    found = dict(zip(arguments[::2], arguments[1::2], strict=False))
    whole = len(found) * 2 == len(arguments) and all(found.values())
    if not whole or not found.keys() <= {"--config-dir", "--socket"}:
        _leave(f"usage: {_USAGE}", Exit.USAGE)
    paths = [os.path.abspath(path) if (path := found.get(name)) else None for name in ("--config-dir", "--socket")]
    return paths[0], paths[1]


def _leave(text: str, status: Exit) -> NoReturn:
    sys.stderr.write(f"ostiary: {text}\n")
    sys.exit(status)


def _warm() -> None:
    for name in _LATER:
        import_module(name)
    for dialect in DIALECTS.values():
        receive(dialect, b"{}")
    shell.parse("true")


def alone(config_dir: str | None) -> Work:
    """What a process does with the one call it has: what the hook's own process would do."""

    def answered(request: Request, tell: Tell) -> Frame:
        if request.version == FAILURE:
            arguments = [f"--agent={request.agent}", *protocol.arguments(request.payload)]
            event = [f"--event={request.event}"] if request.event else []
            options = hook.parse([*arguments, *event, *([f"--config-dir={config_dir}"] if config_dir else [])])
            said = hook.answer(options, lambda _told: None)
            return protocol.answer(said.status, said.stdout, said.stderr)
        return _answered(request, tell, config_dir, cold.Keep())

    return answered


def work(config_dir: str | None) -> Work:
    """What workers of the service of a folder of policy do with a call."""
    reading = Keeping()
    keep = cold.Keep(reading, Repeats().judge)

    def answered(request: Request, tell: Tell) -> Frame:
        reading.read = lambda found: tell.read(found.text())
        try:
            return _answered(request, tell, config_dir, keep, handlers=False)
        except cold.Elsewhere:
            return protocol.cold("handlers run in the agent's own processes")

    return answered


def _answered(request: Request, tell: Tell, config_dir: str | None, keep: cold.Keep, *, handlers: bool = True) -> Frame:
    """The answer to a request. May raise anything."""
    if not request.agent and request.event == DECIDE:
        return _decided(request, tell, config_dir, keep, handlers=handlers)
    if request.agent not in DIALECTS:
        return protocol.cold("an unknown agent")

    def hears(dialect: Dialect, event: str | None) -> None:
        tell.about(*hook.told(dialect, event))

    call = cold.HookCall(request.payload, request.agent, request.event or None, config_dir, request.start or None)
    said = cold.decide(call, compile_source, cold.Listener(hook.on_error, hears, handlers), keep)
    tell.said(said.said)
    return protocol.answer(said.status, said.stdout, said.stderr)


def _decided(request: Request, tell: Tell, config_dir: str | None, keep: cold.Keep, *, handlers: bool) -> Frame:
    """The outcome of a canonical event as JSON, or what is wrong with it."""
    tell.about("api", None, cold.PATIENCE)
    try:
        event, start = asked(request.payload)
    except Unfit as wrong:
        return protocol.answer(Exit.FINDINGS, "", str(wrong))
    call = cold.HookCall(b"", "", None, config_dir, start)
    outcome = cold.judged(event, call, compile_source, keep, handlers=handlers)
    tell.said(str(outcome.verdict))
    return protocol.answer(Exit.CLEAN, explain.json_text(outcome), "")
