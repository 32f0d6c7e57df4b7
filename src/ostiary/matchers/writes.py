"""The `writes` matcher."""

from __future__ import annotations

from ostiary.matchers.access import PathsValue


class Writes(PathsValue):
    """Paths of files that are written: by an edit tool, a program, `>`, a patch ...

    One or more paths (see *Paths*), or `{outside: project}` or `{outside: workdirs}` for everything else than the
    project or the working directories. Judged once per access.

    when: {writes: {outside: project}}
    """

    kind = "writes"
