"""Handlers that ask a model."""

from __future__ import annotations

from ostiary.decision import Decision
from ostiary.perform.adapters.base import NoModel
from ostiary.perform.judgements import instructions, judgement, meaning
from ostiary.perform.model import UNREADABLE, answer_of, may_allow, model_of, told_of
from ostiary.perform.runtime import Job


def perform(job: Job) -> Decision:
    """What a model says of the event."""
    kind = job.request.event.kind
    try:
        ask, model = model_of(job)
        said = judgement(answer_of(job, ask, told_of(job), instructions(kind), model))
    except NoModel as error:
        return Decision(failure=str(error))
    if said is None:
        return Decision(failure=UNREADABLE)
    return meaning(said, kind, job.options["goes_on"], may_allow(job))
