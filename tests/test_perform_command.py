"""Programs as handlers: what they are given, where they are found, and what their answers come to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from handling import BASH, request, say
from ostiary.decision import Decision, Verdict
from ostiary.event import Event
from processes import SOURCE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="these programs are for POSIX systems")


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def told(decision: Decision) -> str:
    """What a handler that answers with its reason said."""
    assert decision.verdict == Verdict.DENY, decision
    return decision.reason or ""


def variables(folder: Path, environ: dict[str, str], event: Event = BASH, **options: Any) -> dict[str, str]:
    """The environment that a handler finds."""
    said = say(
        request("command", folder, event, command="/usr/bin/env >&2; exit 2", **options),
        environ=environ,
        home="/home/u",
    )
    lines = (line.partition("=") for line in told(said).splitlines())
    return {name: value for name, _, value in lines if name not in ("PWD", "SHLVL", "_", "OLDPWD")}


def test_the_shell_gets_the_event_on_standard_input(tmp_path: Path) -> None:
    said = say(request("command", tmp_path, command="cat >&2; exit 2"))
    assert json.loads(told(said)) == {
        "hook_event_name": "PreToolUse",
        "session_id": "s-1",
        "transcript_path": None,
        "cwd": "",
        "permission_mode": "default",
        "agent": "",
        "tool_name": "bash",
        "tool_input": {"command": "ls"},
    }


def test_answers_of_both_contracts(tmp_path: Path) -> None:
    text = """echo '{"decision":"approve","hookSpecificOutput":{"additionalContext":"c"}}'; exit $1"""
    answer = script(tmp_path / "answer", text)
    for status, contract, want in (
        ("0", "afk", Decision(verdict=Verdict.ALLOW, context="c")),
        ("1", "afk", Decision(failure="it ended with status 1")),
        ("1", "claude", Decision(verdict=Verdict.ALLOW, context="c")),
        ("2", "afk", Decision(verdict=Verdict.DENY, reason="the handler gave no reason")),
        ("2", "claude", Decision(verdict=Verdict.DENY, reason="the handler gave no reason", context="c")),
    ):
        assert say(request("command", tmp_path, contract=contract, command=str(answer), args=(status,))) == want


def test_nothing_of_the_event_enters_the_text_of_the_shell(tmp_path: Path) -> None:
    """Values are in the environment and on standard input; what looks like a placeholder is the shell's."""
    project = tmp_path / "$(touch hit)`touch hit`;touch hit"
    project.mkdir()
    event = Event.from_call("bash", {"command": "'; touch hit; '"}, session="$(touch hit)")
    text = 'printf %s "${CLAUDE_PROJECT_DIR}|$AFK_SESSION_ID|${tool_input}" >&2; exit 2'
    said = say(request("command", tmp_path, event, command=text), project=str(project))
    assert told(said) == f"{project}|$(touch hit)|"
    assert not list(tmp_path.rglob("hit"))


def test_values_are_arguments_of_their_own_without_a_shell(tmp_path: Path) -> None:
    show = script(tmp_path / "show", """for a; do printf '[%s]' "$a" >&2; done; exit 2""")
    event = Event.from_call("bash", {"command": "a b; $(id)", "n": [1, {"k": "v"}]}, session="s")
    args = ("${tool_input.command}", "x=${tool_input.n.1.k}", "${tool_input.n}", "${tool_input.none}", "$HOME")
    said = say(request("command", tmp_path, event, command=str(show), args=args))
    assert told(said) == '[a b; $(id)][x=v][[1,{"k":"v"}]][][$HOME]'
    named = ("${CLAUDE_PROJECT_DIR}/a", "${OSTIARY_TOOL}")
    assert told(say(request("command", tmp_path, command="./show", args=named), project="/p q")) == "[/p q/a][bash]"


def test_a_program_starts_from_the_folder_of_the_rule_file(tmp_path: Path) -> None:
    script(tmp_path / "rules" / "bin" / "check", 'echo "ours $PWD" >&2; exit 2')
    for folder in ("project", "cwd"):
        script(tmp_path / folder / "bin" / "check", "echo theirs >&2; exit 2")
    event = Event.from_call("bash", {}, cwd=str(tmp_path / "cwd"))
    rules, project = tmp_path / "rules", str(tmp_path / "project")
    asked = request("command", rules, event, command="./bin/check", args=())
    assert told(say(asked, project=project)) == f"ours {rules}"
    assert told(say(request("command", rules, event, command="bin/check", args=()), project=project)) == f"ours {rules}"
    assert told(say(request("command", rules, event, command="./bin/check"), project=project)) == f"ours {rules}"
    there = request("command", rules, event, command="./bin/check", args=(), cwd="project")
    assert told(say(there, project=project)) == f"ours {project}"


