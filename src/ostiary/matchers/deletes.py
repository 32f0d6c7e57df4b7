"""The `deletes` matcher."""

from __future__ import annotations

from ostiary.matchers.access import PathsValue


class Deletes(PathsValue):
    """Paths of files that are removed or moved away.

    One or more paths (see *Paths*), or `{outside: project}` or `{outside: workdirs}` for everything else than the
    project or the working directories. Judged once per access.

    when: {deletes: [".git/**"]}
    """

    kind = "deletes"
