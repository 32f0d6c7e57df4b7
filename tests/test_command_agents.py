"""Agents that run a command: how their payloads read, what they are told, and how the hook is registered."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from matrix import judged, policy
from ostiary.decision import Outcome, Verdict
from ostiary.dialects import DIALECTS, Unreadable, read, receive, unreadable, write
from ostiary.dialects.bodies import Answer
from ostiary.event import Event
from ostiary.install import RegistrationError, hook_command, plan_install, plan_uninstall, registered
from ostiary.install.lines import bare, bash_line, closed_line, or_else, shell_line, unclosed

HERE = Path(__file__).parent
BASH = shutil.which("bash")
TABLES: list[dict[str, Any]] = [
    YAML(typ="safe", pure=True).load(path.read_text("utf-8"))
    for path in sorted((HERE / "cases/dialects").glob("agent-*.yaml"))
]
AGENTS = [table["agent"] for table in TABLES]
COMMAND = ["/opt/py", "-I", "-m", "ostiary", "hook", "--agent"]
WHY = "it is odd"
TIDES = {"sessionId": "s", "timestamp": 1, "cwd": "/work", "toolName": "tides-server-height", "toolArgs": {}}


def rows(part: str, name: str = "note") -> pytest.MarkDecorator:
    cases = [(table["agent"], row) for table in TABLES for row in table[part]]
    return pytest.mark.parametrize(
        ("agent", "row"), [pytest.param(*case, id=f"{case[0]}: {case[1][name]}") for case in cases]
    )


def payload(agent: str, row: dict[str, Any]) -> dict[str, Any]:
    sample = json.loads((HERE / f"dialects/{agent}/{row['sample']}.json").read_text("utf-8"))
    changed = {**sample, **row.get("set", {})}
    return {key: value for key, value in changed.items() if key not in row.get("drop", ())}


def plain(value: Any) -> Any:
    """The value as YAML says it."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def said(answer: Answer) -> dict[str, Any]:
    """An answer as the tables say it: absent keys are empty."""
    whole = {
        "stderr": answer.stderr,
        "status": answer.status,
        "degraded": [[item.wanted, item.said] for item in answer.degraded],
    }
    body = {"stdout": json.loads(answer.stdout)} if answer.stdout else {}
    return {**body, **{key: value for key, value in whole.items() if value}}


@rows("reading")
def test_reading(agent: str, row: dict[str, Any]) -> None:
    dialect, sent = DIALECTS[agent], payload(agent, row)
    found = receive(dialect, json.dumps(sent).encode(), row.get("event"))
    if "refused" in row:
        assert found == Unreadable(row["refused"])
        return
    assert isinstance(found, Event)
    assert {name: plain(getattr(found, name)) for name in row["want"]} == row["want"]
    assert found == read(dialect, sent, row.get("event"))


@rows("answers")
def test_answers(agent: str, row: dict[str, Any]) -> None:
    dialect, told = DIALECTS[agent], dict(row["outcome"])
    outcome = Outcome(verdict=Verdict[told.pop("verdict", "none").upper()], **told)
    answer = write(dialect, read(dialect, payload(agent, row), row.get("event")), outcome)
    assert said(answer) == {key: row[key] for key in ("stdout", "stderr", "status", "degraded") if key in row}
    assert answer.stdout == "" or (answer.stdout.isascii() and answer.stdout.count("\n") == 1)


@rows("unreadable", "event")
def test_unreadable(agent: str, row: dict[str, Any]) -> None:
    answer = unreadable(DIALECTS[agent], row["event"], WHY)
    assert said(answer) == {key: row[key] for key in ("stdout", "stderr", "status") if key in row}


@pytest.mark.parametrize("table", TABLES, ids=AGENTS)
def test_registering(table: dict[str, Any]) -> None:
    dialect, wanted = DIALECTS[table["agent"]], table["registered"]
    place = next(place for place in dialect.registration.places if place.scope == "user")
    command = [*COMMAND, dialect.name]
    made = plan_install(dialect, None, command, [wanted["event"]], fixed=place.fixed).after
    assert json.loads(made) == wanted["file"]
    assert registered(dialect, made) == (wanted["event"],)
    assert plan_install(dialect, made, command, [wanted["event"]], fixed=place.fixed).after == made
    older = made.replace("/opt/py", "/old/py")
    assert plan_install(dialect, older, command, [wanted["event"]], fixed=place.fixed).after == made
    assert wanted["event"] not in plan_uninstall(dialect, made).after


@pytest.mark.parametrize("agent", AGENTS)
def test_everything_that_is_registered_is_found_again(agent: str) -> None:
    dialect = DIALECTS[agent]
    made = plan_install(dialect, None, hook_command(dialect, "/opt/my py/python", "/etc/our policy")).after
    assert registered(dialect, made) == tuple(
        name for name, spec in dialect.events.items() if spec.register == "always"
    )
    kept = plan_uninstall(dialect, made).after
    assert registered(dialect, kept) == ()
    assert plan_install(dialect, kept, hook_command(dialect, "/opt/my py/python", "/etc/our policy")).after == made


@pytest.mark.parametrize("agent", AGENTS)
def test_every_tool_has_a_sample(agent: str) -> None:
    dialect = DIALECTS[agent]
    sent = {
        read(dialect, json.loads(path.read_text("utf-8")), path.stem.partition("-")[0]).native_tool
        for path in (HERE / "dialects" / agent).iterdir()
    }
    assert set(dialect.tools) <= sent


@pytest.mark.parametrize(("agent", "length"), [("grok", 256), ("afk", 500), ("zcode", 4000)])
def test_reasons_fit(agent: str, length: int) -> None:
    event = Event.from_call("bash", {"command": "ls"})
    answer = write(DIALECTS[agent], event, Outcome(verdict=Verdict.DENY, reason="x" * 5000))
    assert "x" * (length - 6) + ' [cut]"' in answer.stdout


def test_a_server_that_nothing_names_may_be_any() -> None:
    event = receive(DIALECTS["copilot-cli"], json.dumps(TIDES).encode(), "preToolUse")
    assert isinstance(event, Event)
    for rule, verdict in (("deny", Verdict.ASK), ("allow", Verdict.NONE)):
        text = f"version: 1\nrules:\n  - {{id: a, when: {{mcp: {{server: north}}}}, decision: {rule}, reason: r}}\n"
        assert judged(policy(text), event).verdict is verdict


@pytest.mark.parametrize("agent", AGENTS)
def test_calls_of_other_agents_are_refused(agent: str) -> None:
    dialect = DIALECTS[agent]
    names = [None, *(name for name, spec in dialect.events.items() if spec.gate and not spec.registered_as)]
    for folder in (HERE / "dialects").iterdir():
        for path in folder.iterdir() if folder.name != agent else ():
            for name in names:
                found = receive(dialect, path.read_bytes(), name)
                assert isinstance(found, Unreadable) or not found.kind.before_tool, (path, name)


# --- files that are not ours alone ------------------------------------------------------------------------------------

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