def test_a_bare_name_is_one_of_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("cat", "check"):
        script(tmp_path / name, "echo theirs >&2; exit 2")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    environ = {"PATH": str(tmp_path)}
    assert say(request("command", tmp_path, command="cat", args=()), environ=environ) == Decision()
    said = say(request("command", tmp_path, command="check", args=()), environ=environ)
    assert said == Decision(failure="there is no program `check` in the folders of the system")
    assert told(say(request("command", tmp_path, command="cat >/dev/null; type cat >&2; exit 2"), environ=environ)) in (
        "cat is /bin/cat",
        "cat is /usr/bin/cat",
        "cat is a tracked alias for /bin/cat",
        "cat is a tracked alias for /usr/bin/cat",
    )


def test_a_program_below_the_home(tmp_path: Path) -> None:
    script(tmp_path / "home" / "check", "echo own >&2; exit 2")
    home = str(tmp_path / "home")
    assert told(say(request("command", tmp_path, command="~/check", args=()), home=home)) == "own"
    assert told(say(request("command", tmp_path, command="~/check"), home=home)) == "own"


def test_what_has_no_place_is_a_failure(tmp_path: Path) -> None:
    cases = (
        (request("command", command="./x", args=()), "`./x` starts from the folder of a rule file, and there is none"),
        (
            request("command", tmp_path, command="cat", args=(), cwd="project"),
            "it is to run in the folder of the project, and there is no project",
        ),
        (
            request("command", tmp_path, command="./none", args=()),
            f"`{tmp_path}/none` cannot be started: No such file or directory",
        ),
        (
            request("command", tmp_path / "gone", command="true"),
            f"`{tmp_path}/gone` cannot be started: No such file or directory",
        ),
        (
            request("command", tmp_path, command="./x.bat", args=("a",)),
            f"`{tmp_path}/x.bat` is a batch file, in whose arguments everything may be a command",
        ),
    )
    for asked, failure in cases:
        assert say(asked) == Decision(failure=failure)


def test_powershell_is_a_program_of_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path / "pwsh", """for a; do printf '[%s]' "$a" >&2; done; exit 2""")
    monkeypatch.setattr("ostiary.perform.command.search_path", lambda: (str(tmp_path),))
    said = say(request("command", tmp_path, command="exit ${tool_input}", shell="powershell"))
    assert told(said) == "[-NoProfile][-NonInteractive][-Command][exit ${tool_input}]"


def test_variables_that_the_user_lets_a_hook_have(tmp_path: Path) -> None:
    environ = {"SOME_API_KEY": "k", "OTHER_KEY": "o", "PATH": "/theirs"}
    found = variables(tmp_path, environ, passed=("SOME_API_KEY", "GONE", "PATH"))
    assert (found["SOME_API_KEY"], found.get("OTHER_KEY"), found.get("GONE")) == ("k", None, None)
    assert found["PATH"] != "/theirs"


