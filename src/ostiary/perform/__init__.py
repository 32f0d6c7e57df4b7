"""Drivers of an evaluation: they answer what it asks, at once or asynchronously."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Final

from ostiary.decision import Decision, Outcome, Verdict
from ostiary.evaluate import HandlerRequest, HandlerRequests, Request, evaluate
from ostiary.event import Event
from ostiary.facts import Facts
from ostiary.policy import Policy
from ostiary.records import replace

Evaluation = Generator[Request, object, Outcome]
Perform = Callable[[tuple[HandlerRequest, ...]], tuple[Decision | None, ...]]
"""Runs handlers, beside each other where they are several. None for one that does not run here."""


def nothing(requests: tuple[HandlerRequest, ...]) -> tuple[Decision | None, ...]:
    """Runs no handler."""
    return (None,) * len(requests)


def run(evaluation: Evaluation, facts: Facts, perform: Perform = nothing) -> Outcome:
    """The outcome, with every question answered by `facts` and `perform`. Raises what they raise."""
    answer: object = None
    try:
        while True:
            answer = _answer(evaluation.send(answer), facts, perform)
    except StopIteration as end:
        return _outcome(end)
    finally:
        evaluation.close()


_PATHS: Final = {"read_file": "file_path", "list_directory": "path"}


def permits(policy: Policy, event: Event, facts: Facts) -> Callable[[str, str], bool]:
    """Whether the agent of an event may read a file (`read_file`) or list a folder (`list_directory`): nothing but a
    handler stops or asks."""

    def permitted(tool: str, path: str) -> bool:
        given = {_PATHS[tool]: path}
        called = Event.from_call(
            tool, given, event.cwd, agent=event.agent, session=event.session, project=event.project, mode=event.mode
        )
        called = replace(called, workdirs=event.workdirs, subagent=event.subagent)
        return run(evaluate(policy, called, facts.given(event.cwd)), facts).verdict < Verdict.ASK

    return permitted


async def arun(evaluation: Evaluation, facts: Facts, perform: Perform = nothing) -> Outcome:
    """The same for an event loop, which is not held up: questions are answered in another thread."""
    import asyncio  # only embedders need it, and it takes longer to import than a hook may take

    answer: object = None
    try:
        while True:
            answer = await asyncio.to_thread(_answer, evaluation.send(answer), facts, perform)
    except StopIteration as end:
        return _outcome(end)
    finally:
        evaluation.close()


def _answer(request: Request, facts: Facts, perform: Perform) -> object:
    return perform(request.requests) if isinstance(request, HandlerRequests) else facts.answer(request)


def _outcome(end: StopIteration) -> Outcome:
    assert isinstance(end.value, Outcome)
    return end.value
