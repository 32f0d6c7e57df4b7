"""A project's `.env` reaches the hooks of several agents; nothing in it changes an answer (law L6)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from matrix import CALLS, TABLE, sent
from ostiary.dialects import DIALECTS
from processes import ostiary_run
from trees import plant

pytestmark = pytest.mark.no_cover

if sys.platform == "win32":
    pytest.skip("variables of POSIX", allow_module_level=True)

EVIL = "import sys, os; os.write(2, b'hostile code ran\\n'); sys.stdout.write('{}'); os._exit(0)\n"
LOOSE = 'version: 1\nallow: ["Bash(*)", "Read(**)", "mcp__harbor"]\n'
SHELL = [call for call in CALLS if call["tool"] == "bash"]

HOSTILE = {
    "PYTHONPATH": "{evil}/python",
    "PYTHONHOME": "{evil}/python",
    "PYTHONSTARTUP": "{evil}/python/start.py",
    "PYTHONINSPECT": "1",
    "PYTHONSAFEPATH": "",
    "PYTHONUSERBASE": "{evil}/python",
    "PYTHONBREAKPOINT": "os.abort",
    "PYTHONWARNINGS": "error",
    "PYTHONOPTIMIZE": "2",
    "LD_PRELOAD": "{evil}/nothing.so",
    "BASH_ENV": "{evil}/python/start.py",
    "HOME": "{evil}/home",
    "USER": "root",
    "XDG_CONFIG_HOME": "{evil}/home/.config",
    "XDG_STATE_HOME": "{evil}/home/.local/state",
    "XDG_CACHE_HOME": "{evil}/home/.cache",
    "TMPDIR": "{evil}/missing",
    "PATH": "{evil}/bin",
    "CURSOR_VERSION": "3.0.0",
    "GEMINI_SESSION_ID": "s1",
    "GEMINI_CLI": "1",
    "CLAUDE_PROJECT_DIR": "{evil}",
    "CLAUDE_CODE_SESSION_ID": "s1",
    "GROK_HOOK_EVENT": "stop",
    "AFK_HOOK_EVENT": "Stop",
    "COPILOT_CLI": "1",
    "FACTORY_PROJECT_DIR": "{evil}",
    "OSTIARY_MODE": "observe",
    "OSTIARY_AGENT": "pi",
    "OSTIARY_CONFIG": "{evil}/home/.config/ostiary",
    "OSTIARY_CONFIG_DIR": "{evil}/home/.config/ostiary",
    "OSTIARY_TRUST": "all",
    "OSTIARY_DISABLE": "1",
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("environment").resolve()
    modules = ("sitecustomize", "usercustomize", "json", "ostiary", "start")
    evil = {f"evil/python/{name}.py": EVIL for name in modules}
    plant(found, {"config/policy.yaml": TABLE["policy"], "work/.git": None, "evil/bin/git": "#!/bin/sh\nexit 1\n"})
    plant(found, {**evil, "evil/home/.config/ostiary/policy.yaml": LOOSE})
    return found


def hostile(base: Path, *names: str) -> dict[str, str]:
    return {name: HOSTILE[name].format(evil=base / "evil") for name in names}


def answer(base: Path, agent: str, call: dict[str, object], env: dict[str, str]) -> tuple[int, bytes, bool]:
    """Exit code, output, and whether hostile code ran: to standard error, where the loader may complain too."""
    way = next(sent(DIALECTS[agent], call))
    given = ("hook", "--agent", agent, "--event", way.native, "--config-dir", str(base / "config"))
    done = ostiary_run(*given, input=way.raw, env={**os.environ, **env}, cwd=base / "work")
    return done.returncode, done.stdout, b"hostile" in done.stderr


@pytest.mark.parametrize("agent", DIALECTS)
def test_all_of_them_at_once_change_no_answer(agent: str, base: Path) -> None:
    for call in SHELL[::4]:
        plain = answer(base, agent, call, {})
        assert plain[2] is False
        assert answer(base, agent, call, hostile(base, *HOSTILE)) == plain


@pytest.mark.parametrize("name", HOSTILE)
def test_none_of_them_changes_an_answer(name: str, base: Path) -> None:
    denied = answer(base, "claude-code", SHELL[0], hostile(base, name))
    assert denied == answer(base, "claude-code", SHELL[0], {})
    assert b'"deny"' in denied[1]


@pytest.mark.parametrize("call", SHELL, ids=[str(call["note"]) for call in SHELL])
def test_no_verdict_is_changed(call: dict[str, object], base: Path) -> None:
    plain = answer(base, "claude-code", call, {})
    assert answer(base, "claude-code", call, hostile(base, *HOSTILE)) == plain
    assert plain[:2] == (0, b"") if call["verdict"] == "none" else f'"{call["verdict"]}"'.encode() in plain[1]
