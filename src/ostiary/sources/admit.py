"""From a source to how it takes part: current, its last good, or a stand-in that asks (laws L6 and L7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Literal

from ostiary.decision import Decision, Outcome, Verdict
from ostiary.dialects import tool_table
from ostiary.evaluate import HandlerRequest
from ostiary.guard import Ours, guard
from ostiary.policy import Admitted, FilePlan, Gates, Policy, assemble, stand_in, stops, undefined
from ostiary.problems import Problem
from ostiary.records import dataclass, replace
from ostiary.sources import lastgood, scripts
from ostiary.sources.compiled import Compiled
from ostiary.sources.desk import Desk, compiled
from ostiary.sources.discover import Source, missing
from ostiary.sources.scripts import Scripts
from ostiary.sources.store import Reviewed, Trust
from ostiary.tiers import TIER, TierName
from ostiary.tools import TOOLS
from ostiary.visible import visible

Perform = Callable[[tuple[HandlerRequest, ...]], tuple[Decision | None, ...]]

State = Literal["current", "last good", "stand-in", "vanished"]

_TOOLS: Final = tool_table(TOOLS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How one source takes part: `current`, its `last good` while the file is broken, a `stand-in` that asks where it
    was never good, or `vanished`, as what still stops calls though the file is gone. `plan` is what acts, `scripts` are
    the files that its handlers name; `problems` are those of the file as it is now, warnings too. `review` is the
    review of a person that is about this content, also one that has expired."""

    source: Source
    state: State
    reviewed: bool
    plan: FilePlan
    scripts: Scripts = ()
    review: Reviewed | None = None
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
        if self.state == "vanished":
            (problem,) = self.problems
            until = "go on acting" if self.tier == "managed" else "act until the session ends"
            what = f"{visible(problem.file)}: {visible(problem.message)}"
            return f"{what}; its rules that stop calls {until} ({problem.help})"
        error = _first_error(self.problems)
        acts = "its last good version acts" if self.state == "last good" else _INSTEAD[self.source.defines]
        return f"{error.file}{f':{error.line}' if error.line else ''}: {error.message}; {acts}"


_INSTEAD: Final = ("it asks until it is mended", "what it defines is not known until it is mended")


def admit(source: Source, desk: Desk, trust: Trust) -> Standing:
    """How a source takes part. Raises `Miss` if it has to be compiled and nobody does."""
    found = Compiled(None, (source.problem,), ()) if source.problem else _good(source, desk)
    last = None if found.plan else lastgood.recall(desk.places.state, source)
    state: State = "current"
    plan, named = found.plan, found.scripts
    if plan is None and last and last.plan:
        state, plan, named = "last good", last.plan, last.scripts
    elif plan is None:
        state, plan = "stand-in", _stand_in(source, found)
    reviewed, review = reviewing(source, plan, trust)
    return Standing(
        source=source,
        state=state,
        reviewed=reviewed,
        plan=plan,
        scripts=named,
        review=review,
        problems=found.problems,
    )


def reviewing(source: Source, plan: FilePlan, trust: Trust) -> tuple[bool, Reviewed | None]:
    """Whether what a source holds, or held, may do all that it says, and the review that is about it."""
    review = trust.review(source.root, plan.digest) if source.reviewable and source.root else None
    accepted = source.reviewable and trust.accepts(review, plan.digest)
    return TIER[source.tier].reviewed_by_default or accepted, review


def policy_of(
    standings: Iterable[Standing], ours: Ours, trust: Trust, gates: Gates, host: tuple[Admitted, ...] = ()
) -> Policy:
    """The policy of these sources, with the rules by which Ostiary itself keeps what is `ours`, and those of a `host`.
    A trust store that cannot be relied on is told with every outcome."""
    admitted = (standing.admitted for standing in standings)
    policy = assemble((guard(ours), *host, *admitted), _TOOLS, gates)
    problems = map(str, trust.problems)
    return replace(policy, notes=(*policy.notes, *problems)) if trust.problem else policy


def told(outcome: Outcome, standings: tuple[Standing, ...]) -> Outcome:
    """The outcome with word for people that a broken file's last good version acts, unless a rule has word for them. Of
    a source that nobody reviewed nothing is told here: its errors quote its text. That a file vanished is told where
    its rules stop a call, of a managed one always."""
    notes = [standing.note for standing in standings if standing.state == "last good" and standing.reviewed]
    notes = notes if outcome.message is None else [outcome.message]
    vanished = [standing for standing in standings if standing.state == "vanished"]
    notes += [one.note for one in vanished if one.tier == "managed" or _stopped(outcome, one)]
    return replace(outcome, message="\n".join(notes)) if notes else outcome


def _stopped(outcome: Outcome, standing: Standing) -> bool:
    """Whether a rule of the source has a part in what stops the call."""
    rules = tuple(f"/{rule.id}" for rule in stops(standing.plan))
    return outcome.verdict > Verdict.ALLOW and any(
        step.decision == str(outcome.verdict) and step.rule.endswith(rules) for step in outcome.trail
    )


def as_reviewed(perform: Perform, standings: tuple[Standing, ...]) -> Perform:
    """Runs handlers as `perform` does, but those of a project only while the files that they name are what a person
    reviewed: they may have changed since the rules were read."""

    def performed(requests: tuple[HandlerRequest, ...]) -> tuple[Decision | None, ...]:
        changed = [_changed(request, standings) for request in requests]
        same = tuple(request for request, other in zip(requests, changed, strict=True) if not other)
        said = iter(perform(same) if same else ())
        return tuple(Decision(failure=_CHANGED) if other else next(said) for other in changed)

    return performed


_CHANGED: Final = "a file that it names is not what was reviewed"


def _changed(request: HandlerRequest, standings: tuple[Standing, ...]) -> bool:
    """Whether a handler is a project's, and a file that its source names is another one now."""
    if request.tier != "project":
        return False
    own = (one for one in standings if any(handler is request.plan for handler in scripts.handlers(one.plan)))
    return not all(scripts.unchanged(one.source, one.scripts) for one in own)


def _stand_in(source: Source, compiled: Compiled) -> FilePlan:
    if source.defines:
        return undefined(source.label)
    error = _first_error(compiled.problems)
    return stand_in(error.file, error.line, error.message, source.tier == "managed", help=_way_out(source))


def _way_out(source: Source) -> str:
    """How to mend a source that could not be read at all, empty where its file is to be mended."""
    return source.problem.help if source.problem else ""


def _first_error(problems: tuple[Problem, ...]) -> Problem:
    return min(problem for problem in problems if problem.severity == "error")


def _good(source: Source, desk: Desk) -> Compiled:
    """What a source compiles to; if it is good, it is its last good version from now on."""
    name, found = compiled(source, desk)
    if found.plan and not missing(desk.places):
        lastgood.remember(desk.places.state, source, name, found)
    return found
