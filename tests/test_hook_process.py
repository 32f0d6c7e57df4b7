"""`ostiary hook`: one payload in, one answer out, whatever happens."""

from __future__ import annotations

import json
import os
import runpy
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ostiary import __main__ as program
from ostiary.commands import hook as verb
from ostiary.commands.shared import keeper
from payloads import AGENT, bash, raw, stop, tool
from processes import PROGRAM, SOURCE, hook, ostiary_run
from trees import plant

if sys.platform == "win32":
    pytest.skip("descriptors of POSIX", allow_module_level=True)

POLICY = """
version: 1
deny: ["Bash(rm *)"]
allow: ["Bash(ls *)"]
rules:
  - id: no-secrets
    when: {reads: "**/.env"}
    decision: deny
    reason: secrets stay here
"""


@pytest.fixture
def base(tmp_path: Path) -> Path:
    found = tmp_path.resolve()
    plant(found, {"config/policy.yaml": POLICY, "project/.git": None})
    return found


def arguments(base: Path, event: str | None = "PreToolUse") -> list[str]:
    named = ["--event", event] if event else []
    return ["--agent", AGENT, *named, "--config-dir", str(base / "config")]


def said(stdout: bytes) -> tuple[str, str]:
    answer = json.loads(stdout)["hookSpecificOutput"]
    assert answer["hookEventName"] == "PreToolUse"
    return answer["permissionDecision"], answer["permissionDecisionReason"]


# As a process


def test_a_hook_answers(base: Path) -> None:
    place = {"cwd": base / "project"}
    denied = hook(bash("rm -rf x", str(base / "project")), *arguments(base), **place)
    assert said(denied.stdout)[0] == "deny"
    assert (denied.returncode, denied.stderr) == (0, b"")
    assert denied.stdout.count(b"\n") == 1
    secret = hook(tool("Read", {"file_path": str(base / "project/.env")}), *arguments(base), **place)
    assert said(secret.stdout) == ("deny", "secrets stay here")
    allowed = hook(bash("ls x", str(base / "project")), *arguments(base), **place)
    assert said(allowed.stdout)[0] == "allow"
    silent = hook(bash("make", str(base / "project")), *arguments(base), **place)
    assert (silent.returncode, silent.stdout, silent.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    ("kind", "why"), [("gone", "it does not exist"), ("file", "it is not a folder"), ("link", "it is not a folder")]
)
def test_a_registered_folder_that_is_not_there_asks(base: Path, kind: str, why: str) -> None:
    folder = base / "elsewhere"
    plant(base, {"project/.ostiary/policy.yaml": 'version: 1\ndeny: ["Bash(mv *)"]\n'})
    plant(base, {} if kind == "gone" else {"elsewhere": "text" if kind == "file" else {"link": "nowhere"}})
    named = ["--agent", AGENT, "--event", "PreToolUse", "--config-dir", str(folder)]
    for _ in range(2):  # what the first call leaves behind changes nothing
        asked = hook(bash("rm -rf x", str(base / "project")), *named, cwd=base / "project")
        assert said(asked.stdout) == ("ask", f"{folder} cannot be used: {why}")
        assert hook(bash("pwd", str(base / "project")), *named, cwd=base / "project").stdout == b""
    assert folder.exists() == (kind == "file")
    if kind == "gone":
        help = f"run `ostiary init --config-dir {folder}`"
        assert help in json.loads(asked.stdout)["systemMessage"]


def test_the_project_is_where_the_hook_was_started(base: Path) -> None:
    plant(base, {"project/.ostiary/policy.yaml": 'version: 1\ndeny: ["Bash(make *)"]\n'})
    assert said(hook(bash("make x", "/"), *arguments(base), cwd=base / "project").stdout)[0] == "deny"
    assert hook(bash("make x", "/", session_id="another"), *arguments(base), cwd=base).stdout == b""


@pytest.mark.parametrize("payload", [b"", b"not json", b"[" * 100_000, b'{"hook_event_name": "PreToolUse"}'])
def test_an_unreadable_payload(payload: bytes, base: Path) -> None:
    done = hook(payload, *arguments(base))
    assert said(done.stdout)[0] == "deny"
    assert done.returncode == 0


def test_an_unreadable_payload_at_the_end_of_a_turn(base: Path) -> None:
    done = hook(b"not json", *arguments(base, "Stop"))
    assert (done.returncode, done.stdout) == (0, b"")