def test_a_clean_environment(tmp_path: Path) -> None:
    environ = {
        **dict.fromkeys(("LANG", "TERM", "TMPDIR", "AFK_SOMETHING", "AFK_MAX_TOKENS"), "kept"),
        **dict.fromkeys(("PATH", "HOME", "SHELL", "USER", "LOGNAME"), "/theirs"),
        **dict.fromkeys(("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "TELEGRAM_BOT_TOKEN", "AFK_FOO_TOKEN"), "secret"),
        **dict.fromkeys(("LD_PRELOAD", "BASH_ENV", "PYTHONPATH", "NODE_OPTIONS", "CLAUDE_PLUGIN_ROOT"), "theirs"),
        **dict.fromkeys(("AFK_PROJECT_DIR", "AFK_TOOL_NAME", "CLAUDE_PROJECT_DIR", "OSTIARY_TOOL"), "forged"),
    }
    found = variables(tmp_path, environ)
    kept = {name for name, value in found.items() if value == "kept"}
    assert kept == {"LANG", "TERM", "TMPDIR", "AFK_SOMETHING", "AFK_MAX_TOKENS"}
    assert not {"/theirs", "secret", "theirs", "forged"} & set(found.values())
    assert found["HOME"] == "/home/u"
    assert (found["AFK_TOOL_NAME"], found["AFK_HOOK_EVENT"], found["AFK_SESSION_ID"]) == ("bash", "PreToolUse", "s-1")
    assert (found["AGENTX_HOOK_EVENT"], found["AGENTX_SESSION_ID"]) == ("PreToolUse", "s-1")
    elsewhere = variables(tmp_path, {}, Event(name="Stop", project="/p"))
    assert (elsewhere["AFK_TOOL_NAME"], elsewhere["AFK_SESSION_ID"], elsewhere["CLAUDE_PROJECT_DIR"]) == ("", "", "/p")


def test_a_full_environment_has_no_secrets_either(tmp_path: Path) -> None:
    found = variables(tmp_path, {"COLOR": "red", "GH_TOKEN": "t", "TOKEN": "t", "PATH": "/p"}, full_environment=True)
    assert found["COLOR"] == "red"
    assert not {"GH_TOKEN", "TOKEN"} & found.keys()
    assert found["PATH"] != "/p"


def test_variables_of_the_rule(tmp_path: Path) -> None:
    found = variables(tmp_path, {}, environment=(("COLOR", "red"), ("PATH", "/own"), ("AFK_TOOL_NAME", "forged")))
    assert (found["COLOR"], found["PATH"], found["AFK_TOOL_NAME"]) == ("red", "/own", "bash")


def test_the_bound_on_a_hooks_own_memory_is_not_the_programs(tmp_path: Path) -> None:
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (1 << 31, resource.RLIM_INFINITY))\n"
        f"sys.path[:0] = [{SOURCE!r}, {str(Path(__file__).parent)!r}]\n"
        "from handling import request, say\n"
        f"print(say(request('command', {str(tmp_path)!r}, command='ulimit -S -v >&2; exit 2'), ends=True).reason)\n"
        "print(resource.getrlimit(resource.RLIMIT_AS)[0])"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, timeout=60, check=True)
    assert done.stdout == b"unlimited\n2147483648\n"


def test_a_handler_that_hangs_is_a_failure(tmp_path: Path) -> None:
    assert say(request("command", tmp_path, command="sleep 1000", timeout=0.2)) == Decision(failure="it took too long")
    soon = time.monotonic() + 0.2
    assert say(request("command", tmp_path, command="sleep 1000"), deadline=soon) == Decision(
        failure="it took too long"
    )


def test_no_program_is_started_when_the_time_is_over(tmp_path: Path) -> None:
    over = time.monotonic()
    asked = request("command", tmp_path, command="touch hit")
    assert say(asked, deadline=over) == Decision(failure="it took too long")
    assert not os.path.exists(tmp_path / "hit")


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("exit 2", Decision(verdict=Verdict.DENY, reason="the handler gave no reason")),
        ("sleep 1000 & exit 2", Decision(verdict=Verdict.DENY, reason="the handler gave no reason")),
        ("exec <&-; echo no >&2; exit 2", Decision(verdict=Verdict.DENY, reason="no")),
        ("kill -SEGV $$", Decision(failure="it was ended by signal 11")),
        ("head -c 10000000 /dev/zero", Decision()),
        (
            "head -c 10000000 /dev/zero | tr '\\0' '{'",
            Decision(verdict=Verdict.ASK, failure="its answer is longer than 64000 bytes"),
        ),
        ("head -c 10000000 /dev/zero | tr '\\0' '\\377'", Decision()),
        ("nosuchprogram 2>/dev/null", Decision(failure="it ended with status 127")),
    ],
)
def test_whatever_a_program_does_there_is_an_answer(tmp_path: Path, text: str, want: Decision) -> None:
    big = Event.from_call("write_file", {"content": "x" * 262_144})
    assert say(request("command", tmp_path, big, command=text)) == want


def test_a_number_that_json_does_not_have_is_a_failure(tmp_path: Path) -> None:
    failed = say(request("command", tmp_path, Event.from_call("bash", {"n": float("nan")}), command="exit 0")).failure
    assert failed.startswith("it could not be run: ValueError: Out of range float values are not JSON compliant")
