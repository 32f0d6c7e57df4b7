"""Asking a registered hook about a harmless call, the way its agent would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any, Final

from ostiary.dialects import Answer, Dialect
from ostiary.dialects.calls import calls, gates
from ostiary.dialects.hearing import heard
from ostiary.dialects.writer import UNJUDGED
from ostiary.install.diagnosis import Finding, Installation
from ostiary.install.inspect import Hook

_HARMLESS: Final[tuple[tuple[str, Mapping[str, Any]], ...]] = (
    ("bash", {"command": "true"}),
    ("read_file", {"file_path": "README.md"}),
    ("glob", {"pattern": "*"}),
)


def probes(found: Installation, project: str) -> list[Finding]:
    """What the first gate of each registered command answers."""
    return [_probe(found.dialect, hook, project) for hook in _asked(found)]


def _asked(found: Installation) -> list[Hook]:
    """One hook at a gate for each command."""
    wanted = [hook for gate in gates(found.dialect) for hook in found.ours if hook.native == gate and _safe(hook)]
    return list({hook.words[:-1]: hook for hook in reversed(wanted)}.values())[::-1]


def _safe(hook: Hook) -> bool:
    """Whether a hook is started: only what this user or this machine registered, or this very program. A file of a
    repository could name any other one, and any client of a service (law L6)."""
    ours = hook.service is None and hook.interpreter == sys.executable
    return hook.isolated and os.path.isabs(hook.words[0]) and (ours or hook.scope in ("user", "managed"))


def _probe(dialect: Dialect, hook: Hook, project: str) -> Finding:
    payload = harmless(dialect, hook.native, project)
    if payload is None:
        return Finding("probe", "note", f"{hook.native}: no harmless call is known to ask about")
    limit = dialect.timeouts.ours
    began = time.monotonic()
    try:
        done = subprocess.run(  # noqa: S603 an absolute program that `_safe` let through
            hook.words, input=payload, capture_output=True, cwd=project, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return Finding("probe", "problem", f"{hook.path}: no answer within {limit} seconds")
    except OSError as error:
        return Finding("probe", "problem", f"{hook.path}: `{hook.words[0]}` cannot be started: {error.strerror}")
    answer = Answer(done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"), done.returncode)
    return judged(dialect, hook, answer, time.monotonic() - began)


def harmless(dialect: Dialect, native: str, project: str) -> bytes | None:
    """A harmless call as the agent sends it at a native event, None if none is known."""
    ways = (payload for tool, given in _HARMLESS for _, payload in calls(dialect, native, tool, given, project))
    payload = next(ways, None)
    return json.dumps(payload).encode() if payload is not None else None


def judged(dialect: Dialect, hook: Hook, answer: Answer, seconds: float) -> Finding:
    """What an answer to the probe shows."""
    said = heard(dialect, hook.native, answer)
    text = f"{answer.stdout}{answer.stderr}"
    if said is None:
        first = (answer.stderr.strip().splitlines() or ["no text"])[0]
        return Finding("probe", "problem", f"{hook.path}: no answer at {hook.native}: exit {answer.status}, {first}")
    if UNJUDGED in text:
        return Finding("probe", "problem", f"{hook.path}: {hook.native} is not judged: {_reason(text)}")
    return Finding("probe", "good", f"asked at {hook.native}: `{said}` after {seconds * 1000:.0f} ms")


def _reason(text: str) -> str:
    return text.partition(f"{UNJUDGED}: ")[2].splitlines()[0].split('"')[0]
