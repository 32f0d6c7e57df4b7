"""A command line to call in tests, with a policy folder and a project, and a person who answers it."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ostiary.commands import main

LINKS = pytest.mark.skipif(os.name != "posix", reason="links need a privilege elsewhere")

POLICY = """\
version: 1
name: mine
ask: ["Bash(make *)"]
allow: ["Bash(git status:*)"]
rules:
  - id: no-force
    when: {command: {program: git, subcommand: push, flag: [-f, --force]}}
    decision: deny
    reason: history stays
    help: push a branch of your own
    examples:
      match: [git push -f]
      not_match: [git push]
  - id: no-mode
    when: {all: [{mode: wild}, {tool: Bash}]}
    decision: deny
  - id: on-a-branch
    when: {all: [{branch: release}, {command: {program: touch}}]}
    decision: ask
  - id: prompts
    on: UserPromptSubmit
    when: {prompt: "*secret*"}
    decision: deny
"""

SUITE = """\
version: 1
cases:
  - name: forced pushes are denied
    call: git push --force
    expect: {verdict: deny, rules: [no-force], reason~: history}
"""


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    err: str

    @property
    def shown(self) -> str:
        """The output without the colours that a terminal gets."""
        return re.sub(r"\x1b\[[0-9;]*m", "", self.out)

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Line:
    """The command line, with a policy folder and an empty project as the current folder."""

    def __init__(self, root: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.config = root / "config"
        self.project = root / "project"
        self.config.mkdir(mode=0o700)
        self.project.mkdir()
        self.capture = capture

    def policy(self, text: str = POLICY) -> Path:
        path = self.config / "policy.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    def repository(self, text: str) -> Path:
        (self.project / ".git").mkdir(exist_ok=True)
        folder = self.project / ".ostiary"
        folder.mkdir(exist_ok=True)
        (folder / "policy.yaml").write_text(text, encoding="utf-8")
        return folder

    def __call__(self, *arguments: str) -> Ran:
        status = main.run([*arguments])
        out, err = self.capture.readouterr()
        return Ran(status, out, err)

    def at(self, verb: str, *arguments: str) -> Ran:
        """A verb with this policy folder."""
        return self(verb, "--config-dir", str(self.config), *arguments)


def verdict(ran: Ran) -> str:
    return str(ran.json["verdict"])


class Person:
    """Somebody at a terminal who types the word that the screen names, or something else."""

    def __init__(self, typed: str | None = None) -> None:
        self.typed = typed
        self.questions: list[str] = []

    def __call__(self, question: str) -> str:
        self.questions.append(question)
        if self.typed == "end of file":
            raise EOFError
        return self.typed if self.typed is not None else question.split()[-1].rstrip(":")


def at_terminal(monkeypatch: pytest.MonkeyPatch, person: Person) -> None:
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", person)
