"""The `executes` matcher."""

from __future__ import annotations

from ostiary.matchers.base import Paths, Plan, Value


class Executes(Value[Paths]):
    """Paths of files whose code runs though it is not in the text: a script, a makefile, a module.

    One or more paths (see *Paths*).

    when: {executes: ["/tmp/**", "~/Downloads/**"]}
    """

    def compile(self) -> Plan:
        """The plan of this condition."""
        return ("executes", self.root)
