"""`ostiary watch`: what is going on now."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Iterator
from typing import Final

from ostiary.commands.shared import console, options, recorded, resident
from ostiary.commands.shared.exits import Refused
from ostiary.commands.shared.recorded import News, OfAgent, OfRule, OfSession, OfTool, WithVerdict
from ostiary.commands.shared.world import places
from ostiary.explain import Broken, Entry, ServiceStatus, Wanted, entry_line, headline, screen, service_lines
from ostiary.sources import record
from ostiary.sources.files import Unreadable

_LINES: Final = 200
_RELOADS: Final = 64  # that are looked through for what is wrong
_FIRST: Final = 10  # lines that a stream begins with


def run(
    *,
    agent: OfAgent = None,
    session: OfSession = None,
    tool: OfTool = None,
    verdict: WithVerdict = None,
    rule: OfRule = None,
    config_dir: options.ConfigDir = None,
) -> None:
    """Watch decisions, reloads and problems as they happen, until Ctrl-C.

    At a terminal one screen: the resident service, what is wrong with rule files, and below the newest lines of the
    record. Elsewhere one line for each thing that happens. The filters are those of `ostiary log`; reloads are always
    shown.
    """
    wanted = Wanted(agent, session, tool, verdict, rule)
    try:
        if sys.stdout.isatty():
            _painted(wanted, config_dir)
        else:
            _told(wanted, config_dir)
    except Unreadable as error:
        raise Refused(f"the record cannot be read: {error}") from None


class _Now:
    """The newest lines that are shown, the service, and what was added at the last look."""

    def __init__(self, wanted: Wanted, config_dir: str | None, most: int) -> None:
        state = places(config_dir).state
        self._wanted = wanted
        self._config_dir = config_dir
        self._news = News(state)
        self.recent = deque(recorded.newest(state, wanted, most), _LINES)
        reloads = [said.line for said in record.lines(state, ("reloads",))]
        self.broken = Broken(reloads[-_RELOADS:])

    def service(self) -> ServiceStatus | None:
        """What the service says of itself, None if none runs."""
        return resident.status(self._config_dir)

    def looks(self) -> Iterator[list[Entry]]:
        """The lines that are new and shown, look by look, without an end."""
        yield []
        while True:
            time.sleep(recorded.LOOK)
            added = self._news.take()
            shown = [line for line in added if line.get("kind") == "reload" or self._wanted.has(line)]
            self.broken.take(added)
            self.recent.extend(shown)
            yield shown


def _painted(wanted: Wanted, config_dir: str | None) -> None:
    now = _Now(wanted, config_dir, _LINES)
    with console.painting() as (paint, rows):
        for _ in now.looks():
            paint(screen(now.service(), now.broken, list(now.recent), rows()))


def _told(wanted: Wanted, config_dir: str | None) -> None:
    """Prints the newest lines, then each that is added, and the service when it is another one."""
    now = _Now(wanted, config_dir, _FIRST)
    before: object = ()
    console.show([headline(), *map(entry_line, now.recent)])
    for added in now.looks():
        service = now.service()
        here = (service and service.pid, service and service.watcher.get("starts"))
        if here != before:
            console.show(service_lines(service))
            before = here
        console.show(map(entry_line, added))
