"""`content`, `output`, `prompt`: the texts that go in and out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ostiary import patterns
from ostiary.answers import MAYBE, NO, Answer
from ostiary.conditions.session import absent
from ostiary.conditions.view import Condition, Plan, Stance, View


def strings(value: Any) -> Iterator[str]:
    """Every string in a JSON value, keys aside. Without recursion: payloads nest as deep as their reader permits."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            pending.extend(reversed(item.values()))
        elif isinstance(item, list | tuple):
            pending.extend(reversed(item))


def build_content(plan: Plan, stance: Stance) -> Condition:
    """`("content", texts)`: any text the call writes or sends. Arguments that could not be read are *maybe*, and so is
    what stands in those of a tool of which nobody said what they mean."""
    match = patterns.any_of(plan[1])
    perhaps: Answer = NO if stance.stops and stance.negated else MAYBE

    def condition(view: View) -> Answer:
        found = _best(match, view.call.content)
        if not found and view.call.unmapped:
            found = min(_best(match, strings(view.event.input)), perhaps)
        return found or (NO if view.event.input_complete else MAYBE)

    return condition


def build_output(plan: Plan, stance: Stance) -> Condition:
    """`("output", texts)`: any string in what the tool gave back."""
    match = patterns.any_of(plan[1])
    return lambda view: _best(match, strings(view.event.output))


def build_prompt(plan: Plan, stance: Stance) -> Condition:
    """`("prompt", texts)`: what the person typed, or the text given to a subagent."""
    match = patterns.any_of(plan[1])

    def condition(view: View) -> Answer:
        if view.event.prompt is None:
            return MAYBE if view.event.kind.prompts else absent(view, "prompt")
        return match(view.event.prompt)

    return condition


def _best(match: patterns.TextMatcher, texts: Iterable[str]) -> Answer:
    return max((match(text) for text in texts), default=NO)
