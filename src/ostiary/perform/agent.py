"""Handlers that have an agent look into the event: one that the embedder brings, or a model that may look at files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ostiary.decision import Decision
from ostiary.perform.adapters.base import NoModel
from ostiary.perform.judgements import AT_LENGTH, IN_STEPS, Judgement, judgement, last_line, marked, meaning
from ostiary.perform.model import UNREADABLE, answer_of, may_allow, model_of, told_of
from ostiary.perform.program import LATE
from ostiary.perform.replies import is_object, object_of
from ostiary.perform.runtime import Job, Library

STEPS: Final = 12
"""How often a model may look before it has to answer."""

_NOW: Final = "That was the last look: answer now."


def perform(job: Job) -> Decision:
    """What the agent says of the event. It always leaves the session running, and cannot say that something is
    impossible."""
    try:
        said = _of_embedder(job) if job.runtime.verifier else _of_model(job)
    except NoModel as error:
        return Decision(failure=str(error))
    if said is None:
        return Decision(failure=UNREADABLE)
    return meaning(said._replace(impossible=False), job.request.event.kind, True, may_allow(job))


def _of_embedder(job: Job) -> Judgement | None:
    assert job.runtime.verifier
    return judgement(
        last_line(answer_of(job, job.runtime.verifier.verify, told_of(job), AT_LENGTH, job.options["model"]))
    )


def _of_model(job: Job) -> Judgement | None:
    """The answer of a model that is asked again with what it wanted to see. Raises `NoModel`."""
    library = job.runtime.library
    if library is None:
        raise NoModel("there are no files here that an agent could look at")
    ask, model = model_of(job)
    prompt = told_of(job)
    for left in range(STEPS, -1, -1):
        if job.left == 0:
            raise NoModel(LATE)
        answer = answer_of(job, ask, prompt, IN_STEPS, model)
        step = object_of(answer) if is_object(answer) else ""
        shown = _shown(step, library) if isinstance(step, dict) else None
        if shown is None:
            return judgement(answer)
        prompt = "\n\n".join((prompt, marked("step", step), marked("result", shown), *([_NOW] if left == 1 else [])))
    raise NoModel(f"it came to no answer in {STEPS} looks")


def _shown(step: Mapping[str, Any], library: Library) -> str | None:
    """What a model wanted to see, None if it wanted nothing. Who answers, besides, has answered."""
    if "ok" in step:
        return None
    if isinstance(path := step.get("read"), str):
        first = step.get("from", 1)
        return library.read(path, first if isinstance(first, int) else 1)
    if isinstance(path := step.get("list"), str):
        return library.list(path)
    if isinstance(text := step.get("search"), str):
        folder = step.get("in", "")
        return library.search(text, folder if isinstance(folder, str) else "")
    return None
