"""Running handlers: each by its kind, within its time, and never anything but a decision."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Final

from ostiary.decision import Decision
from ostiary.evaluate import HandlerRequest
from ostiary.perform import limits
from ostiary.perform.program import CANCELLED, LATE
from ostiary.perform.runtime import Job, Runtime

# Imported when one of the kind runs: most are slow to.
_KINDS: Final[Mapping[str, str]] = {
    "command": "ostiary.perform.command",
    "mcp_tool": "ostiary.perform.mcp_tool",
    "prompt": "ostiary.perform.prompt",
    "agent": "ostiary.perform.agent",
    "http": "ostiary.perform.http",
    "python": "ostiary.perform.python",
    "function": "ostiary.perform.function",
}


def perform(requests: tuple[HandlerRequest, ...], runtime: Runtime) -> tuple[Decision, ...]:
    """What the handlers say. Several run beside each other, as many at a time as `runtime` lets them; for those in the
    background nobody waits, and they say nothing."""
    waited = [number for number, request in enumerate(requests) if not request.plan.background]
    said = [Decision()] * len(requests)
    for number, request in enumerate(requests):
        if request.plan.background:
            said[number] = _start(request, runtime)
    until = _until(runtime.began, limits.shared(requests))
    if len(waited) < 2 or runtime.together < 2:
        for number in waited:
            said[number] = performed(requests[number], runtime, until)
    else:
        _together(requests, waited, runtime, until, said)
    return tuple(said)


def performed(request: HandlerRequest, runtime: Runtime, until: float | None = None) -> Decision:
    """What one handler says, by the end of its own time, that of `runtime`, and `until`. Whatever goes wrong is a
    failure."""
    ends = _until(time.monotonic(), limits.seconds(request))
    job = Job(request, runtime, _earliest((ends, runtime.deadline, until)))
    if job.cancelled:
        return Decision(failure=CANCELLED)
    if job.left == 0:
        return Decision(failure=LATE)
    try:
        decision: Decision = import_module(_KINDS[request.plan.kind]).perform(job)
    except Exception as error:
        return Decision(failure=f"it could not be run: {type(error).__name__}: {error}")
    return decision


def _until(began: float, seconds: float | None) -> float | None:
    return None if seconds is None else began + seconds


def _earliest(times: Iterable[float | None]) -> float | None:
    return min((one for one in times if one is not None), default=None)


def _together(
    requests: tuple[HandlerRequest, ...], waited: list[int], runtime: Runtime, until: float | None, said: list[Decision]
) -> None:
    """Run these beside each other, and put what they say where it belongs."""
    from threading import Thread  # slow, and most events have one handler

    queue = deque(waited)

    def work() -> None:
        while queue:
            try:
                number = queue.popleft()
            except IndexError:  # another one was quicker
                return
            said[number] = performed(requests[number], runtime, until)

    threads = [Thread(target=work, name="ostiary handler") for _ in waited[: runtime.together]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _start(request: HandlerRequest, runtime: Runtime) -> Decision:
    if not runtime.ends and not runtime.together:
        return Decision(failure="it runs in the background, and the engine may start no thread for it")
    from ostiary.perform import background  # few handlers are

    try:
        background.start(request, runtime, performed)
    except (OSError, RuntimeError) as error:  # there are no more processes or threads
        return Decision(failure=f"it could not be started: {error}")
    return Decision()
