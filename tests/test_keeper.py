"""Who keeps the time of an answer: real hooks whose work hangs, crashes, or takes all memory (law L7)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from payloads import AGENT, bash, raw
from processes import SOURCE
from trees import plant

LIMITS = {"start": 20.0, "most": 20.0, "failing": 20.0}

# Does something where the hook imports a module of that name.
CODE = """
import os, signal, sys
sys.path.insert(0, SOURCE)
from ostiary.commands import hook
from ostiary.commands.shared import keeper

class Finder:
    def find_spec(self, name, *_):
        if name in WHERE:
            ACT

sys.meta_path.insert(0, Finder())
BEFORE
hook.main(sys.argv[1:], lambda job: keeper.keep(job, keeper.Limits(**LIMITS), forks=FORKS))
"""
LOOP = "while True: pass"
ENDLESS = """
import ostiary.cold
def endless(*_):
    while True: pass
ostiary.cold.decide = endless
"""
ONCE = """
fork = os.fork
def refuse(): raise BlockingIOError
def first():
    os.fork = refuse
    return fork()
os.fork = first
"""
# Holds the lock of the interpreter for as long as it takes, which is for ever.
GREEDY = "import re; re.match('(a+)+$', 'a' * 60 + 'b')"
HUNGRY = "held = []\n            while True: held.append(bytearray(1 << 24))"

children = pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no children of this kind")


@pytest.fixture
def base(tmp_path: Path) -> Path:
    plant(tmp_path, {"config/policy.yaml": 'version: 1\ndeny: ["Bash(rm *)"]\n'})
    return tmp_path.resolve()


def code(act: str, where: str, before: str, forks: bool, **limits: float) -> str:
    values = {"SOURCE": repr(SOURCE), "WHERE": repr(where.split()), "BEFORE": before, "FORKS": str(forks)}
    text = CODE.replace("**LIMITS", f"**{ {**LIMITS, **limits} }").replace("ACT", act)
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def command(base: Path, text: str, event: str = "PreToolUse") -> list[str]:
    named = ["--agent", AGENT, "--event", event, "--config-dir", str(base / "config")]
    return [sys.executable, "-I", "-c", text, *named]


def hook(
    base: Path,
    act: str = "pass",
    where: str = "ostiary.cold",
    *,
    before: str = "",
    forks: bool = True,
    **limits: float,
) -> tuple[int, str, str]:
    """Exit code, what was said (the reason of a deny, where it is one), and standard error."""
    text = code(act, where, before, forks, **limits)
    done = subprocess.run(command(base, text), input=raw(bash("rm x")), capture_output=True, timeout=60, check=False)
    said = json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else {}
    assert said == {} or said["permissionDecision"] == "deny"
    return done.returncode, said.get("permissionDecisionReason", ""), done.stderr.decode()


@children
def test_a_payload_that_does_not_end(base: Path) -> None:
    read, write = os.pipe()
    text = code("pass", "nothing", "", forks=True, most=0.3)
    done = subprocess.run(command(base, text), stdin=read, capture_output=True, timeout=60, check=True)
    os.close(read)
    os.close(write)
    assert json.loads(done.stdout)["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": stopped("Ostiary took longer than 0.3 seconds")[1],
    }


def stopped(why: str) -> tuple[int, str, str]:
    return 0, f"stopped, because policy could not judge it: {why}", ""


RULE = (0, "rule `user:policy/deny:Bash(rm *)` says deny", "")
FORKS = [pytest.param(True, marks=children), False]


@pytest.mark.parametrize("forks", FORKS)
def test_an_answer_in_time(base: Path, forks: bool) -> None:
    assert hook(base, forks=forks) == RULE


@pytest.mark.parametrize("forks", FORKS)
def test_work_that_hangs(base: Path, forks: bool) -> None:
    assert hook(base, before=ENDLESS, forks=forks, most=0.3) == stopped("Ostiary took longer than 0.3 seconds")


@children
def test_an_import_that_hangs(base: Path) -> None:
    assert hook(base, LOOP, most=0.3) == stopped("Ostiary took longer than 0.3 seconds")


def test_an_import_that_hangs_in_the_only_process(base: Path) -> None:
    """The answer instead would have to import, too."""
    found = hook(base, LOOP, forks=False, most=0.3, failing=0.3)
    assert found == (2, "", "Ostiary took longer than 0.3 seconds\n")


@pytest.mark.parametrize("forks", FORKS)
def test_work_that_hangs_before_it_tells_anything(base: Path, forks: bool) -> None:
    """The answer instead needs the same module: where it hangs too, the exit code speaks."""
    found = hook(base, LOOP, "ostiary.dialects", forks=forks, start=0.3, failing=0.3)
    assert found == (2, "", "Ostiary took longer than 0.3 seconds\n")


@children
def test_work_that_holds_the_interpreter(base: Path) -> None:
    assert hook(base, GREEDY, most=0.3) == stopped("Ostiary took longer than 0.3 seconds")


def test_work_that_holds_the_interpreter_of_the_only_process(base: Path) -> None:
    """Nothing of ours can run any more: only the end is left."""
    assert hook(base, GREEDY, forks=False, most=0.2, failing=0.1) == (1, "", "")


@pytest.mark.parametrize("forks", FORKS)
def test_work_that_raises(base: Path, forks: bool) -> None:
    assert hook(base, "raise ValueError(name)", forks=forks) == stopped("Ostiary failed: ValueError")


@pytest.mark.parametrize("forks", FORKS)
def test_a_broken_installation(base: Path, forks: bool) -> None:
    found = hook(base, "raise ImportError(name)", "ostiary.dialects", forks=forks)
    assert found == (2, "", "Ostiary failed: ImportError\n")


@children
@pytest.mark.parametrize(
    ("act", "why"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", "Ostiary was ended by signal 11"),
        ("os.kill(os.getpid(), signal.SIGSTOP)", "Ostiary took longer than 0.5 seconds"),
        ("os.abort()", "Ostiary was ended by signal 6"),
        ("os._exit(0)", "Ostiary ended early with exit code 0"),
        ("sys.exit('words')", "Ostiary failed: SystemExit"),
        ("print('noise', flush=True); os.write(2, b'noise'); os._exit(1)", "Ostiary ended early with exit code 1"),
    ],
)
def test_work_that_ends(base: Path, act: str, why: str) -> None:
    most = 0.5 if "SIGSTOP" in act else 20.0
    assert hook(base, act, most=most) == stopped(why)


@children
@pytest.mark.skipif(sys.platform == "darwin", reason="the system keeps no count of address space")
def test_work_that_takes_all_memory(base: Path) -> None:
    assert hook(base, HUNGRY, memory=512 << 20) == stopped("Ostiary failed: MemoryError")


@children
def test_where_there_can_be_no_child(base: Path) -> None:
    refuse = "def refuse(): raise BlockingIOError\nos.fork = refuse\n"
    assert hook(base, before=refuse) == RULE
    assert hook(base, before=refuse + ENDLESS, most=0.3) == stopped("Ostiary took longer than 0.3 seconds")


@pytest.mark.parametrize("forks", FORKS)
def test_where_there_can_be_no_thread_either(base: Path, forks: bool) -> None:
    """Work that nobody watches is not begun."""
    refuse = (
        "def refuse(*_): raise RuntimeError\n"
        "os.fork = lambda: os.open('', 0)\n"
        "import threading\n"
        "threading.Thread.start = refuse\n"
    )
    assert hook(base, before=refuse, forks=forks) == stopped("Ostiary failed: RuntimeError")


@children
def test_where_children_go_unwaited_for(base: Path) -> None:
    """Who starts the hook may have told the system to forget children, and to hold signals back."""
    before = "signal.signal(signal.SIGCHLD, signal.SIG_IGN); signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGIO])"
    assert hook(base, before=before) == RULE
    assert hook(base, "os._exit(3)", before=before) == stopped("Ostiary ended early with exit code 3")


@children
def test_where_there_can_be_no_second_child(base: Path) -> None:
    assert hook(base, "os._exit(0)", before=ONCE) == (2, "", "Ostiary ended early with exit code 0\n")


@children
def test_an_interrupt_while_it_waits(base: Path) -> None:
    """The agent's own key press reaches both processes; the one that waits says no and leaves nobody behind."""
    act = "os.kill(os.getppid(), signal.SIGINT)\n            while True: pass"
    assert hook(base, act) == (2, "", "Ostiary failed: KeyboardInterrupt\n")


