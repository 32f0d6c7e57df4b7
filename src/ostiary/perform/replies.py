"""What the answers of handlers mean: exit codes, output and HTTP responses to decisions. Pure.

Two contracts differ (`docs/handlers.md` has the table). Under `afk` exit code 2 blocks whatever stands on the output,
any other but 0 is a failure, and `continue: false` blocks. Under `claude` a JSON object on the output counts with every
exit code, but cannot lift the deny of exit code 2; and `continue: false` halts the session.

Both know every word of both for a decision: one that says `deny` means it. A word that nobody knows, and an object that
cannot be read, are failures; so is nothing else that a program says on its output.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping
from math import isfinite
from typing import Any, Final

from ostiary.decision import Decision, Verdict
from ostiary.perform.program import CAPTURED, Ended
from ostiary.records import replace

REASON: Final = 500
"""Characters of standard error that become a reason."""

NO_REASON: Final = "the handler gave no reason"

TOO_LONG: Final = Decision(verdict=Verdict.ASK, failure=f"its answer is longer than {CAPTURED} bytes")
"""What an object says that was cut off. What makes an answer long is often the call itself, and a call must not become
free of a handler by its length: this failure asks where others would count nothing."""

_BLOCKED: Final = 2
_WORDS: Final = {
    "allow": Verdict.ALLOW,
    "approve": Verdict.ALLOW,
    "ask": Verdict.ASK,
    "defer": Verdict.DEFER,
    "deny": Verdict.DENY,
    "block": Verdict.DENY,
}
_PLAIN_IS_CONTEXT: Final = frozenset({"SessionStart", "UserPromptSubmit"})


def of_command(ended: Ended, contract: str, event: str) -> Decision:
    """What the end of a program says about an event, by its canonical name."""
    if ended.failure:
        return Decision(failure=ended.failure)
    text = _text(ended.stdout)
    if ended.status == _BLOCKED:
        return _blocked(ended, contract)
    if ended.status and not (contract == "claude" and is_object(text)):
        return Decision(failure=_unsuccessful(ended))
    cut = len(ended.stdout) >= CAPTURED and is_object(text) and isinstance(object_of(text), str)
    return TOO_LONG if cut else of_text(text, contract, event)


def of_text(text: str, contract: str, event: str) -> Decision:
    """What a text says that a handler gave without failing."""
    if is_object(text):
        found = object_of(text)
        return of_object(found, contract) if isinstance(found, dict) else Decision(failure=found)
    plain = text.strip()
    return Decision(context=plain) if plain and contract == "claude" and event in _PLAIN_IS_CONTEXT else Decision()


def of_result(text: str, contract: str, event: str) -> Decision:
    """What the text of a tool says."""
    return TOO_LONG if len(text.encode("utf-8", "replace")) > CAPTURED else of_text(text, contract, event)


def of_response(status: int, body: bytes, contract: str) -> Decision:
    """What an HTTP response says: one without a body says nothing, one with has to be a JSON object."""
    if not 200 <= status < 300:
        return Decision(failure=f"the server answered with status {status}")
    if len(body) > CAPTURED:
        return TOO_LONG
    text = _text(body)
    if not text.strip():
        return Decision()
    if not is_object(text):
        return Decision(failure="the server's answer is no JSON object")
    found = object_of(text)
    return of_object(found, contract) if isinstance(found, dict) else Decision(failure=found)


def of_value(value: object, contract: str) -> Decision:
    """What a Python handler says with what it returned."""
    if value is None:
        return Decision()
    if isinstance(value, Decision):
        if flaw := _flaw(value):  # as one that raises: who made it meant something
            return Decision(verdict=Verdict.DENY, failure=f"it returned a decision whose `{flaw}` cannot be used")
        return value
    if isinstance(value, Mapping):
        return of_value(of_object(value, contract), contract)
    return Decision(failure=f"it returned {type(value).__name__}, which is neither a decision nor a mapping nor None")


_TEXTS: Final = ("reason", "help", "context", "message")


def _flaw(decision: Decision) -> str:
    """Which field of a decision that a function made is none that a decision can have, empty if all are."""
    if not isinstance(decision.verdict, Verdict):
        return "verdict"
    for name in _TEXTS:
        if not isinstance(getattr(decision, name), str | None):
            return name
    if not (isinstance(decision.halt, bool) and isinstance(decision.failure, str)):
        return "failure" if isinstance(decision.halt, bool) else "halt"
    rewritten = decision.update_input
    if not (rewritten is None or (isinstance(rewritten, Mapping) and _is_json(dict(rewritten)))):
        return "update_input"
    return "" if _is_json(decision.update_output) else "update_output"


def _is_json(value: Any) -> bool:
    """Whether agents can be told a value."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def of_object(said: Mapping[str, Any], contract: str) -> Decision:
    """What a JSON object says. Values of a wrong type are as if they were absent, but for the decision."""
    nested = said.get("hookSpecificOutput")
    nested = nested if isinstance(nested, Mapping) else {}
    request = nested.get("decision")  # of a permission request, which has a shape of its own
    request = request if isinstance(request, Mapping) else {}
    words = (said.get("decision"), nested.get("permissionDecision"), request.get("behavior"))
    known = [_WORDS.get(word) if isinstance(word, str) else None for word in words if word not in (None, "")]
    stopped = said.get("continue") is False
    halts = contract == "claude" and (stopped or request.get("interrupt") is True)
    if stopped and contract == "afk":
        known.append(Verdict.DENY)
    verdict = max((word for word in known if word is not None), default=Verdict.NONE)
    if None in known and verdict <= Verdict.ALLOW and not halts:
        return Decision(failure="its decision is none of " + ", ".join(f"`{word}`" for word in _WORDS))
    reason = _first(nested.get("permissionDecisionReason"), said.get("reason"), request.get("message"))
    stop_reason = _first(said.get("stopReason")) if stopped else None
    if verdict == Verdict.DENY:
        reason = reason or stop_reason or NO_REASON
    context = (_first(nested.get("additionalContext")), _first(said.get("additionalContext")))
    return Decision(
        verdict=verdict,
        reason=reason,
        context=None if verdict == Verdict.DEFER else _lines(*context[: 2 if contract == "claude" else 1]),
        message=_lines(_first(said.get("systemMessage")), stop_reason if halts else None),
        update_input=None
        if verdict == Verdict.DEFER
        else _mapping(nested.get("updatedInput"), request.get("updatedInput")),
        update_output=_output(nested),
        halt=halts,
    )


