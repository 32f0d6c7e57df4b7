"""What a hook with cached plans imports: nothing that only loading rule files or people need (law L7)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ostiary.dialects import DIALECTS
from payloads import AGENT, bash, raw, tool
from processes import SOURCE
from trees import plant

HEAVY = {"pydantic", "pydantic_core", "ruamel", "typer", "rich", "click", "asyncio", "regex", "unittest", "logging"}
HEAVY |= {"dataclasses", "inspect", "hashlib", "difflib", "unicodedata", "urllib", "shlex"}
SLOW = {f"ostiary.{name}" for name in ("rules", "build", "trust", "engine", "matchers", "document", "explain")}
SHELL = {"tree_sitter", "tree_sitter_bash", "ostiary.shell", "ostiary.call.parts"}
RUNNING = {f"ostiary.{name}" for name in ("programs", "call.layers", "conditions.command", "conditions.wrapped")}
KINDS = {f"ostiary.conditions.{name}" for name in ("field", "input", "place", "script", "session", "state", "texts")}
RARE = {
    f"ostiary.{name}"
    for name in ("spelling", "evaluate.rewrite", "evaluate.tighten", "programs.windows", "sources.vanished")
}
RARE |= {
    "base64",
    "ostiary.perform.runtime",
    "ostiary.perform.handlers",
    "ostiary.sources.foreign",
    "ostiary.sources.git",
}
CODE_READERS = {f"ostiary.call.{name}" for name in ("code", "patch", "tool", "makefile", "manifest")}
UNUSED: dict[str, tuple[dict[str, Any], set[str]]] = {
    "read": (tool("Read", {"file_path": "/work/.env"}), HEAVY | SLOW | RARE | SHELL | RUNNING | KINDS),
    "write": (tool("Write", {"file_path": "/work/.env", "content": "x"}), HEAVY | SLOW | RARE | SHELL | RUNNING),
    "shell": (bash("rm x"), HEAVY | SLOW | RARE | CODE_READERS | KINDS),
}
"""By call, what its hook must not import."""


def imported(report: bytes) -> set[str]:
    """The modules in a report of `-X importtime`, packages by their own name too."""
    names = {
        line.rpartition("|")[2].strip() for line in report.decode().splitlines() if line.startswith("import time:")
    }
    return names | {name.partition(".")[0] for name in names}


@pytest.fixture
def base(tmp_path: Path) -> Path:
    policy = 'version: 1\ndeny: ["Bash(rm *)", "Read(**/.env)"]\n'
    plant(tmp_path, {"config/policy.yaml": policy, "config/settings.yaml": "enable_shell_hooks: true\n"})
    return tmp_path.resolve()


KEEP = "lambda job: keeper.keep(job, forks={forks})"
CODE = "from ostiary.commands import hook; from ostiary.commands.shared import keeper"


def run(base: Path, payload: object, *flags: str, forks: bool = False) -> subprocess.CompletedProcess[bytes]:
    """A hook that does its work in its own process, so that the interpreter's report has it, or in a child."""
    code = f"import sys; sys.path.insert(0, {SOURCE!r}); {CODE}; hook.main(sys.argv[1:], {KEEP.format(forks=forks)})"
    given = ("--agent", AGENT, "--event", "PreToolUse", "--config-dir", str(base / "config"))
    command = [sys.executable, "-I", *flags, "-c", code, *given]
    return subprocess.run(command, input=raw(payload), capture_output=True, timeout=60, check=True, cwd=base)


@pytest.mark.parametrize("name", UNUSED)
def test_a_hook_with_cached_plans_imports_what_its_call_needs(base: Path, name: str) -> None:
    call, unused = UNUSED[name]
    run(base, call)
    done = run(base, call, "-X", "importtime")
    assert b'"deny"' in done.stdout
    assert imported(done.stderr) & unused == set()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no children of this kind")
def test_who_keeps_the_time_imports_next_to_nothing(base: Path) -> None:
    """What the child imports is not in the report: it has another standard error."""
    run(base, bash("rm x", str(base)))
    done = run(base, bash("rm x", str(base)), "-X", "importtime", forks=True)
    assert b'"deny"' in done.stdout
    found = {name for name in imported(done.stderr) if name.startswith("ostiary.")}
    shared = {f"ostiary.commands.shared.{name}" for name in ("keeper", "children")}
    few = {"ostiary.records", "ostiary.commands", "ostiary.commands.hook", "ostiary.commands.shared"}
    assert found == few | shared
    large = {"json", "subprocess", "threading", "ctypes", "hashlib", "dataclasses", "inspect", "pathlib", "shutil"}
    assert imported(done.stderr) & large == set()


def test_importing_the_package_imports_nothing_else() -> None:
    names = "print(*(name for name in sys.modules if name.startswith('ostiary.')))"
    code = f"import sys; sys.path.insert(0, {SOURCE!r}); import ostiary; {names}"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, timeout=60, check=True)
    assert done.stdout.split() == []


def test_a_hook_imports_the_table_of_its_own_agent_alone(base: Path) -> None:
    """Tables are imported by name, which is not in the interpreter's report."""
    code = f"import sys; sys.path.insert(0, {SOURCE!r}); from ostiary import cold; cold.DIALECTS[{AGENT!r}]"
    code += "; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, timeout=60, check=True)
    agents = {f"ostiary.dialects.{name.replace('-', '_')}" for name in DIALECTS}
    assert agents & set(done.stdout.decode().split()) == {f"ostiary.dialects.{AGENT.replace('-', '_')}"}
