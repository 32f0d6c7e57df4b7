"""`ostiary init`: a first policy."""

from __future__ import annotations

import os
import shlex
from typing import Annotated

import typer

from ostiary.commands.shared import options, shipped
from ostiary.commands.shared.console import say
from ostiary.commands.shared.exits import Exit, Refused
from ostiary.commands.shared.world import folder, places
from ostiary.commands.shared.writing import insist_inside, write
from ostiary.sources.places import Places

PROJECT_FOLDER = ".ostiary"


def run(
    target: Annotated[
        str | None, typer.Argument(metavar="DIR", help="With --project: its folder; the current one if absent.")
    ] = None,
    *,
    project: Annotated[
        bool, typer.Option("--project", help="Write a project's policy, in its .ostiary folder.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    config_dir: options.ConfigDir = None,
) -> None:
    """Write a policy to begin with.

    It is commented, has tests, and is useful as it is. Without `--project` it is the user's own policy, for every
    agent and project of this user.
    """
    if target is not None and not project:
        raise Refused("DIR goes with `--project`; the user's folder is named by `--config-dir`", Exit.USAGE)
    here = places(config_dir)
    root = (folder(target) or os.getcwd()) if project else None
    written = _write(_starter(here, root), root, force)
    for path in written:
        say(f"wrote {path}")
    say()
    say("next:")
    for command in _next(target if project else None, config_dir):
        say(f"  {command}")
    raise typer.Exit(Exit.CLEAN)


def _starter(here: Places, root: str | None) -> dict[str, str]:
    """The files of a starter, the policy first: path and text. `root` is the project, None for the user."""
    kind = "user" if root is None else "project"
    where = here.user if root is None else os.path.join(root, PROJECT_FOLDER)
    return {
        os.path.join(where, "policy.yaml"): shipped.starter(here, f"{kind}.yaml"),
        os.path.join(where, "policy.test.yaml"): shipped.starter(here, f"{kind}.test.yaml"),
        os.path.join(where, "policy.schema.json"): shipped.schema(here, "policy"),
    }


def _write(files: dict[str, str], root: str | None, force: bool) -> list[str]:
    """Writes the files; the paths written. Tests and a schema that exist are left alone."""
    policy = next(iter(files))
    if os.path.lexists(policy) and not force:
        raise Refused(f"`{policy}` exists; `--force` replaces it", Exit.FINDINGS)
    wanted = {path: text for path, text in files.items() if force or not os.path.lexists(path)}
    for path in wanted if root else ():
        insist_inside(path, root or "")
    for path, text in wanted.items():
        write(path, text, private=root is None)
    return list(wanted)


def _next(target: str | None, config_dir: str | None) -> list[str]:
    options = f" --project {shlex.quote(target)}" if target else ""
    options += f" --config-dir {shlex.quote(config_dir)}" if config_dir else ""
    return [f"ostiary test{options}", f"ostiary explain{options} 'git push --force'"]
