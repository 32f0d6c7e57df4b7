"""The `session` matcher."""

from __future__ import annotations

from ostiary.matchers.base import TextsValue


class Session(TextsValue):
    """The id of the agent's session.

    One or more texts (see *Texts*).

    when: {session: "ci-*"}
    """

    kind = "session"
