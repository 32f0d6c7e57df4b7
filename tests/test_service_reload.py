"""The watcher of the resident service, real processes of both."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from ostiary.sources import record
from payloads import bash
from processes import SOURCE, ostiary_run
from services import World, alive, python, until, verdict
from trees import plant

if sys.platform != "linux":
    pytest.skip("looks at processes as Linux shows them", allow_module_level=True)

POLICY = "config/policy.yaml"
DENY, ASK = 'version: 1\ndeny: ["Bash(rm *)"]\n', 'version: 1\nask: ["Bash(rm *)"]\n'
BROKEN = "version: 1\nrulez: 1\n"


@pytest.fixture
def world() -> Iterator[World]:
    with TemporaryDirectory(prefix="o", dir="/tmp") as name:  # the path of a socket has to be short
        base = Path(name).resolve()
        plant(base, {POLICY: DENY, "project/.git": None})
        found = World(base, python())
        try:
            yield found
        finally:
            found.end()


def asked(world: World) -> str:
    return verdict(world.said(bash("rm x", str(world.project))))


def reloads(world: World) -> list[dict[str, Any]]:
    """The lines of the record that tell of reloads."""
    return [dict(said.line) for said in record.lines(str(world.config / "state"), ("reloads",))]


def generation(world: World) -> str:
    """The policy as another process reads it now."""
    done = ostiary_run("status", str(world.project), "--config-dir", str(world.config), "--json")
    return str(json.loads(done.stdout)["generation"])


def last(world: World) -> dict[str, Any]:
    return world.status()["reloads"][-1]  # type: ignore[index, no-any-return]


def test_an_edit_is_read_before_anybody_asks_and_recorded_once(world: World) -> None:
    world.serve()
    assert asked(world) == "deny"
    until(lambda: world.status()["watcher"].get("folders"))  # type: ignore[index]
    plant(world.base, {POLICY: ASK})
    acts = generation(world)
    until(lambda: last(world)["generation"] == acts)
    assert last(world)["by"] == "watcher"
    clients = [world.client(bash("rm x", str(world.project))) for _ in range(6)]
    for client in clients:
        out, error = client.communicate(timeout=60)
        assert verdict((out, error, client.returncode)) == "ask"
    first, second = until(lambda: (found := reloads(world))[1:] and found)
    assert (first["by"], second["before"]) == ("call", first["generation"])
    assert second["changed"] == [f"user:{world.config}/policy.yaml"]


def test_a_burst_of_saves_is_read_some_times(world: World) -> None:
    world.serve()
    assert asked(world) == "deny"
    until(lambda: world.status()["watcher"].get("folders"))  # type: ignore[index]
    for number in range(1000):
        plant(world.base, {"config/new": f"{ASK}# {number}\n"})
        (world.config / "new").replace(world.config / "policy.yaml")
    assert asked(world) == "ask"
    acts = generation(world)
    until(lambda: last(world)["generation"] == acts)
    assert len(reloads(world)) < 100
    assert record.flaws(str(world.config / "state")) == ()


def test_a_broken_file_is_said_and_its_last_good_version_acts(world: World) -> None:
    world.serve()
    assert asked(world) == "deny"
    plant(world.base, {POLICY: BROKEN})
    assert asked(world) == "deny"
    assert until(lambda: last(world).get("problems")) == [f"{world.config}/policy.yaml:2:1: rulez: unknown key `rulez`"]
    plant(world.base, {POLICY: ASK})
    until(lambda: "problems" not in last(world))
    assert asked(world) == "ask"


def test_a_policy_that_was_broken_before_asks_until_it_is_mended(world: World) -> None:
    plant(world.base, {POLICY: BROKEN})
    world.serve()
    assert asked(world) == "ask"
    assert last(world)["problems"]
    plant(world.base, {POLICY: DENY})
    assert asked(world) == "deny"


def test_a_watcher_that_ends_loosens_nothing_and_is_replaced(world: World) -> None:
    world.serve()
    assert asked(world) == "deny"
    pid = until(lambda: world.status()["watcher"].get("pid"))  # type: ignore[index]
    os.kill(pid, signal.SIGSTOP)
    plant(world.base, {POLICY: ASK})
    assert asked(world) == "ask"
    assert (last(world)["by"], last(world)["generation"]) == ("call", generation(world))
    os.kill(pid, signal.SIGKILL)
    until(lambda: (said := world.status()["watcher"])["starts"] == 2 and said.get("folders"))  # type: ignore[index]
    assert world.status()["watcher"]["pid"] != pid  # type: ignore[index]
    plant(world.base, {POLICY: DENY})
    acts = generation(world)
    until(lambda: last(world)["generation"] == acts)
    assert asked(world) == "deny"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_it_ends_with_the_service(number: int, world: World) -> None:
    pid = world.serve()
    watcher = until(lambda: world.status()["watcher"].get("pid"))  # type: ignore[index]
    os.kill(pid, number)
    until(lambda: not alive(watcher))


# The service's side of it

_CODE = f"""
import asyncio, os, sys, time
sys.path.insert(0, {SOURCE!r})
from ostiary.service import minder
from ostiary.service.minder import Minder
from ostiary.service.watcher import message
from ostiary.sources.reading import Reading, View

