"""Handlers that have an agent look into the event, with tools of its own."""

from __future__ import annotations

from typing import Final

from ostiary.decision import Decision
from ostiary.perform.adapters.base import NoModel
from ostiary.perform.judgements import AT_LENGTH, judgement, last_line, meaning
from ostiary.perform.model import UNREADABLE, answer_of, may_allow
from ostiary.perform.runtime import Job

_NOBODY: Final = "no agent is set: a program that embeds Ostiary gives one to `Engine.load(verifier=...)`"


def perform(job: Job) -> Decision:
    """What the agent says of the event. It always leaves the session running, and cannot say that something is
    impossible."""
    if job.runtime.verifier is None:
        return Decision(failure=_NOBODY)
    try:
        said = judgement(last_line(answer_of(job, job.runtime.verifier.verify, AT_LENGTH, job.options["model"])))
    except NoModel as error:
        return Decision(failure=str(error))
    if said is None:
        return Decision(failure=UNREADABLE)
    return meaning(said._replace(impossible=False), job.request.event.kind, True, may_allow(job))
