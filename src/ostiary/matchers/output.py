"""The `output` matcher."""

from __future__ import annotations

from ostiary.matchers.base import TextsValue


class Output(TextsValue):
    """The tool's output, on events after the tool ran.

    One or more texts (see *Texts*).

    when: {output: "/-----BEGIN .* PRIVATE KEY-----/"}
    """

    kind = "output"
