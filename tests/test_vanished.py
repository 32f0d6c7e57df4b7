"""Rules whose file goes away under a session go on acting in it (law L7), until it ends or a person lets them go."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lines import Line, Person, at_terminal
from looking import rely
from ostiary import Engine, Event, cold
from ostiary.cold import HookCall, decide
from ostiary.decision import Outcome
from ostiary.perform.repeats import Repeats
from ostiary.policy import FilePlan, RulePlan, lost, stopping
from ostiary.sources import memory, seen
from ostiary.sources.compiling import compile_source
from ostiary.sources.files import Unreadable
from ostiary.sources.keeping import Keeping
from ostiary.sources.places import Managed, Places, find_places
from ostiary.sources.seen import Noted
from payloads import AGENT, bash, raw
from processes import hook
from tables import read_table
from trees import plant

if sys.platform == "win32":
    pytest.skip("owners and paths of POSIX", allow_module_level=True)

ROWS = read_table(Path(__file__).parent / "cases/sources/vanished.yaml")["cases"]
DENY = "version: 1\ndeny: ['Bash(rm *)']\n"
POLICY = "project/.ostiary/policy.yaml"
NOTE = "its rules that stop calls"

Judge = Callable[[Event], Outcome]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    found = tmp_path.resolve()
    plant(found, {"project/.git/HEAD": "ref: refs/heads/main\n", "config": None, "managed": None, "elsewhere": None})
    return found


def managed(base: Path) -> Managed:
    return Managed(str(base / "managed"), frozenset({0, os.geteuid()}), str(base / "managed"))


def places(base: Path) -> Places:
    return find_places(str(base / "config"), managed(base))


def call(base: Path, command: str, cwd: str = "project", session: str | None = "s", name: str = "PreToolUse") -> Event:
    where = str(base / cwd)
    return Event.from_call("bash", {"command": command}, cwd=where, agent=AGENT, session=session, name=name)


def load(base: Path) -> Engine:
    return Engine.load(config_dir=base / "config", project=base / "project", managed=managed(base))


@pytest.fixture(params=["hooks", "one process", "one engine", "engines"])
def judge(request: pytest.FixtureRequest, base: Path, monkeypatch: pytest.MonkeyPatch) -> Judge:
    """Judges events as hooks do, as one process that keeps what it read, as an engine that reloads, and as one that is
    started anew."""
    engines: list[Engine] = []
    keeping = cold.Keep(Keeping(), Repeats().judge)
    rely(monkeypatch)

    def hooks(event: Event, keep: cold.Keep = cold._NOTHING) -> Outcome:
        hooked = HookCall(b"", AGENT, None, None, str(base / "project"))
        return cold._judged(event, hooked, places(base), cold._Ground(compile_source, keep)).outcome

    def one(event: Event) -> Outcome:
        engines[:] = engines or [load(base)]
        engines[0].reload()
        return engines[0].decide(event)

    kept = partial(hooks, keep=keeping)
    return {"hooks": hooks, "one process": kept, "one engine": one, "engines": lambda event: load(base).decide(event)}[
        request.param
    ]


def judged(judge: Judge, base: Path, calls: list[list[str]], session: str | None) -> set[str]:
    """What is told of vanished files, once every call has its verdict."""
    notes: set[str] = set()
    for command, verdict, *cwd in calls:
        outcome = judge(call(base, command, *cwd, session=session))
        assert (command, str(outcome.verdict)) == (command, verdict)
        found = [problem for problem in outcome.problems if NOTE in problem]
        stopped = verdict in ("ask", "deny")
        assert not stopped or not outcome.message or set(outcome.message.split("\n")) <= set(found), outcome.message
        notes.update(found)
    return notes


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["case"])
def test_what_vanishes_goes_on_stopping(row: dict[str, Any], base: Path, judge: Judge) -> None:
    plant(base, row["own"])
    if row.get("accepted"):
        engine = load(base)
        assert all(engine.accept(review, review.word) for review in engine.pending)
    judged(judge, base, row["first"], "s")
    for step in row["steps"]:
        for name in step.get("gone", ()):
            shutil.rmtree(base / name) if (base / name).is_dir() else (base / name).unlink()
        plant(base, step.get("now", {}))
        if step.get("ends"):
            judge(Event(agent=AGENT, name="SessionEnd", session="s", cwd=str(base / "project")))
        notes = judged(judge, base, step["calls"], step.get("session", "s"))
        if "note" in step:
            assert notes == ({step["note"]} if step["note"] else set())


def test_hooks_as_processes(base: Path) -> None:
    """A branch that has no rules is checked out: what they denied is denied, people read why, and the model does not
    read how to end it."""
    plant(base, {POLICY: DENY})
    arguments = ("--agent", AGENT, "--event", "PreToolUse", "--config-dir", str(base / "config"))
    payload = bash("rm x", str(base / "project"))
    first = json.loads(hook(payload, *arguments, cwd=base / "project").stdout)
    shutil.rmtree(base / "project/.ostiary")
    second = json.loads(hook(payload, *arguments, cwd=base / "project").stdout)
    assert second["hookSpecificOutput"] == first["hookSpecificOutput"]
    told = second["systemMessage"].removeprefix(first["systemMessage"])
    assert told.strip().startswith(".ostiary/policy.yaml: it is gone; its rules that stop calls act until")
    assert "ostiary trust" not in json.dumps(second["hookSpecificOutput"])
    assert hook(bash("make", str(base / "project")), *arguments, cwd=base / "project").stdout == b""


def files(base: Path) -> dict[str, tuple[int, bytes]]:
    top = base / "config/state/seen"
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in sorted(top.rglob("*")) if path.is_file()
    }


def test_nothing_is_written_unless_something_changed(base: Path) -> None:
    plant(base, {POLICY: DENY, "config/policy.yaml": "version: 1\nallow: ['Bash(ls *)']\n"})
    engine = load(base)
    assert engine.judge(call(base, "rm x")).verdict > 0
    assert not files(base)
    engine.decide(call(base, "rm x"))
    before = files(base)
    assert len(before) == 2
    engine.decide(call(base, "ls x"))
    (base / POLICY).unlink()
    for again in (load(base), load(base)):
        assert str(again.decide(call(base, "rm x")).verdict) == "deny"
        assert str(again.explain(call(base, "rm x")).verdict) == "deny"
    assert files(base) == before


def test_what_cannot_be_kept_or_read_asks_or_is_tried_again(base: Path) -> None:
    plant(base, {POLICY: DENY, "config/state/seen": "text"})
    (base / "config/state").chmod(0o700)
    assert str(load(base).decide(call(base, "rm x")).verdict) == "deny"
    (base / "config/state/seen").unlink()
    assert str(load(base).decide(call(base, "rm x")).verdict) == "deny"
    (kept,) = (base / "config/state/seen/held").iterdir()
    kept.write_bytes(b"damaged")
    (base / POLICY).unlink()
    assert [str(load(base).decide(call(base, text)).verdict) for text in ("rm x", "pwd")] == ["ask", "none"]
    plant(base, {POLICY: "version: 1\n"})
    assert str(load(base).decide(call(base, "rm x")).verdict) == "none"  # what was there is not known any more
    os.chmod(base / "config/state/seen", 0o777)
    (base / POLICY).unlink()
    engine = load(base)
    assert [str(engine.decide(call(base, text)).verdict) for text in ("rm x", "pwd")] == ["ask", "ask"]
    seen_folder = base / "config/state/seen"
    told = f"{seen_folder}: it cannot be relied on: `{seen_folder}` can be written by other users"
    assert engine.decide(call(base, "rm x")).reason == told.replace(": it", " cannot be used: it", 1)
    assert str(engine.status().problems[-1]).splitlines()[0] == told
    os.chmod(seen_folder, 0o700)
    assert str(engine.decide(call(base, "rm x")).verdict) == "none"


NOTED = Noted("project", "/w/.ostiary/policy.yaml", "a", "/w", "name")


def test_the_file_of_a_session_is_bounded(tmp_path: Path) -> None:
    file = str(tmp_path.resolve() / "seen" / "s")
    for number in range(200):
        assert seen.note(file, [NOTED._replace(label="x" * 1000, name=str(number))], 0)
    assert os.path.getsize(file) <= seen.LIMIT
    assert seen.recall(file).noted[NOTED.key].name == "199"
    many = [NOTED._replace(path=f"/{number}", label="x" * 100) for number in range(2 * seen.MOST)]
    for one in many:
        assert seen.note(file, [one], 0)
    assert len(seen.recall(file).noted) <= 2 * seen.MOST


def test_lines_that_cannot_be_read_are_none(tmp_path: Path) -> None:
    file = tmp_path.resolve() / "seen" / "s"
    assert seen.note(str(file), [NOTED, NOTED._replace(path="/b")], 0)
    with file.open("ab") as more:
        more.write(b'{}\n[1]\n["nobody", "/x", "", "", "a"]\n[[[\n\n["project", "/w"')
    assert list(seen.recall(str(file)).noted) == [NOTED.key, ("project", "/b")]
    assert seen.note(str(file), [NOTED._replace(name="")], 0)
    assert seen.kept(str(tmp_path), "none") is None


def test_old_sessions_go_and_what_managed_places_hold_stays(tmp_path: Path) -> None:
    top = tmp_path.resolve() / "seen"
    for name in ("old", "managed.x", "new", "held/old", "held/managed.y"):
        plant(tmp_path.resolve(), {f"seen/{name}": "x"})
    top.chmod(0o700)
    os.utime(top / "new", (3_000_000_000, 3_000_000_000))
    later = (top / "old").stat().st_mtime + memory.KEPT + 60
    assert seen.note(str(top / "fresh"), [NOTED], later)
    assert sorted(path.name for path in top.rglob("*") if path.is_file()) == ["managed.x", "managed.y", "new"]


def test_what_stays_of_a_file() -> None:
    def rule(id: str, **more: Any) -> RulePlan:
        return RulePlan(id, 1, ("PreToolUse",), ("always",), **more)

    stops = (rule("deny", decision="deny"), rule("halt", halt=True), rule("defer", decision="defer"))
    other = (rule("allow", decision="allow"), rule("seen", decision="deny", observe=True), rule("context", context="x"))
    file = FilePlan("f", "f.yaml", "d", "strictest", (*stops, *other))
    assert stopping(file).rules == stops
    assert stopping(file).digest != file.digest
    assert stopping(stopping(file)._replace(digest="d")) == file._replace(rules=stops)
    ordered = stopping(file._replace(combine="last"))
    assert ordered.rules == (*stops, other[0])
    assert lost(file, file._replace(rules=stops[1:]))
    assert not lost(file, file._replace(rules=(stops[0]._replace(line=9), *stops[1:])))


# The person


def vanish(line: Line, *sessions: str) -> None:
    folder = line.repository(DENY)
    engine = Engine.load(line.config, line.project)
    for session in sessions:
        engine.decide(Event.from_call("bash", {"command": "ls"}, cwd=str(line.project), agent=AGENT, session=session))
    (folder / "policy.yaml").unlink()


def denied(line: Line, session: str) -> str:
    payload = raw(bash("rm x", str(line.project), session_id=session))
    answer = decide(HookCall(payload, AGENT, None, str(line.config), str(line.project)), compile_source)
    return "deny" if "deny" in answer.stdout else answer.stdout


def test_status_tells_what_vanished(line: Line) -> None:
    vanish(line, "a", "b")
    report = line.at("status", "--json").json
    found = [(one["tier"], one["file"], one["state"], one["rules"]) for one in report["sources"]]
    assert found == [("project", ".ostiary/policy.yaml", "vanished", 1)]
    assert report["sources"][0]["note"].startswith(".ostiary/policy.yaml: it is gone; its rules that stop calls act")
    assert [problem["help"] for problem in report["problems"]] == [
        "put it back, or run `ostiary trust` to let its rules go"
    ]
    assert "vanished" in line.at("status").shown


def test_a_person_lets_rules_go(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    vanish(line, "a", "b")
    ran = line.at("trust")
    assert ran.err == "ostiary: only a person at a terminal can let these rules go; they go on acting\n"
    assert ran.out.splitlines() == [
        f".ostiary/policy.yaml  in {line.project.resolve()}",
        "  it is gone; what stops calls still acts in 2 sessions",
        "  deny      deny:Bash(rm *)",
        "",
    ]
    at_terminal(monkeypatch, Person("no"))
    assert line.at("trust").out.endswith("nothing was let go; they go on acting\n")
    assert [denied(line, session) for session in "ab"] == ["deny", "deny"]
    at_terminal(monkeypatch, Person())
    assert line.at("trust").out.endswith("let go; they do not act from the next call on\n")
    assert [denied(line, session) for session in "ab"] == ["", ""]
    assert line.at("trust").out == "no rule file of this project waits for review\n"


def test_letting_go_that_cannot_be_recorded(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    vanish(line, "a")

    def fails(*_: object) -> bool:
        raise Unreadable("no")

    monkeypatch.setattr(seen, "append_private", fails)
    at_terminal(monkeypatch, Person())
    ran = line.at("trust")
    assert ran.err == "ostiary: that they are let go cannot be recorded: the state folder cannot be written\n"
    assert denied(line, "a") == "deny"


def test_what_vanished_elsewhere_is_no_matter_of_this_project(line: Line) -> None:
    vanish(line, "a")
    other = line.project.with_name("other")
    other.mkdir()
    assert not Engine.load(line.config, other).vanished
    assert len(Engine.load(line.config, line.project).vanished) == 1
