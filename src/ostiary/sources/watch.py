"""Whether the sources of an event are those its session saw before: what every hook asks, at the price of one small
file. Where they are not, `vanished` says what that means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ostiary.event import Event
from ostiary.policy import stand_in, stops
from ostiary.problems import Problem
from ostiary.records import NamedTuple
from ostiary.sources import seen
from ostiary.sources.admit import Standing
from ostiary.sources.desk import Desk
from ostiary.sources.discover import Source, missing
from ostiary.sources.memory import Memory
from ostiary.sources.places import Places
from ostiary.sources.roots import RulesFolder
from ostiary.sources.seen import Key, Noted, Recalled
from ostiary.sources.settings import Settings
from ostiary.sources.store import Trust


class Watch(NamedTuple):
    """What one session and the managed place are known to have held, and the files that say so (`session` None: the
    agent did not say which session it is). `memory` is what the session wrote, `start` the root of its start folder.
    `flaw` is what keeps these files from being read. `ends`: the session is over."""

    session: str | None
    managed: str
    noted: Mapping[Key, Noted]
    memory: Memory
    start: str | None
    flaw: Problem | None = None
    ends: bool = False

    def folders(self, found: tuple[RulesFolder, ...]) -> tuple[RulesFolder, ...]:
        """The rules folders of projects, those that the session saw before among them."""
        return seen.folders(self.noted, found, self.start)


Recall = Callable[[str], Recalled]
"""What is noted in a file, as `seen.recall` tells it."""


def watch(places: Places, event: Event, memory: Memory, start: str | None, recall: Recall = seen.recall) -> Watch:
    """What is known of the session of an event."""
    session = None if event.session is None else seen.place(places.state, event.agent, event.session)
    return known(places, session, memory, start, recall)._replace(ends=event.name == "SessionEnd")


def known(
    places: Places, session: str | None, memory: Memory, start: str | None, recall: Recall = seen.recall
) -> Watch:
    """What is noted in the file of a session."""
    managed = seen.managed_place(places.state, places.managed.path)
    found = [recall(file) for file in (managed, session) if file]
    noted = {key: one for recalled in found for key, one in recalled.noted.items()}
    flaw = next((recalled.flaw for recalled in found if recalled.flaw), None)
    return Watch(session, managed, noted, memory, start, flaw)


def settled(
    standings: tuple[Standing, ...], watch: Watch, desk: Desk, trust: Trust, settings: Settings, *, noting: bool = True
) -> tuple[Standing, ...]:
    """How the sources take part where they, or others, were seen before: what vanished goes on stopping calls. Where it
    cannot be told what was seen, one more asks. `noting` notes what is new, and forgets a session that ends. Raises
    `Miss` as `admit` does, nothing else."""
    if watch.flaw:
        standings = (*standings, _unknown(watch.flaw))
    if noting and watch.ends and watch.session:
        seen.forget(watch.session)
        noting = False
    if missing(desk.places) or dict(_names(standings, watch)) == {key: one.name for key, one in watch.noted.items()}:
        return standings
    from ostiary.sources.vanished import settle  # late: sources change seldom

    return settle(standings, watch, desk, trust, settings, noting=noting)


def _unknown(flaw: Problem) -> Standing:
    """What asks where rules may have vanished that nobody knows any more: those of the machine, for one."""
    source = Source(tier="user", path=flaw.file, label=flaw.file, folder=flaw.file, within=(), limit=0, problem=flaw)
    plan = stand_in(flaw.file, 0, flaw.message, managed=True, help=flaw.help)
    return Standing(source=source, state="stand-in", reviewed=True, plan=plan, problems=(flaw,))


def watched(standing: Standing, watch: Watch) -> bool:
    """Whether what the source holds is to be noted: rules that stop, which somebody wrote."""
    if standing.state == "stand-in" or standing.source.holds != "rules" or standing.source.raw is None:
        return False
    return (watch.session is not None or standing.tier == "managed") and any(stops(standing.plan))


def _names(standings: tuple[Standing, ...], watch: Watch) -> Iterator[tuple[Key, str]]:
    for standing in standings:
        if watched(standing, watch):
            source = standing.source
            yield (source.tier, source.path), seen.content_name(source, standing.plan)
