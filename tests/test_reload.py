"""Reading policy again (law L9): whatever way a file changes, the watcher sees it, and each change is told once."""

from __future__ import annotations

import json
import os
import select
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from looking import rely
from ostiary.engine import Engine
from ostiary.sources import record
from ostiary.sources.places import Places, find_places
from ostiary.sources.reading import Reading, View, reading
from ostiary.sources.roots import RulesFolder
from trees import plant

if sys.platform == "win32":
    pytest.skip("there is no service", allow_module_level=True)

from ostiary.service import watcher as watching
from ostiary.service.protocol import Feed, framing
from ostiary.service.reloads import Reloads
from ostiary.service.watcher import Notified, Watcher, message

POLICY, PROJECT = "config/policy.yaml", "project/.ostiary/policy.yaml"
DENY, ASK = 'version: 1\ndeny: ["Bash(rm *)"]\n', 'version: 1\nask: ["Bash(rm *)"]\n'


def world(base: Path) -> Path:
    plant(
        base,
        {
            POLICY: DENY,
            "config/policy.d/link.yaml": {"link": "../a.yaml"},
            "config/a.yaml": DENY.replace("rm", "mv"),
            "config/b.yaml": ASK.replace("rm", "mv"),
            "config/plugins/map/..1/policy.yaml": DENY.replace("rm", "cp"),
            "config/plugins/map/..2/policy.yaml": ASK.replace("rm", "cp"),
            "config/plugins/map/..data": {"link": "..1"},
            "config/plugins/map/policy.yaml": {"link": "..data/policy.yaml"},
            PROJECT: DENY.replace("rm", "ls"),
            "project/.git": None,
        },
    )
    return base


class Watched:
    """A watcher of the world, and what it told."""

    def __init__(self, base: Path) -> None:
        self.places = find_places(str(base / "config"))
        self.readings: list[Reading] = []
        self.watcher = Watcher(self.places, self._told)
        self.start = str(base / "project")
        self.watcher.told("view", [self.start, self.start, [(f"{self.start}/.ostiary", self.start, True)]])

    def _told(self, word: str, said: Any) -> None:
        assert word == "read"
        self.readings.append(reading(said))


# Ways in which files change


def written(base: Path) -> None:
    (base / POLICY).write_text(ASK)


def vim(base: Path) -> None:
    """With `backupcopy=no`: the old file is the backup for a moment."""
    (base / "config/4913").touch()
    (base / "config/4913").unlink()
    (base / POLICY).rename(base / "config/policy.yaml~")
    (base / POLICY).write_text(ASK)
    (base / "config/policy.yaml~").unlink()


def emacs(base: Path) -> None:
    """A lock, a save of its own, a backup that stays."""
    (base / "config/.#policy.yaml").symlink_to("dev@host.1")
    (base / "config/#policy.yaml#").write_text(ASK)
    (base / POLICY).rename(base / "config/policy.yaml~")
    (base / POLICY).write_text(ASK)
    for name in (".#policy.yaml", "#policy.yaml#"):
        (base / "config" / name).unlink()


def atomic(base: Path) -> None:
    """As VS Code does where it saves atomically, and most programs that are not editors."""
    (base / "config/policy.yaml.vsctmp").write_text(ASK)
    (base / "config/policy.yaml.vsctmp").replace(base / POLICY)


def swapped(base: Path) -> None:
    (base / "config/new").symlink_to("../b.yaml")
    (base / "config/new").replace(base / "config/policy.d/link.yaml")


def behind(base: Path) -> None:
    """What the link leads to."""
    (base / "config/a.yaml").write_text(ASK)


def config_map(base: Path) -> None:
    """As Kubernetes does: only the link in the middle changes."""
    folder = base / "config/plugins/map"
    (folder / "..data_tmp").symlink_to("..2")
    (folder / "..data_tmp").replace(folder / "..data")


def removed(base: Path) -> None:
    shutil.rmtree(base / "project/.ostiary")


def moved(base: Path) -> None:
    """The whole folder is another one of its name."""
    shutil.copytree(base / "config", base / "next", symlinks=True)
    (base / "next/policy.yaml").write_text(ASK)
    (base / "config").rename(base / "old")
    (base / "next").rename(base / "config")


def broken(base: Path) -> None:
    (base / POLICY).write_text("version: 1\nrulez: []\n")


def unreadable(base: Path) -> None:
    (base / POLICY).unlink()
    (base / POLICY).mkdir()


def gates(base: Path) -> None:
    plant(base, {"config/settings.yaml": "enable_shell_hooks: true\n"})


def accepted(base: Path) -> None:
    plant(base, {PROJECT: DENY + 'allow: ["Bash(make *)"]\n'})
    engine = Engine.load(base / "config", base / "project")
    (review,) = engine.pending
    assert engine.accept(review, review.word)


