"""What a session wrote: noted when a call is permitted, read when a rule asks."""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ostiary import Engine, Event, Verdict
from ostiary.answers import MAYBE, NO, YES
from ostiary.cold import HookCall, decide
from ostiary.paths import ANYTHING, Spelling, Written, is_known, wrote
from ostiary.paths.spelling import OPEN
from ostiary.sources import memory
from ostiary.sources.compiling import compile_source
from ostiary.sources.files import Unreadable
from ostiary.sources.memory import KEPT, LIMIT, MOST, Memory, place, remember
from ostiary.sources.private import append_private
from payloads import AGENT, bash, raw
from trees import plant

if sys.platform == "win32":
    pytest.skip("modes, links and paths of POSIX", allow_module_level=True)

NOW = 1_000_000_000.0  # before any file of these tests was made
OWN = """
version: 1
rules:
  - {id: rm, when: {command: {program: rm}}, decision: deny}
  - {id: own, when: {executes: {written_by: agent}}, decision: ask, reason: a person looks at it first}
"""


@pytest.fixture
def state(tmp_path: Path) -> str:
    return str(tmp_path.resolve() / "state")


def noted(state: str, *paths: str, certain: bool = True, session: str = "s") -> bool:
    return remember(state, "some", session, [(path, certain) for path in paths], NOW)


def said(state: str, path: str, session: str | None = "s", agent: str = "some") -> str | None:
    return Memory(state, agent, session).answer(path)


def test_what_was_noted_is_told(state: str) -> None:
    assert said(state, "/work/x") == "no"
    assert noted(state, "/work/x", "/work/new\nline")
    assert noted(state, "/work/y", f"/work/{OPEN}.sh", certain=False)
    answers = {path: said(state, path) for path in ("/work/x", "/work/x/below", "/work/y", "/work/a.sh", "/work/a.py")}
    assert answers == {
        "/work/x": "yes",
        "/work/x/below": "maybe",
        "/work/y": "maybe",
        "/work/a.sh": "maybe",
        "/work/a.py": "no",
    }
    assert said(state, "/work/new\nline") == "yes"
    assert said(state, ANYTHING.text) == "maybe"


def test_sessions_and_agents_are_apart(state: str) -> None:
    noted(state, "/work/x")
    assert said(state, "/work/x", session="other") == "no"
    assert said(state, "/work/x", agent="other") == "no"
    assert said(state, "/work/x", session=None) is None


def test_names_of_files_come_from_no_payload(state: str) -> None:
    noted(state, "/work/x", session="../../../etc/passwd")
    (name,) = os.listdir(os.path.join(state, "sessions"))
    assert len(name) == 40
    assert set(name) <= set("0123456789abcdef")
    assert os.stat(os.path.join(state, "sessions", name)).st_mode & 0o777 == 0o600
    assert os.stat(os.path.join(state, "sessions")).st_mode & 0o777 == 0o700


def test_links_are_followed_when_they_are_written(state: str, tmp_path: Path) -> None:
    plant(tmp_path, {"real": None, "link": {"link": "/real"}})
    noted(state, str(tmp_path / "link/x"))
    assert said(state, str(tmp_path.resolve() / "real/x")) == "yes"


def test_a_call_with_many_paths_may_have_written_anything(state: str) -> None:
    assert noted(state, *(f"/work/{number}" for number in range(2 * MOST + 1)))
    assert said(state, "/etc/x") == "maybe"


def test_a_session_that_wrote_much_may_have_written_anything(state: str) -> None:
    file = place(state, "some", "s")
    for number in range(200):
        noted(state, f"/work/{number}/{'x' * 4000}")
    size = os.path.getsize(file)
    assert LIMIT < size < LIMIT + 10_000
    assert said(state, "/etc/x") == "maybe"
    assert noted(state, "/work/y")
    assert os.path.getsize(file) == size


