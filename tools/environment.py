"""A virtual environment for this checkout, made and filled when it is needed. Standard library only.

`demo.py` and `check.py` call `ensure`; on a fresh machine that is all the set-up there is.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".venv"
BIN = FOLDER / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
OLDEST = (3, 11)


def ensure(*groups: str) -> Path:
    """The Python of an environment that holds this package, editable, and the named dependency groups of
    `pyproject.toml`. Nothing is installed again while that file stays what it is."""
    if sys.version_info < OLDEST:
        raise SystemExit(f"Python {OLDEST[0]}.{OLDEST[1]} or newer is needed; this is {sys.version.split()[0]}")
    project = (ROOT / "pyproject.toml").read_bytes()
    stamp = FOLDER / f"ready-{'-'.join(groups) or 'plain'}"
    wanted = hashlib.sha256(project + sys.version.encode()).hexdigest()
    if not (PYTHON.exists() and stamp.exists() and stamp.read_text() == wanted):
        _make()
        _install(tomllib.loads(project.decode()), groups)
        stamp.write_text(wanted)
    return PYTHON


def _make() -> None:
    if PYTHON.exists():
        return
    print(f"making {FOLDER}", flush=True)
    if importlib.util.find_spec("ensurepip") or importlib.util.find_spec("pip"):
        venv.create(FOLDER, with_pip=importlib.util.find_spec("ensurepip") is not None)
        return
    raise SystemExit("this Python has neither `ensurepip` nor `pip`; on Debian and Ubuntu: apt install python3-venv")


def _install(project: dict[str, dict[str, list[str]]], groups: tuple[str, ...]) -> None:
    further = [requirement for group in groups for requirement in project["dependency-groups"][group]]
    print(f"installing ostiary{' and ' + ', '.join(groups) if groups else ''} into {FOLDER}", flush=True)
    quiet = ["--quiet", "--disable-pip-version-check"]
    run([*_pip(), "install", *quiet, "--editable", str(ROOT), *further])


def _pip() -> list[str]:
    """pip inside the environment; where Python cannot put one there, the pip outside, told to work on it."""
    inside = subprocess.run([PYTHON, "-m", "pip", "--version"], capture_output=True, check=False)
    if inside.returncode == 0:
        return [str(PYTHON), "-m", "pip"]
    return [sys.executable, "-m", "pip", "--python", str(PYTHON)]


def run(command: list[str], **options: object) -> None:
    """Runs a command in the checkout; ends this program with its exit code if it fails."""
    done = subprocess.run(command, cwd=ROOT, check=False, **options)  # type: ignore[call-overload]
    if done.returncode:
        raise SystemExit(done.returncode)
