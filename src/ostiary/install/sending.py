"""Which events an agent can send to a server. Pure."""

from __future__ import annotations

from ostiary.dialects.base import EventSpec, Registration


def sends(table: Registration, native: str, spec: EventSpec) -> bool:
    """Whether a server can answer an event: nothing is said by an exit code alone there."""
    if table.http is None or table.http.unfit or native in table.http.commands:
        return False
    return not any(form.status for form in spec.answers.values())
