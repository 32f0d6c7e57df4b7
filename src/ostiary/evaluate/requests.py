"""What an evaluation asks for: facts, and runs of handlers."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

from ostiary.decision import Outcome
from ostiary.event import Event
from ostiary.facts import FactRequest
from ostiary.policy import HandlerPlan
from ostiary.records import NamedTuple
from ostiary.tiers import TierName

T = TypeVar("T")


class HandlerRequest(NamedTuple):
    """A handler that is to run: of which rule (its identity) and tier, its plan, the event as it was sent, and the
    contract that it runs under. `outcome` is there for one that only audits."""

    rule: str
    tier: TierName
    plan: HandlerPlan
    event: Event
    contract: str = "afk"
    outcome: Outcome | None = None


class HandlerRequests(NamedTuple):
    """Handlers that may run beside each other. Answered by as many `Decision`s, None for one that does not run here."""

    requests: tuple[HandlerRequest, ...]


Request = FactRequest | HandlerRequests
Asking = Generator[Request, object, T]
AskingFacts = Generator[FactRequest, object, T]
