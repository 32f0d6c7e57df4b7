"""Looks at files for tests, which change them faster than clocks tick."""

from __future__ import annotations

import pytest

from ostiary.sources import looks


def rely(monkeypatch: pytest.MonkeyPatch) -> None:
    """Relies on what was only just changed, too, so that a test that changes it sees whether the change shows."""
    for name in ("_TICK", "_COARSE"):
        monkeypatch.setattr(looks, name, -(1 << 62))
