"""One case with one agent, inside namespaces of its own: the network is the loopback interface, the user database says
that the home is a fresh folder, and every process ends with this one.

Started by `run.py`; prints what was seen as JSON.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from model import Model

import ostiary
from agents import AGENTS, Agent, filled
from cases import CASES, POLICY, SETTINGS, Case, Seen, State, gate_of
from ostiary.dialects import DIALECTS, Dialect
from ostiary.dialects import bodies as answers
from ostiary.dialects.base import Slot
from ostiary.install import plan_install, scripts

_PACKAGE: Final = Path(ostiary.__file__).parent
_UP, _SET_FLAGS = 1, 0x8914  # IFF_UP and SIOCSIFFLAGS of the kernel
_TIMES: Final = re.compile(r'("timeout(?:Sec)?":\s*)\d+')
_SHORT: Final = 2  # seconds


class Run(NamedTuple):
    """A case with an agent, and the folders of this run."""

    agent: Agent
    dialect: Dialect
    case: Case
    folder: Path
    packages: Path

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def work(self) -> Path:
        return self.folder / "work"

    @property
    def policy(self) -> Path:
        return self.folder / "policy"

    @property
    def environment(self) -> dict[str, str]:
        """What every process of the run has."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "TMPDIR": str(self.folder / "tmp"),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "SHELL": "/bin/sh",
            "NO_COLOR": "1",
        }

    def places(self, url: str = "") -> dict[str, str]:
        """What the row's texts are filled with."""
        folders = {"home": str(self.home), "work": str(self.work), "packages": str(self.packages)}
        return {**folders, "url": url, "prompt": self.case.prompt, "line": f"touch {self.case.wanted}"}


def main() -> None:
    name, case, folder, packages = sys.argv[1:]
    wanted = next(one for one in CASES if one.name == case)
    run = Run(AGENTS[name], DIALECTS[name], wanted, Path(folder), Path(packages))
    loopback()
    furnish(run)
    with Model(run.agent.tool, filled(run.agent.arguments, run.places())) as model:
        settle(run, model.url)
        install(run)
        found = tuple(findings(run)) if run.case.doctor else ()
        spoil(run)
        seconds, ended = started(run, model.url)
    (run.folder / "requests.json").write_text(json.dumps(model.requests, indent=1))
    print(json.dumps(seen(run, model, seconds, ended)._replace(doctor=found)._asdict()))


def loopback() -> None:
    """Switches the only interface on."""
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", _UP))


def furnish(run: Run) -> None:
    """Folders, the policy, and a user database whose only user lives in the new home."""
    for folder in (run.home, run.work, run.policy, run.folder / "tmp"):
        folder.mkdir(mode=0o700)
    (run.policy / "policy.yaml").write_text(POLICY)
    (run.policy / "settings.yaml").write_text(SETTINGS)
    if run.case.dotenv:
        (run.work / ".env").write_text(run.case.dotenv)
        (run.work / "env").write_text("exit 0\n")
        (run.work / "sitecustomize.py").write_text("import os\nos._exit(0)\n")
    users = run.folder / "passwd"
    users.write_text(f"dev:x:{os.getuid()}:{os.getgid()}::{run.home}:/bin/sh\n")
    mount(users, Path("/etc/passwd"))


def mount(source: Path, target: Path) -> None:
    """Shows `source` where `target` is, to this run alone."""
    subprocess.run(["mount", "--bind", str(source), str(target)], check=True)


def settle(run: Run, url: str) -> None:
    """Writes the agent's own files."""
    places = run.places(url)
    for name, value in run.agent.files.items():
        data = filled(value, places)
        put(run.home / name, data if isinstance(data, str) else json.dumps(data, indent=2))
    for name, target in run.agent.links.items():
        (run.home / name).parent.mkdir(parents=True, exist_ok=True)
        (run.home / name).symlink_to(filled(target, places))


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def install(run: Run) -> None:
    """Registers the other hook and, with the command that people use, ours."""
    if run.case.beside:
        rival(run)
    ostiary_says(run, "install", run.dialect.name, "--yes", "--config-dir", str(run.policy))
    if run.case.beside == "after":
        edit(run, lambda text: turned(run, text))


def ostiary_says(run: Run, *arguments: str) -> str:
    """What our command prints."""
    command = [sys.executable, "-I", "-m", "ostiary", *arguments]
    return subprocess.run(
        command, cwd=run.work, env=run.environment, stdout=subprocess.PIPE, check=arguments[0] == "install", timeout=60
    ).stdout.decode()


