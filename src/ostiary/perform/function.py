"""Python functions as handlers, called in this process.

A thread cannot be ended from outside. So a function's time is an agreement: one that takes `cancel` is passed an object
whose `cancelled` turns true when its time is over, and one that answers too late has failed, unless what it says stops
the call: that is in hand, and dropping it would be looser. An asynchronous one is cancelled in time.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ostiary.decision import Decision, Verdict
from ostiary.perform.program import CANCELLED, LATE
from ostiary.perform.replies import NO_REASON, REASON, of_value
from ostiary.perform.runtime import Job


class _Unwanted(Exception):
    """The answer of an asynchronous function is too late, or not wanted any more; the message says which."""


class _Token:
    """Tells a function that its answer is no longer wanted."""

    def __init__(self, job: Job) -> None:
        self._job = job

    @property
    def cancelled(self) -> bool:
        """Whether to stop now."""
        return self._job.cancelled or self._job.left == 0


def perform(job: Job) -> Decision:
    """Calls a function that the embedder registered."""
    function = job.runtime.functions.get(job.options["name"])
    return called(function, job) if function else Decision(failure="it is not registered any more")


def called(function: Callable[..., Any], job: Job) -> Decision:
    """What a function says of the event, which it is given as its first argument. One that raises blocks."""
    try:
        value = function(job.request.event, **({"cancel": _Token(job)} if _takes_cancel(function) else {}))
        if hasattr(value, "__await__"):
            value = _awaited(value, job)
    except _Unwanted as unwanted:
        return Decision(failure=str(unwanted))
    except (Exception, SystemExit) as error:
        return _raised(error)
    if job.cancelled:
        return Decision(failure=CANCELLED)
    decision = of_value(value, job.request.contract)
    late = job.left == 0 and not (decision.verdict > Verdict.ALLOW or decision.halt)
    return Decision(failure=LATE) if late else decision


def _raised(error: BaseException) -> Decision:
    return Decision(verdict=Verdict.DENY, reason=str(error).strip()[:REASON] or f"{NO_REASON}: {type(error).__name__}")


def _takes_cancel(function: Callable[..., Any]) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and "cancel" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _awaited(value: Awaitable[Any], job: Job) -> Any:
    """The value of an asynchronous function: in the embedder's loop where `runtime` knows one, else in its own. Raises
    _Unwanted, and what the function raises."""
    from ostiary.perform.loops import Unfinished, finish  # slow, and only embedders need it

    async def within() -> Any:
        return await value

    try:
        return finish(within, job.deadline, job.runtime.cancel, job.runtime.loop)
    except Unfinished as unfinished:
        raise _Unwanted(str(unfinished)) from None
