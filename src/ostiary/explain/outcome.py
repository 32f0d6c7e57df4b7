"""An outcome for people and programs: lines of text, or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final

from ostiary.decision import Outcome, PartReport, State, Step, Verdict
from ostiary.explain.lines import Line, Role, Span, span
from ostiary.records import replace
from ostiary.visible import visible

STATES: Final[dict[State, str]] = {
    "active": "",
    "observe": "only observes",
    "expired": "expired",
    "untrusted": "waits for review",
    "overruled": "overruled",
    "not-run": "its handler did not run",
    "excepted": "lifted by an exception",
    "gated": "behind a gate that is closed",
    "remembered": "a person permitted this call before",
}
"""What a rule's state means, in a few words."""

_BEHIND: Final = "behind the deny that decided"

LONGEST: Final = 120
"""Characters of a rule's explanation that a line shows; JSON has all of it."""

_ROLES: Final[dict[str, Role]] = {
    "none": "none",
    "allow": "allow",
    "ask": "ask",
    "defer": "defer",
    "deny": "deny",
    "yes": "yes",
    "maybe": "maybe",
    "no": "no",
}


def json_text(outcome: Outcome) -> str:
    """The outcome as one JSON document (`schemas/outcome.schema.json`), in ASCII."""
    return json.dumps(outcome.to_json(), indent=2)


def told(outcome: Outcome) -> tuple[Line, ...]:
    """The answer: verdict, reason and what else was said, the parts of the call, and the rules that spoke."""
    spoke = tuple(step for step in outcome.trail if step.answer != "no" or step.state == "excepted")
    return (*_answer(outcome), *_parts(outcome), *_trail(outcome, spoke, "rules that spoke"), *_problems(outcome))


def explained(outcome: Outcome) -> tuple[Line, ...]:
    """The same with the whole trail: each rule on each part, what it answered and why."""
    return (*_answer(outcome), *_parts(outcome), *_trail(outcome, outcome.trail, "every rule"), *_problems(outcome))


def _answer(outcome: Outcome) -> Iterator[Line]:
    event = outcome.event
    about = " ".join(event[key] for key in ("agent", "name", "tool") if event.get(key))
    yield (_word(outcome.verdict), span(f"  {about}", "quiet"))
    for label, value in _fields(outcome):
        # A reason of several tiers has a line for each.
        for index, text in enumerate(str(value).splitlines() or [""]):
            yield (span(f"  {'' if index else label:<9} ", "label"), span(text))


def _fields(outcome: Outcome) -> Iterator[tuple[str, Any]]:
    fields = {
        "reason": outcome.reason,
        "to model": outcome.model_reason,
        "help": outcome.help,
        "context": outcome.context,
        "input": _json(outcome.updated_input),
        "output": _json(outcome.updated_output),
        "message": outcome.message,
        "halt": "the session is asked to stop" if outcome.halt else None,
    }
    yield from ((label, value) for label, value in fields.items() if value is not None)


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)


def _parts(outcome: Outcome) -> Iterator[Line]:
    yield from _heading("parts", bool(outcome.parts))
    for number, part in enumerate(outcome.parts, 1):
        yield (span(f"  {number:>2}  "), _padded(part.verdict), span(part.text or "(nothing runs)"), *_where(part))
        for access in part.accesses:
            doubt = () if access.certain else (span("  possible", "maybe"),)
            yield (span(f"{'':13}{access.kind:<8}", "label"), span(access.target), *doubt)


def _where(part: PartReport) -> Line:
    source = (span(f"  from {part.source}", "label"),) if part.source is not None else ()
    return (*source, *((span(f"  in {part.cwd}", "quiet"),) if part.cwd is not None else ()))


def _trail(outcome: Outcome, steps: tuple[Step, ...], title: str) -> Iterator[Line]:
    yield from _heading(title, bool(steps))
    width = max((len(_name(step)) for step in steps), default=0)
    # What a rule says alike about neighbouring parts is one line.
    for step, alike in groupby(steps, key=lambda step: replace(step, part=0)):
        parts = ", ".join(str(one.part + 1) for one in alike)
        state = _BEHIND if step.state == "not-run" and outcome.verdict == Verdict.DENY else STATES[step.state]
        yield (
            span("  "),
            _padded(step.answer),
            _padded(step.decision),
            span(f"{_name(step):<{width}}  "),
            *((span(f"part {parts}  ", "quiet"),) if len(outcome.parts) > 1 else ()),
            span(_short(step.why), "quiet"),
            *((span(f"  [{state}]", "label"),) if state else ()),
        )


def _short(text: str) -> str:
    """A long text without its middle."""
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]} ... {text[-half:]}"


def _name(step: Step) -> str:
    return visible(f"{step.rule}:{step.line}" if step.line else step.rule)


def _problems(outcome: Outcome) -> Iterator[Line]:
    yield from _heading("to know", bool(outcome.problems or outcome.degraded))
    for problem in outcome.problems:
        yield (span("  "), span(problem))
    for item in outcome.degraded:
        yield (span("  "), span(f"{item.wanted} is said as {item.said}: {item.why}"))


def _heading(title: str, wanted: bool) -> Iterator[Line]:
    if wanted:
        yield ()
        yield (span(title, "title"),)


def _word(value: Verdict | str) -> Span:
    return span(value, _ROLES.get(str(value), "text"))


def _padded(value: Verdict | str) -> Span:
    return span(f"{value!s:<7}", _ROLES.get(str(value), "text"))
