"""The `interactive` matcher."""

from __future__ import annotations

from pydantic import StrictBool

from ostiary.matchers.base import Plan, Value


class Interactive(Value[StrictBool]):
    """Whether a person is there to be asked: `true` or `false`.

    when: {interactive: false}
    """

    def compile(self) -> Plan:
        """The plan of this condition."""
        return ("interactive", self.root)
