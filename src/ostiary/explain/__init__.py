"""What was decided, and what a call was taken for, for people and programs. Pure."""

from __future__ import annotations

from ostiary.explain.call import call_json, drawn
from ostiary.explain.lines import Branch, Line, Role, Span, day, plain, span
from ostiary.explain.outcome import LONGEST, STATES, explained, json_text, told

__all__ = [
    "LONGEST", "STATES", "Branch", "Line", "Role", "Span",
    "call_json", "day", "drawn", "explained", "json_text", "plain", "span", "told",
]  # fmt: skip
