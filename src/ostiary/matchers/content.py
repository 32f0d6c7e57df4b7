"""The `content` matcher."""

from __future__ import annotations

from ostiary.matchers.base import TextsValue


class Content(TextsValue):
    """Any text that the call writes or sends: a file's new content, a here-document, a request's body.

    One or more texts (see *Texts*).

    when: {content: "/AKIA[0-9A-Z]{16}/"}
    """

    kind = "content"
