"""Agents from npm, each below a folder of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

from agents import Agent, filled

_PATIENCE: Final = 600
_FLAGS: Final = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier")
_UNPACK: Final = (
    "const [from, to] = process.argv.slice(1);"
    "const packed = require('fs').readFileSync(from);"
    "require('fs').writeFileSync(to, require('zlib').brotliDecompressSync(packed), {mode: 0o755});"
)


def installed(name: str, agent: Agent, cache: Path) -> Path:
    """The folder with the agent's packages. Raises OSError and subprocess errors where they cannot be had."""
    folder = cache / f"{name}-{agent.version}"
    whole = folder / "whole"  # written last
    if not whole.exists():
        folder.mkdir(parents=True, exist_ok=True)
        wanted = filled(agent.packages, {"version": agent.version})
        _quietly("npm", "install", "--prefix", str(folder), *_FLAGS, *wanted)
        if agent.unpacked:
            _quietly("node", "-e", _UNPACK, *(str(folder / part) for part in agent.unpacked))
        whole.touch()
    return folder


def _quietly(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=_PATIENCE)
