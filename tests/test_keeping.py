"""A process that keeps what it read answers as one that reads everything anew (law L9)."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from looking import rely
from ostiary.cold import HookCall, Keep, decide
from ostiary.engine import Engine
from ostiary.perform.repeats import Repeats
from ostiary.sources import looks
from ostiary.sources.compiling import compile_source
from ostiary.sources.desk import Desk
from ostiary.sources.files import Unreadable
from ostiary.sources.keeping import Keeping
from ostiary.sources.looks import Memo, looking
from ostiary.sources.places import find_places
from ostiary.sources.roots import find_roots
from ostiary.sources.snapshot import snapshot
from payloads import AGENT, bash, raw, tool
from trees import plant

pytestmark = pytest.mark.no_cover

if sys.platform == "win32":
    pytest.skip("links and owners of POSIX", allow_module_level=True)

USER, PROJECT, OTHER = "config/policy.yaml", "project/.ostiary/policy.yaml", "other/.ostiary/policy.yaml"

Step = Callable[[Path], None]


def rules(text: str) -> str:
    return f"version: 1\n{text}\n"


def put(name: str, text: str) -> Step:
    """Replaces a file as editors do."""

    def step(base: Path) -> None:
        plant(base, {f"{name}.new": text})
        (base / f"{name}.new").replace(base / name)

    return step


def gone(name: str) -> Step:
    def step(base: Path) -> None:
        path = base / name
        if path.is_symlink() or path.is_file():
            path.unlink()
        elif path.is_dir():
            shutil.rmtree(path)

    return step


def swapped(base: Path) -> None:
    """The link to the folder of rules leads to the other folder now, in one step."""
    target = "a" if os.readlink(base / "config/policy.d") == "b" else "b"
    (base / "config/link").symlink_to(target)
    (base / "config/link").replace(base / "config/policy.d")


def moved(base: Path) -> None:
    """The project's rules lie elsewhere, and a link leads out of the project."""
    if (base / "project/.ostiary").is_dir() and not (base / "project/.ostiary").is_symlink():
        shutil.rmtree(base / "elsewhere", ignore_errors=True)
        (base / "project/.ostiary").rename(base / "elsewhere")
        (base / "project/.ostiary").symlink_to(base / "elsewhere")


def reviewed(base: Path) -> None:
    engine = Engine.load(base / "config", base / "project")
    for review in engine.pending:
        with suppress(Unreadable):  # a damaged store takes none
            engine.accept(review, review.word)


def revoked(base: Path) -> None:
    with suppress(Unreadable):
        Engine.load(base / "config", base / "project").revoke()


def in_place(name: str, text: str) -> Step:
    def step(base: Path) -> None:
        plant(base, {name: text})

    return step


EDITS: dict[str, Step] = {
    "the user denies": put(USER, rules('deny: ["Bash(rm *)"]')),
    "the user asks": put(USER, rules('ask: ["Bash(rm *)"]\nallow: ["Bash(ls *)"]')),
    "the user includes": put(USER, rules("include: [./team.yaml]")),
    "what is included denies": put("config/team.yaml", rules('deny: ["Bash(make *)"]')),
    "what is included is gone": gone("config/team.yaml"),
    "the user's file is broken": put(USER, "version: 1\nrulez: []\n"),
    "the user's file is gone": gone(USER),
    "the user's folder is gone": gone("config"),
    "the link to the rules is swapped": lambda base: swapped(base) if (base / "config/policy.d").is_symlink() else None,
    "the project denies and allows": put(PROJECT, rules('deny: ["Bash(mv *)"]\nallow: ["Bash(make *)"]')),
    "the project's file is broken": put(PROJECT, "version: 1\nrules: 1\n"),
    "the project's file is empty": put(PROJECT, ""),
    "the project's folder is gone": gone("project/.ostiary"),
    "the project's folder leads out": moved,
    "a person accepts": reviewed,
    "a person revokes": revoked,
    "reviews do not count": put("config/settings.yaml", "on_error: ask\n"),
    "settings are broken": put("config/settings.yaml", "gates: 1\n"),
    "settings are gone": gone("config/settings.yaml"),
    "the store is damaged": in_place("config/state/trust.json", "damaged"),
    "a plugin comes": put("config/plugins/p/policy.yaml", rules('deny: ["Bash(ls *)"]')),
    "a plugin goes": gone("config/plugins/p"),
    "programs are defined": put("config/programs/a.yaml", rules("programs: {frob: {wraps: true}}")),
    "another project has rules": put(OTHER, rules('deny: ["Bash(ls *)"]')),
    "a repository is made below": lambda base: (base / "project/sub/.git").mkdir(parents=True, exist_ok=True),
}

CALLS: dict[str, Callable[[str], dict[str, Any]]] = {
    "rm": lambda base: bash("rm x", f"{base}/project"),
    "mv": lambda base: bash("mv a b && frob rm x", f"{base}/project/sub"),
    "ls": lambda base: bash("ls x", f"{base}/other"),
    "make": lambda base: bash("make x", f"{base}/project", session_id="s2"),
    "write": lambda base: tool("Write", {"file_path": f"{base}/config/policy.yaml", "content": "x"}, f"{base}/project"),
    "end": lambda base: {"hook_event_name": "SessionEnd", "session_id": "s1", "cwd": f"{base}/project"},
}


def keeps() -> Keep:
    return Keep(Keeping(), Repeats().judge)


def answer(base: Path, name: str, keep: Keep) -> tuple[str, str, int]:
    payload = raw(CALLS[name](str(base)))
    call = HookCall(payload, AGENT, None, str(base / "config"), str(base / "project"))
    said = decide(call, compile_source, keep=keep)
    return said.stdout.replace(str(base), "BASE"), said.stderr.replace(str(base), "BASE"), said.status


