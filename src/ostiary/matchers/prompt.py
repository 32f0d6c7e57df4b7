"""The `prompt` matcher."""

from __future__ import annotations

from ostiary.matchers.base import TextsValue


class Prompt(TextsValue):
    """The text a person typed, or that was given to a subagent.

    One or more texts (see *Texts*).

    when: {prompt: "/password *[:=]/i"}
    """

    kind = "prompt"
