"""A machine of the tests' own, the command line as a fixture, and how the property tests run: the gate gives one commit
one answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from lines import Line
from machine import own_machine

# No profile has a deadline: speed is measured in `bench/`, and a slow machine is no failure.
# Properties whose examples are few or many for a reason of their own say so.
settings.register_profile("explore", deadline=None, max_examples=400)
settings.register_profile("gate", deadline=None, max_examples=100, derandomize=True)
settings.load_profile("explore")


@pytest.fixture(scope="session", autouse=True)
def _machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with own_machine(tmp_path_factory.mktemp("machine").resolve()):
        yield


@pytest.fixture
def line(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Line:
    made = Line(tmp_path, capsys)
    monkeypatch.chdir(made.project)
    return made
