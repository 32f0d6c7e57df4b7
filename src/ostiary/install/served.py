"""Whether the server that hooks send their events to is ours: nothing tells an agent that. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from ostiary.install.diagnosis import Finding, Installation


def served(found: Installation, ours: frozenset[str]) -> Iterator[Finding]:
    """Who listens at each address, by the addresses of our services, and what becomes of calls where nobody does."""
    closed = "late" in found.dialect.registration.closes
    for web in dict.fromkeys(hook.web for hook in found.ours if hook.url):
        if web in ours:
            yield Finding("served", "good", f"our service listens at {web}")
        else:
            text = f"our service does not listen at {web}; who does is sent every call, with the token"
            yield Finding("served", "problem", text, "`ostiary status` tells why, `ostiary restart` starts it")
        text = f"where nobody answers at {web}, calls {'are held up' if closed else 'run'}"
        yield Finding("served", "good" if closed else "problem", text, "install without `--http`")
