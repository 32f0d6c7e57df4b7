"""Drivers of an evaluation: they answer what it asks, at once or asynchronously."""

from __future__ import annotations

from collections.abc import Generator

from ostiary.decision import Outcome
from ostiary.evaluate import Request
from ostiary.facts import FactRequest, Facts

Evaluation = Generator[Request, object, Outcome]


def run(evaluation: Evaluation, facts: Facts) -> Outcome:
    """The outcome, with every question answered by `facts`. Raises what `facts` raises."""
    answer: object = None
    try:
        while True:
            answer = facts.answer(_fact(evaluation.send(answer)))
    except StopIteration as end:
        return _outcome(end)
    finally:
        evaluation.close()


async def arun(evaluation: Evaluation, facts: Facts) -> Outcome:
    """The same for an event loop, which is not held up by a slow disk: facts are asked in another thread."""
    import asyncio  # only embedders need it, and it takes longer to import than a hook may take

    answer: object = None
    try:
        while True:
            answer = await asyncio.to_thread(facts.answer, _fact(evaluation.send(answer)))
    except StopIteration as end:
        return _outcome(end)
    finally:
        evaluation.close()


def _fact(request: Request) -> FactRequest:
    if not isinstance(request, FactRequest):
        message = f"nothing here can answer {request!r}"
        raise TypeError(message)
    return request


def _outcome(end: StopIteration) -> Outcome:
    assert isinstance(end.value, Outcome)
    return end.value
