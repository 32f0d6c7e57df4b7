"""The `mode` matcher."""

from __future__ import annotations

from ostiary.matchers.base import TextsValue


class Mode(TextsValue):
    """The agent's permission mode, in its own words.

    One or more texts (see *Texts*).

    when: {mode: bypassPermissions}
    """

    kind = "mode"
