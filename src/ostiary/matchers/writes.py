"""The `writes` matcher."""

from __future__ import annotations

from ostiary.matchers.access import PathsValue


class Writes(PathsValue):
    """Paths of files that are written: by an edit tool, a program, `>`, a patch ...

    One or more paths (see *Paths*), or `{outside: project}` or `{outside: workdirs}` for everything else than the
    project or the working directories. `{autorun: machine}` are the places whose content runs later, without anybody
    naming it: start files of shells and sessions, schedulers, services, what git, ssh and other programs obey.
    `{autorun: project}` are those of a project that run when it is opened or entered, or by git and its host;
    `{autorun: build}` those that the next build, test or install runs; `{autorun: any}` all of them. Commands that
    register something to run later write there, too: `crontab`, `systemctl enable`, `schtasks /create`. Judged once
    per access. Keys of the registry are paths such as `/HKCU/Software/**`.

    when: {writes: {outside: project}}
    """

    kind = "writes"
