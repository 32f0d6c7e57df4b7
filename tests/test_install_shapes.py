"""Registering in files of every shape: what others have in them stays."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess

import pytest

from ostiary.dialects import DIALECTS
from ostiary.install import RegistrationError, plan_install, plan_uninstall
from ostiary.install.lines import bare, bash_line, closed_line, or_else, shell_line, unclosed

COMMAND = ["/opt/py", "-I", "-m", "ostiary", "hook", "--agent"]
BASH = shutil.which("bash")
KIRO, COPILOT, ZCODE = DIALECTS["kiro"], DIALECTS["copilot-cli"], DIALECTS["zcode"]


def lines(dialect_name: str, event: str) -> str:
    return f"/opt/py -I -m ostiary hook --agent {dialect_name} --event {event}"


def test_entries_of_others_stay_in_a_list() -> None:
    other = {"name": "lint", "trigger": "PreToolUse", "action": {"type": "command", "command": "lint"}}
    text = json.dumps({"version": "v1", "hooks": [other, "odd", {"trigger": 7}]})
    made = plan_install(KIRO, text, [*COMMAND, "kiro"], ["PreToolUse"]).after
    assert json.loads(made)["hooks"][:3] == [other, "odd", {"trigger": 7}]
    assert json.loads(made)["hooks"][3]["action"]["command"] == lines("kiro", "PreToolUse")
    assert plan_uninstall(KIRO, made).after == text


def test_entries_of_others_stay_at_an_event() -> None:
    text = json.dumps({"version": 1, "hooks": {"preToolUse": [{"bash": "lint"}], "agentStop": []}, "x": 1})
    made = plan_install(COPILOT, text, [*COMMAND, "copilot-cli"], ["preToolUse", "agentStop"]).after
    hooks = json.loads(made)["hooks"]
    assert hooks["preToolUse"][0] == {"bash": "lint"}
    assert [entry["bash"] for entry in hooks["agentStop"]] == [lines("copilot-cli", "agentStop")]
    assert json.loads(plan_uninstall(COPILOT, made).after) == {
        "version": 1,
        "hooks": {"preToolUse": [{"bash": "lint"}]},
        "x": 1,
    }


def test_an_entry_that_does_not_get_every_call_is_replaced() -> None:
    narrow = {"type": "command", "bash": "/opt/bin/ostiary hook --agent copilot-cli", "matcher": "bash"}
    text = json.dumps({"hooks": {"preToolUse": [narrow]}})
    made = json.loads(plan_install(COPILOT, text, [*COMMAND, "copilot-cli"], ["preToolUse"]).after)
    assert [entry.get("matcher") for entry in made["hooks"]["preToolUse"]] == [None]
    assert made["version"] == 1


def test_a_switch_that_is_off_is_turned_on_and_a_version_stays() -> None:
    text = '{"hooks": {"enabled": false, "timeoutMs": 5}}'
    made = json.loads(plan_install(ZCODE, text, [*COMMAND, "zcode"], ["Stop"]).after)
    assert (made["hooks"]["enabled"], made["hooks"]["timeoutMs"], list(made["hooks"]["events"])) == (True, 5, ["Stop"])
    assert json.loads(plan_install(COPILOT, '{"version": 2}', [*COMMAND, "x"], ["agentStop"]).after)["version"] == 2
    assert plan_install(ZCODE, text, [*COMMAND, "zcode"], []).after == text


@pytest.mark.parametrize(
    ("agent", "text", "message"),
    [
        ("zcode", '{"hooks": []}', "`hooks` is not an object"),
        ("zcode", '{"hooks": {"events": 1}}', "`hooks.events` is not an object"),
        ("zcode", '{"hooks": {"events": {"Stop": {}}}}', "`hooks.events.Stop` is not a list"),
        ("kiro", '{"hooks": {}}', "`hooks` is not a list"),
        ("copilot-cli", '{"hooks": {"agentStop": 1}}', "`hooks.agentStop` is not a list"),
        ("antigravity", '{"ostiary": []}', "`ostiary` is not an object"),
    ],
)
def test_files_of_another_shape_are_left_alone(agent: str, text: str, message: str) -> None:
    with pytest.raises(RegistrationError) as caught:
        plan_install(DIALECTS[agent], text, [*COMMAND, agent])
    assert caught.value.problem.message == message


def test_a_line_for_a_shell_is_quoted_for_it() -> None:
    assert shell_line(["/opt/my py/python", "-I"]) == "'/opt/my py/python' -I"
    assert shell_line(["C:\\my py\\python.exe", "-I"]) == '"C:\\my py\\python.exe" -I'


@pytest.mark.parametrize(
    ("script", "status", "told"),
    [
        ("exit 0", 0, ""),
        ("echo why >&2; exit 2", 2, "why\n"),
        ("exit 2", 2, ""),
        ("echo trace >&2; exit 1", 2, "trace\npolicy could not be asked\n"),
        ("exit 127", 2, "policy could not be asked\n"),
    ],
)
def test_a_closed_line_ends_with_two_where_its_program_dies(script: str, status: int, told: str) -> None:
    words = ["/bin/sh", "-c", script]
    done = subprocess.run(["/bin/sh", "-c", closed_line(words)], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode, done.stderr) == ("", status, told)


@pytest.mark.parametrize("words", [["/bin/sh", "-c", "kill -9 $$"], ["/nowhere/python"]])
def test_a_closed_line_says_why_where_its_program_is_no_more(words: list[str]) -> None:
    done = subprocess.run(["/bin/sh", "-c", closed_line(words)], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("", 2)
    assert done.stderr.splitlines()[-1] == "policy could not be asked"


def test_a_closed_line_hands_everything_on() -> None:
    words = ("/usr/bin/printf", "%s|", "a b", "it's", "$HOME", "`x`")
    done = subprocess.run(["/bin/sh", "-c", closed_line(words)], capture_output=True, text=True, check=True)
    assert done.stdout == "a b|it's|$HOME|`x`|"
    assert unclosed(tuple(shlex.split(closed_line(words)))) == words
    assert unclosed(or_else(words, "no")) == words
    assert unclosed(words) == words
    assert unclosed(("/bin/sh", "-c", "true", "x")) == ("/bin/sh", "-c", "true", "x")


def test_a_closed_line_of_windows_is_the_plain_one() -> None:
    assert closed_line(["C:\\my py\\python.exe", "-I"], powershell=True) == "& 'C:\\my py\\python.exe' -I"
    assert bash_line(["C:\\\\py.exe", "-I"]) == "C:\\\\py.exe -I"


@pytest.mark.skipif(BASH is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("options", "script", "wanted"),
    [
        ("", "echo ran", ("ran\n", 0)),
        ("", "exit 3", ("", 2)),
        ("noexec", "echo ran", ("", 2)),
        ("noexec:xtrace", "echo ran", ("", 2)),
        ("onecmd", "echo ran", ("ran\n", 0)),
        ("errexit:nounset:posix", "exit 3", ("", 2)),
    ],
)
def test_bash_that_runs_nothing_says_so(options: str, script: str, wanted: tuple[str, int]) -> None:
    line = bash_line(["/bin/sh", "-c", script])
    env = {"SHELLOPTS": options} if options else {}
    done = subprocess.run([str(BASH), "-c", line], capture_output=True, text=True, check=False, env=env)
    assert (done.stdout, done.returncode) == wanted
    assert bool(done.stderr) == (done.returncode == 2)
    assert bare(line) == closed_line(["/bin/sh", "-c", script])
