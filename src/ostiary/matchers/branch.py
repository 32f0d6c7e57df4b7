"""The `branch` matcher."""

from __future__ import annotations

from ostiary.matchers.base import TextsValue


class Branch(TextsValue):
    """The git branch checked out in the directory where the part runs. Without a repository, and
    on a detached head, there is none.

    One or more texts (see *Texts*).

    when: {branch: [main, "release/*"], command: git commit *}
    """

    kind = "branch"
