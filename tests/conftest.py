"""A machine of the tests' own, the command line as a fixture, and how the property tests run: the gate gives one commit
one answer."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
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


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Traces nothing in tests marked `no_cover`. In the processes of xdist pytest-cov 7 begins to measure twice,
    and ends only one of them for such a test."""
    if item.get_closest_marker("no_cover") is None:
        return (yield)
    tracer = sys.gettrace()
    sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)


@pytest.fixture(scope="session", autouse=True)
def _machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with own_machine(tmp_path_factory.mktemp("machine").resolve()):
        yield


@pytest.fixture
def line(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Line:
    made = Line(tmp_path, capsys)
    monkeypatch.chdir(made.project)
    return made
