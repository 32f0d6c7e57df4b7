"""Handlers to perform, as tests write them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ostiary.decision import Decision, Outcome
from ostiary.evaluate import HandlerRequest
from ostiary.event import Event
from ostiary.perform.handlers import perform
from ostiary.perform.runtime import Runtime
from ostiary.policy import HandlerPlan

BASH = Event.from_call("bash", {"command": "ls"}, session="s-1")

OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "command": {
        "args": None,
        "cwd": "rule",
        "full_environment": False,
        "environment": (),
        "accept_project_code": False,
    },
    "http": {"headers": (), "allowed_env": (), "private": False, "ca_file": None, "proxy": None},
    "python": {},
    "function": {},
    "mcp_tool": {
        "command": (),
        "environment": (),
        "url": "",
        "headers": (),
        "allowed_env": (),
        "private": False,
        "ca_file": None,
        "proxy": None,
        "input": "{}",
    },
    "prompt": {"prompt": "safe?", "model": "", "goes_on": False},
    "agent": {"prompt": "safe?", "model": ""},
}


def request(kind: str, folder: object = "", event: Event = BASH, contract: str = "afk", **said: Any) -> HandlerRequest:
    """A handler: options of its kind, and `timeout`, `background`, `rewake`, `may_allow`, `tier`,
    `outcome`."""
    plan = {name: said.pop(name) for name in ("timeout", "background", "rewake", "may_allow") if name in said}
    more: dict[str, Any] = {name: said.pop(name) for name in ("tier", "outcome") if name in said}
    tier, outcome = more.get("tier", "user"), more.get("outcome")
    assert outcome is None or isinstance(outcome, Outcome)
    spec = tuple({**OPTIONS[kind], **said}.items())
    return HandlerRequest("user:policy/r", tier, HandlerPlan(kind, spec, str(folder), **plan), event, contract, outcome)


def say(asked: HandlerRequest, **runtime: Any) -> Decision:
    """What one handler says."""
    (decision,) = perform((asked,), Runtime(**runtime))
    return decision


def open_files() -> int:
    """How many files this process has open, 0 where that cannot be told."""
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
