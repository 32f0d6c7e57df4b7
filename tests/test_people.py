"""Verbs for people: refused below an agent's process, and recorded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lines import Line
from ostiary.commands.shared import people
from ostiary.commands.shared.exits import Refused
from ostiary.dialects import DIALECTS
from ostiary.dialects.launches import LAUNCHES, Process, agent_of
from ostiary.sources import ancestry, record
from ostiary.sources.ancestry import Ancestor
from processes import PROGRAM

POSIX = pytest.mark.skipif(os.name != "posix", reason="the tests name processes with links")

# Which processes are an agent's


@pytest.mark.parametrize(
    ("process", "agent"),
    [
        (Process("claude", ("claude",)), "claude-code"),
        (Process("2.1.9", ("/home/dev/.local/bin/claude", "-p", "hi")), "claude-code"),
        (Process("node", ("node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js")), "claude-code"),
        (Process("MainThread", ("/usr/bin/node", "--no-warnings", "/usr/bin/gemini")), "gemini-cli"),
        (Process("node", ("node", "/opt/bin/codex.js", "exec")), "codex"),
        (Process("claude.exe"), "claude-code"),
        (Process("Cursor", ("/Applications/Cursor.app/Contents/MacOS/Cursor",)), "cursor"),
        (Process("/Applications/Visual", ("/Applications/Visual", "Studio", "Code.app/Contents/MacOS/Code")), "vscode"),
        (Process("tmux: server", ("tmux",), frozenset({"CLAUDECODE", "TERM"})), "claude-code"),
        (Process("python3", ("python3", "/home/dev/.local/bin/goose", "run")), "goose"),
        (Process("node", ("node", "--import", "tsx", "/usr/bin/codex")), "codex"),
        (Process("node", ("node", "--no-warnings", "gemini")), "gemini-cli"),
        (Process("node.exe", ("node.exe", "-r", "env", "C:\\bin\\codex.js")), "codex"),
        (Process("bun", ("bun", "run", "/usr/bin/opencode")), "opencode"),
        (Process("python3", ("python3", "-m", "goose")), "goose"),
        (Process("node", ("node", "--inspect")), ""),
        (Process("bash", ("-bash",)), ""),
        (Process("vim", ("vim", "claude")), ""),
        (Process("less", ("less", "/src/@anthropic-ai/notes")), ""),
        (Process("sshd", ("sshd: dev@pts/0",)), ""),
        (Process("python3", ("python3", "-m", "pytest", "tests/claude.py")), ""),
        (Process("python3", ("python3", "/usr/bin/tox", "-e", "codex")), ""),
        (Process("python3", ("python3", "setup.py", "codex")), ""),
        (Process("python3", ("python3", "-m", "invoke", "codex")), ""),
        (Process("node", ("node", "build.js", "/home/dev/.config/codex")), ""),
        (Process("", ()), ""),
    ],
)
def test_which_processes_are_an_agents(process: Process, agent: str) -> None:
    assert agent_of(process) == agent


@pytest.mark.parametrize("agent", DIALECTS)
def test_every_agents_processes_are_known(agent: str) -> None:
    launch = LAUNCHES[agent]
    for name in launch.processes:
        assert agent_of(Process(name)) == agent
        assert agent_of(Process("node", ("node", f"/usr/local/bin/{name}"))) == agent
    for name in launch.packages:
        assert agent_of(Process("node", ("node", f"/lib/node_modules/{name}/dist/index.js"))) == agent


def test_processes_as_ps_lists_them() -> None:
    rows = ancestry.listed("    1     0 /sbin/launchd\n  412     1 -zsh\n  500   412 claude -p hi\n  501   500 \n")
    assert rows[412].process == Process("zsh", ("-zsh",))
    assert (rows[500].parent, agent_of(rows[500].process)) == (412, "claude-code")
    assert rows[501].process == Process("")


# Real processes

ASK = [*PROGRAM, "trust", "list", "--config-dir"]


def ask(config: Path) -> str:
    """Code that uses a verb for people and prints what it said."""
    return f"import subprocess; d = subprocess.run({[*ASK, str(config)]!r}, capture_output=True, text=True); "


SAY = "print(d.returncode, d.stderr, d.stdout)"


def started(program: Path, code: str, **more: Any) -> str:
    """What code prints that an agent's process runs, which is a Python by that name."""
    program.parent.mkdir(parents=True, exist_ok=True)
    program.symlink_to(sys.executable)
    env = {"PATH": os.environ.get("PATH", ""), "PYTHONHOME": sys.base_prefix, **more.pop("env", {})}
    done = subprocess.run([program, "-c", code], capture_output=True, timeout=60, text=True, env=env, **more)
    return done.stdout + done.stderr


@pytest.fixture
def config(tmp_path: Path) -> Path:
    made = tmp_path / "config"
    made.mkdir(mode=0o700)
    return made


def lines(config: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (config / "state/record/verbs.jsonl").read_text("utf-8").splitlines()]


