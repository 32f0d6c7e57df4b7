"""Texts that leave through an answer: made harmless to show, and kept apart for the model and for people."""

from __future__ import annotations

from typing import Final

from ostiary.decision import Outcome
from ostiary.visible import visible

UNASKED: Final = "policy could not be asked"
"""Said where no hook is there to say anything."""

DEFAULT_REASON: Final = {
    "allow": "allowed by policy",
    "ask": "policy wants a person to confirm this",
    "deny": "denied by policy",
    "none": "stopped by policy",
}


def clean(text: str) -> str:
    """The text without what hides, moves or turns round what is shown (law L6); lines and tabs stay."""
    return "\n".join("\t".join(map(visible, line.split("\t"))).rstrip() for line in text.splitlines())


def one_line(text: str) -> str:
    """The text with every run of blanks as one blank."""
    return " ".join(clean(text).split())


def for_model(outcome: Outcome, said: str) -> str:
    """Why, as the model may read it (law L6): never how to go on, never words of a source nobody reviewed."""
    text = outcome.reason if outcome.model_reason is None else outcome.model_reason
    return clean(text or "").strip() or DEFAULT_REASON[said]


def for_people(outcome: Outcome, said: str) -> str:
    """Why, and how to go on, as people may read it."""
    reason = clean(outcome.reason or outcome.model_reason or "").strip() or DEFAULT_REASON[said]
    return joined(reason, outcome.help)


def only_for_people(outcome: Outcome) -> str:
    """What people should read besides a reason that was written for the model; empty if nothing."""
    hidden = outcome.reason if outcome.model_reason is not None and outcome.model_reason != outcome.reason else None
    return joined(hidden, outcome.help)


def joined(*texts: str | None) -> str:
    """The texts that say something, one below the other."""
    return "\n".join(stripped for text in texts if (stripped := clean(text or "").strip()))