def test_an_unreadable_payload_of_an_unknown_event(base: Path) -> None:
    done = hook(b"not json", *arguments(base, None))
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1


def test_a_closed_standard_input(base: Path) -> None:
    line = f"exec 0<&-; exec {shlex.join([*PROGRAM, 'hook', *arguments(base)])}"
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, timeout=60, check=False)
    assert said(done.stdout)[0] == "deny"


def test_a_terminal_is_no_payload(base: Path) -> None:
    master, terminal = os.openpty()
    done = ostiary_run("hook", *arguments(base), stdin=terminal)
    os.close(master)
    os.close(terminal)
    assert said(done.stdout)[0] == "deny"


def test_a_closed_standard_output_closes_the_gate(base: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [*PROGRAM, "hook", *arguments(base)]
    done = subprocess.run(
        command, input=raw(bash("rm x")), stdout=write, stderr=subprocess.PIPE, timeout=60, check=False
    )
    os.close(write)
    assert done.returncode == 2


def test_environment_variables_choose_nothing(base: Path) -> None:
    plant(base, {"evil/.config/ostiary/policy.yaml": 'version: 1\nallow: ["Bash(rm *)"]\n'})
    environment = {**os.environ, "HOME": str(base / "evil"), "XDG_CONFIG_HOME": str(base / "evil/.config")}
    done = hook(bash("rm x"), *arguments(base), env=environment, cwd=base / "project")
    assert said(done.stdout)[0] == "deny"


def test_a_hostile_checkout_runs_no_code(base: Path) -> None:
    evil = "raise SystemExit('hostile code ran')"
    plant(
        base,
        {"project/json.py": evil, "project/ostiary.py": evil, "project/regex.py": evil, "project/pydantic.py": evil},
    )
    # As with `-m`, the current folder comes first; the package itself must have come from somewhere else.
    here = "sys.path.insert(0, ''); from ostiary.__main__ import main; main()"
    code = f"import sys; sys.path.insert(0, {SOURCE!r}); import ostiary.__main__; {here}"
    done = subprocess.run(
        [sys.executable, "-c", code, "hook", *arguments(base)],
        input=raw(bash("rm x")),
        cwd=base / "project",
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert said(done.stdout)[0] == "deny", done.stderr


# In this process


@contextmanager
def descriptors(sent: bytes) -> Iterator[Callable[[], tuple[bytes, bytes]]]:
    """Files as the standard streams; gives what was written to output and error so far."""
    kept = [os.dup(number) for number in (0, 1, 2)]
    files = [tempfile.TemporaryFile() for _ in kept]  # noqa: SIM115 closed below
    files[0].write(sent)
    files[0].seek(0)
    for number, file in enumerate(files):
        os.dup2(file.fileno(), number)
    try:
        yield lambda: (os.pread(1, 1 << 20, 0), os.pread(2, 1 << 20, 0))
    finally:
        for number, copy in enumerate(kept):
            os.dup2(copy, number)
            os.close(copy)
            files[number].close()


class Ended(Exception):
    """The process would have ended here."""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, bytes, bytes]]:
    def ended(status: int) -> None:
        raise Ended(status)

    monkeypatch.setattr(os, "_exit", ended)

    def run(payload: Any, *given: str) -> tuple[int, bytes, bytes]:
        with descriptors(payload if isinstance(payload, bytes) else raw(payload)) as written:
            with pytest.raises(Ended) as end:
                verb.main(list(given), lambda job: keeper.keep(job, forks=False))
            return (end.value.args[0], *written())

    return run


def test_main(run: Any, base: Path) -> None:
    status, stdout, stderr = run(bash("rm x"), *arguments(base))
    assert (status, said(stdout)[0], stderr) == (0, "deny", b"")
    assert run(bash("make"), *arguments(base)) == (0, b"", b"")
    assert run(stop(), *arguments(base, "Stop")) == (0, b"", b"")


