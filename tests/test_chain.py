"""Chains of lines: what was changed shows, and whatever becomes of who writes, the chain goes on (law L11)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ostiary.sources import chain
from ostiary.sources.chain import Chain
from ostiary.sources.files import Unreadable
from ostiary.sources.locks import locked
from processes import SOURCE

POSIX = pytest.mark.skipif(os.name != "posix", reason="modes, links and signals of POSIX")


def made(folder: Path, count: int = 0, **more: Any) -> Chain:
    found = Chain(str(folder), "a", **more)
    for number in range(count):
        chain.append(found, "x", {"v": f"v0{number}"})
    return found


def read(where: Chain) -> list[dict[str, Any]]:
    return [dict(said.line) for said in chain.lines(where)]


def test_a_whole_chain_is_whole(tmp_path: Path) -> None:
    where = made(tmp_path / "new")
    assert (chain.flaws(where), chain.count(where), read(where)) == ((), 0, [])
    for number in range(5):
        chain.append(where, "x", {"v": f"é\n{number}\ud800"})
    assert (chain.flaws(where), chain.count(where)) == ((), 5)
    assert [line["n"] for line in read(where)] == [1, 2, 3, 4, 5]
    assert [said.line["n"] for said in chain.lines(where, newest_first=True)] == [5, 4, 3, 2, 1]
    assert list(read(where)[0]) == ["n", "time", "kind", "v", "previous"]
    if os.name == "posix":
        assert {path.stat().st_mode & 0o777 for path in (tmp_path / "new").iterdir()} == {0o600}


NO_LINE = "this is no line of the record: it was changed, or not written to its end"
OTHERS = "the lines before it are not those that were there"
CHANGES: dict[str, tuple[Callable[[list[bytes]], list[bytes]], list[str]]] = {
    "one is gone": (lambda lines: lines[:1] + lines[2:], [f"a.jsonl:2: {OTHERS}"]),
    "one is another": (lambda lines: [lines[0].replace(b"v00", b"v11"), *lines[1:]], [f"a.jsonl:2: {OTHERS}"]),
    "one is there twice": (
        lambda lines: [*lines[:2], lines[1], *lines[2:]],
        [f"a.jsonl:3: {OTHERS}"],
    ),
    "one more": (lambda lines: [lines[0], b"{}", *lines[1:]], [f"a.jsonl:2: {NO_LINE}"]),
    "one is torn": (
        lambda lines: [lines[0], lines[1][:9], *lines[2:]],
        [f"a.jsonl:2: {NO_LINE}", f"a.jsonl:3: {OTHERS}"],
    ),
    "others in order": (
        lambda lines: [lines[1], lines[0], *lines[2:]],
        [f"a.jsonl:{place}: {OTHERS}" for place in (1, 2, 3)],
    ),
    "the first is gone": (lambda lines: lines[1:], [f"a.jsonl:1: {OTHERS}"]),
    "the last is gone": (lambda lines: lines[:-1], ["a.jsonl: what was written behind line 3, up to 4, is gone"]),
    "the last is another": (
        lambda lines: [*lines[:-1], lines[-1].replace(b"v03", b"v13")],
        ["a.jsonl:4: it is not the line that was written"],
    ),
    "the last is torn": (
        lambda lines: [*lines[:-1], lines[-1][:20]],
        [f"a.jsonl:4: {NO_LINE}", "a.jsonl: what was written behind line 3, up to 4, is gone"],
    ),
    "nested": (lambda lines: [b"[" * 50_000, *lines[1:]], [f"a.jsonl:1: {NO_LINE}", f"a.jsonl:2: {OTHERS}"]),
}


@pytest.mark.parametrize(("change", "flaws"), CHANGES.values(), ids=CHANGES)
def test_a_changed_chain_shows(tmp_path: Path, change: Callable[[list[bytes]], list[bytes]], flaws: list[str]) -> None:
    where = made(tmp_path, 4)
    path = Path(where.path)
    path.write_bytes(b"\n".join(change(path.read_bytes().splitlines())) + b"\n")
    assert list(chain.flaws(where)) == flaws
    before = len(read(where))
    chain.append(where, "x", {"v": "next"})
    assert chain.flaws(where), "what is wrong does not go away"
    assert len(read(where)) == before + 1


WRONG: dict[str, tuple[Callable[[Chain], object], str, int]] = {
    "torn": (lambda where: cut(where.path, 7), chain.CHANGED, 1),
    "torn behind a whole line": (lambda where: add(where.path, b'{"n":5,"ti'), chain.TORN, 1),
    "zeros, as after a loss of power": (lambda where: add(where.path, b"\0" * 99), chain.TORN, 1),
    "another line": (lambda where: add(where.path, b'{"n":9,"previous":"x"}\n'), chain.CHANGED, 1),
    "empty": (lambda where: os.truncate(where.path, 0), chain.CHANGED, 1),
    "gone": (lambda where: os.unlink(where.path), chain.CHANGED, 1),
    "no head": (lambda where: os.unlink(f"{where.path}.lock"), chain.HEADLESS, 0),
    "a damaged head": (lambda where: os.truncate(f"{where.path}.lock", 50), chain.HEADLESS, 0),
    "a foreign head": (lambda where: add(f"{where.path}.lock", b"x"), chain.HEADLESS, 0),
}


def cut(path: str, most: int) -> None:
    os.truncate(path, os.stat(path).st_size - most)


def add(path: str, data: bytes) -> None:
    with open(path, "ab") as file:
        file.write(data)


@pytest.mark.parametrize(("harm", "flaw", "stays"), WRONG.values(), ids=WRONG)
def test_it_goes_on_and_says_so(tmp_path: Path, harm: Callable[[Chain], object], flaw: str, stays: int) -> None:
    where = made(tmp_path, 4)
    harm(where)
    assert chain.flaws(where)
    chain.append(where, "x", {"v": "next"})
    chain.append(where, "x", {"v": "last"})
    *_, next, last = read(where)
    assert (next["v"], next["flaw"]) == ("next", flaw)
    assert (last["v"], last["n"]) == ("last", next["n"] + 1)
    assert "flaw" not in last
    assert next["n"] >= 5
    assert bool(chain.flaws(where)) == bool(stays)


@pytest.mark.parametrize("number", [1, 4])
def test_who_ends_between_a_line_and_its_head_leaves_no_flaw(
    tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = made(tmp_path, number)

    def ended(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(chain, "_write_head", ended)
        with pytest.raises(KeyboardInterrupt):
            chain.append(where, "x", {"v": "more"})
    chain.append(where, "x", {"v": "next"})
    assert [line["n"] for line in read(where)] == list(range(1, number + 3))
    assert not any("flaw" in line for line in read(where))
    assert chain.flaws(where) == ()


# Full files


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.jsonl"))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain, "_FULL", 1000)


def test_a_full_file_gives_way_and_the_chain_goes_on(tmp_path: Path, small: None) -> None:
    where = made(tmp_path, 40, most=3)
    assert chain.flaws(where) == ()
    *older, newest = names(tmp_path)
    assert newest == "a.jsonl"
    assert len(older) == 3
    numbers = [line["n"] for line in read(where)]
    assert numbers == list(range(numbers[0], 41))
    assert older[0] == f"a.{numbers[0]:012}.jsonl"
    (tmp_path / older[1]).unlink()
    assert chain.flaws(where) == (f"{older[2]}:1: {OTHERS}",)
    (tmp_path / older[0]).unlink()
    assert chain.flaws(where) == (f"{older[2]}:1: {OTHERS}",), "the beginning, too"


def test_without_a_bound_nothing_goes(tmp_path: Path, small: None) -> None:
    where = made(tmp_path, 60)
    assert [line["n"] for line in read(where)] == list(range(1, 61))
    assert len(names(tmp_path)) > 5


def test_what_is_too_old_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where, day = made(tmp_path, days=10), 86_400
    for now in range(30):
        monkeypatch.setattr(chain.time, "time", lambda now=now: (now + 100) * day + 9.5)
        chain.append(where, "x", {})
        os.utime(where.path, ((now + 100) * day, (now + 100) * day))
    assert [line["n"] for line in read(where)] == list(range(21, 31)), "a file for each day"
    assert chain.flaws(where) == ()
    chain.append(where, "x", {})
    assert len(names(tmp_path)) == 10


def test_a_file_that_gave_way_before_the_head_was_written(
    tmp_path: Path, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = made(tmp_path, 7)
    os.replace(where.path, tmp_path / "a.000000000001.jsonl")
    chain.append(where, "x", {})
    assert "flaw" not in read(where)[-1]
    assert chain.flaws(where) == ()


def test_no_file_is_written_over(tmp_path: Path, small: None) -> None:
    where = made(tmp_path, 30)
    os.unlink(f"{where.path}.lock")
    for path in tmp_path.glob("a.0*"):
        path.write_bytes(b"strange\n")
    before = names(tmp_path)
    os.unlink(where.path)
    for _ in range(20):
        chain.append(where, "x", {})
    assert set(before) <= set(names(tmp_path))
    assert all((tmp_path / name).read_bytes() == b"strange\n" for name in before if name != "a.jsonl")


# What cannot be written


def test_what_is_too_long_is_left_out_in_its_order(tmp_path: Path) -> None:
    where, long = made(tmp_path), "x" * chain.LINE
    for given_, cut_ in (
        ({"a": long, "b": 1}, ["a"]),
        ({"a": 1, "b": long}, ["a", "b"]),
        ({"b": long, "c": 1}, ["b"]),
    ):
        chain.append(where, "x", given_, ("a", "b"))
        assert read(where)[-1]["cut"] == cut_
    with pytest.raises(Unreadable, match="too long"):
        chain.append(where, "x", {"c": long}, ("a", "b"))
    chain.append(where, "x", {})
    assert (read(where)[-1]["lost"], chain.flaws(where)) == (1, ())


def test_what_was_lost_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = made(tmp_path, 2)

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(chain, "append_whole", full)
        for _ in range(3):
            with pytest.raises(OSError, match="No space"):
                chain.append(where, "x", {})
    chain.append(where, "x", {})
    chain.append(where, "x", {})
    assert [line.get("lost") for line in read(where)] == [None, None, 3, None]
    assert chain.flaws(where) == ()


def test_to_hold_the_lock_hides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain, "_PATIENCE", 0.0)
    where = made(tmp_path, 2)
    with locked(where.path):
        for _ in range(3):
            with pytest.raises(Unreadable, match="another process is at work on it"):
                chain.append(where, "x", {})
    chain.append(where, "x", {})
    assert [line.get("lost") for line in read(where)] == [None, None, 3]
    assert chain.flaws(where) == ()


FULL = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
chain.append(where, "x", {"v": "y" * 300})
"""