def rival(run: Run) -> None:
    """Registers a hook of somebody else that allows every call, in the agent's own words."""
    gate = gate_of(run.dialect)
    form = run.dialect.events[gate].answers["allow"]
    said = answers.answer(form, {Slot.EVENT: gate, Slot.REASON: "fine"})
    program = run.folder / "other.py"
    program.write_text(f"print({said.stdout!r})\n")
    command = [sys.executable, "-I", str(program)]
    for path in files(run):
        old = path.read_text() if path.exists() else None
        put(path, plan_install(run.dialect, old, command, [gate]).after)


def turned(run: Run, text: str) -> str:
    """A settings file with the hooks at the gate in reverse order."""
    return at_gate(run, text, lambda hooks: hooks[::-1])


def at_gate(run: Run, text: str, change: Callable[[Any], Any]) -> str:
    """A settings file with something else registered at the gate."""
    data = json.loads(text)
    node = data
    for key in run.dialect.registration.root:
        node = node[key]
    node[gate_of(run.dialect)] = change(node[gate_of(run.dialect)])
    return json.dumps(data, indent=2)


def files(run: Run) -> list[Path]:
    """The files that register our hook at the gate."""
    place = next(place for place in run.dialect.registration.places if place.scope == "user")
    names = scripts(run.dialect, [gate_of(run.dialect)]) if run.dialect.registration.shape == "scripts" else {}
    return [run.home / place.path / name for name in names.values()] or [run.home / place.path]


def edit(run: Run, change: Callable[[str], str]) -> None:
    for path in files(run):
        path.write_text(change(path.read_text()))


def findings(run: Run) -> Iterator[str]:
    """What `ostiary doctor` says that is not good, or about other hooks."""
    report = json.loads(ostiary_says(run, "doctor", run.dialect.name, "--json", "--project", str(run.work)))
    for found in report.get(run.dialect.name, ()):
        if found["level"] == "problem" or found["check"] in ("rivals", "open"):
            yield f"{found['check']}: {found['text']}".replace(str(run.home), "~")


def spoil(run: Run) -> None:
    """Breaks the hook as the case says."""
    fault = run.case.fault
    if fault is None:
        return
    if fault.short:
        time_out = _SHORT * (1000 if run.dialect.timeouts.unit == "milliseconds" else 1)
        edit(run, lambda text: reworded(run, text, lambda gate: _TIMES.sub(rf"\g<1>{time_out}", gate)))
    if fault.program:
        edit(run, lambda text: reworded(run, text, lambda gate: gate.replace(sys.executable, fault.program)))
    if fault.module:
        broken = run.folder / "package"
        shutil.copytree(_PACKAGE, broken, ignore=shutil.ignore_patterns("__pycache__"))
        lines = "".join(f"    {line}\n" for line in fault.code.splitlines())
        with (broken / fault.module).open("a") as file:
            file.write(f"\nimport sys\nif {gate_of(run.dialect)!r} in sys.argv:\n{lines}")
        mount(broken, _PACKAGE)


def reworded(run: Run, text: str, change: Callable[[str], str]) -> str:
    """A registration of which the text at the gate is another."""
    if run.dialect.registration.shape == "plugin":
        # One program serves all events, and what a prompt's gate does without an answer is not the question.
        return change(re.sub(r'"events": \[[^]]*\]', f'"events": {json.dumps([gate_of(run.dialect)])}', text))
    if run.dialect.registration.shape == "scripts":
        return change(text)
    return at_gate(run, text, lambda hooks: json.loads(change(json.dumps(hooks))))


def started(run: Run, url: str) -> tuple[float, bool]:
    """Runs the agent; the seconds it took, and whether it ended by itself."""
    places = run.places(url)
    command = [*filled(run.agent.command, places), *(run.agent.reviewed if run.case.reviewed else ())]
    environment = {**run.environment, **filled(run.agent.environment, places)}
    began = time.monotonic()
    with (run.folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=run.work,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(run.case.seconds)
            ended = True
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            ended = False
    return time.monotonic() - began, ended


def seen(run: Run, model: Model, seconds: float, ended: bool) -> Seen:
    made = {path.name for path in run.work.iterdir()}
    state: State = "runs" if run.case.wanted in made else "blocked" if ended else "waits"
    return Seen(
        state="rewritten" if made & {"NEW", "SECOND"} and run.case.wanted not in made else state,
        called=model.calls > 0,
        heard=model.heard,
        told=bool(run.case.told) and model.told(run.case.told),
        prompted=model.told(run.case.prompt),
        seconds=round(seconds, 1),
        log=(run.folder / "log").read_text(errors="replace")[-1500:],
    )


if __name__ == "__main__":
    main()
