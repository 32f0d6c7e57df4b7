"""The program `ostiary`, also `python -I -m ostiary`.

`-I` is part of the documented form: without it Python looks for modules in the current folder first, which may be a
hostile checkout (law L6).
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Runs one verb. `hook` and `serve` go a short way, without what only people at a terminal need."""
    _leave_current_folder()
    if sys.argv[1:2] == ["hook"]:
        from ostiary.commands import hook  # late: nothing may be imported before the current folder is left

        hook.main(sys.argv[2:])
    if sys.argv[1:2] == ["serve"]:
        if sys.platform == "win32":
            sys.exit("ostiary: there is no service on Windows; hooks answer by themselves")
        from ostiary.commands import serve  # late: as above

        serve.main(sys.argv[2:])
    from ostiary.commands.main import main as people  # late: takes longer to import than a hook may take

    people()


def _leave_current_folder() -> None:
    """Takes the current folder off the places modules are imported from, unless Python was told to ignore it anyway."""
    if not sys.flags.isolated:
        here = _here()
        sys.path[:] = [place for place in sys.path if os.path.realpath(place or ".") != here]


def _here() -> str:
    try:
        return os.path.realpath(os.getcwd())
    except OSError:
        return ""


if __name__ == "__main__":
    main()
