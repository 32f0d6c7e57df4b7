"""The `reads` matcher."""

from __future__ import annotations

from ostiary.matchers.access import PathsValue


class Reads(PathsValue):
    """Paths of files that are read: by a read tool, a search, a program's operand, `<`, a patch ...

    One or more paths (see *Paths*), or `{outside: project}` or `{outside: workdirs}` for everything else than the
    project or the working directories. Judged once per access.

    when: {reads: ["**/.env", "~/.ssh/**"]}
    """

    kind = "reads"
