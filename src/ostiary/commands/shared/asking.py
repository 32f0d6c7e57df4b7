"""From the arguments of `eval` and `explain` to the event, and the outcome."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass  # not `records`: the signature of the class is read
from functools import wraps
from inspect import Signature, signature
from typing import Any, get_type_hints

from ostiary import suites
from ostiary.call.model import Call
from ostiary.commands.shared import options
from ostiary.commands.shared.console import complain
from ostiary.commands.shared.exits import Exit, Refused
from ostiary.commands.shared.world import content, engine, folder, rules_or_warn
from ostiary.decision import Outcome, Verdict
from ostiary.dialects import DIALECTS, Unreadable, receive
from ostiary.document import unknown
from ostiary.engine import Engine
from ostiary.event import EVENTS, Event, mcp_pair, unknown_event
from ostiary.facts import FactRequest, Facts, Given
from ostiary.sources.machine import MachineFacts
from ostiary.sources.roots import find_roots
from ostiary.spelling import nearest
from ostiary.tools import ToolTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The arguments. `project` and `config_dir` are folders as written; see `options` for the rest."""

    command: options.Command = None
    tool: options.ToolName = None
    input: options.Input = None
    payload: options.Payload = None
    agent: options.Agent = None
    cwd: options.Cwd = None
    mode: options.Mode = None
    on: options.On = None
    branch: options.Branch = None
    prompt: options.Prompt = None
    perform: options.Perform = False
    as_json: options.AsJson = False
    config_dir: options.ConfigDir = None
    project: options.ProjectDir = None


def asking(verb: Callable[..., None]) -> Callable[..., None]:
    """The verb as typer reads it: with every field of `Asked` as an argument, and the verb's own options behind. The
    verb gets an `Asked` first."""
    hints = {**get_type_hints(Asked, include_extras=True), **get_type_hints(verb, include_extras=True)}
    given = signature(Asked).parameters.values()
    own = [option for option in signature(verb).parameters.values() if option.name != "asked"]

    @wraps(verb)
    def run(**values: Any) -> None:
        verb(Asked(**{one.name: values[one.name] for one in given}), **{one.name: values[one.name] for one in own})

    listed = [one.replace(annotation=hints[one.name]) for one in (*given, *own)]
    run.__signature__ = Signature(listed)  # type: ignore[attr-defined] # what `inspect.signature` looks for
    run.__annotations__ = {one.name: one.annotation for one in listed}
    return run


@dataclass(frozen=True, slots=True)
class OnBranch:
    """The machine's facts, but with this branch checked out everywhere."""

    machine: Facts
    branch: str

    def given(self, cwd: str | None) -> Given:
        """What is known beforehand."""
        return self.machine.given(cwd)

    def answer(self, request: FactRequest) -> object:
        """The answer to one request."""
        return self.branch if request.name == "branch" else self.machine.answer(request)


def judged(asked: Asked, *, full: bool) -> Outcome:
    """What the policy makes of the arguments; with `full` the trail has every rule. Raises `Refused` for arguments that
    make no event."""
    loaded, event = _loaded(asked)
    outcome = (loaded.explain if full else loaded.judge)(event, perform=asked.perform)
    if not asked.perform and outcome.verdict != Verdict.DENY and any(one.state == "not-run" for one in outcome.trail):
        complain("handlers were not run, and what they say is not known; `--perform` runs them")
    return outcome


def taken_apart(asked: Asked) -> tuple[Event, Call]:
    """The event that the arguments describe, and the call in it. Raises `Refused`."""
    loaded, event = _loaded(asked)
    return event, loaded.analyse(event)


def _loaded(asked: Asked) -> tuple[Engine, Event]:
    loaded = engine(asked.config_dir, asked.project)
    event = event_of(asked, loaded.policy.tools)
    rules_or_warn(loaded)
    if asked.branch is not None:
        roots = find_roots(start(asked), event.project, event.cwd)
        facts = OnBranch(MachineFacts(roots, event.workdirs), asked.branch)
        loaded = engine(asked.config_dir, asked.project, facts)
    return loaded, event


def start(asked: Asked) -> str:
    """The folder the agent is taken to have been started in, absolute."""
    return folder(asked.project) or os.getcwd()


def event_of(asked: Asked, tools: ToolTable) -> Event:
    """The event that the arguments describe. Raises `Refused`."""
    _one_origin(asked)
    if asked.agent is not None and asked.agent not in DIALECTS:
        raise Refused(_sentence(*unknown("agent", asked.agent, DIALECTS)), Exit.USAGE)
    if asked.payload is not None:
        return _received(asked)
    if asked.on is not None and asked.on not in EVENTS:
        raise Refused(_sentence(*unknown_event(asked.on)), Exit.USAGE)
    fields: dict[str, Any] = {
        "name": asked.on or ("UserPromptSubmit" if asked.prompt is not None else "PreToolUse"),
        "agent": asked.agent or "",
        "cwd": os.path.abspath(asked.cwd) if asked.cwd is not None else start(asked),
        "mode": asked.mode,
        "prompt": asked.prompt,
        "lacks": suites.lacks(asked.agent),
    }
    if asked.command is not None:
        return suites.made("bash", {"command": asked.command}, tools, **fields)
    if not asked.tool:
        return Event(**fields)
    if asked.tool not in tools.all_names and not mcp_pair(asked.tool):
        near = nearest(asked.tool, tools.all_names)
        complain(_sentence(f"no known tool is called `{asked.tool}`", f"did you mean `{near}`?" if near else ""))
    return suites.made(asked.tool, _arguments(asked.input), tools, **fields)


def _one_origin(asked: Asked) -> None:
    _arguments(asked.input)
    given = [asked.command, asked.tool, asked.payload]
    named = sum(value is not None for value in given)
    if named > 1:
        raise Refused("give shell text, `--tool` or `--payload`, not several of them", Exit.USAGE)
    if not named and asked.on is None and asked.prompt is None:
        raise Refused("nothing to judge: give shell text, `--tool`, `--on` or `--payload`", Exit.USAGE)
    if asked.input is not None and asked.tool is None:
        raise Refused("`--input` goes with `--tool`", Exit.USAGE)


def _arguments(text: str | None) -> Mapping[str, Any]:
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise Refused(f"the JSON of `--input` is broken: {error}", Exit.USAGE) from None
    if not isinstance(value, dict):
        raise Refused("`--input` must be a JSON object", Exit.USAGE)
    return value


def _received(asked: Asked) -> Event:
    if asked.agent is None:
        raise Refused(f"`--payload` needs `--agent`; agents: {', '.join(DIALECTS)}", Exit.USAGE)
    event = receive(DIALECTS[asked.agent], content(asked.payload or "-"), asked.on)
    if isinstance(event, Unreadable):
        raise Refused(f"the payload cannot be read: {event.reason}", Exit.USAGE)
    return event


def _sentence(message: str, help: str) -> str:
    return f"{message}; {help}" if help else message