@POSIX
def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """In a process that may write no more than a few bytes: what does not fit is taken away again."""
    where = made(tmp_path, 3)
    child = started(FULL, tmp_path, os.stat(where.path).st_size + 50)
    assert b"No space left on device" in child.communicate(timeout=60)[1]
    assert (chain.flaws(where), chain.count(where)) == ((), 3)
    chain.append(where, "x", {})
    assert (read(where)[-1]["n"], read(where)[-1]["lost"]) == (4, 1)


@POSIX
def test_a_chain_that_others_can_write_is_none(tmp_path: Path) -> None:
    where = made(tmp_path, 1)
    Path(where.path).chmod(0o666)
    with pytest.raises(Unreadable):
        chain.append(where, "x", {})
    assert "can be written by other users" in chain.flaws(where)[0]


@POSIX
def test_a_link_is_not_followed(tmp_path: Path) -> None:
    where = made(tmp_path)
    (tmp_path / "victim").write_text("keep")
    os.symlink(tmp_path / "victim", where.path)
    with pytest.raises(OSError, match="symbolic links"):
        chain.append(where, "x", {})
    assert (tmp_path / "victim").read_text() == "keep"


# Several processes


BEGIN = f"""
import subprocess
import sys
sys.path.insert(0, {SOURCE!r})
from ostiary.sources import chain
where = chain.Chain(sys.argv[1], "a")
"""