CHANGES: dict[str, tuple[Callable[[Path], None], list[str]]] = {
    "written in place": (written, ["user:BASE/config/policy.yaml"]),
    "vim": (vim, ["user:BASE/config/policy.yaml"]),
    "emacs": (emacs, ["user:BASE/config/policy.yaml"]),
    "an atomic save": (atomic, ["user:BASE/config/policy.yaml"]),
    "a link is swapped": (swapped, ["user:BASE/config/policy.d/link.yaml"]),
    "what a link leads to": (behind, ["user:BASE/config/policy.d/link.yaml"]),
    "a config map": (config_map, ["plugin:BASE/config/plugins/map/policy.yaml"]),
    "the folder is gone": (removed, ["project:.ostiary/policy.yaml"]),
    "the folder is another one": (moved, ["user:BASE/config/policy.yaml"]),
    "broken": (broken, ["user:BASE/config/policy.yaml"]),
    "unreadable": (unreadable, ["user:BASE/config/policy.yaml"]),
    "a gate opens": (gates, ["settings"]),
    "a person accepts": (accepted, ["project:.ostiary/policy.yaml"]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_read_once_and_said(change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rely(monkeypatch)
    base = world(tmp_path.resolve())
    found, ledger = Watched(base), Reloads()
    found.watcher.look()
    happens, changed = CHANGES[change]
    happens(base)
    assert not found.watcher.same()
    for _ in range(3):
        found.watcher.look()
    first, second = filter(None, (ledger.heard(one, "watcher").line for one in found.readings))
    assert first
    assert second
    assert [name.replace(str(base), "BASE") for name in second["changed"]] == changed
    assert second["before"] == first["generation"] != second["generation"]
    fresh = Engine.load(base / "config", base / "project")
    assert second["generation"] == fresh.generation
    assert ("problems" in second) == (change in ("broken", "unreadable"))


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.timeout(60)
def test_the_system_tells_of_a_change(change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else this would wait for ten minutes."""
    rely(monkeypatch)
    base = world(tmp_path.resolve())
    found, changes = Watched(base), Notified()
    found.watcher.look()
    assert changes.watch(found.watcher.folders()) == ""
    CHANGES[change][0](base)
    while found.watcher.same():
        changes.wait(600, select.poll())
    found.watcher.look()
    assert len({one.generation for one in found.readings}) == 2


def test_a_folder_that_comes_back_is_watched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rely(monkeypatch)
    base = world(tmp_path.resolve())
    found = Watched(base)
    found.watcher.look()
    assert f"{base}/project/.ostiary" in found.watcher.folders()
    shutil.rmtree(base / "project/.ostiary")
    found.watcher.look()
    assert f"{base}/project/.ostiary" not in found.watcher.folders()
    plant(base, {"project/keep": "", PROJECT: DENY.replace("rm", "ls")})
    found.watcher.look()
    status = os.stat(base / "project/.ostiary")
    assert found.watcher.folders()[f"{base}/project/.ostiary"] == (status.st_dev, status.st_ino)
    first, gone, back = (found.readings[index].generation for index in (0, 1, -1))
    assert first == back != gone


def test_rules_that_a_project_did_not_have_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rely(monkeypatch)
    base = tmp_path.resolve()
    plant(base, {POLICY: DENY, "project/.git": None})
    found = Watched(base)
    found.watcher.look()
    plant(base, {PROJECT: DENY.replace("rm", "ls")})
    found.watcher.look()
    assert found.readings[-1].generation == Engine.load(base / "config", base / "project").generation


def test_what_was_only_just_written_is_read_again_soon(tmp_path: Path) -> None:
    found = Watched(world(tmp_path.resolve()))
    pauses = [found.watcher.look() for _ in range(6)]
    assert pauses == [0.3, 0.6, 1.2, 2.0, 2.0, 2.0]
    assert {one.generation for one in found.readings} == {found.readings[0].generation}


def test_a_watcher_keeps_some_views(tmp_path: Path) -> None:
    found = Watched(world(tmp_path.resolve()))
    for number in range(100):
        found.watcher.told("view", [f"/nowhere/{number}", None, []])
    found.watcher.look()
    assert len(found.readings) == 32


# Where nobody tells of changes


class Blind:
    """What the system's notifier is on a network's folder."""

    def __init__(self, *_: object) -> None:
        raise OSError


@pytest.fixture
def lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, socket.socket, Iterator[Any]]]:
    """A watcher that is told of nothing, the way to it, and what it says."""
    monkeypatch.setattr("watchfiles._rust_notify.RustNotify", Blind)
    monkeypatch.setattr(watching, "_LOOK", 0.01)
    base = world(tmp_path.resolve())
    ours, theirs = socket.socketpair()
    thread = Thread(target=_watched, args=(find_places(str(base / "config")), theirs))
    with closing(theirs), closing(ours):
        ours.settimeout(30)
        thread.start()
        yield base, ours, _said(ours)
        ours.shutdown(socket.SHUT_WR)
        thread.join(30)
    assert not thread.is_alive()


def _watched(places: Places, channel: socket.socket) -> None:
    with pytest.raises(EOFError):
        watching._watch(places, channel, Notified())


def _said(channel: socket.socket) -> Iterator[Any]:
    feed = Feed(framing)
    while True:
        for frame in feed.put(channel.recv(1 << 16)):
            yield json.loads(frame.body)


def test_without_notices_it_looks(lines: tuple[Path, socket.socket, Iterator[Any]]) -> None:
    base, channel, said = lines
    channel.sendall(message("view", [str(base / "project"), str(base / "project"), []]))
    generations = (reading(told).generation for word, told in said if word == "read")
    first = next(generations)
    (base / POLICY).write_text(ASK)
    assert next(one for one in generations if one != first) == Engine.load(base / "config", base / "project").generation


def test_it_says_that_it_looks_and_records_what_it_is_told(lines: tuple[Path, socket.socket, Iterator[Any]]) -> None:
    base, channel, said = lines
    problem = "changes are looked for every 0.01 seconds alone: OSError"
    assert next(said) == ["watching", {"folders": 0, "problem": problem}]
    channel.sendall(message("line", {"generation": "g", "by": "call"}))
    channel.sendall(message("view", [str(base / "project"), None, []]))
    next(told for word, told in said if word == "read")
    (line,) = record.lines(str(base / "config/state"), ("reloads",))
    assert (line.line["kind"], line.line["generation"]) == ("reload", "g")


def test_nothing_is_written_into_a_folder_that_is_not_there(tmp_path: Path) -> None:
    record.reload(find_places(str(tmp_path / "nowhere")), {"generation": "g"})
    assert not (tmp_path / "nowhere").exists()


# What several processes read, put together


def read(generation: str, time: float, view: View | None = None, **more: Any) -> Reading:
    sources = more.pop("sources", {"user:policy.yaml": generation})
    return Reading(view or View("/work", "/work", ()), time, 1.0, generation, sources, **{"problems": (), **more})


def test_each_change_is_told_once_whoever_saw_it_first() -> None:
    ledger = Reloads()
    steps = [("a", 1, "call"), ("a", 2, "watcher"), ("b", 3, "watcher"), ("b", 4, "call"), ("b", 5, "call")]
    found = [ledger.heard(read(generation, time), by) for generation, time, by in steps]  # type: ignore[arg-type]
    assert [one.view is not None for one in found] == [True, False, False, False, False]
    assert [one.line for one in found if one.line] == list(ledger.recent)
    assert list(ledger.recent) == [
        {"read": "1970-01-01T00:00:01.000Z", "generation": "a", "by": "call", "root": "/work", "ms": 1.0},
        {
            "read": "1970-01-01T00:00:03.000Z",
            "generation": "b",
            "before": "a",
            "by": "watcher",
            "root": "/work",
            "changed": ["user:policy.yaml"],
            "ms": 1.0,
        },
    ]


def test_what_was_overtaken_is_told_unless_it_was() -> None:
    ledger = Reloads()
    for generation, time in (("a", 1), ("b", 2), ("d", 4)):
        ledger.heard(read(generation, time), "watcher")
    assert ledger.heard(read("b", 2.5), "call").line is None
    late = ledger.heard(read("c", 3), "call").line
    assert late
    assert (late["generation"], "before" in late) == ("c", False)
    assert ledger.heard(read("d", 5), "call").line is None
    assert [line["generation"] for line in ledger.recent] == ["a", "b", "c", "d"]


def test_what_is_wrong_with_a_source_is_a_change_of_its_own() -> None:
    ledger = Reloads()
    ledger.heard(read("a", 1), "call")
    line = ledger.heard(read("a", 2, problems=("a.yaml:1: no",)), "call").line
    assert line
    assert line["problems"] == ["a.yaml:1: no"]


def test_a_view_with_other_rules_folders_goes_on_from_what_acted_there() -> None:
    ledger, more = Reloads(), View("/work", "/work", (RulesFolder("/other/.ostiary", "/other", False),))
    ledger.heard(read("a", 1), "call")
    line = ledger.heard(read("b", 2, more, sources={"user:policy.yaml": "a", "project:x": "1"}), "call").line
    assert line
    assert (line["before"], line["changed"]) == ("a", ["project:x"])
    elsewhere = ledger.heard(read("b", 3, View("/w2", "/w2", ())), "call").line
    assert elsewhere
    assert "before" not in elsewhere


def test_what_is_kept_is_bounded() -> None:
    ledger = Reloads()
    for number in range(200):
        view = View(f"/{number}", None, ())
        ledger.heard(read("a", 1, view), "call")
        many = {f"user:{name}.yaml": str(number) for name in range(100)}
        line = ledger.heard(read("b", 2, view, sources=many), "call").line
        assert line
        assert (len(line["changed"]), line["more_changed"]) == (32, 69)
    assert len(ledger.recent) == 16
    assert ledger.heard(read("a", 3, View("/0", None, ())), "call").view
