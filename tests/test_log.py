"""`ostiary log` and `ostiary audit`: what was recorded, and what shows by its absence."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lines import Line
from ostiary import cold
from ostiary.commands import audit, log
from ostiary.explain import entry_line, gap_line, gaps, plain
from ostiary.sources import chain, record
from ostiary.sources.compiling import compile_source
from ostiary.sources.places import find_places
from payloads import AGENT, bash, raw, tool
from tables import read_table

GAPS = read_table(Path(__file__).parent / "cases/record/gaps.yaml")["cases"]


@pytest.mark.parametrize("row", GAPS, ids=lambda row: row["note"])
def test_gaps(row: dict[str, Any]) -> None:
    usual = {"kind": "event", "agent": AGENT, "session": "s1"}
    lines = [{**usual, "time": str(number), **line} for number, line in enumerate(row["lines"], 1)]
    found = gaps(lines, row.get("whole", True), audit.starts())
    shown = [f"{gap.kind}: {gap.what} ({gap.times}: {gap.first} to {gap.last})" for gap in found]
    assert row["gaps"] in ("any", shown)
    assert len(plain(map(gap_line, found)).splitlines()) == len(found)
    assert len([plain([entry_line(line)]) for line in lines]) == len(lines)


POLICY = """
version: 1
name: mine
ask: ["Bash(git push*)"]
deny: ["Read(**/.env)"]
rules:
  - {id: seen, mode: observe, when: {command: {program: curl}}, decision: deny, reason: no}
"""


@pytest.fixture
def state(line: Line, monkeypatch: pytest.MonkeyPatch) -> str:
    """A record of a few events, a second apart, of one use of a verb, and of a reload."""
    (line.config / "policy.yaml").write_text(POLICY)
    state = str(line.config / "state")
    with monkeypatch.context() as patch:
        for second, payload in enumerate((*EVENTS, None)):
            patch.setattr(chain.time, "time", lambda second=second: 1_800_000_000 + second)
            if payload is None:
                record.verb(state, {"verb": "trust", "arguments": {"lasts": "30d"}, "result": "done"})
            else:
                hook(line, payload)
        patch.setattr(chain.time, "time", lambda: 1_800_000_008)
        record.reload(find_places(str(line.config)), RELOAD)
    return state


RELOAD = {
    "read": "2027-01-15T08:00:08.000Z",
    "generation": "459a8711c838ecf4",
    "before": "3dd602dbdb8f82bd",
    "by": "watcher",
    "root": "/work/app",
    "changed": ["user:policy.yaml", "settings"],
    "more_changed": 1,
    "problems": ["policy.yaml:2:1: rulez: unknown key `rulez`"],
    "ms": 10.5,
}


EVENTS: list[Any] = [
    {"hook_event_name": "SessionStart", "session_id": "s1", "cwd": "/work", "source": "startup"},
    bash("ls -l"),
    bash("git push origin main"),
    bash("cat .env", session_id="t2"),
    bash("curl https://example.com/x"),
    {**tool("Read", {"file_path": "/work/a.txt"}), "hook_event_name": "PostToolUse"},
    b"odd",
]


def hook(line: Line, payload: Any) -> None:
    data = payload if isinstance(payload, bytes) else raw(payload)
    call = cold.HookCall(data, AGENT, "PreToolUse" if payload == b"odd" else None, str(line.config), str(line.project))
    cold.decide(call, compile_source)


SHOWN = """\
time (UTC)           agent        session   tool or event     said  what, and which rules
TIME0  claude-code  s1        SessionStart      none
TIME1  claude-code  s1        bash              none  ls -l (read .)
TIME2  claude-code  s1        bash              ask   git push  user:mine/ask:Bash(git push*)
TIME3  claude-code  t2        bash              deny  cat (read .env)  user:mine/deny:Read(**/.env)
TIME4  claude-code  s1        bash              none  curl (connect example.com)  user:mine/seen (would deny)
TIME5  claude-code  s1        PostToolUse       none  (read /work/a.txt)
TIME6  claude-code            PreToolUse        deny  the hook's input is not JSON
TIME7  (a person)             trust             done  lasts=30d
TIME8  (reload)               /work/app         459a8711c83… after 3dd602dbdb8…, 10.5 ms\
  user:policy.yaml, settings and 1 more  policy.yaml:2:1: rulez: unknown key `rulez`
