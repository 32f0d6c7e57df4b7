"""Hooks that send their events to the service: registering them, and what is told of them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from ostiary.dialects import DIALECTS
from ostiary.install import plan_install, plan_uninstall, registered
from ostiary.install.diagnosis import Installation
from ostiary.install.inspect import File, hooks
from ostiary.install.sending import sends
from ostiary.install.served import served
from processes import PROGRAM
from services import World, python
from trees import plant

if sys.platform != "linux":
    pytest.skip("looks at processes as Linux shows them", allow_module_level=True)

CLAUDE = DIALECTS["claude-code"]
COMMAND = ("/usr/bin/python3", "-I", "-m", "ostiary", "hook", "--agent", "claude-code")
WEB = "http://127.0.0.1:7070"
WRITTEN = plan_install(CLAUDE, None, COMMAND, web=WEB).after


def entry(text: str, native: str) -> dict[str, Any]:
    (group,) = json.loads(text)["hooks"][native]
    (found,) = group["hooks"]
    return dict(found)


# What is written


def test_what_is_written() -> None:
    assert entry(WRITTEN, "PreToolUse") == {
        "type": "http",
        "url": f"{WEB}/hook/claude-code?event=PreToolUse",
        "headers": {"Authorization": "Bearer $OSTIARY_TOKEN"},
        "allowedEnvVars": ["OSTIARY_TOKEN"],
        "timeout": 60,
        "onFailure": "block",
    }
    assert "onFailure" not in entry(WRITTEN, "Stop")
    opened = plan_install(CLAUDE, None, COMMAND, on_error="continue", web=WEB).after
    assert "onFailure" not in entry(opened, "PreToolUse")
    assert entry(WRITTEN, "SessionStart")["type"] == "command"


def test_what_only_an_exit_code_says_stays_a_command() -> None:
    commands = [name for name, spec in CLAUDE.events.items() if not sends(CLAUDE.registration, name, spec)]
    assert commands == ["SessionStart", "Setup", "TaskCompleted", "TeammateIdle", "WorktreeCreate"]
    assert not any(sends(DIALECTS["codex"].registration, *event) for event in DIALECTS["codex"].events.items())
    assert not any(sends(DIALECTS["grok"].registration, *event) for event in DIALECTS["grok"].events.items())


def test_it_is_known_as_ours_and_changed_both_ways() -> None:
    plain = plan_install(CLAUDE, None, COMMAND).after
    assert registered(CLAUDE, WRITTEN) == registered(CLAUDE, plain)
    assert plan_install(CLAUDE, WRITTEN, COMMAND).after == plain
    assert plan_install(CLAUDE, plain, COMMAND, web=WEB).after == WRITTEN
    assert not plan_install(CLAUDE, WRITTEN, COMMAND, web=WEB).needed
    assert plan_uninstall(CLAUDE, WRITTEN).removes


OTHERS = [
    "http://127.0.0.1:7070/hook/claude-code-x",
    "http://127.0.0.1:7070/hook/codex",
    "http://localhost:7070/hook/claude-code",
    "https://example.com/http://127.0.0.1:7070/hook/claude-code",
]


@pytest.mark.parametrize("url", OTHERS)
def test_servers_of_others_are_left_alone(url: str) -> None:
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "http", "url": url}]}]}})
    assert registered(CLAUDE, text) == ()
    assert plan_uninstall(CLAUDE, text).after == text


def found(agent: str, text: str) -> Installation:
    file = File("settings.json", "user", text)
    return Installation(DIALECTS[agent], (), (file,), hooks(DIALECTS[agent], file))


def test_who_listens_is_told() -> None:
    held = f"where nobody answers at {WEB}, calls are held up"
    told = [(one.level, one.text) for one in served(found("claude-code", WRITTEN), frozenset((WEB,)))]
    assert told == [("good", f"our service listens at {WEB}"), ("good", held)]
    lost = f"our service does not listen at {WEB}; who does is sent every call, with the token"
    told = [(one.level, one.text) for one in served(found("claude-code", WRITTEN), frozenset())]
    assert told == [("problem", lost), ("good", held)]
    text = json.dumps({"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": f"{WEB}/hook/qwen-code"}]}]}})
    told = [(one.level, one.text) for one in served(found("qwen-code", text), frozenset((WEB,)))]
    assert told[1:] == [("problem", f"where nobody answers at {WEB}, calls run")]


# The verbs


@pytest.fixture
def world() -> Iterator[World]:
    with TemporaryDirectory(prefix="o", dir="/tmp") as name:
        base = Path(name).resolve()
        policy, settings = 'version: 1\ndeny: ["Bash(rm *)"]\n', "http: {listen: true, shared_host: true}\n"
        plant(base, {"config/policy.yaml": policy, "config/settings.yaml": settings, "project/.git": None})
        made = World(base, python())
        try:
            yield made
        finally:
            made.end()


def typed(world: World, *words: str) -> tuple[int, str, str]:
    """What a person sees of a verb."""
    command = [*PROGRAM, *words, "--config-dir", str(world.config)]
    done = subprocess.run(
        command, capture_output=True, timeout=60, check=False, text=True, start_new_session=True, cwd=world.project
    )
    if "is for people" in done.stderr:
        pytest.skip("an agent started these tests")
    return done.returncode, done.stdout, done.stderr


def test_a_person_installs_it_and_looks_after_it(world: World) -> None:
    local = ("claude-code", "--scope", "local", "--yes")
    status, _, said = typed(world, "install", *local, "--http")
    token = world.config / "state/http/token"
    assert (status, said) == (
        0,
        "the agent needs the token of the service in its environment, else it is refused, and every call with it: "
        f'export OSTIARY_TOKEN="$(cat {token})"\n',
    )
    port = (world.config / "state/http/port").read_text()
    text = (world.project / ".claude/settings.local.json").read_text()
    assert entry(text, "PreToolUse")["url"] == f"http://127.0.0.1:{port}/hook/claude-code?event=PreToolUse"
    assert f"http        http://127.0.0.1:{port}\n" in typed(world, "status")[1]

    report = json.loads(typed(world, "doctor", "claude-code", "--json", "--no-probe")[1])["claude-code"]
    assert f"our service listens at http://127.0.0.1:{port}" in [one["text"] for one in report]
    assert [one for one in report if one["level"] == "problem"] == []

    before = token.read_text()
    status, said, _ = typed(world, "restart", "--new-token")
    assert (status, said.splitlines()[0]) == (0, f"the new token is in {token}")
    assert token.read_text() != before
    assert (world.config / "state/http/port").read_text() == port

    typed(world, "stop")
    report = json.loads(typed(world, "doctor", "claude-code", "--json", "--no-probe")[1])["claude-code"]
    (problem,) = (one for one in report if one["level"] == "problem")
    assert problem["text"].startswith(f"our service does not listen at http://127.0.0.1:{port};")
    assert typed(world, "install", *local)[0] == 0
    text = (world.project / ".claude/settings.local.json").read_text()
    assert entry(text, "PreToolUse")["type"] == "command"


def test_what_cannot_be_is_refused(world: World) -> None:
    plant(world.base, {"config/settings.yaml": ""})
    assert typed(world, "install", "grok", "--http", "--scope", "user", "--dry-run") == (
        2,
        "",
        "ostiary: `grok` has no use for `--http`: it sends nothing to a port of this machine\n",
    )
    assert typed(world, "install", "claude-code", "--http", "--scope", "project", "--dry-run") == (
        2,
        "",
        "ostiary: `--http` is for hooks of one user that ask a service\n",
    )
    assert typed(world, "install", "claude-code", "--http", "--scope", "local", "--dry-run") == (
        1,
        "",
        "ostiary: the service does not answer HTTP: `http: {listen: true}` in "
        f"{world.config}/settings.yaml turns it on, `ostiary restart` makes it act\n",
    )
