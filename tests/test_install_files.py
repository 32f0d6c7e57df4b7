"""Registering by files of code: what is written, that it is known again, and that nobody else's file is touched."""

from __future__ import annotations

import json
import subprocess

import pytest

from ostiary.commands.shared import shipped
from ostiary.dialects import DIALECTS, OnError
from ostiary.install import (
    Change,
    RegistrationError,
    facts_of,
    hook_command,
    is_ours,
    plan_plugin,
    plan_removal,
    plan_script,
    registrable,
    scripts,
)
from ostiary.problems import Problem

PI, CLINE = DIALECTS["pi"], DIALECTS["cline"]
COMMAND = hook_command(PI, "/opt/ostiary/bin/python", "/home/ines/my policy")
SOURCES = ("// one", "// two\n")
BRIDGED = [name for name, dialect in DIALECTS.items() if dialect.registration.shape == "plugin"]


def install(text: str | None = None, command: list[str] = COMMAND, events: list[str] | None = None) -> Change:
    return plan_plugin(PI, text, command, SOURCES, events, file="ostiary.js")


def test_a_plugin_is_its_facts_and_its_code() -> None:
    assert install(None, events=["tool_result", "tool_call"]).after == (
        "// ostiary hook --agent pi.\n"
        "// Written by `ostiary install`, and written anew by it: do not change this file.\n"
        'const OSTIARY = {"program": "/opt/ostiary/bin/python", "arguments": ["-I", "-m", "ostiary", "hook", "--agent",'
        ' "pi", "--config-dir", "/home/ines/my policy"], "timeout": 60000, "onError": "deny",'
        ' "events": ["tool_call", "tool_result"]};\n'
        "\n// one\n// two\n"
    )


@pytest.mark.parametrize("on_error", ["deny", "ask", "continue"])
def test_a_plugin_knows_what_holds_without_an_answer(on_error: OnError) -> None:
    change = plan_plugin(PI, None, COMMAND, SOURCES, on_error=on_error)
    assert (facts_of(PI, change.after) or {})["onError"] == on_error


def test_a_plugin_is_written_once() -> None:
    first = install()
    assert (first.before, first.needed, first.removes, first.executable) == (None, True, False, False)
    assert not install(first.after).needed
    assert install(first.after, ["/other/python", *COMMAND[1:]]).needed
    assert install("").needed


def test_a_plugin_forwards_what_is_registered() -> None:
    facts = facts_of(PI, install().after)
    assert facts
    assert tuple(facts["events"]) == registrable(PI)
    assert "user_bash" not in facts["events"]
    wide = facts_of(PI, install(None, events=["user_bash", "tool_call"]).after)
    assert wide
    assert wide["events"] == ["tool_call", "user_bash"]


def test_facts_are_those_of_our_files_alone() -> None:
    text = install().after
    assert facts_of(PI, None) is None
    assert facts_of(DIALECTS["opencode"], text) is None
    assert facts_of(PI, "const OSTIARY = {};\n") is None
    assert facts_of(PI, text.replace("const", "var")) is None
    assert facts_of(PI, text.replace('{"program"', "{")) is None
    assert is_ours(PI, text)
    assert not is_ours(PI, "\n\n\n" + text)


def test_a_file_of_somebody_else_is_not_written_over() -> None:
    help = "the agent runs a file of this name: move what is in it to another one, then try again"
    problem = Problem("ostiary.js", 1, 1, "", "the file is somebody else's", help)
    for text in ("export default () => {}\n", plan_plugin(DIALECTS["amp"], None, COMMAND, SOURCES).after):
        with pytest.raises(RegistrationError) as raised:
            install(text)
        assert raised.value.problem == problem
        with pytest.raises(RegistrationError):
            plan_script(CLINE, "tool_call", text, COMMAND, "ostiary.js")


@pytest.mark.parametrize("program", ["python", "./python", ""])
def test_a_program_is_named_by_its_whole_path(program: str) -> None:
    with pytest.raises(ValueError, match="is not an absolute path"):
        install(None, [program])
    with pytest.raises(ValueError, match="is not an absolute path"):
        plan_script(CLINE, "tool_call", None, [program])


