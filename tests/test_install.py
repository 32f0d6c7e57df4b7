"""Registering in settings files: nothing of the user's changes, and nothing of ours is left behind."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ostiary.dialects import DIALECTS, OnError
from ostiary.dialects.base import Slot, Timeouts
from ostiary.install import (
    Change,
    RegistrationError,
    hook_command,
    plan_install,
    plan_uninstall,
    registered,
    registrable,
)
from ostiary.problems import Problem

AGENT = DIALECTS["claude-code"]
COMMAND = hook_command(AGENT, "/opt/ostiary/bin/python")
EVENTS = ["PreToolUse", "Stop"]
CLOSED = [name for name, dialect in DIALECTS.items() if dialect.registration.closing and name != "cline"]
WAYS: tuple[OnError, ...] = ("deny", "ask", "continue")

LAID_OUT = """{
    "model": "opus",   "theme":"dark",
    "hooks": {
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]}
        ]
    },
    "permissions": {"allow": ["Bash(ls:*)"],  "deny": [ ]}
}
"""

INSTALLED = """{
    "model": "opus",   "theme":"dark",
    "hooks": {
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]},
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "/opt/ostiary/bin/python",
                        "args": ["-I", "-m", "ostiary", "hook", "--agent", "claude-code", "--event", "PreToolUse"],
                        "timeout": 60,
                        "onFailure": "block"
                    }
                ]
            }
        ],
        "Stop": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "/opt/ostiary/bin/python",
                        "args": ["-I", "-m", "ostiary", "hook", "--agent", "claude-code", "--event", "Stop"],
                        "timeout": 60
                    }
                ]
            }
        ]
    },
    "permissions": {"allow": ["Bash(ls:*)"],  "deny": [ ]}
}
"""


def install(text: str | None, events: list[str] | None = None, command: list[str] = COMMAND) -> str:
    return plan_install(AGENT, text, command, events).after


def uninstall(text: str | None) -> str:
    return plan_uninstall(AGENT, text).after


def entries(text: str, event: str) -> list[dict[str, Any]]:
    return [entry for group in json.loads(text)["hooks"].get(event, []) for entry in group["hooks"]]


def entry(event: str, command: str = COMMAND[0], **more: Any) -> dict[str, Any]:
    gate = {"onFailure": "block"} if AGENT.events[event].gate else {}
    args = [*COMMAND[1:], "--event", event]
    return {"type": "command", "command": command, "args": args, "timeout": 60, **gate, **more}


# --- what is written -------------------------------------------------------------------------------------------------


def test_only_our_lines_are_added() -> None:
    assert install(LAID_OUT, EVENTS) == INSTALLED


def test_installing_twice_changes_nothing() -> None:
    assert not plan_install(AGENT, INSTALLED, COMMAND, EVENTS).needed


def test_uninstalling_gives_the_file_back() -> None:
    assert uninstall(INSTALLED) == LAID_OUT
    assert not plan_uninstall(AGENT, LAID_OUT).needed


@pytest.mark.parametrize("nothing", [None, "", " \n"])
def test_a_file_that_is_not_there_is_made(nothing: str | None) -> None:
    text = install(nothing)
    assert set(json.loads(text)["hooks"]) == set(registrable(AGENT))
    assert text.startswith('{\n  "hooks": {\n    "PreToolUse": [\n')
    assert text.endswith("}\n")
    assert plan_uninstall(AGENT, text).removes
    assert plan_uninstall(AGENT, nothing) == Change(nothing, nothing or "")
    assert plan_install(AGENT, nothing, COMMAND).needed


@pytest.mark.parametrize(
    "agent", sorted(name for name, known in DIALECTS.items() if known.registration.shape not in ("plugin", "scripts"))
)
def test_what_installing_made_uninstalling_takes_away(agent: str) -> None:
    dialect = DIALECTS[agent]
    made = plan_install(dialect, None, hook_command(dialect, "/usr/bin/python3")).after
    assert plan_uninstall(dialect, made).removes


@pytest.mark.parametrize("text", ["{}\n", "{}", "{\n}\n", '{"hooks": {}}\n'])
def test_an_empty_file_of_the_persons_stays(text: str) -> None:
    assert not plan_uninstall(AGENT, text).needed


def test_line_ends_tabs_and_marks_are_kept() -> None:
    text = '\ufeff{\r\n\t"model": "opus"\r\n}\r\n'
    after = install(text, ["Stop"])
    assert after.startswith('\ufeff{\r\n\t"model": "opus",\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n')
    assert after.count("\n") == after.count("\r\n")
    assert uninstall(after) == text


def test_one_line_stays_one_line() -> None:
    after = install('{"model":"opus"}', ["Stop"])
    assert "\n" not in after
    assert after.startswith('{"model":"opus", "hooks": {"Stop": [{"hooks": [')
    assert uninstall(after) == '{"model":"opus"}'


def test_gates_are_closed_where_the_hook_cannot_run_and_only_they() -> None:
    text = install(None, [name for name, spec in AGENT.events.items() if spec.register != "never"])
    for event in json.loads(text)["hooks"]:
        assert entries(text, event) == [entry(event)]
    assert "onFailure" in entries(text, "UserPromptSubmit")[0]
    assert "onFailure" not in entries(text, "PreCompact")[0]


@pytest.mark.parametrize("agent", CLOSED)
def test_gates_have_the_key_that_closes_unless_failures_let_calls_go_on(agent: str) -> None:
    dialect = DIALECTS[agent]
    ((key, value),) = dialect.registration.closing.items()
    mark = "exit 2; }" if isinstance(value, Slot) else f"{json.dumps(key)}: {json.dumps(value)}"
    command = hook_command(dialect, "/opt/ostiary/bin/python")
    denied, asked, passed = (plan_install(dialect, None, command, on_error=way).after for way in WAYS)
    natives = registered(dialect, denied)
    assert denied.count(mark) == sum(dialect.events[native].gate for native in natives)
    assert asked == denied
    assert mark not in passed
    assert plan_install(dialect, denied, command, on_error="continue").after == passed
    assert plan_install(dialect, passed, command).after == denied


def test_no_matcher_leaves_anything_out() -> None:
    assert all("matcher" not in group for groups in json.loads(install(None))["hooks"].values() for group in groups)


def test_the_folder_of_the_policy_is_in_the_command() -> None:
    command = hook_command(AGENT, "C:\\Python\\python.exe", "D:\\my policy")
    assert entries(install(None, ["Stop"], command), "Stop")[0]["args"] == [
        *("-I", "-m", "ostiary", "hook", "--agent", "claude-code", "--config-dir", "D:\\my policy", "--event", "Stop")
    ]


def test_timeouts_are_in_the_agents_unit() -> None:
    slow = AGENT._replace(timeouts=Timeouts(unit="milliseconds", default=60000, ours=30))
    assert entries(plan_install(slow, None, COMMAND, ["Stop"]).after, "Stop")[0]["timeout"] == 30_000


# --- which events ----------------------------------------------------------------------------------------------------


def test_events_that_an_older_version_may_not_know_are_left_out() -> None:
    assert registrable(AGENT) == (
        *("PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "PreCompact"),
        *("Stop", "SubagentStop", "SubagentStart", "SessionStart", "SessionEnd", "Notification"),
    )
    assert "PreSkillShellCommand" not in registrable(AGENT, "2.1.331")
    newest = registrable(AGENT, "2.1.332 (Claude Code)")
    assert {"PreSkillShellCommand", "PreModelSwitch", "ConfigChange"} < set(newest)
    assert not {"MessageDisplay", "FileChanged", "WorktreeCreate", "WorktreeRemove"} & set(newest)
    assert set(registrable(AGENT, "unknown")) == set(registrable(AGENT))


def test_events_that_were_asked_for_stay_registered() -> None:
    text = install(install(None, ["PreSkillShellCommand"]), command=["/new/python", *COMMAND[1:]])
    assert entries(text, "PreSkillShellCommand") == [entry("PreSkillShellCommand", "/new/python")]
    assert registered(AGENT, text) == ("PreSkillShellCommand", *registrable(AGENT))


def test_named_events_are_exactly_those() -> None:
    assert registered(AGENT, install(install(None), ["Stop", "PreToolUse", "Stop"])) == ("PreToolUse", "Stop")


@pytest.mark.parametrize("event", ["WorktreeCreate", "preToolUse", ""])
def test_some_events_cannot_be_registered(event: str) -> None:
    with pytest.raises(ValueError, match=f"`{event}` is no event that can be registered"):
        plan_install(AGENT, None, COMMAND, [event])


@pytest.mark.parametrize("program", ["python", "./python", "bin/python", "C:python", "", "~/python"])
def test_a_program_is_named_by_its_whole_path(program: str) -> None:
    with pytest.raises(ValueError, match="is not an absolute path"):
        plan_install(AGENT, None, [program, *COMMAND[1:]])


@pytest.mark.parametrize(
    "program", ["/usr/bin/python3", "C:\\Python\\python.exe", "C:/Python/python.exe", "\\\\srv\\python"]
)
def test_whole_paths(program: str) -> None:
    assert install(None, ["Stop"], [program])


# --- older entries of ours -------------------------------------------------------------------------------------------

OURS = [
    {"type": "command", "command": "/old/python -I -m ostiary hook --agent claude-code --event Stop"},
    {"type": "command", "command": "'/my env/python' -m ostiary hook --config-dir '/x y' --agent=claude-code"},
    {"type": "command", "command": "/opt/bin/ostiary hook --agent 'claude-code'", "timeout": 5},
    {"type": "command", "command": "C:\\Scripts\\Ostiary.exe", "args": ["hook", "--agent", "claude-code"]},
    {"type": "command", "command": '"C:\\my scripts\\ostiary.exe" hook --event Stop --agent claude-code'},
    entry("Stop", "/other/python"),
    entry("Stop", **{"if": "Bash(git *)"}),
]
THEIRS = [
    {"type": "command", "command": "/opt/bin/ostiary hook --agent codex"},
    {"type": "command", "command": "/opt/bin/ostiary hook --agent claude-code-fork"},
    {"type": "command", "command": "/opt/bin/ostiary check --agent claude-code"},
    {"type": "command", "command": "/opt/bin/myostiary hook --agent claude-code"},
    {"type": "command", "command": "python", "args": "ostiary hook --agent claude-code"},
    {"type": "http", "url": "http://localhost/hook"},
    {"type": "command", "command": 7},
    "text",
]


def with_stop(*groups: Any) -> str:
    return json.dumps({"hooks": {"Stop": list(groups)}, "x": 1}, indent=2)


@pytest.mark.parametrize("old", OURS, ids=lambda old: str(old["command"]))
def test_older_entries_are_replaced_where_they_stand(old: dict[str, Any]) -> None:
    text = with_stop({"hooks": [{"type": "command", "command": "mine"}, old]}, {"hooks": []})
    after = install(text, ["Stop"])
    assert json.loads(after)["hooks"]["Stop"] == [
        {"hooks": [{"type": "command", "command": "mine"}, entry("Stop")]},
        {"hooks": []},
    ]
    assert json.loads(uninstall(text))["hooks"]["Stop"] == [
        {"hooks": [{"type": "command", "command": "mine"}]},
        {"hooks": []},
    ]


@pytest.mark.parametrize("other", THEIRS, ids=str)
def test_entries_of_others_stay(other: Any) -> None:
    text = with_stop({"hooks": [other]}, "no group", {"matcher": "x"}, {"hooks": "no list"})
    assert uninstall(text) == text
    after = install(text, ["Stop"])
    assert json.loads(after)["hooks"]["Stop"][:-1] == json.loads(text)["hooks"]["Stop"]
    assert uninstall(after) == text


@pytest.mark.parametrize("matcher", ["Bash", "Bash|Write", 7, {}])
def test_a_narrowed_entry_is_widened(matcher: Any) -> None:
    after = install(with_stop({"matcher": matcher, "hooks": [entry("Stop")]}), ["Stop"])
    assert json.loads(after) == {"hooks": {"Stop": [{"hooks": [entry("Stop")]}]}, "x": 1}


@pytest.mark.parametrize("matcher", ["", "*", None])
def test_an_entry_that_takes_every_call_stays(matcher: Any) -> None:
    text = with_stop({"matcher": matcher, "hooks": [entry("Stop")]})
    assert install(text, ["Stop"]) == text


def test_one_entry_is_enough() -> None:
    text = with_stop({"hooks": [entry("Stop"), entry("Stop")]}, {"hooks": [OURS[0]]})
    assert json.loads(install(text, ["Stop"]))["hooks"] == {"Stop": [{"hooks": [entry("Stop")]}]}


def test_an_entry_under_the_wrong_event_is_put_right() -> None:
    after = install(json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry("Stop")]}]}}))
    assert entries(after, "PreToolUse") == [entry("PreToolUse")]


def test_entries_under_events_nobody_knows_are_taken_out_too() -> None:
    text = json.dumps({"hooks": {"Halt": [{"hooks": [OURS[0]]}]}, "x": 1})
    assert uninstall(text) == '{"x": 1}'
    assert json.loads(install(text, ["Stop"])) == {"x": 1, "hooks": {"Stop": [{"hooks": [entry("Stop")]}]}}
    assert "Halt" not in install(text)


def test_an_event_that_must_not_be_registered_is_taken_out() -> None:
    text = json.dumps({"hooks": {"WorktreeCreate": [{"hooks": [OURS[0]]}]}})
    assert registered(AGENT, install(text)) == registrable(AGENT)


# --- files that cannot be edited -------------------------------------------------------------------------------------

HELP = "the agent reads plain JSON: no comments, no commas at the end; mend the file, then try again"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("{", 1, 2, "the file is not JSON from here on"),
        ('{\n  // note\n  "a": 1\n}', 2, 3, "there is a comment"),
        ('{"a": 1 "b": 2}', 1, 9, "the file is not JSON from here on"),
        ('{"a": NaN}', 1, 1, "`NaN` is no JSON"),
        ("[]", 1, 1, "the file is not a JSON object"),
        ("7", 1, 1, "the file is not a JSON object"),
        ('{"hooks": []}', 1, 11, "`hooks` is not an object"),
        ('{"hooks": null}', 1, 11, "`hooks` is not an object"),
        ('{"hooks": {\n"Stop": {}}}', 2, 9, "`hooks.Stop` is not a list"),
        ('{"hooks": {}, "hooks": {}}', 1, 15, "`hooks` is there twice"),
        ('{"hooks": {"Stop": [],\n "Stop": []}}', 2, 2, "`Stop` is there twice"),
        ("[" * 200 + "]" * 200, 1, 1, "the file is nested too deep"),
    ],
)
def test_files_that_cannot_be_edited_are_refused(text: str, line: int, column: int, message: str) -> None:
    problem = Problem("x.json", line, column, "", message, HELP)
    with pytest.raises(RegistrationError) as raised:
        plan_install(AGENT, text, COMMAND, file="x.json")
    assert raised.value.problem == problem
    assert str(raised.value) == str(problem)
    with pytest.raises(RegistrationError) as raised:
        plan_uninstall(AGENT, text, file="x.json")
    assert raised.value.problem == problem


# --- changes ---------------------------------------------------------------------------------------------------------


def test_a_change_is_shown() -> None:
    assert Change("a\nb\n", "a\nc\n").diff("s.json") == "--- s.json\n+++ s.json\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    assert Change("a", "b").diff("s") == (
        "--- s\n+++ s\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"
    )
    assert Change("a", "a").diff("s") == ""
    assert Change(None, "{}\n").diff("s") == "--- s\n+++ s\n@@ -0,0 +1 @@\n+{}\n"
