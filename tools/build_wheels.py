"""The wheels of a release, in `dist/`: `python3 tools/build_wheels.py [TARGET ...]`.

One for each system that has a native client, and a pure one for all others. Needs `pip` and a network for packages.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PURE = "pure"
TARGETS = ("x86_64-linux-musl", "aarch64-linux-musl", "x86_64-macos.11.0", "aarch64-macos.11.0", PURE)
"""Those of `native_client.py`, which only a build can import."""


def main() -> None:
    """Builds them."""
    targets = sys.argv[1:] or TARGETS
    if unknown := set(targets).difference(TARGETS):
        raise SystemExit(f"unknown: {', '.join(sorted(unknown))}; the targets are: {', '.join(TARGETS)}")
    for target in targets:
        others = {name: value for name, value in os.environ.items() if name != "OSTIARY_CLIENT"}
        chosen = {} if target == PURE else {"OSTIARY_CLIENT": target}
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(ROOT / "dist")]
        subprocess.run([*command, str(ROOT)], env=others | chosen, check=True)
        print(f"{target}: done", flush=True)


if __name__ == "__main__":
    main()
