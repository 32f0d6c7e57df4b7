"""Handlers that nobody waits for.

Where this process goes on they run in a thread. A hook ends with its answer, so there they run in a process of their
own, which holds nothing of the hook: who reads the answer would wait for it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Final, NoReturn

from ostiary.decision import Decision, Verdict
from ostiary.evaluate import HandlerRequest
from ostiary.perform.runtime import Finished, Runtime
from ostiary.records import replace

_FILES: Final = 1 << 16

Performed = Callable[[HandlerRequest, Runtime], Decision]


def start(request: HandlerRequest, runtime: Runtime, performed: Performed) -> None:
    """Begin to run a handler, within its own time alone; `runtime.finished` is told what it came to. Raises OSError and
    RuntimeError where it cannot be started."""
    free = replace(runtime, deadline=None)
    if not runtime.ends:
        from threading import Thread  # slow, and hooks need none

        arguments = (request, free, performed)
        Thread(target=_finish, args=arguments, name="ostiary background handler", daemon=True).start()
    elif sys.platform == "win32":
        raise RuntimeError("hooks of this system run no handlers in the background")
    elif os.fork() == 0:
        _alone(request, free, performed)


def finished(request: HandlerRequest, decision: Decision) -> Finished:
    """What there is to tell of a handler in the background. Its verdict and its changes have no effect."""
    wakes = request.plan.rewake and decision.verdict == Verdict.DENY
    texts = (decision.context, decision.message, decision.reason if wakes else None)
    context = "\n".join(text for text in texts if text)
    return Finished(request.rule, request.event.name, request.event.session, context, wakes, decision.failure)


def _finish(request: HandlerRequest, runtime: Runtime, performed: Performed) -> None:
    runtime.finished(finished(request, performed(request, runtime)))


if sys.platform != "win32":

    def _alone(request: HandlerRequest, runtime: Runtime, performed: Performed) -> NoReturn:
        """Run it in this process, which was forked for it, and end."""
        try:
            os.setsid()
            null = os.open(os.devnull, os.O_RDWR)
            for standard in range(3):
                os.dup2(null, standard)
            os.closerange(3, _FILES)
            _finish(request, runtime, performed)
        finally:
            os._exit(0)
