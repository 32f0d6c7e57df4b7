"""Everything that must hold before a change is taken: `python3 tools/check.py [PYTEST ARGUMENTS]`.

Needs nothing but Python 3.11 and git; makes its own environment in `.venv`. Runs the linter, the formatter, the type
checker, the import contract and the tests, and stops at the first that fails. Arguments go to pytest.
"""

from __future__ import annotations

import sys
import time

from environment import BIN, ensure, run

STEPS = (
    ("ruff check", ["-m", "ruff", "check", "."]),
    ("ruff format", ["-m", "ruff", "format", "--check", "."]),
    ("mypy", ["-m", "mypy"]),
    ("tests", ["-m", "pytest", "--cov", "--cov-report=term", "--hypothesis-profile=gate", "-n", "auto"]),
)


def main() -> None:
    """Runs every step."""
    python = str(ensure("dev"))
    for name, arguments in STEPS:
        further = sys.argv[1:] if name == "tests" else []
        _step(name, [python, *arguments, *further])
        if name == "mypy":
            _step("import contract", [str(BIN / "lint-imports"), "--no-cache"])
    print("\nall is well")


def _step(name: str, command: list[str]) -> None:
    print(f"\n== {name}", flush=True)
    began = time.monotonic()
    run(command)
    print(f"   {time.monotonic() - began:.1f} s", flush=True)


if __name__ == "__main__":
    main()
