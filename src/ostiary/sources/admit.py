"""From a source to how it takes part: current, its last good, or a stand-in that asks (laws L6 and L7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableMapping
from typing import Final, Literal

from ostiary.decision import Outcome
from ostiary.dialects import tool_table
from ostiary.policy import Admitted, FilePlan, Gates, Policy, assemble, runs, stand_in, undefined
from ostiary.problems import Problem
from ostiary.records import dataclass, field, replace
from ostiary.sources import cache, lastgood
from ostiary.sources.compiled import Compiled
from ostiary.sources.discover import Source, missing
from ostiary.sources.includes import unchanged
from ostiary.sources.places import Places
from ostiary.sources.store import Trust
from ostiary.tiers import TIER, TierName
from ostiary.tools import TOOLS

State = Literal["current", "last good", "stand-in"]
Compile = Callable[[Source, Places], Compiled]

_TOOLS: Final = tool_table(TOOLS)


class Miss(Exception):
    """A source has to be compiled, and nobody here can."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What admitting needs: the places, the reviews, somebody who compiles (None: nobody does), the plans that are in
    memory by their key, and somebody who tells which gates are open, asked only where there are handlers."""

    places: Places
    trust: Trust
    compile: Compile | None = None
    memory: MutableMapping[str, Compiled] = field(default_factory=dict)
    gates: Callable[[], Gates] = Gates


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How one source takes part: `current`, its `last good` while the file is broken, or a `stand-in` that asks where
    it was never good. `plan` is what acts; `problems` are those of the file as it is now, warnings too."""

    source: Source
    state: State
    reviewed: bool
    plan: FilePlan
    problems: tuple[Problem, ...] = ()

    @property
    def tier(self) -> TierName:
        """Where the source comes from."""
        return self.source.tier

    @property
    def label(self) -> str:
        """The file, for people."""
        return self.source.label

    @property
    def digest(self) -> str:
        """SHA-256 (hex) over the file and all it includes, of what acts."""
        return self.plan.digest

    @property
    def waits(self) -> bool:
        """Whether a review would let it do more."""
        return self.state == "current" and self.source.reviewable and not self.reviewed

    @property
    def admitted(self) -> Admitted:
        """The same, for the policy."""
        return Admitted(self.source.tier, self.reviewed, self.plan, self.note)

    @property
    def note(self) -> str:
        """Why the plan is not that of the file as it is now, empty if it is."""
        if self.state == "current":
            return ""
        error = _first_error(self.problems)
        acts = "its last good version acts" if self.state == "last good" else _INSTEAD[self.source.holds != "rules"]
        return f"{error.file}{f':{error.line}' if error.line else ''}: {error.message}; {acts}"


_INSTEAD: Final = ("it asks until it is mended", "what it defines is not known until it is mended")


def admit(source: Source, desk: Desk) -> Standing:
    """How a source takes part. Raises `Miss` if it has to be compiled and nobody does."""
    compiled = Compiled(None, (source.problem,), ()) if source.problem else _compiled(source, desk)
    last = None if compiled.plan else lastgood.recall(desk.places.state, source)
    state: State = "current"
    plan = compiled.plan
    if plan is None:
        state, plan = ("last good", last.plan) if last and last.plan else ("stand-in", _stand_in(source, compiled))
    return Standing(
        source=source,
        state=state,
        reviewed=_reviewed(source, plan, desk.trust),
        plan=plan,
        problems=compiled.problems,
    )


def policy_of(standings: Iterable[Standing], desk: Desk) -> Policy:
    """The policy of these sources. A trust store that cannot be relied on is told with every outcome."""
    admitted = [standing.admitted for standing in standings]
    gates = desk.gates() if any(runs(source.file) for source in admitted) else Gates()
    policy = assemble(admitted, _TOOLS, gates)
    problems = map(str, desk.trust.problems)
    return replace(policy, notes=(*policy.notes, *problems)) if desk.trust.problem else policy


def told(outcome: Outcome, standings: Iterable[Standing]) -> Outcome:
    """The outcome with word for people that a broken file's last good version acts, unless a rule has word for them. Of
    a source that nobody reviewed nothing is told here: its errors quote its text."""
    notes = [standing.note for standing in standings if standing.state == "last good" and standing.reviewed]
    return replace(outcome, message="\n".join(notes)) if notes and outcome.message is None else outcome


def _stand_in(source: Source, compiled: Compiled) -> FilePlan:
    if source.holds != "rules":
        return undefined(source.label)
    error = _first_error(compiled.problems)
    return stand_in(error.file, error.line, error.message, source.tier == "managed", help=_way_out(source))


def _way_out(source: Source) -> str:
    """How to mend a source that could not be read at all, empty where its file is to be mended."""
    return source.problem.help if source.problem else ""


def _first_error(problems: tuple[Problem, ...]) -> Problem:
    return min(problem for problem in problems if problem.severity == "error")


def _reviewed(source: Source, plan: FilePlan, trust: Trust) -> bool:
    reviewed = source.reviewable and trust.covers(source.root, plan.digest)
    return TIER[source.tier].reviewed_by_default or reviewed


def _compiled(source: Source, desk: Desk) -> Compiled:
    name = cache.key(source)
    found = _known(source, desk, name)
    if found is None:
        if desk.compile is None:
            raise Miss(source.label)
        try:
            found = desk.compile(source, desk.places)
        except Exception as error:
            # A failure of ours is one of this source alone, and is not kept: it may not happen again.
            problem = Problem(source.label, 0, 0, "", f"compiling it failed with a {type(error).__name__}")
            return Compiled(None, (problem,), ())
        if not missing(desk.places):
            cache.keep(desk.places.cache, name, found)
    desk.memory[name] = found
    if found.plan and not missing(desk.places):
        lastgood.remember(desk.places.state, source, name, found)
    return found


def _known(source: Source, desk: Desk, name: str) -> Compiled | None:
    """The plan from memory or the cache, if all that the source includes is still what it was."""
    for found in (desk.memory.get(name), cache.fetch(desk.places.cache, name) if name not in desk.memory else None):
        if found and unchanged(source, found, desk.places):
            return found
    return None