def world(base: Path) -> Path:
    plant(
        base,
        {
            USER: rules('deny: ["Bash(rm *)"]'),
            "config/a/x.yaml": rules('ask: ["Bash(mv *)"]'),
            "config/b/x.yaml": rules('ask: ["Bash(ls *)"]'),
            "config/policy.d": {"link": "a"},
            "project/.git": None,
            "project/sub": None,
            "other/.git": None,
        },
    )
    return base


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(steps=st.lists(st.tuples(st.sampled_from(sorted(EDITS)), st.sampled_from(sorted(CALLS))), max_size=10))
def test_answers_are_those_of_hooks_that_read_everything(
    steps: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        rely(patch)
        one, two = (world(tmp_path_factory.mktemp(f"{name}-").resolve()) for name in ("anew", "kept"))
        keeping = keeps()
        for edit, call in [("", "rm"), ("", "ls"), *steps]:
            for base in (one, two):
                if edit:
                    EDITS[edit](base)
            for name in (call, "rm", call):
                assert (edit, answer(two, name, keeping)) == (edit, answer(one, name, Keep()))


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_acts_on_the_next_call(edit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rely(monkeypatch)
    base, keeping = world(tmp_path.resolve()), keeps()
    for step in (lambda _: None, EDITS["the project denies and allows"], EDITS[edit]):
        step(base)
        for name in ("rm", "mv", "ls", "make"):
            assert answer(base, name, keeping) == answer(base, name, Keep())


def test_what_is_as_it_was_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rely(monkeypatch)
    base, keeping = world(tmp_path.resolve()), keeps()
    first = [answer(base, "rm", keeping) for _ in range(3)][-1]
    reads: list[str] = []
    real = os.open
    monkeypatch.setattr(os, "open", lambda path, *rest, **more: reads.append(path) or real(path, *rest, **more))
    assert answer(base, "rm", keeping) == first
    assert [path for path in reads if "/state/record/" not in str(path)] == [], "and nothing but the record is written"


def test_what_was_only_just_written_is_read_again(tmp_path: Path) -> None:
    """The same size, the same inode, and often the same tick of the clock."""
    file = tmp_path / "file"
    memo = Memo(4)
    for number in range(200):
        file.write_text(f"{number:04}")
        for _ in range(2):
            with_looks = memo.get("key", lambda: (looks.way(str(file)), file.read_text())[1])
            assert with_looks == f"{number:04}"


@pytest.mark.parametrize(
    ("later", "stamp", "settled"),
    [(0, 1, False), (90_000_000, 1, False), (110_000_000, 1, True), (110_000_000, 0, False), (2_100_000_000, 0, True)],
)
def test_a_clock_ticks_before_a_file_is_relied_on(
    later: int, stamp: int, settled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stamp of whole seconds is that of a coarse clock."""
    file = tmp_path / "file"
    file.touch()
    changed = file.lstat().st_ctime_ns // 10**9 * 10**9 + stamp
    monkeypatch.setattr(looks, "_sign", lambda status, whole: (*(0,) * 7, changed))
    monkeypatch.setattr(time, "time_ns", lambda: changed + later)
    with looking() as notes:
        looks.looked(str(file))
    assert notes.settled == settled


# Every look counts


LOOKING = ("lstat", "stat", "listdir", "scandir", "readlink", "access", "open")


@contextmanager
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The paths that anybody looks at inside the block."""
    seen: list[str] = []
    with monkeypatch.context() as patch:
        for name in LOOKING:
            real = getattr(os, name)

            def look(path: Any, *rest: Any, real: Any = real, **more: Any) -> Any:
                if isinstance(path, str):
                    seen.append(path)
                return real(path, *rest, **more)

            patch.setattr(os, name, look)
        yield seen


def test_nothing_is_looked_at_without_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With files of every kind, good and broken ones, after all of them were compiled."""
    base = world(tmp_path.resolve())
    hooks = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./a.sh"}]}]}}
    run = "rules: [{id: a, on: PostToolUse, run: {command: ./a.sh}}]"
    plant(
        base,
        {
            "config/settings.yaml": "hooks_from: [claude-code, afk]\n",
            USER: rules('include: ["pack:baseline", ./team.yaml]\ndeny: ["Bash(rm *)"]'),
            "config/team.yaml": rules('deny: ["Bash(make *)"]'),
            "config/policy.d/broken.yaml": "rulez: 1\n",
            "config/policy.d/lost.yaml": {"link": "nowhere"},
            "config/plugins/p/policy.yaml": rules('deny: ["Bash(ls *)"]'),
            "config/programs/a.yaml": rules("programs: {}"),
            PROJECT: rules(run),
            "project/.ostiary/a.sh": "true\n",
            "project/.claude/settings.json": json.dumps(hooks),
        },
    )
    places = find_places(str(base / "config"))
    desk = Desk(places, compile_source)
    for _ in range(2):
        with watched(monkeypatch) as seen, looking() as notes:
            roots = find_roots(str(base / "project"), str(base / "other"))
            snapshot(roots, str(base / "project"), desk, {})
        desk.memory.update(snapshot(roots, str(base / "project"), desk, {}).desk.memory)
    noted = {form for path in notes.paths for form in (path, os.path.realpath(path))}
    missed = {path for path in seen if path not in noted and os.path.realpath(path) not in noted}
    # of a way that ends early, what it was to lead to is noted
    missed = {path for path in missed if os.path.lexists(path) or not any(one.startswith(path) for one in noted)}
    assert {path for path in missed if not path.startswith((places.cache, "/proc"))} == set()
    assert len(noted) > 50
