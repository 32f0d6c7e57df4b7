"""What the record says of an event: who asked for what, what was answered, and why (law L11). Pure.

By default texts are redacted: of a command the programs and the names of options stay, of a call its accesses, of
everything else its length. Prompts and what looks like a secret never stay, whatever the settings say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ostiary import __version__
from ostiary.decision import AccessReport, Outcome, PartReport, Step
from ostiary.dialects import Answer, Dialect
from ostiary.dialects.base import FieldName, Said
from ostiary.dialects.payload import text_at
from ostiary.digests import sha256
from ostiary.event import Event
from ostiary.facts import FactRequest
from ostiary.records import NamedTuple, replace
from ostiary.redaction import length, place, short, without_secrets

_PARTS: Final = 32  # of one call; more of them are counted
_ACCESSES: Final = 24
_RULES: Final = 64
_FACTS: Final = 32
_TEXT: Final = 1000  # characters of a text that is kept in full
_PATHS: Final = frozenset(("resolve", "home_of"))  # facts whose answer is a path
_WORDS: Final = frozenset(("branch", "folds_case", "kind", "written", "ignored", "permitted"))
_PROMPTS: Final = frozenset(("prompt", "message"))  # arguments that are for a model


SPARE: Final = ("input", "facts", "parts", "rules", "problems", "degraded")
"""What a line that would be too long is without, one after the other."""


class Answered(NamedTuple):
    """An event of an agent (with no dialect: of something that asks by itself), what came of it, and what it is told.
    `facts` are the questions about the machine
    with their answers, `seconds` what it took in all and `handlers` what of it went to handlers. `waits` is the name
    under which a person can permit the call, `permitted` the one under which one did."""

    dialect: Dialect | None
    event: Event
    outcome: Outcome
    answer: Answer
    facts: tuple[tuple[FactRequest, object], ...] = ()
    seconds: float = 0.0
    handlers: float = 0.0
    waits: str = ""
    permitted: str = ""


class Unjudged(NamedTuple):
    """An event of an agent that could not be judged, because of a `problem`, and the verdict that the agent is told:
    its native name (None: unknown), the bytes of its payload, and the event if these were understood."""

    dialect: Dialect
    native: str | None
    problem: str
    said: Said
    raw: bytes = b""
    event: Event | None = None


def entry(answered: Answered, detail: str, home: str | None) -> dict[str, Any]:
    """The line of an event, without what every line has; absent keys are left out."""
    dialect, event, outcome, answer = answered[:4]
    said = {
        **(_head(dialect, event.native_name or event.name, answer.said) if dialect else _own(event, answer.said)),
        "agent_version": _field(answered, "version"),
        "generation": outcome.generation,
        "session": short(event.session or ""),
        "subagent": short(event.subagent or ""),
        "mode": short(event.mode or ""),
        "tool": short(event.tool or ""),
        "native_tool": short(event.native_tool or "") if event.native_tool != event.tool else "",
        "call": _field(answered, "call"),
        "cwd": place(event.cwd or "", home),
        "digest": event.digest,
        "truncated": not event.input_complete,
        "verdict": str(outcome.verdict),
        "halt": outcome.halt,
        "rewritten": _rewritten(event, outcome),
        "degraded": [{"from": one.wanted, "to": one.said} for one in answer.degraded],
        "rules": [_rule(step) for step in outcome.trail if step.answer != "no" or step.state == "excepted"][:_RULES],
        "problems": [short(without_secrets(problem)) for problem in outcome.problems[:_RULES]],
        "waits": answered.waits,
        "permitted": answered.permitted,
        "ms": round(answered.seconds * 1000, 2),
        "handlers_ms": round(answered.handlers * 1000, 2),
        **(_REDACTED[detail](answered, home) if detail in _REDACTED else {"parts": len(outcome.parts)}),
    }
    return {key: value for key, value in said.items() if value not in ("", [], None, False, 0.0)}


def failure(unjudged: Unjudged) -> dict[str, Any]:
    """The line of an event that could not be judged. Of a payload that nobody understood the digest stays."""
    dialect, native, problem, told, raw, event = unjudged
    said = {**_head(dialect, native or "", told), "failure": short(without_secrets(problem))}
    if event is None:
        return said | ({"digest": sha256(raw).hexdigest(), "bytes": len(raw)} if raw else {})
    known = {"session": short(event.session or ""), "tool": short(event.tool or ""), "digest": event.digest}
    return said | {key: value for key, value in known.items() if value}


def _head(dialect: Dialect, name: str, said: str) -> dict[str, Any]:
    """What every line has. The event has its canonical name, if there is one."""
    spec = dialect.events.get(dialect.native(name) or "")
    event = (spec and spec.canonical) or name
    return {"version": __version__, "agent": dialect.name, "event": short(event), "said": said}


def _own(event: Event, said: str) -> dict[str, Any]:
    """The same of an event that has no dialect."""
    return {"version": __version__, "agent": short(event.agent) or "api", "event": event.name, "said": said}


def _field(answered: Answered, name: FieldName) -> str:
    """What the payload says of itself at one place."""
    places = answered.dialect.fields.get(name, ()) if answered.dialect else ()
    return short(text_at(answered.event.data, places) or "")


def _rewritten(event: Event, outcome: Outcome) -> str:
    """The digest of the call as it was rewritten, empty if it was not."""
    return "" if outcome.updated_input is None else replace(event, input=outcome.updated_input).digest


def _rule(step: Step) -> dict[str, Any]:
    said = {"rule": short(step.rule), "line": step.line, "part": step.part, "answer": step.answer}
    said |= {"decision": step.decision} if step.decision else {}
    return said | ({"state": step.state} if step.state != "active" else {})


def _redacted(answered: Answered, home: str | None) -> dict[str, Any]:
    outcome = answered.outcome
    parts = [_part(part, home) for part in outcome.parts[:_PARTS]]
    more = len(outcome.parts) - len(parts)
    facts = [_fact(request, answer, home) for request, answer in answered.facts[:_FACTS]]
    return {"parts": parts, "more_parts": more or "", "facts": facts}


def _full(answered: Answered, home: str | None) -> dict[str, Any]:
    event, outcome = answered.event, answered.outcome
    said = _redacted(answered, home)
    for shown, part in zip(said["parts"], outcome.parts, strict=False):
        shown["text"] = _text(part.text)
    arguments = {short(str(name)): _value(name, value) for name, value in event.input.items()}
    return {**said, "input": arguments or "", "reason": _text(outcome.reason or "")}


_REDACTED: Final = {"redacted": _redacted, "full": _full}


def _part(part: PartReport, home: str | None) -> dict[str, Any]:
    said = {
        "runs": part.shape,
        "length": len(part.text),
        "cwd": place(part.cwd or "", home),
        "source": length(part.source) if part.source else "",
        "verdict": str(part.verdict),
        "accesses": list(dict.fromkeys(_access(access, home) for access in part.accesses[:_ACCESSES])),
        "more_accesses": max(0, len(part.accesses) - _ACCESSES),
    }
    return {key: value for key, value in said.items() if value or key == "verdict"}


def _access(access: AccessReport, home: str | None) -> str:
    """`read ~/x`, with `?` behind the kind of one that is only possible."""
    doubt = "" if access.certain else "?"
    return f"{access.kind}{doubt} {place(access.target, home, access.certain)}"


def _fact(request: FactRequest, answer: object, home: str | None) -> list[Any]:
    """Name, argument and answer. A digest says nothing to people, and texts and listings are their length."""
    about = request.argument[:16] if request.name == "permitted" else place(request.argument, home)
    if answer is None or isinstance(answer, bool):
        return [request.name, about, answer]
    if request.name in _PATHS:
        return [request.name, about, place(str(answer), home)]
    if request.name in _WORDS:
        return [request.name, about, short(without_secrets(str(answer)))]
    return [request.name, about, length(answer) if isinstance(answer, str) else f"<{len(_sized(answer))}>"]


def _sized(answer: object) -> Mapping[str, Any]:
    return answer if isinstance(answer, Mapping) else {}


def _text(text: str) -> str:
    cut = text[:_TEXT]
    return without_secrets(cut) + (f"... {length(text[_TEXT:])}" if len(text) > _TEXT else "")


def _value(name: str, value: Any) -> str:
    """An argument in full, but for what is said to a model."""
    text = value if isinstance(value, str) else repr(value)
    return length(text) if name in _PROMPTS else _text(text)
