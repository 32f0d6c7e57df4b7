"""The `agent` matcher."""

from __future__ import annotations

from ostiary.matchers.base import TextsValue


class Agent(TextsValue):
    """The agent that asks, by the name of its dialect.

    One or more texts (see *Texts*).

    when: {agent: "*-cli"}
    """

    kind = "agent"
