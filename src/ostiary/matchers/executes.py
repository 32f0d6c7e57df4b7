"""The `executes` matcher."""

from __future__ import annotations

from typing import ClassVar

from ostiary.matchers.access import PathsValue


class Executes(PathsValue):
    """Paths of files whose code runs though it is not in the text: a script, a makefile, a `package.json`.

    One or more paths (see *Paths*), or `{outside: project}`, `{outside: workdirs}`.

    when: {executes: ["/tmp/**", "~/Downloads/**"]}
    """

    kind: ClassVar[str] = "executes"