def _blocked(ended: Ended, contract: str) -> Decision:
    """A deny, with what else the output says under `claude`."""
    errors, output = _text(ended.stderr).strip()[:REASON], _text(ended.stdout)
    if contract == "afk":
        return Decision(verdict=Verdict.DENY, reason=errors or NO_REASON)
    found = object_of(output) if is_object(output) else {}
    said = of_object(found, contract) if isinstance(found, dict) else Decision()
    plain = "" if is_object(output) else output.strip()[:REASON]
    return replace(said, verdict=Verdict.DENY, reason=errors or said.reason or plain or NO_REASON, failure="")


def _unsuccessful(ended: Ended) -> str:
    status = ended.status or 0
    how = f"it was ended by signal {-status}" if status < 0 else f"it ended with status {status}"
    said = _text(ended.stderr).strip().partition("\n")[0][:REASON]
    return f"{how}: {said}" if said else how


def _text(data: bytes) -> str:
    """The bytes as text, without a mark in front of it, and without a character that was cut at the end."""
    return codecs.utf_8_decode(data, "replace", False)[0].removeprefix("\ufeff")


def is_object(text: str) -> bool:
    """Whether the text means to be a JSON object."""
    return text.lstrip().startswith("{")


def object_of(text: str) -> dict[str, Any] | str:
    """The JSON object, or why it is none. One with a key that stands twice says two things."""
    try:
        found: dict[str, Any] = json.loads(text, object_pairs_hook=_once, parse_constant=_never, parse_float=_finite)
    except _Twice:
        return "its answer has the same key twice in an object"
    except (ValueError, RecursionError):
        return "its answer begins like a JSON object and is none"
    return found


class _Twice(ValueError):
    """A key stands twice in an object."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Twice
    return found


def _never(constant: str) -> None:
    raise ValueError(f"JSON has no {constant}")


def _finite(text: str) -> float:
    """The number; one that is too large is none that agents could be told."""
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text} is too large")
    return number


def _first(*values: Any) -> str | None:
    return next((value for value in values if isinstance(value, str) and value), None)


def _lines(*texts: str | None) -> str | None:
    return "\n".join(text for text in texts if text) or None


def _mapping(*values: Any) -> Mapping[str, Any] | None:
    return next((value for value in values if isinstance(value, Mapping)), None)


def _output(nested: Mapping[str, Any]) -> str | None:
    """The new output of a tool: a text, or the content of an object."""
    for key in ("updatedToolOutput", "updatedMCPToolOutput"):
        value = nested.get(key)
        text = value.get("content") if isinstance(value, Mapping) else value
        if isinstance(text, str):
            return text
    return None
