"""What a hook with cached plans imports: nothing that only loading rule files or people need (law L7)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from payloads import AGENT, bash, tool
from processes import SOURCE, hook
from trees import plant

HEAVY = {"pydantic", "pydantic_core", "ruamel", "typer", "rich", "click", "asyncio", "regex", "unittest", "logging"}
HEAVY |= {"dataclasses", "inspect"}
SLOW = {f"ostiary.{name}" for name in ("rules", "build", "trust", "engine", "matchers", "document", "explain")}
SHELL = {"tree_sitter", "tree_sitter_bash"}


def imported(report: bytes) -> set[str]:
    """The modules in a report of `-X importtime`, packages by their own name too."""
    names = {
        line.rpartition("|")[2].strip() for line in report.decode().splitlines() if line.startswith("import time:")
    }
    return names | {name.partition(".")[0] for name in names}


@pytest.fixture
def base(tmp_path: Path) -> Path:
    plant(tmp_path, {"config/policy.yaml": 'version: 1\ndeny: ["Bash(rm *)", "Read(**/.env)"]\n'})
    return tmp_path.resolve()


def run(base: Path, payload: object, *flags: str) -> subprocess.CompletedProcess[bytes]:
    given = ("--agent", AGENT, "--event", "PreToolUse", "--config-dir", str(base / "config"))
    return hook(payload, *given, cwd=base, flags=flags)


def test_a_hook_with_cached_plans_is_quick_to_start(base: Path) -> None:
    reading = tool("Read", {"file_path": str(base / ".env")}, str(base))
    assert b'"deny"' in run(base, reading).stdout
    done = run(base, reading, "-X", "importtime")
    assert b'"deny"' in done.stdout
    assert imported(done.stderr) & (HEAVY | SLOW | SHELL) == set()
    shell = run(base, bash("rm x", str(base)), "-X", "importtime")
    assert b'"deny"' in shell.stdout
    assert imported(shell.stderr) & (HEAVY | SLOW) == set()


def test_importing_the_package_imports_nothing_else() -> None:
    names = "print(*(name for name in sys.modules if name.startswith('ostiary.')))"
    code = f"import sys; sys.path.insert(0, {SOURCE!r}); import ostiary; {names}"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, timeout=60, check=True)
    assert done.stdout.split() == []
