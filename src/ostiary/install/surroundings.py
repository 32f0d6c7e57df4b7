"""Which side decides: machines have insides (WSL, containers) and ends (remote sessions). Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ostiary.install.diagnosis import Finding
from ostiary.records import NamedTuple


class Surroundings(NamedTuple):
    """What the system says: `system` as `sys.platform` has it, `kernel` the text of its version, `marks` the paths of
    containers that exist, `env` the environment (it decides nothing here), `user_id` of this process, `known_user`
    whether the user database has it."""

    system: str
    kernel: str
    marks: tuple[str, ...]
    env: Mapping[str, str]
    user_id: int | None
    known_user: bool


CONTAINER_MARKS = ("/.dockerenv", "/run/.containerenv", "/run/systemd/container")
_CONTAINER_ENV = ("REMOTE_CONTAINERS", "CODESPACES", "DEVCONTAINER", "KUBERNETES_SERVICE_HOST")
_REMOTE_ENV = ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")


def sides(found: Surroundings) -> Iterator[Finding]:
    """One finding for each border that agents and policy can be on different sides of."""
    contained = bool(found.marks) or any(found.env.get(name) for name in _CONTAINER_ENV)
    # A container on Windows has the kernel of WSL, and is none.
    if "microsoft" in found.kernel.lower() and not contained:
        yield _note(
            "this is WSL: agents that run in it ask the Ostiary in it",
            "agents of Windows read the files of Windows: install Ostiary there too",
        )
    if contained:
        yield _note(
            "this is a container: agents that run in it ask the Ostiary in it, with this home folder",
            "install it in the image; what is written now is gone when the container is made anew",
        )
    if any(found.env.get(name) for name in _REMOTE_ENV):
        yield _note(
            "this is a remote session: agents that run here ask the Ostiary here",
            "an agent in the editor or terminal of the other machine asks the one there",
        )
    if not found.known_user:
        yield Finding(
            "side",
            "problem",
            f"the user database does not know the user {found.user_id}: there is no home folder to read policy from",
            "name a folder with `--config-dir DIR` when installing",
        )


def _note(text: str, help: str) -> Finding:
    return Finding("side", "note", text, help)