def test_too_large(run: Any, base: Path) -> None:
    _, stdout, _ = run(b" " * (16 * 1024 * 1024 + 2), *arguments(base))
    assert said(stdout)[0] == "deny"


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (["--agent", AGENT, "--agent", AGENT], "there is an argument that is unknown or said twice"),
        (["--agent", AGENT, "--verbose", "x"], "there is an argument that is unknown or said twice"),
        (["--agent", AGENT, "--config-dir"], "`--config-dir` has no value"),
        (["--agent", AGENT, "--config-dir="], "`--config-dir` has no value"),
        (["--agent", AGENT, "--config-dir=relative"], "`--config-dir` is no absolute path"),
    ],
)
def test_wrong_arguments_close_the_gate(given: list[str], problem: str, run: Any) -> None:
    status, stdout, stderr = run(bash("ls"), *given, "--event", "PreToolUse")
    assert (status, said(stdout)[0], stderr) == (0, "deny", b"")
    assert problem in said(stdout)[1]
    assert run(bash("ls"), *given, "--event", "Stop") == (0, b"", b"")


@pytest.mark.parametrize("given", [[], ["--agent", "nobody"], ["--agent="], ["hook"]])
def test_without_an_agent_the_exit_code_closes_the_gate(given: list[str], run: Any) -> None:
    status, stdout, stderr = run(bash("ls"), *given)
    assert (status, stdout) == (2, b"")
    assert stderr.startswith(b"usage: ostiary hook --agent AGENT")
    assert stderr.count(b"\n") == 1
    assert run(bash("ls"), *given, "--event=SubagentStop")[0] == 0


def test_a_broken_installation_closes_the_gate(run: Any, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ostiary.cold", None)
    monkeypatch.delattr("ostiary.cold", raising=False)
    status, stdout, stderr = run(bash("ls"), *arguments(base))
    why = "stopped, because policy could not judge it: Ostiary failed: ModuleNotFoundError"
    assert (status, said(stdout), stderr) == (0, ("deny", why), b"")
    assert run(bash("ls"), *arguments(base, "Stop")) == (0, b"", b"")
    monkeypatch.setitem(sys.modules, "ostiary.dialects", None)
    monkeypatch.delattr("ostiary.dialects", raising=False)
    assert run(bash("ls"), *arguments(base)) == (2, b"", b"Ostiary failed: ModuleNotFoundError\n")
    assert run(bash("ls"), *arguments(base, "Stop"))[0] == 0


def test_an_interrupt_closes_the_gate(run: Any, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ostiary.cold.decide", interrupted)
    why = "stopped, because policy could not judge it: Ostiary failed: KeyboardInterrupt"
    assert said(run(bash("ls"), *arguments(base))[1]) == ("deny", why)


def test_a_gone_current_folder(run: Any, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> str:
        raise FileNotFoundError

    monkeypatch.setattr(os, "getcwd", gone)
    status, stdout, _ = run(bash("rm x"), *arguments(base))
    assert (status, said(stdout)[0]) == (0, "deny")
    assert program._here() == ""


@pytest.mark.parametrize("name", ["isatty", "read"])
def test_no_payload(name: str, run: Any, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: int) -> bytes:
        if name == "isatty":
            return b"yes"
        raise OSError(9, "Bad file descriptor")

    monkeypatch.setattr(os, name, broken)
    status, stdout, _ = run(bash("ls"), *arguments(base))
    assert (status, said(stdout)[0]) == (0, "deny")


def test_streams_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    monkeypatch.setattr(os, "_exit", lambda status: (_ for _ in ()).throw(Ended(status)))
    for answer, status in (("{}", 2), ("", 0)):
        with pytest.raises(Ended) as end:
            keeper.say(keeper.Said(answer, "why\n", 0))
        assert end.value.args == (status,)


# The dispatcher


@pytest.mark.parametrize(("first", "left"), [("", True), (".", True), ("HERE", True), ("/elsewhere", False)])
def test_the_current_folder_is_left(first: str, left: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [first.replace("HERE", os.getcwd()), "/rest"])
    program._leave_current_folder()
    assert (len(sys.path) == 1) is left


def test_dispatch(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    def people() -> None:
        calls.append("people")

    def agents(given: list[str]) -> None:
        calls.append(given)
        raise Ended

    monkeypatch.setattr(verb, "main", agents)
    monkeypatch.setattr("ostiary.commands.main.main", people)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", ["ostiary", "check"])
    program.main()
    monkeypatch.setattr(sys, "argv", ["ostiary", "hook", "--agent", "x"])
    with pytest.raises(Ended):
        program.main()
    with pytest.raises(Ended):
        runpy.run_path(program.__file__, run_name="__main__")
    assert calls == ["people", *[["--agent", "x"]] * 2]