@children
@pytest.mark.parametrize("line", ["life", "alarm"])
def test_a_child_does_not_outlive_its_parent(base: Path, line: str) -> None:
    if line == "life" and sys.platform != "linux":
        pytest.skip("the alarm ends it")
    deaf = "signal.signal(signal.SIGIO, signal.SIG_IGN); " if line == "alarm" else ""
    read, write = os.pipe()
    act = f"{deaf}os.write({write}, b'x')\n            while True: pass"
    text = code(act, "ostiary.cold", "", True, most=0.5 if line == "alarm" else 600.0)
    process = subprocess.Popen(
        command(base, text), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=[write]
    )
    os.close(write)
    assert os.read(read, 1) == b"x"
    process.kill()
    process.wait()
    assert os.read(read, 1) == b""  # nobody holds the other end any more
    os.close(read)


@pytest.mark.parametrize(
    ("settings", "status", "said"),
    [
        ("on_error: continue", 0, {"systemMessage": "not held up, because policy could not judge it: {}"}),
        ("on_error: ask", 0, {"hookSpecificOutput": {"permissionDecision": "ask"}}),
        ("on_error: allow", 0, {"hookSpecificOutput": {"permissionDecision": "deny"}}),
    ],
)
@pytest.mark.parametrize("act", ["raise ValueError", pytest.param("os._exit(3)", marks=children)])
def test_the_setting(base: Path, act: str, settings: str, status: int, said: dict[str, object]) -> None:
    plant(base, {"config/settings.yaml": settings})
    text = code(act, "ostiary.cold", "", act == "os._exit(3)")
    done = subprocess.run(command(base, text), input=b"{}", capture_output=True, timeout=60, check=False)
    why = "Ostiary ended early with exit code 3" if "_exit" in act else "Ostiary failed: ValueError"
    found = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (status, b"")
    if "systemMessage" in said:
        assert found == {"systemMessage": str(said["systemMessage"]).format(why)}
    else:
        wanted = said["hookSpecificOutput"]
        assert isinstance(wanted, dict)
        assert found["hookSpecificOutput"]["permissionDecision"] == wanted["permissionDecision"]
        assert found["hookSpecificOutput"]["permissionDecisionReason"].endswith(why)
