"""What handlers have in common that a model decides."""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable
from typing import Final

from ostiary.perform.adapters import chosen
from ostiary.perform.adapters.base import NoModel
from ostiary.perform.judgements import asked
from ostiary.perform.payload import encoded
from ostiary.perform.runtime import Job

Answer = str | Awaitable[str]
Ask = Callable[[str, str, float | None, str], Answer]

UNREADABLE: Final = 'the answer is no JSON object with `"ok": true` or `"ok": false`'
"""What is wrong with an answer that is none."""


def may_allow(job: Job) -> bool:
    """Whether a yes allows: only of a managed rule that says so."""
    return job.request.plan.may_allow and job.request.tier == "managed"


def model_of(job: Job) -> tuple[Ask, str]:
    """The model that is asked, and the name that it is given."""
    wanted: str = job.options["model"]
    if job.runtime.model is not None:
        return job.runtime.model.complete, wanted
    model, name = chosen(job.runtime.models, wanted, job.request.tier, job.runtime.environ)
    return model.complete, name


def told_of(job: Job) -> str:
    """What is asked about the event."""
    return asked(job.options["prompt"], json.loads(encoded(job.payload)))


def answer_of(job: Job, ask: Ask, prompt: str, system: str, model: str) -> str:
    """The answer, however the model gives it. Raises `NoModel`, which says what went wrong."""
    try:
        answer = ask(prompt, system, job.left, model)
        text = _finished(job, answer) if inspect.isawaitable(answer) else answer
    except Exception as error:
        raise NoModel(_why(error)) from error
    if not isinstance(text, str):
        raise NoModel(f"the model gave {type(text).__name__} for an answer, which is no text")
    return text


def _finished(job: Job, answer: Awaitable[str]) -> str:
    from ostiary.perform.loops import finish  # slow, and a model may answer at once

    try:
        return finish(lambda: answer, job.deadline, job.runtime.cancel)
    finally:
        if inspect.iscoroutine(answer):
            answer.close()  # one that was never begun, because it was too late already


def _why(error: Exception) -> str:
    """What went wrong. The text of a library may hold what the model or its server wrote, and is left out."""
    from ostiary.perform.loops import Unfinished  # as above

    if isinstance(error, Unfinished):
        return str(error)
    status = getattr(error, "status_code", None)
    code = f" with status {status}" if isinstance(status, int) else ""
    return f"the model cannot be asked: {type(error).__name__}{code}"
