"""Our own commands inside a checkout that wants to be run (law L6): no verb imports, runs or obeys any of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parent.parent / "src"

# What `-m ostiary` does, for a Python that has no installed package: the path is ours, not the checkout's.
AS_MODULE = f"import sys; sys.path.insert(0, {str(SRC)!r}); from ostiary.__main__ import main; main()"

MODULES = (
    "ostiary/__init__.py",
    "ostiary/__main__.py",
    "regex.py",
    "regex/__init__.py",
    "json/__init__.py",
    "typing.py",
    "rich/__init__.py",
    "typer.py",
    "pydantic.py",
    "sitecustomize.py",
    "usercustomize.py",
)
PROGRAMS = ("git", "less", "sh", "python", "python3", "ps", "ostiary")
DOTENV = (
    "PYTHONPATH=.\nPYTHONSTARTUP=regex.py\nPAGER=./less\nEDITOR=./sh\nOSTIARY_CONFIG_DIR=.\nHOME=.\nXDG_CONFIG_HOME=.\n"
)
POLICY = "version: 1\nname: theirs\nallow: [Bash]\ninclude: [./more.yaml]\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository in which everything that could be taken for ours leaves a mark when it runs."""
    root = tmp_path / "checkout"
    mark = f"open({str(root / 'ran')!r}, 'a').write(__file__)\n"
    for name in MODULES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(mark)
    for name in PROGRAMS:
        (root / "bin").mkdir(exist_ok=True)
        for program in (root / name if not (root / name).exists() else root / f"{name}.exe", root / "bin" / name):
            program.write_text(f"#!/bin/sh\necho {name} >> {root / 'ran'}\n")
            program.chmod(0o755)
    (root / ".env").write_text(DOTENV)
    (root / ".ostiary").mkdir()
    (root / ".ostiary" / "policy.yaml").write_text(POLICY)
    (root / ".ostiary" / "more.yaml").write_text("version: 1\nallow: [Read]\n")
    (root / ".ostiary" / "x.test.yaml").write_text(
        "version: 1\ncases: [{name: x, call: ls, expect: {verdict: none}}]\n"
    )
    (root / ".git" / "hooks").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (root / ".git" / "config").write_text(f"[core]\n\tfsmonitor = {root}/sh\n\tpager = {root}/less\n")
    return root


def installed() -> bool:
    done = subprocess.run([sys.executable, "-I", "-c", "import ostiary"], capture_output=True, check=False)
    return done.returncode == 0


AS_INSTALLED = ["-I", "-m", "ostiary"] if installed() else ["-I", "-c", AS_MODULE]

PAYLOAD = json.dumps(
    {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "cwd": ".",
    }
)


def run(checkout: Path, arguments: list[str], python: list[str]) -> subprocess.CompletedProcess[str]:
    environment = dict(line.split("=", 1) for line in DOTENV.splitlines())
    environment |= {"PATH": f"{checkout}/bin:{checkout}:{os.environ['PATH']}"}
    environment["PYTHONPATH"] = "" if "-I" not in python else environment["PYTHONPATH"]
    return subprocess.run(
        [sys.executable, *python, *arguments],
        cwd=checkout,
        env=environment,
        input=PAYLOAD,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.skipif(os.name != "posix", reason="the programs are shell scripts")
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["check"], 0),
        (["test"], 0),
        (["eval", "git status"], 0),
        (["explain", "git status && bash -c 'ls'"], 0),
        (["eval", "--payload", "-", "--agent", "claude-code"], 0),
        (["schema", "policy"], 0),
        (["trust"], 1),
        (["untrust"], 1),
        (["trust", "list"], 0),
        (["init"], 0),
        (["install", "claude-code", "--scope", "project", "--dry-run"], 0),
        (["uninstall", "claude-code", "--scope", "project", "--dry-run"], 0),
        (["hook", "--agent", "claude-code", "--event", "PreToolUse"], 0),
        (["--version"], 0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_no_verb_runs_anything_of_the_checkout(
    checkout: Path, tmp_path: Path, arguments: list[str], status: int
) -> None:
    config = tmp_path / "config"
    config.mkdir(mode=0o700)
    if arguments[0] == "install":  # else it says that there are no rules
        (config / "policy.yaml").write_text("version: 1\n")
    takes_folder = arguments[0] not in ("schema", "uninstall", "--version")
    further = ["--config-dir", str(config)] if takes_folder else []
    done = run(checkout, [*arguments, *further], AS_INSTALLED)
    assert (done.returncode, done.stderr if status == 0 else "") == (status, "")
    assert not (checkout / "ran").exists(), (checkout / "ran").read_text()


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_a_person_at_a_terminal_can_accept(checkout: Path, tmp_path: Path) -> None:
    import pty

    config = tmp_path / "config"
    config.mkdir(mode=0o700)
    screen, terminal = pty.openpty()
    command = [sys.executable, *AS_INSTALLED, "trust", "--config-dir", str(config)]
    process = subprocess.Popen(command, cwd=checkout, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    shown = until(screen, b"type ")
    word = shown.rpartition(b"type ")[2] or os.read(screen, 100)
    while b": " not in word:
        word += os.read(screen, 100)
    os.write(screen, word.partition(b":")[0] + b"\n")
    assert b"accepted; it acts" in until(screen, b"call on")
    assert process.wait(30) == 0
    os.close(screen)
    assert b"allow" in shown
    assert not (checkout / "ran").exists()


def until(screen: int, end: bytes) -> bytes:
    """What appears on the screen, up to some text."""
    shown = b""
    while end not in shown:
        shown += os.read(screen, 100)
    return shown
