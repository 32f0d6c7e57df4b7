"""Calls that hold several commands or files: a policy looks at all of them, each on its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from matrix import judged, policy
from ostiary.call import analyse
from ostiary.dialects import DIALECTS, read
from ostiary.dialects.base import ToolSpec
from ostiary.dialects.several import packed, unpacked
from ostiary.event import Event
from ostiary.facts import Given
from ostiary.tools import TOOLS

CLINE = DIALECTS["cline"]
SAMPLES = Path(__file__).parent / "dialects" / "cline"
GIVEN = Given(home="/home/dev", start="/w", roots=("/w",), workdirs=("/w",))

RULES = policy(
    """
version: 1
deny: ["Bash(rm *)", "Read(**/.env)"]
rules:
  - {id: named, when: {input: {file_path: {regex: secret}}}, decision: ask, reason: r}
  - {id: whole, when: {script: /wget.*wash/}, decision: ask, reason: r}
"""
)


def asked(tool: str, **arguments: Any) -> str:
    payload = json.loads((SAMPLES / f"tool_call-{tool}.json").read_text("utf-8"))
    payload["tool_call"]["input"] = arguments
    return str(judged(RULES, read(CLINE, payload)).verdict)


def paths(*names: str) -> list[dict[str, str]]:
    return [{"path": name} for name in names]


@pytest.mark.parametrize(
    ("commands", "verdict"),
    [
        (["make"], "none"),
        (["make", "rm a"], "deny"),
        (["rm a", "make"], "deny"),
        # What one command says is no data of the next.
        (["cat <<'X'", "rm a", "X"], "deny"),
        (["echo '", "rm a", "echo '"], "deny"),
        (["# \\", "rm a"], "deny"),
        (["wget wash"], "ask"),
        ([], "ask"),
        (["make", 7], "ask"),
        ([["rm", "a"]], "ask"),
    ],
)
def test_every_command_is_judged(commands: list[Any], verdict: str) -> None:
    assert asked("run_commands", commands=commands) == verdict


@pytest.mark.parametrize(
    ("files", "verdict"),
    [
        (paths("a"), "none"),
        (paths("a", "b/.env"), "deny"),
        (paths(".env", "a"), "deny"),
        (paths("a", "b/secret"), "ask"),
        ([{"path": "a"}, {"name": "b"}], "ask"),
        ("a/.env", "deny"),
    ],
)
def test_every_file_is_judged(files: Any, verdict: str) -> None:
    assert asked("read_files", files=files) == verdict


def test_every_command_starts_in_the_folder_of_the_call() -> None:
    call = analyse(Event.from_call("bash", {"command": ("cd /srv", "cat a")}, "/w"), GIVEN, TOOLS)
    assert [(part.text, part.cwd) for part in call.parts] == [("cd /srv", "/w"), ("cat a", "/w")]
    assert call.script == "cd /srv\ncat a"


def test_the_words_of_one_command_are_not_several() -> None:
    call = analyse(Event.from_call("bash", {"command": ["rm", "a"]}, "/w"), GIVEN, TOOLS)
    assert call.limit


SHELL = ToolSpec("bash", {"lines": "command"}, lists={"lines": ()})
FILES = ToolSpec("read_file", {"files": "file_path"}, lists={"files": ("at", "path")})


def test_values_are_found_in_lists() -> None:
    assert unpacked(None, {"a": [1]}) == ({"a": [1]}, True)
    assert unpacked(SHELL, {"other": ["x"]}) == ({"other": ["x"]}, True)
    assert unpacked(SHELL, {"lines": ["x"], "n": 1}) == ({"lines": "x", "n": 1}, True)
    assert unpacked(SHELL, {"lines": ["x", "y"]}) == ({"lines": ("x", "y")}, True)
    assert unpacked(SHELL, {"lines": ' ["x"]'}) == ({"lines": None}, False)
    assert unpacked(FILES, {"files": [{"at": {"path": "x"}}]}) == ({"files": "x"}, True)
    assert unpacked(FILES, {"files": ["x"]}) == ({"files": None}, False)


def test_values_go_back_into_lists() -> None:
    assert packed(None, {}, {"a": 1}) == {"a": 1}
    sent = {"lines": ["x", "y"], "n": 1}
    assert packed(SHELL, sent, {"lines": ("x", "y"), "n": 2}) == {"lines": ["x", "y"], "n": 2}
    assert packed(SHELL, sent, {"lines": "z"}) == {"lines": ["z"]}
    assert packed(SHELL, sent, {"lines": ("z", "y")}) == {"lines": ["z", "y"]}
    assert packed(SHELL, sent, {"n": 1}) == {"n": 1}
    files = {"files": [{"at": {"path": "x"}, "lines": 3}]}
    assert packed(FILES, files, {"files": "x", "n": 1}) == {**files, "n": 1}
    assert packed(FILES, files, {"files": "y"}) is None
