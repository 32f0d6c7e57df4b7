"""The files that a project's handlers name belong to what is reviewed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ostiary.engine import Engine
from trees import plant

RULES = """version: 1
rules:
  - {{id: a, run: {{{run}}}}}
"""


def planted(base: Path, run: str) -> Engine:
    plant(base, {"repo/.git/HEAD": "ref: refs/heads/main\n", "repo/.ostiary/policy.yaml": RULES.format(run=run)})
    plant(base, {"repo/.ostiary/check.sh": "exit 0\n", "repo/tools/check.sh": "exit 0\n", "repo/other.sh": "exit 0\n"})
    plant(base, {"outside.sh": "exit 0\n", "config": None, "managed": None})
    return Engine.load(base / "config", base / "repo", managed=base / "managed")


def accepted(engine: Engine) -> None:
    (review,) = engine.pending
    assert engine.accept(review, review.word)
    assert not engine.pending


@pytest.mark.parametrize(
    ("run", "script"),
    [
        ("command: ./check.sh", ".ostiary/check.sh"),
        ("command: ./check.sh, args: []", ".ostiary/check.sh"),
        ("command: sh, args: [check.sh]", ".ostiary/check.sh"),
        ("command: ../tools/check.sh", "tools/check.sh"),
        ("command: 'A=1 env -i sh ../tools/check.sh && true'", "tools/check.sh"),
        ("command: 'sh < tools/check.sh', cwd: project, accept_project_code: true", "tools/check.sh"),
    ],
)
@pytest.mark.parametrize("change", ["edited", "deleted", "a link"])
def test_a_changed_script_waits_again(tmp_path: Path, run: str, script: str, change: str) -> None:
    base = tmp_path.resolve()
    engine = planted(base, run)
    accepted(engine)
    path = base / "repo" / script
    if change == "edited":
        path.write_text("exit 1\n")
    else:
        path.unlink()
    if change == "a link":
        path.symlink_to(base / "outside.sh")
    engine.reload()
    assert engine.pending


def test_a_script_that_appears_waits_again(tmp_path: Path) -> None:
    base = tmp_path.resolve()
    engine = planted(base, "command: ./late.sh")
    accepted(engine)
    plant(base, {"repo/.ostiary/late.sh": "exit 0\n"})
    engine.reload()
    assert engine.pending


def test_other_files_change_nothing(tmp_path: Path) -> None:
    base = tmp_path.resolve()
    engine = planted(base, "command: ./check.sh")
    accepted(engine)
    (base / "repo/other.sh").write_text("exit 1\n")
    engine.reload()
    assert not engine.pending


def test_a_script_has_a_size(tmp_path: Path) -> None:
    base = tmp_path.resolve()
    engine = planted(base, "command: ./check.sh")
    (base / "repo/.ostiary/check.sh").write_text("#" * (1 << 20) + "\n")
    engine.reload()
    assert not engine.pending
    (problem,) = engine.problems
    assert problem.message.startswith("a handler names ")
    assert "it is larger than the 1048576 bytes" in problem.message
