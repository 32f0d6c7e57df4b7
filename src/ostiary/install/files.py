"""Registering where it takes a file of code: a plugin that the agent loads, or programs that are named after events.

Pure, like `plan`: the text of a file in, a `Change` out. A file is ours if it says so in one line, which also holds
what it runs; a file of somebody else's is never written over.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ostiary.dialects.base import Dialect, OnError, Slot
from ostiary.dialects.bodies import filled
from ostiary.install.lines import or_else
from ostiary.install.plan import Change, RegistrationError, absolute, registrable
from ostiary.problems import Problem

_NOTE: Final = "Written by `ostiary install`, and written anew by it: do not change this file."
_FACTS: Final = re.compile(r"^const OSTIARY = (\{.*\});$", re.MULTILINE)


def plan_plugin(
    dialect: Dialect,
    text: str | None,
    command: Sequence[str],
    sources: Sequence[str],
    events: Iterable[str] | None = None,
    *,
    file: str = "ostiary.js",
    on_error: OnError = "deny",
) -> Change:
    """The plugin's file: what it has to know, then the shipped code.

    `text` is the file's text, None if there is none. `command` is the program with its arguments (`hook_command`), to
    which the plugin adds the event. `sources` are the texts of `dialect.registration.sources`. With `events` exactly
    those are forwarded, else `registrable`. `on_error` is what the plugin does where the hook does not answer. Raises
    RegistrationError for a file that is not ours, and ValueError for a program that is found by its name alone or an
    event that is not forwarded.
    """
    _insist_ours(dialect, text, file)
    values = {
        Slot.PROGRAM: absolute(command[0]),
        Slot.ARGUMENTS: list(command[1:]),
        Slot.TIMEOUT: dialect.timeouts.registered,
        Slot.ON_ERROR: on_error,
    }
    facts = {**filled(dialect.registration.entry, values), "events": _wanted(dialect, events)}
    head = f"// {_mark(dialect)}\n// {_NOTE}\nconst OSTIARY = {json.dumps(facts)};\n"
    return Change(text, "\n".join([head, *sources]))


def plan_script(
    dialect: Dialect,
    native: str,
    text: str | None,
    command: Sequence[str],
    file: str = "hook.sh",
    *,
    on_error: OnError = "deny",
) -> Change:
    """The program that is run at a native event, as `plan_plugin`; it has to be made executable."""
    _insist_ours(dialect, text, file)
    words: Sequence[str] = [absolute(command[0]), *command[1:], "--event", native]
    if dialect.events[native].gate and on_error != "continue":
        words = or_else(words, json.dumps(dialect.registration.closing))
    line = shlex.join(words)
    return Change(text, f"#!/bin/sh\n# {_mark(dialect)}\n# {_NOTE}\nexec {line}\n", executable=True)


def plan_removal(dialect: Dialect, text: str | None) -> Change:
    """A file of ours to nothing (`Change.removes`); one that is not ours stays as it is."""
    return Change(text, "" if is_ours(dialect, text) else text or "")


def scripts(dialect: Dialect, events: Iterable[str] | None = None) -> Mapping[str, str]:
    """The names of the programs by native event, for those that are registered if nobody names any, or for `events`.
    Raises ValueError for an event that no program is run at."""
    names = dialect.registration.scripts
    return {native: names[native] for native in _wanted(dialect, events)}


def is_ours(dialect: Dialect, text: str | None) -> bool:
    """Whether a file was written for this agent."""
    return any(line.endswith(_mark(dialect)) for line in (text or "").splitlines()[:2])


def facts_of(dialect: Dialect, text: str | None) -> Mapping[str, Any] | None:
    """What a plugin of ours was written with: `program`, `arguments`, `timeout`, `onError` and `events`. None for
    another file."""
    found = _FACTS.search(text or "") if is_ours(dialect, text) else None
    try:
        facts = json.loads(found[1]) if found else None
    except ValueError:
        return None
    return facts if isinstance(facts, dict) else None


def _mark(dialect: Dialect) -> str:
    return f"ostiary hook --agent {dialect.name}."


def _wanted(dialect: Dialect, events: Iterable[str] | None) -> list[str]:
    """The events, in the dialect's order."""
    named = set(registrable(dialect) if events is None else events)
    possible = [name for name, spec in dialect.events.items() if spec.register != "never"]
    for native in sorted(named.difference(possible)):
        raise ValueError(f"`{native}` is no event that can be registered")
    return [name for name in possible if name in named]


def _insist_ours(dialect: Dialect, text: str | None, file: str) -> None:
    if text is not None and text.strip() and not is_ours(dialect, text):
        help = "the agent runs a file of this name: move what is in it to another one, then try again"
        raise RegistrationError(Problem(file, 1, 1, "", "the file is somebody else's", help))