@pytest.mark.parametrize(
    "line",
    ["=", '="/work/x', "=1\n", "x\n", "*\n", '!"/work/y"\n', "\xff\n", "\n", "[" * 9999 + "\n", "=" + "[" * 99999],
)
def test_what_cannot_be_read_may_be_anything(line: str, state: str) -> None:
    noted(state, "/work/x")
    with Path(place(state, "some", "s")).open("a", encoding="latin-1") as file:
        file.write(line)
    assert said(state, "/etc/x") == "maybe"
    assert said(state, "/work/x") == "yes"


def test_a_file_that_others_may_write_tells_nothing(state: str) -> None:
    noted(state, "/work/x")
    Path(place(state, "some", "s")).chmod(0o666)
    assert said(state, "/work/x") == said(state, "/work/y") == "maybe"


def test_a_folder_that_cannot_be_written_tells_nothing(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert said(state, "/work/x") == "maybe"


def test_what_cannot_be_noted_is_said(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(state).write_text("no folder", "utf-8")
    assert not noted(state, "/work/x")
    Path(state).unlink()
    monkeypatch.setattr(os, "write", lambda descriptor, data: 1)
    assert not noted(state, "/work/x")


def test_a_path_that_cannot_be_looked_at_is_noted_as_it_is(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> str:
        raise OSError(path)

    monkeypatch.setattr(memory.os.path, "realpath", refuse)
    assert memory._both("/work/x") == ("/work/x",)


def test_old_sessions_go_when_a_new_one_begins(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ages = {"old": KEPT + 1, "young": KEPT - 1}
    assert all(noted(state, "/work/x", session=session) for session in ages)
    for session, age in ages.items():
        os.utime(place(state, "some", session), (NOW - age, NOW - age))
    monkeypatch.setattr(memory, "_SCANNED", 0)
    noted(state, "/work/x", session="third")
    os.utime(place(state, "some", "third"), (NOW, NOW))
    assert len(os.listdir(os.path.join(state, "sessions"))) == 3
    monkeypatch.undo()
    noted(state, "/work/y", session="third")
    assert said(state, "/work/x", session="old") == "yes"
    noted(state, "/work/x", session="fourth")
    assert said(state, "/work/x", session="old") == "maybe"  # as after a jump of the clock
    os.utime(place(state, "some", "old"), (NOW - KEPT - 1, NOW - KEPT - 1))
    noted(state, "/work/x", session="fifth")
    assert said(state, "/work/x", session="old") == "no"
    assert said(state, "/work/x", session="young") == "yes"


@pytest.mark.parametrize("before", [(), ("/work/y",), ("/work/y", "/work/z")])
def test_where_a_disk_is_full_anything_may_have_been_written(
    state: str, monkeypatch: pytest.MonkeyPatch, before: tuple[str, ...]
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    assert all(noted(state, path) for path in before)
    monkeypatch.setattr(os, "write", full)
    assert not noted(state, "/work/x")
    monkeypatch.undo()
    assert said(state, "/work/x") == "maybe"
    assert noted(state, "/work/later") or not before
    assert {said(state, "/work/x") for _ in before} <= {"maybe"}


def test_many_write_at_once(state: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda number: noted(state, f"/work/{number}"), range(64)))
    assert {said(state, f"/work/{number}") for number in range(64)} == {"yes"}
    assert said(state, "/work/64") == "no"


def test_nothing_is_added_through_a_link(state: str, tmp_path: Path) -> None:
    file = place(state, "some", "s")
    plant(tmp_path, {"state/sessions/": None, "other": "text"})
    Path(os.path.dirname(file)).chmod(0o700)
    Path(file).symlink_to(tmp_path / "other")
    assert not noted(state, "/work/x")
    assert (tmp_path / "other").read_text("utf-8") == "text"
    with pytest.raises(OSError, match=r"symbolic link|Too many levels"):
        append_private(file, b"x", 1)
    Path(os.path.dirname(file)).chmod(0o777)
    with pytest.raises(Unreadable):
        append_private(file, b"x", 1)


@pytest.mark.parametrize(
    ("made", "certain", "asked", "want"),
    [
        ("/w/a", True, "/w/a", YES),
        ("/w/a", False, "/w/a", MAYBE),
        ("/w/A", True, "/w/a", MAYBE),
        ("/w", True, "/w/a", MAYBE),
        ("/", True, "/w/a", MAYBE),
        ("/w/a", True, "/w", NO),
        ("/w/ab", True, "/w/a", NO),
        (f"/w/{OPEN}.sh", True, "/w/x.sh", MAYBE),
        (f"/w/{OPEN}.sh", True, "/w/x.py", NO),
        ("/w/x.sh", True, f"/w/{OPEN}.sh", MAYBE),
        ("/w/x.py", True, f"/w/{OPEN}.sh", NO),
        ("/w/[*].sh", True, f"/w/{OPEN}.sh", MAYBE),
        (f"/w/{OPEN}", True, f"/w/{OPEN}.sh", MAYBE),
    ],
)
def test_wrote(made: str, certain: bool, asked: str, want: int) -> None:
    assert wrote(Written(Spelling(made, is_known(made)), certain), Spelling(asked, is_known(asked))) == want


def hook(base: Path, command: str, **more: object) -> str:
    payload = raw(bash(command, str(base / "project"), **more))
    call = HookCall(payload, AGENT, None, str(base / "config"), str(base / "project"))
    body = json.loads(decide(call, compile_source).stdout or "{}")
    return str(body.get("hookSpecificOutput", {}).get("permissionDecision", ""))


def test_hooks_remember_what_permitted_calls_write(tmp_path: Path) -> None:
    base = tmp_path.resolve()
    plant(base, {"project/.git": None, "config/policy.yaml": OWN})
    assert hook(base, "bash x.sh") == ""
    assert hook(base, "rm y; echo ls > x.sh") == "deny"
    assert hook(base, "bash x.sh") == ""
    assert hook(base, "echo ls > x.sh") == ""
    assert hook(base, "bash x.sh") == "ask"
    assert hook(base, "bash y.sh") == ""
    assert hook(base, "bash x.sh", session_id="another") == ""


def test_hooks_remember_before_any_rule_asks(tmp_path: Path) -> None:
    base = tmp_path.resolve()
    plant(base, {"project/.git": None, "config": None})
    assert hook(base, "echo ls > x.sh") == ""
    plant(base, {"config/policy.yaml": OWN})
    assert hook(base, "bash x.sh") == "ask"


def engine(base: Path) -> Engine:
    plant(base, {"project/.git": None, "config/policy.yaml": OWN})
    return Engine.load(config_dir=base / "config", project=base / "project")


def event(base: Path, command: str, **fields: object) -> Event:
    return Event.from_call("bash", {"command": command}, str(base / "project"), **{"session": "s", **fields})


def test_an_engine_remembers_what_it_decides(tmp_path: Path) -> None:
    base = tmp_path.resolve()
    loaded = engine(base)
    for look in (loaded.judge, loaded.explain):
        assert look(event(base, "echo ls > x.sh")).verdict == 0
    assert str(loaded.decide(event(base, "bash x.sh")).verdict) == "none"
    loaded.decide(event(base, "echo ls > x.sh", name="PermissionDenied"))
    loaded.decide(event(base, "echo ls > x.sh", session=None))
    assert str(loaded.decide(event(base, "bash x.sh")).verdict) == "none"
    loaded.decide(event(base, "echo ls > x.sh"))
    assert str(loaded.judge(event(base, "bash x.sh")).verdict) == "ask"
    assert str(loaded.judge(event(base, "bash x.sh", session=None)).verdict) == "ask"
    assert str(engine(base).judge(event(base, "bash x.sh")).verdict) == "ask"


def test_a_stretch_that_was_not_understood_may_write_anything(tmp_path: Path) -> None:
    base = tmp_path.resolve()
    loaded = engine(base)
    outcome = loaded.decide(event(base, 'eval "$(cat x)"'))
    assert outcome.writes == ((ANYTHING.text, False),)
    assert str(loaded.judge(event(base, "bash x.sh")).verdict) == "ask"


def test_an_engine_says_what_it_cannot_remember(tmp_path: Path) -> None:
    base = tmp_path.resolve()
    loaded = engine(base)
    (base / "config/state/sessions").write_text("no folder", "utf-8")
    outcome = loaded.decide(event(base, "echo ls > x.sh"))
    assert outcome.problems == ("what this call writes cannot be remembered",)


REMEMBERING = """version: 1
rules:
  - {id: pushes, decision: ask, remember: session, when: {command: {program: git}}}
  - {id: again, decision: ask, when: {command: {program: svn}}}
  - {id: scripts, decision: ask, remember: session, when: {executes: ./x.sh}}
"""


def asks(loaded: Engine, base: Path, command: str, **fields: object) -> bool:
    return loaded.decide(event(base, command, **fields)).verdict == Verdict.ASK


def ran(loaded: Engine, base: Path, command: str, **fields: object) -> None:
    loaded.decide(event(base, command, name="PostToolUse", output="done", **fields))


def remembering(base: Path) -> Engine:
    plant(base, {"project/.git": None, "project/x.sh": "true\n", "config/policy.yaml": REMEMBERING})
    return Engine.load(config_dir=base / "config", project=base / "project")


def test_what_a_person_permitted_is_not_asked_again(tmp_path: Path) -> None:
    base = tmp_path.resolve()
    loaded = remembering(base)
    assert asks(loaded, base, "git push")
    assert asks(loaded, base, "git push")  # nobody permitted it
    ran(loaded, base, "git push")
    assert not asks(loaded, base, "git push")
    assert not asks(Engine.load(config_dir=base / "config", project=base / "project"), base, "git push")
    assert asks(loaded, base, "git push -f")
    assert asks(loaded, base, "git push", session="another")
    assert asks(loaded, base, "git push", agent="another")
    (step,) = loaded.decide(event(base, "git push")).trail
    assert step.state == "remembered"


def test_what_ran_unasked_was_not_permitted(tmp_path: Path) -> None:
    base = tmp_path.resolve()
    loaded = remembering(base)
    ran(loaded, base, "git push")
    assert asks(loaded, base, "git push")
    loaded.decide(event(base, "git push", name="PermissionDenied"))
    assert asks(loaded, base, "git push")


def test_rules_that_do_not_remember_ask_again(tmp_path: Path) -> None:
    base = tmp_path.resolve()
    loaded = remembering(base)
    for _ in range(2):
        assert asks(loaded, base, "git push && svn commit")
        ran(loaded, base, "git push && svn commit")


def test_without_a_session_nothing_is_remembered(tmp_path: Path) -> None:
    base = tmp_path.resolve()
    loaded = remembering(base)
    for _ in range(2):
        assert asks(loaded, base, "git push", session=None)
        ran(loaded, base, "git push", session=None)


def test_a_script_that_changed_is_another_call(tmp_path: Path) -> None:
    base = tmp_path.resolve()
    loaded = remembering(base)
    assert asks(loaded, base, "sh x.sh")
    ran(loaded, base, "sh x.sh")
    assert not asks(loaded, base, "sh x.sh")
    (base / "project/x.sh").write_text("false\n")
    assert asks(loaded, base, "sh x.sh")


@pytest.mark.parametrize("damage", [b"", b"\0" * 4096, b"=", b"=x"])
def test_a_damaged_memory_permits_nothing(tmp_path: Path, damage: bytes) -> None:
    base = tmp_path.resolve()
    loaded = remembering(base)
    assert asks(loaded, base, "git push")
    ran(loaded, base, "git push")
    (file,) = (base / "config/state/sessions").glob("*.asked")
    file.write_bytes(damage)
    assert asks(loaded, base, "git push")
