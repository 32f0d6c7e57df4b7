"""The `connects` matcher."""

from __future__ import annotations

from ostiary.matchers.base import Hosts, Plan, Value


class Connects(Value[Hosts]):
    """Hosts that are connected to: by a web tool or a program.

    One or more hosts: `github.com`, `*.github.com` (subdomains at any depth, not the domain itself), `host:port`, `*`.
    Where a program connects by its own settings no host is seen: for `git fetch`, `pip install x` or `npm ci` a rule
    names the program.

    when: {connects: ["*"]}
    unless: {connects: [github.com, "*.github.com"]}
    """

    def compile(self) -> Plan:
        """The plan of this condition."""
        return ("connects", self.root)
