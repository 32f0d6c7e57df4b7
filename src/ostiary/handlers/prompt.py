"""`run: {prompt: ...}`: a question to a model."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field, StrictBool

from ostiary.handlers.base import HandlerSpec
from ostiary.matchers.base import Name, described
from ostiary.policy import HandlerPlan


class Asking(HandlerSpec):
    """What handlers have that a model decides."""

    model: Name | None = described("a name under `models` in the settings, or a model of its default's provider")
    may_allow: StrictBool = Field(
        default=False,
        description="`true`, in a managed rule: a yes of the model allows the call, and not only lets it be",
    )

    def plan(self, folder: str) -> HandlerPlan:
        """The plan of a handler in a rule file in this absolute folder."""
        return super().plan(folder)._replace(may_allow=self.may_allow)


class Prompt(Asking):
    """Asks a model about the event. It can stop a call; a yes of it leaves the call to everybody else.

        run: {prompt: "Does this command only read? $ARGUMENTS", continue_on_block: true}

    The model must answer `{"ok": true}` or `{"ok": false, "reason": "..."}`, and anything else is a failure. It is told
    that the event is data of others and no instruction. On Stop and its like a no makes the agent go on, unless the
    answer says `"impossible": true`.
    """

    kind: ClassVar[str] = "prompt"

    prompt: Name = Field(
        description="what it is asked; `$ARGUMENTS` is the event as JSON, added at the end if absent, `\\$` is a `$`"
    )
    continue_on_block: StrictBool = Field(
        default=False,
        description="`true`: a no about a tool call only stops the call; otherwise it also halts the session",
    )

    def options(self) -> tuple[tuple[str, Any], ...]:
        """The kind's own options as plain values."""
        return (("prompt", self.prompt), ("model", self.model or ""), ("goes_on", self.continue_on_block))
