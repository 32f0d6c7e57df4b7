"""Asynchronous work for a caller that waits: in a loop of its own, until it is done, too late or not wanted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from ostiary.perform.program import CANCELLED, LATE, Cancel

T = TypeVar("T")

_LOOK: Final = 0.05
_PATIENCE: Final = 0.25


class Unfinished(Exception):
    """The work was given up; the text says why."""


def finish(
    work: Callable[[], Awaitable[T]],
    deadline: float | None,
    cancel: Cancel | None,
    loop: asyncio.AbstractEventLoop | None = None,
) -> T:
    """What the work gives. Raises what it raises, and `Unfinished` where it is not done at the deadline (by
    `time.monotonic()`, None: no limit) or when it is cancelled; it has ended by then. It runs in `loop` where that is
    another thread's, else in one of its own. Where this thread runs a loop already, the work gets a thread that ends
    with it."""
    try:
        running = asyncio.get_running_loop()
    except RuntimeError:
        if loop is None:
            return asyncio.run(_watched(work, deadline, cancel))
        running = None
    if loop is not None and loop is not running:
        return asyncio.run_coroutine_threadsafe(_watched(work, deadline, cancel), loop).result()
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, _watched(work, deadline, cancel)).result()


async def _watched(work: Callable[[], Awaitable[T]], deadline: float | None, cancel: Cancel | None) -> T:
    task = asyncio.ensure_future(_awaited(work))
    try:
        while not task.done():
            why = _unwanted(deadline, cancel)
            if why:
                raise Unfinished(why)
            left = None if deadline is None else max(deadline - time.monotonic(), 0)
            pause = left if cancel is None else _LOOK if left is None else min(left, _LOOK)
            await asyncio.wait({task}, timeout=pause)
        return task.result()
    finally:
        while not task.done():  # what ends slowly is told again, so that it cannot wait once more
            task.cancel()
            await asyncio.wait({task}, timeout=_PATIENCE)


async def _awaited(work: Callable[[], Awaitable[T]]) -> T:
    return await work()


def _unwanted(deadline: float | None, cancel: Cancel | None) -> str:
    if cancel and cancel.cancelled:
        return CANCELLED
    return LATE if deadline is not None and time.monotonic() >= deadline else ""