"""


def shown(text: str) -> list[str]:
    """The lines with the number of the second in the place of their time."""
    lines = text.splitlines()
    times = sorted({line[:19] for line in lines[1:]})
    numbered = {found: f"TIME{int(found[-2:]) - int(BEGAN[-2:])}" for found in times}
    return [lines[0], *(numbered[line[:19]] + line[19:] for line in lines[1:])] if lines else []


BEGAN = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(1_800_000_000))


def test_the_newest_lines(state: str, line: Line) -> None:
    ran = line.at("log")
    assert (ran.status, ran.err) == (0, "")
    assert shown(ran.shown) == SHOWN.splitlines()
    assert shown(line.at("log", "--last", "2").shown)[1:] == SHOWN.splitlines()[-2:]


FILTERS = [
    (["--agent", AGENT], [0, 1, 2, 3, 4, 5, 6]),
    (["--agent", "codex"], []),
    (["--session", "t"], [3]),
    (["--tool", "bash"], [1, 2, 3, 4]),
    (["--tool", "Bash", "--verdict", "none"], [1, 4]),
    (["--verdict", "deny"], [3, 6]),
    (["--rule", "mine/"], [2, 3, 4]),
    (["--rule", "seen"], [4]),
    (["--since", "2027-01-15"], [0, 1, 2, 3, 4, 5, 6, 7, 8]),
    (["--since", "2027-01-16"], []),
]


@pytest.mark.parametrize(("arguments", "wanted"), FILTERS, ids=lambda value: " ".join(map(str, value)))
def test_filters(arguments: list[str], wanted: list[int], state: str, line: Line) -> None:
    numbers = [int(found[4]) for found in shown(line.at("log", *arguments).shown)[1:] if found.startswith("TIME")]
    assert numbers == wanted if wanted else "nothing is recorded that is wanted here" in line.at("log", *arguments).out
    lines = [json.loads(text) for text in line.at("log", "--json", *arguments).out.splitlines()]
    assert [int(found["time"][17:19]) - int(BEGAN[-2:]) for found in lines] == wanted


def test_since_a_while(state: str, line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log.time, "time", lambda: 1_800_000_000 + 3600 + 4)
    assert [found[4] for found in shown(line.at("log", "--since", "1h").shown)[1:]] == ["4", "5", "6", "7", "8"]


def test_lines_are_exported_as_they_are_kept(state: str, line: Line) -> None:
    out = line.at("log", "--json").out
    kept = [text for name in record.NAMES for text in Path(state, "record", f"{name}.jsonl").read_text().splitlines()]
    assert sorted(out.splitlines()) == sorted(kept)
    assert len(line.at("log", "--json", "--last", "3").out.splitlines()) == 3


WRONG = [
    (["nonsense"], "`nonsense` is no word for this verb; `verify` is"),
    (["--since", "3x"], "`3x` is no time; write it as `90m`, `2h`, `7d` or `2026-11-30`"),
    (["--since", "0d"], "`0d` is no time; write it as `90m`, `2h`, `7d` or `2026-11-30`"),
]


@pytest.mark.parametrize(("arguments", "why"), WRONG)
def test_arguments_that_are_wrong(arguments: list[str], why: str, line: Line) -> None:
    ran = line.at("log", *arguments)
    assert (ran.status, ran.err) == (2, f"ostiary: {why}\n")


def test_verify(state: str, line: Line) -> None:
    whole = "4 events, 3 stops, 1 verbs, 1 reloads were written; what is kept of them is as it was written\n"
    ran = line.at("log", "verify")
    assert (ran.status, ran.out) == (0, whole)
    path = Path(state, "record/stops.jsonl")
    path.write_text(path.read_text().replace('"ask"', '"none"'))
    ran = line.at("log", "verify")
    assert (ran.status, ran.out) == (
        1,
        "stops.jsonl:2: the lines before it are not those that were there\n"
        "4 events, 3 stops, 1 verbs, 1 reloads were written; 1 flaw\n",
    )
    assert "stops.jsonl:2: the lines before it are not those that were there" in line.at("status").out
    assert "4 events, 3 stops, 1 verbs, 1 reloads" in line.at("status").out


def test_audit(state: str, line: Line) -> None:
    ran = line.at("audit")
    found = [text[:70].rstrip() for text in ran.shown.splitlines()]
    assert (ran.status, found) == (
        1,
        [
            "start   claude-code: session t2 began without Ostiary being told  2027",
            "gate    claude-code: read_file ran without a gate in session s1  2027-",
            "failure claude-code: PreToolUse was answered `deny`: the hook's input",
            "3 findings",
        ],
    )
    report = line.at("audit", "--json").json
    assert [gap["kind"] for gap in report["gaps"]] == ["start", "gate", "failure"]
    assert report["flaws"] == []
    Path(state, "record/events.jsonl.lock").unlink()
    assert line.at("audit", "--json").json["flaws"] == [
        "events: nobody knows what was written last: events.jsonl.lock is gone or damaged"
    ]


def test_nothing_is_recorded_yet(line: Line) -> None:
    assert line.at("log").out == "nothing is recorded that is wanted here\n"
    assert line.at("log", "--json").out == ""
    assert (line.at("audit").status, line.at("audit").out) == (0, "0 findings\n")
    assert line.at("log", "verify").status == 0


def test_where_everything_lies(state: str, line: Line) -> None:
    out = line.at("log", "--mine").out
    assert f"everything is kept in {state}, and nothing is sent anywhere" in out
    assert f"{os.path.join(state, 'record')}  files: 8, " in out
    known = {path.relative_to(state).parts[0] for path in Path(state).rglob("*") if path.is_file()} - {"cache"}
    assert [name for name in known if os.path.join(state, name) not in out] == []
    assert "4 events were recorded, those since 2027-01-15T" in out


def test_follow(state: str, line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look finds what came since the last one, until a person ends it."""

    def looks() -> Iterator[None]:
        yield
        hook(line, bash("git push"))
        hook(line, bash("ls"))
        yield
        yield
        hook(line, bash("cat .env"))
        yield

    steps = looks()

    def sleep(_seconds: float) -> None:
        if next(steps, "over") == "over":
            raise KeyboardInterrupt

    monkeypatch.setattr(log.time, "sleep", sleep)
    ran = line.at("log", "--follow", "--last", "1", "--tool", "bash")
    assert ran.status == 130
    first, *rest = [text[62:68].strip() for text in ran.shown.splitlines()[1:]]
    assert (first, sorted(rest[:2]), rest[2:]) == ("none", ["ask", "none"], ["deny"])


def test_a_record_that_others_can_write(state: str, line: Line) -> None:
    if os.name == "posix":
        Path(state, "record/events.jsonl").chmod(0o666)
        for verb in ("log", "audit"):
            ran = line.at(verb)
            assert ran.status == 1
            assert "the record cannot be read: " in ran.err
