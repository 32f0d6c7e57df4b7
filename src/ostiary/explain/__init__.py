"""What was decided, and what a call was taken for, for people and programs. Pure."""

from __future__ import annotations

from ostiary.explain.call import call_json, drawn
from ostiary.explain.lines import Branch, Line, Role, Span, day, plain, span
from ostiary.explain.outcome import LONGEST, STATES, explained, json_text, told
from ostiary.explain.status import (
    REVIEWS,
    Inactive,
    ModelStatus,
    Origin,
    ReviewState,
    SettingStatus,
    SourceStatus,
    Status,
    status_json,
    status_lines,
)

__all__ = [
    "LONGEST", "REVIEWS", "STATES", "Branch", "Inactive", "Line", "ModelStatus", "Origin", "ReviewState", "Role",
    "SettingStatus", "SourceStatus", "Span", "Status",
    "call_json", "day", "drawn", "explained", "json_text", "plain", "span", "status_json", "status_lines", "told",
]  # fmt: skip
