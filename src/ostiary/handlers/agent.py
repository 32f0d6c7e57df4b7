"""`run: {agent: ...}`: an agent that looks into the event."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from ostiary.handlers.prompt import Asking
from ostiary.matchers.base import Name


class Agent(Asking):
    """Has a model look into the event, with tools that change nothing: it may read files of the project, list folders
    and search, but for what is hidden there or what a rule keeps from the agent. It answers as the model of a `prompt`
    handler does, a no of it never halts the session, and it cannot say `impossible`. A program that embeds Ostiary can
    bring an agent of its own.

        run: {agent: "Do the tests pass that belong to the changed files? $ARGUMENTS", timeout: 2m}
    """

    kind: ClassVar[str] = "agent"

    agent: Name = Field(
        description="what it is to find out; `$ARGUMENTS` is the event as JSON, added at the end if absent"
    )

    def options(self) -> tuple[tuple[str, Any], ...]:
        """The kind's own options as plain values."""
        return (("prompt", self.agent), ("model", self.model or ""))