def started(code: str, *arguments: object) -> subprocess.Popen[bytes]:
    """Another process that has the chain as `where`."""
    command = [sys.executable, "-I", "-c", BEGIN + code, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


MANY = """
for number in range(25):
    chain.append(where, "x", {"v": f"{sys.argv[2]} {number}"})
"""


def test_twenty_processes_write_one_chain(tmp_path: Path) -> None:
    others = [started(MANY, tmp_path, name) for name in range(20)]
    assert [other.communicate(timeout=100)[1] for other in others] == [b""] * 20
    where = made(tmp_path)
    assert [line["n"] for line in read(where)] == list(range(1, 501))
    assert {line["v"] for line in read(where)} == {f"{name} {number}" for name in range(20) for number in range(25)}
    assert not any("flaw" in line for line in read(where))
    assert chain.flaws(where) == ()


ENDLESS = """
while True:
    chain.append(where, "x", {"v": "y" * 500})
"""


@POSIX
def test_processes_that_are_killed_in_the_middle(tmp_path: Path) -> None:
    where = made(tmp_path, 1)
    for _ in range(6):
        before = chain.count(where)
        with started(ENDLESS, tmp_path) as other:
            while chain.count(where) < before + 5:
                assert other.poll() is None
            other.kill()
        chain.append(where, "x", {"v": "next"})
    assert chain.flaws(where) == ()
    numbers = [line["n"] for line in read(where)]
    assert numbers == list(range(1, len(numbers) + 1))


ops = st.lists(
    st.one_of(
        st.just(("append",)),
        st.tuples(st.just("cut"), st.integers(1, 400)),
        st.tuples(st.just("add"), st.binary(min_size=1, max_size=40)),
        st.just(("headless",)),
    ),
    max_size=12,
)


@given(steps=ops)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80)
def test_whatever_happens_to_the_files_lines_can_be_added(steps: list[Any], tmp_path_factory: Any) -> None:
    where = made(tmp_path_factory.mktemp("chain"), 2)
    for step in steps:
        if step[0] == "append":
            chain.append(where, "x", {})
        elif step[0] == "cut":
            os.truncate(where.path, max(0, os.stat(where.path).st_size - step[1]))
        elif step[0] == "add":
            add(where.path, step[1])
        elif os.path.exists(f"{where.path}.lock"):
            os.unlink(f"{where.path}.lock")
        chain.flaws(where)
    chain.append(where, "x", {"v": "end"})
    assert read(where)[-1]["v"] == "end"
    size = os.stat(where.path).st_size
    chain.append(where, "x", {"v": "quiet"})
    assert os.stat(where.path).st_size > size
    assert "flaw" not in read(where)[-1]


def test_the_head_is_no_json_that_could_be_read_in_two_ways(tmp_path: Path) -> None:
    where = made(tmp_path, 1)
    head, lost = Path(f"{where.path}.lock").read_text().splitlines()
    assert json.loads(Path(where.path).read_text())["n"] == int(head.split()[0])
    assert int(lost) == 0
