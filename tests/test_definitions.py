"""Files that say what programs do and what arguments of tools mean, from the folder to the answer."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ostiary import Engine, Event
from ostiary.build import compile_definitions
from ostiary.trust import review
from trees import plant

if sys.platform == "win32":
    pytest.skip("owners and paths of POSIX", allow_module_level=True)

SECRETS = 'version: 1\nrules: [{id: env, when: {reads: ["**/.env"]}, decision: deny, reason: no}]\n'
READS = "frob: {operands: read...}\n"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    found = tmp_path.resolve()
    plant(found, {"project/.git/HEAD": "ref: refs/heads/main\n", "config/policy.yaml": SECRETS, "managed": None})
    return found


def load(base: Path) -> Engine:
    return Engine.load(config_dir=base / "config", project=base / "project", managed=base / "managed")


def verdict(engine: Engine, base: Path) -> str:
    return str(engine.decide(Event.from_call("bash", {"command": "frob .env"}, cwd=str(base / "project"))).verdict)


def test_a_definition_acts_from_the_next_load_on_and_is_part_of_the_generation(base: Path) -> None:
    engine = load(base)
    before = engine.generation
    assert verdict(engine, base) == "ask"
    plant(base, {"config/programs/ours.yaml": READS})
    engine.reload()
    assert verdict(engine, base) == "deny"
    assert engine.generation != before
    assert verdict(load(base), base) == "deny"  # from the cached plan


def test_a_broken_file_keeps_its_last_good_and_says_so(base: Path) -> None:
    plant(base, {"config/programs/ours.yaml": READS})
    engine = load(base)
    assert verdict(engine, base) == "deny"
    plant(base, {"config/programs/ours.yaml": "frob: {operands: raed...}\n"})
    engine.reload()
    assert verdict(engine, base) == "deny"
    place = base / "config/programs/ours.yaml"
    assert engine.policy.notes == (f"{place}:1: `raed` is no role of a value; its last good version acts",)
    assert [str(problem) for problem in engine.problems] == [
        f"{place}:1:18: frob.operands: `raed` is no role of a value\n  help: did you mean `read`?"
    ]


def test_a_file_that_was_never_good_defines_nothing(base: Path) -> None:
    plant(base, {"config/programs/ours.yaml": "frob: [", "config/tools/ours.yml": "[]"})
    engine = load(base)
    assert verdict(engine, base) == "ask"
    assert [note.removeprefix(str(base)).partition(": ")[2] for note in engine.policy.notes] == [
        "the bracket is not closed; what it defines is not known until it is mended",
        "it is not read, as rule files end in `.yaml`; what it defines is not known until it is mended",
    ]


def test_a_projects_definitions_wait_for_review(base: Path) -> None:
    plant(
        base,
        {
            "project/.ostiary/programs/p.yaml": "frob fr: {operands: read...}\n",
            "project/.ostiary/tools/t.yaml": "- {server: fs, tool: get, complete: true, arguments: {p: read, q: data}}",
        },
    )
    engine = load(base)
    assert verdict(engine, base) == "ask"
    assert engine.policy.warnings == (
        ".ostiary/programs/p.yaml: what it defines waits for review",
        ".ostiary/tools/t.yaml: what it defines waits for review",
    )
    programs, tools = engine.pending
    assert [(permit.kind, permit.line, permit.text) for permit in programs.permits] == [
        ("program", 1, 'frob: {"operands": "read..."}'),
        ("program", 1, 'fr: {"operands": "read..."}'),
    ]
    assert [(permit.kind, permit.text) for permit in tools.permits] == [
        ("tool", "fs / get: p: read, q: data, and nothing besides")
    ]
    engine.accept(programs, programs.word)
    assert verdict(engine, base) == "deny"


def test_a_tool_of_no_server_is_shown_alone() -> None:
    plan = compile_definitions(b"- {tool: get, arguments: {p: read}}\n", "t.yaml", "tools")
    assert [permit.text for permit in review(plan, "/work").permits] == ["get: p: read"]