def reading(generation, time):
    return Reading(View("/w", "/w", ()), time, 1.0, generation, {{"a": generation}}, ()).text()

def watch(channel):
    try:
        exec(sys.argv[1])
    finally:
        os._exit(0)

async def main():
    minder._SOON = 0.01
    found = Minder(watch)
    await found.start()
    for _ in range(2000):
        exec(sys.argv[2], {{**globals(), "found": found}})
        if eval(sys.argv[3]):
            break
        await asyncio.sleep(0.01)
    status = found.status()
    found.close()
    found.rest()
    status["watcher"].pop("pid", None)
    print(repr((status, len(found._lines), len(os.listdir("/proc/self/fd")))))

asyncio.run(main())
"""


def minded(life: str, step: str, end: str) -> tuple[dict[str, Any], int, int]:
    """What is said of a watcher that lives like this, once the service has taken so many steps; the lines that wait,
    and the open descriptors."""
    command = [sys.executable, "-I", "-c", _CODE, life, step, end]
    done = subprocess.run(command, capture_output=True, timeout=60, check=True, text=True)
    return ast.literal_eval(done.stdout)  # type: ignore[no-any-return]


HANG = "time.sleep(100)"
SAYS = "channel.sendall(message('watching', {'folders': 3, 'problem': ''})); " + HANG


def test_what_it_says_is_kept() -> None:
    status, _, _ = minded(SAYS, "0", "'folders' in found.status()['watcher']")
    assert status == {"watcher": {"starts": 1, "folders": 3, "problem": ""}, "reloads": []}


WRONG = {
    "it ends": "0",
    "it says what nobody understands": "channel.sendall(b'nonsense here'); " + HANG,
    "it says what is no word": "channel.sendall(message(1, 2)); " + HANG,
    "it says what is no reading": "channel.sendall(message('read', '1')); " + HANG,
}


@pytest.mark.parametrize("life", WRONG)
def test_it_is_started_again(life: str) -> None:
    status, _, descriptors = minded(WRONG[life], "0", "found.starts > 4")
    assert status["watcher"]["starts"] == 5
    assert descriptors < 15


def test_one_that_hangs_is_replaced() -> None:
    step = "[found.heard(reading(str(number), number)) for number in range(9000)]"
    status, _, _ = minded(HANG, step, "found.starts > 1")
    assert status["watcher"]["starts"] == 2


def test_lines_wait_for_it_and_are_bounded() -> None:
    step = "found._pause = 99; found.lost(); [found.heard(reading(str(number), number)) for number in range(300)]"
    status, waiting, _ = minded(HANG, step, "True")
    assert status["watcher"] == {"starts": 1}
    assert waiting == 256


def test_where_there_can_be_none_it_is_tried_again() -> None:
    step = "os.fork = lambda: (_ for _ in ()).throw(OSError()); found.lost()"
    status, _, descriptors = minded(HANG, step, "found.starts > 3")
    assert status["watcher"] == {"starts": 4}
    assert descriptors < 15
