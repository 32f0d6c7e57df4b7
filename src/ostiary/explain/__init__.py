"""What was decided, and what a call was taken for, for people and programs. Pure."""

from __future__ import annotations

from ostiary.explain.audit import START, Gap, gap_line, gaps
from ostiary.explain.call import call_json, drawn
from ostiary.explain.entries import Entry, Wanted, entry_line, headline
from ostiary.explain.lines import Branch, Line, Role, Span, day, plain, span
from ostiary.explain.live import Broken, screen
from ostiary.explain.outcome import LONGEST, STATES, explained, json_text, told
from ostiary.explain.status import (
    REVIEWS,
    Inactive,
    ModelStatus,
    Origin,
    ReviewState,
    ServiceStatus,
    SettingStatus,
    SourceStatus,
    Status,
    service_lines,
    status_json,
    status_lines,
)

__all__ = [
    "LONGEST", "REVIEWS", "START", "STATES", "Branch", "Broken", "Entry", "Gap", "Inactive", "Line", "ModelStatus",
    "Origin", "ReviewState", "Role", "ServiceStatus", "SettingStatus", "SourceStatus", "Span", "Status", "Wanted",
    "call_json", "day", "drawn", "entry_line", "explained", "gap_line", "gaps", "headline", "json_text", "plain",
    "screen", "service_lines", "span", "status_json", "status_lines", "told",
]  # fmt: skip
