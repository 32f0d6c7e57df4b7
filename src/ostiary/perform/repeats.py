"""Calls that come again. The same policy, event and facts give the same outcome (law L10): for a call that was judged
before the facts are looked up, and where they are what they were nothing is judged."""

from __future__ import annotations

import marshal
from collections.abc import Callable
from typing import Any, Final

from ostiary.decision import Outcome
from ostiary.evaluate import HandlerRequest, evaluate
from ostiary.event import Event
from ostiary.facts import FactRequest, Facts, Given
from ostiary.perform import Perform, run
from ostiary.policy import Policy
from ostiary.records import NamedTuple

_MOST: Final = 512
_BYTES: Final = 16 << 10  # of a call, and characters or entries of all that was looked up for it
_PLAIN: Final = 2  # the format of `marshal` that is the same for equal values

# What rules see of an event before a tool call; no condition reads more of the payload there.
_SEEN: Final = tuple(name for name in Event.__slots__ if name != "data")

Judge = Callable[[Policy, Event, Facts, Perform], Outcome]
"""Gives the outcome of an event."""


def judge(policy: Policy, event: Event, facts: Facts, perform: Perform) -> Outcome:
    """The outcome of an event, judged from the start."""
    return run(evaluate(policy, event, facts.given(event.cwd)), facts, perform)


class _Reached(NamedTuple):
    """An outcome, the policy that gave it, and what was looked up for it, in order."""

    policy: Policy
    looked_up: dict[FactRequest, object]
    outcome: Outcome


class Repeats:
    """What calls came to. Of more than so many the ones that were used least lately are forgotten. For one thread."""

    def __init__(self) -> None:
        self._reached: dict[tuple[int, bytes], _Reached] = {}

    def judge(self, policy: Policy, event: Event, facts: Facts, perform: Perform) -> Outcome:
        """As `judge`. Kept is what followed from facts alone: where handlers had a say, or a bound was hit, everything
        is judged again."""
        asked = _Asked(facts, event.cwd, perform)
        key = _key(policy, event, asked.known)
        if key is None:
            return judge(policy, event, asked, asked.perform)
        reached = self._reached.pop(key, None)
        if reached is None or not all(asked.answer(one) == known for one, known in reached.looked_up.items()):
            outcome = judge(policy, event, asked, asked.perform)
            reached = _Reached(policy, asked.looked_up, outcome)
            if asked.performed or outcome.problems != policy.notes or not _short(asked.looked_up):
                return outcome
            while len(self._reached) >= _MOST:
                del self._reached[next(iter(self._reached))]
        self._reached[key] = reached
        return reached.outcome


class _Asked:
    """Facts of which each is looked up once, and whether handlers ran."""

    __slots__ = ("_facts", "_perform", "known", "looked_up", "performed")

    def __init__(self, facts: Facts, cwd: str | None, perform: Perform) -> None:
        self._facts = facts
        self._perform = perform
        self.known = facts.given(cwd)
        self.looked_up: dict[FactRequest, object] = {}
        self.performed = False

    def given(self, cwd: str | None) -> Given:  # noqa: ARG002 they are those of one event
        """What is known beforehand."""
        return self.known

    def answer(self, request: FactRequest) -> object:
        """The answer to one request."""
        if request not in self.looked_up:
            self.looked_up[request] = self._facts.answer(request)
        return self.looked_up[request]

    def perform(self, requests: tuple[HandlerRequest, ...]) -> Any:
        """Runs handlers."""
        self.performed = True
        return self._perform(requests)


def _key(policy: Policy, event: Event, given: Given) -> tuple[int, bytes] | None:
    """What an outcome depends on besides facts that are looked up; None for what is not kept. Of the time rules see the
    day. Whoever has the key keeps the policy, so that no other one gets its number."""
    if not event.kind.before_tool:
        return None
    day = given.now.toordinal()
    known = (day, given.home, given.user, given.start, given.roots, given.workdirs, given.windows)
    try:
        said = marshal.dumps((known, *(getattr(event, name) for name in _SEEN)), _PLAIN)
    except ValueError:
        return None
    return (id(policy), said) if len(said) <= _BYTES else None


def _short(looked_up: dict[FactRequest, object]) -> bool:
    sizes = (len(value) for value in looked_up.values() if isinstance(value, str | dict))
    return sum(sizes) + sum(len(request.argument) for request in looked_up) <= _BYTES
