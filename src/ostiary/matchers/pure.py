"""The `pure` matcher."""

from __future__ import annotations

from pydantic import StrictBool

from ostiary.matchers.base import Plan, Value


class Pure(Value[StrictBool]):
    """Whether nothing happens but that files are read: `true` or `false`. It is `true` where all that runs is known to
    do nothing else with the options that are given, and no variable, function or alias makes it something else; of the
    tools of agents, where a tool only reads. What is read is for `reads` to say.

    when: {pure: true}
    unless: {reads: ["**/.env", "~/.ssh/**"]}
    """

    def compile(self) -> Plan:
        """The plan of this condition."""
        return ("pure", self.root)
