"""The `subagent` matcher."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Discriminator, StrictBool, Tag

from ostiary.matchers.base import Plan, Texts, Value


def _shape(value: Any) -> str:
    return "<boolean>" if isinstance(value, bool) else "<texts>"


class Subagent(
    Value[Annotated[Annotated[Texts, Tag("<texts>")] | Annotated[StrictBool, Tag("<boolean>")], Discriminator(_shape)]]
):
    """The type of the subagent that makes the call.

    One or more texts (see *Texts*); `true` for any subagent, `false` for the main session.

    when: {subagent: reviewer}
    """

    def compile(self) -> Plan:
        """The plan of this condition."""
        return ("subagent", self.root)
