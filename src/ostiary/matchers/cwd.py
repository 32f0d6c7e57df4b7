"""The `cwd` matcher."""

from __future__ import annotations

from ostiary.matchers.access import PathsValue


class Cwd(PathsValue):
    """Paths of the directory in which the part runs, as `cd` moved it.

    One or more paths (see *Paths*), or `{outside: project}` or `{outside: workdirs}`.

    when: {cwd: "./infra/**", command: {program: terraform}}
    """

    kind = "cwd"