@POSIX
def test_nobody_below_an_agent_uses_them(tmp_path: Path, config: Path) -> None:
    said = started(tmp_path / "bin/claude", ask(config) + SAY)
    assert said.startswith("1 ostiary: `ostiary trust` is for people, and this was started by Claude Code (process ")
    (line,) = lines(config)
    assert (line["kind"], line["verb"], line["arguments"]["project"]) == ("verb", "trust", "list")
    assert any(one.endswith(" claude") for one in line["above"])
    assert line["result"].startswith("refused: `ostiary trust` is for people")


@POSIX
def test_a_shell_and_a_terminal_of_its_own_change_nothing(tmp_path: Path, config: Path) -> None:
    pty = f"import pty, os; s = pty.spawn({[*ASK, str(config)]!r}); print(os.waitstatus_to_exitcode(s))"
    assert "is for people" in started(tmp_path / "bin/codex", pty)
    shell = (
        f"import subprocess; subprocess.run(['sh', '-c', 'setsid \"$@\" 2>&1; true', 'sh', *{[*ASK, str(config)]!r}])"
    )
    assert "is for people" in started(tmp_path / "other/codex", shell)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the orphan has to be waited for")
def test_who_was_left_behind_in_an_agents_session_is_found(tmp_path: Path, config: Path) -> None:
    """The process between them ends, so that the agent is no ancestor any more, and still leads the session."""
    orphan = (
        "import os, time; r, w = os.pipe(); os.set_inheritable(w, True)\n"
        "if not os.fork():\n"
        "    parent = os.getpid()\n"
        "    if os.fork(): os._exit(0)\n"
        "    while os.getppid() == parent: time.sleep(0.01)\n"
        f"    {ask(config)}os.write(w, d.stderr.encode()); os._exit(0)\n"
        "os.close(w); os.wait(); print(os.read(r, 4096).decode())"
    )
    said = started(tmp_path / "bin/gemini", orphan, start_new_session=True)
    assert "started by Gemini CLI" in said


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="only there variables of others can be read")
def test_what_an_agent_started_is_known_by_its_variables(tmp_path: Path, config: Path) -> None:
    hidden = f"import os, subprocess; e = dict(os.environ); e.pop('CLAUDECODE'); {ask(config)[19:]}"
    hidden = hidden.replace("capture_output=True", "capture_output=True, env=e") + SAY
    assert "started by Claude Code" in started(tmp_path / "bin/server", hidden, env={"CLAUDECODE": "1"})


# One use, and the record of it


def test_a_person_is_let_through_and_recorded(line: Line) -> None:
    assert line.at("approve").out == "no call waits for a person\n"
    begun, done = lines(line.config)
    assert [(one["n"], one["verb"], one["result"]) for one in (begun, done)] == [
        (1, "approve", "begun"),
        (2, "approve", "done"),
    ]
    assert begun.keys() == {"n", "time", "kind", "verb", "arguments", "cwd", "above", "result", "previous"}


@pytest.mark.parametrize(
    "words",
    [["approve", "x"], ["trust"], ["untrust"], ["install", "codex", "--yes"], ["init", "--force"], ["init"]],
)
def test_every_verb_for_people_is_refused(line: Line, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    above = (Ancestor(7, Process("bash")), Ancestor(4, Process("droid")))
    monkeypatch.setattr(ancestry, "above", lambda: above)
    ran = line.at(*words)
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == (
        f"ostiary: `ostiary {words[0]}` is for people, and this was started by Factory Droid (process 4); a person has "
        "a terminal that no agent or editor started\n"
    )
    assert lines(line.config)[-1]["above"] == ["7 bash", "4 droid"]
    assert not (line.config / "policy.yaml").exists()


def test_uninstalling_is_refused_too(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ancestry, "above", lambda: (Ancestor(4, Process("droid")),))
    assert line("uninstall", "codex").status == 1


def test_verbs_that_change_nothing_that_acts_are_free(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ancestry, "above", lambda: (Ancestor(4, Process("claude")),))
    line.policy()
    for words in (["check"], ["eval", "ls"], ["explain", "ls"], ["status"], ["test"]):
        assert line.at(*words).status == 0, words
    assert line("init", "--project").status == 0
    assert not (line.config / "state/record/verbs.jsonl").exists()


def test_who_cannot_be_told_from_an_agent_is_refused(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ancestry, "above", lambda: None)
    assert line.at("trust").err == (
        "ostiary: `ostiary trust` is for people, and the system does not tell who started it\n"
    )


def test_what_loosens_waits_for_the_record(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_given: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(record, "verb", full)
    refused = line.at("trust")
    assert refused.status == 1
    assert "nothing was done: it cannot be recorded (no space left on device)" in refused.err
    taken = line.at("untrust")
    assert taken.err == (
        "this use of `untrust` is not in the record: no space left on device\n"
        "ostiary: nothing of this project was accepted\n"
    )


def test_a_failure_is_recorded(config: Path) -> None:
    def broken(**_given: Any) -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        people.for_people("trust", broken)(config_dir=str(config), long="x" * 1000)
    (line,) = lines(config)
    assert (line["result"], line["arguments"]["long"]) == ("failed: KeyError", "x" * 200 + "...")
    with pytest.raises(Refused):
        people.for_people("trust", lambda **_: _refuse())(config_dir=str(config))
    assert lines(config)[-1]["result"] == "refused: no"


def _refuse() -> None:
    raise Refused("no")