def test_events_that_are_not_known_are_refused() -> None:
    with pytest.raises(ValueError, match="`Stop` is no event that can be registered"):
        install(None, events=["Stop"])
    with pytest.raises(ValueError, match="`Stop` is no event that can be registered"):
        scripts(CLINE, ["Stop"])


def test_what_is_ours_is_removed_whole() -> None:
    text = install().after
    gone = plan_removal(PI, text)
    assert (gone.after, gone.needed, gone.removes) == ("", True, True)
    for other in ("export default 1\n", "", None):
        kept = plan_removal(PI, other)
        assert not kept.needed
        assert not kept.removes


def test_scripts_are_named_after_events() -> None:
    assert scripts(CLINE) == {
        "tool_call": "PreToolUse.sh",
        "tool_result": "PostToolUse.sh",
        "prompt_submit": "UserPromptSubmit.sh",
        "agent_start": "TaskStart.sh",
        "agent_end": "TaskComplete.sh",
        "agent_error": "TaskError.sh",
        "agent_abort": "TaskCancel.sh",
        "pre_compact": "PreCompact.sh",
        "session_shutdown": "SessionShutdown.sh",
    }
    assert scripts(CLINE, ["agent_resume"]) == {"agent_resume": "TaskResume.sh"}


def test_a_script_runs_the_hook() -> None:
    command = hook_command(CLINE, "/opt/my python/bin/python", "/home/ines/it's here")
    change = plan_script(CLINE, "tool_call", None, command)
    assert change == Change(
        None,
        "#!/bin/sh\n# ostiary hook --agent cline.\n"
        "# Written by `ostiary install`, and written anew by it: do not change this file.\n"
        """exec /bin/sh -c '"$0" "$@" || printf %s '"'"'{"cancel": true, "errorMessage": """
        """"policy could not be asked"}'"'"'' """
        "'/opt/my python/bin/python' -I -m ostiary hook --agent cline --config-dir '/home/ines/it'\"'\"'s here'"
        " --event tool_call\n",
        executable=True,
    )
    assert not plan_script(CLINE, "tool_call", change.after, command).needed
    assert plan_removal(CLINE, change.after).removes


@pytest.mark.parametrize("native", ["tool_call", "tool_result"])
@pytest.mark.parametrize("on_error", ["deny", "continue"])
def test_a_script_hands_its_words_on(native: str, on_error: OnError) -> None:
    words = ["/usr/bin/printf", "%s|", "a b", "it's", "$HOME"]
    shown = plan_script(CLINE, native, None, words, on_error=on_error).after
    done = subprocess.run(["/bin/sh", "-c", shown], capture_output=True, text=True, check=True)
    assert done.stdout == f"a b|it's|$HOME|--event|{native}|"


@pytest.mark.parametrize(
    ("native", "on_error", "wanted"),
    [
        ("tool_call", "deny", '{"cancel": true, "errorMessage": "policy could not be asked"}'),
        ("tool_call", "ask", '{"cancel": true, "errorMessage": "policy could not be asked"}'),
        ("tool_call", "continue", ""),
        ("tool_result", "deny", ""),
    ],
)
@pytest.mark.parametrize("program", [["/bin/sh", "-c", "exit 1"], ["/bin/sh", "-c", "kill -9 $$"], ["/nowhere/python"]])
def test_a_script_refuses_where_its_program_is_no_more(
    program: list[str], native: str, on_error: OnError, wanted: str
) -> None:
    shown = plan_script(CLINE, native, None, program, on_error=on_error).after
    done = subprocess.run(["/bin/sh", "-c", shown], capture_output=True, text=True, check=False)
    assert done.stdout == wanted


@pytest.mark.parametrize("agent", BRIDGED)
def test_facts_are_safe_inside_code(agent: str) -> None:
    dialect = DIALECTS[agent]
    command = ["/a\u2028b", "</script>", "\n`${x}`", "'\"\\"]
    text = plan_plugin(dialect, None, command, [shipped.plugin(name) for name in dialect.registration.sources]).after
    line = text.splitlines()[2]
    assert line.isascii()
    assert json.loads(line.removeprefix("const OSTIARY = ").removesuffix(";"))["arguments"] == command[1:]
    facts = facts_of(dialect, text)
    assert facts
    assert facts["program"] == command[0]
