"""Wheels that bring the native client of the service, for hatchling.

A wheel is pure unless `OSTIARY_CLIENT` names one of the targets below: then the client is compiled for it and becomes
the script `ostiary-client`. `tools/build_wheels.py` makes all of them. The compiler is that of `ziglang`, which builds
for every target on every machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TARGETS = {
    "x86_64-linux-musl": "py3-none-manylinux2014_x86_64.musllinux_1_1_x86_64",
    "aarch64-linux-musl": "py3-none-manylinux2014_aarch64.musllinux_1_1_aarch64",
    "x86_64-macos.11.0": "py3-none-macosx_11_0_x86_64",
    "aarch64-macos.11.0": "py3-none-macosx_11_0_arm64",
}
"""Targets as zig names them, and the tags of their wheels. A static program needs no libc, whichever there is."""

SOURCE = "src/ostiary/client/native/client.c"
_FLAGS = ("-std=c11", "-Os", "-s", "-Wall", "-Wextra", "-Werror", "-fno-sanitize=all")


class NativeClient(BuildHookInterface[Any]):
    """The hook that compiles it."""

    def dependencies(self) -> list[str]:
        """What the build needs besides."""
        return ["ziglang>=0.14"] if _target() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the client to a wheel."""
        target = _target()
        if target is None or version == "editable":
            return
        if target not in TARGETS:
            raise ValueError(f"OSTIARY_CLIENT names no target, which are: {', '.join(TARGETS)}")
        self._folder = tempfile.TemporaryDirectory()
        program = os.path.join(self._folder.name, "ostiary-client")
        compiler = [sys.executable, "-m", "ziglang", "cc", "-target", target, *_FLAGS]
        define = f'-DVERSION="{self.metadata.version}"'
        subprocess.run([*compiler, define, "-o", program, str(Path(self.root, SOURCE))], check=True)
        build_data["shared_scripts"][program] = "ostiary-client"
        build_data["pure_python"] = False
        build_data["tag"] = TARGETS[target]


def _target() -> str | None:
    return os.environ.get("OSTIARY_CLIENT")
