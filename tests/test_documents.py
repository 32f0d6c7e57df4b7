"""What the documents show works, and the schemas are those of the models."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft7Validator
from ruamel.yaml import YAML

from ostiary import definitions, suites
from ostiary.build import compile_definitions, compile_file
from ostiary.commands import main
from ostiary.problems import Problem
from ostiary.programs import model
from ostiary.sources.places import LAYOUTS, Layout
from ostiary.tools import Role

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
BESIDE = "the handler of "  # needs a file that lies beside, which documents do not have
SCHEMAS = ("policy", "programs", "tools", "outcome", "status", "record", "suite")


def blocks(language: str) -> list[Any]:
    found = []
    for path in DOCUMENTS:
        texts = re.findall(rf"^```{language}\n(.*?)^```", path.read_text("utf-8"), re.MULTILINE | re.DOTALL)
        found += [pytest.param(text, id=f"{path.name} {number}") for number, text in enumerate(texts)]
    return found


@pytest.mark.parametrize("text", [block for block in blocks("yaml") if "\nrules:" in block.values[0]])
def test_rule_files_in_documents_are_good(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(text, "utf-8")
    main.run(["check", "--format", "json", str(path)])
    found = [problem["message"] for problem in json.loads(capsys.readouterr().out)["problems"]]
    assert [message for message in found if not message.startswith(BESIDE)] == []


@pytest.mark.skipif(sys.platform == "win32", reason="the program is for a POSIX shell")
def test_the_first_handler_in_the_documents_works(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs/handlers.md").read_text("utf-8")
    rule, program = (
        re.findall(rf"^```{kind}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[0] for kind in ("yaml", "sh")
    )
    console = re.findall(r"^\$ ostiary (eval .*)\n((?:.*\n)*?)\.\.\.$", page, re.MULTILINE)
    folder, project = tmp_path / "config" / "policy.d", tmp_path / "project"
    folder.mkdir(parents=True)
    project.mkdir()
    (folder / "migrations.yaml").write_text(rule)
    (folder / "check-migration.sh").write_text(program)
    (folder / "check-migration.sh").chmod(0o700)
    (tmp_path / "config" / "settings.yaml").write_text("enable_shell_hooks: true\n")
    ((command, printed),) = console
    main.run([*shlex.split(command), "--config-dir", str(folder.parent), "--project", str(project)])
    assert capsys.readouterr().out.startswith(printed)


@pytest.mark.parametrize("text", [block for block in blocks("yaml") if "\ncases:" in block.values[0]])
def test_suites_in_documents_hold_for_the_baseline(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "policy.yaml").write_text("version: 1\ninclude: [pack:baseline]\n", "utf-8")
    (tmp_path / "a.test.yaml").write_text(text, "utf-8")
    status = main.run(["test", "--config-dir", str(tmp_path), "--project", str(tmp_path)])
    out = capsys.readouterr().out
    assert "0 failures, 0 problems" in out, out
    assert status == 0


@pytest.mark.parametrize("code", blocks("python"))
def test_code_in_documents_runs(code: str, tmp_path: Path) -> None:
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy" / "policy.yaml").write_text("version: 1\ninclude: [pack:baseline]\n", "utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "home folder" in done.stdout


def test_no_document_holds_two_versions() -> None:
    assert [path.name for path in DOCUMENTS if re.search(r"^(<{7}|>{7}) ", path.read_text("utf-8"), re.MULTILINE)] == []


def test_links_lead_somewhere() -> None:
    for path in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text("utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_places_in_documents_are_those_of_every_system() -> None:
    text = (ROOT / "docs" / "how-answers-are-reached.md").read_text("utf-8")
    named = {"home": "~", "programs": "%ProgramFiles%", "roaming": "%AppData%", "local": "%LocalAppData%"}
    for kind in Layout._fields:
        cells = [f"`{getattr(LAYOUTS[system], kind).format_map(named)}`" for system in ("linux", "darwin", "win32")]
        assert f"| {' | '.join(cells)} |" in text, kind


def test_laws_are_written_down_and_name_tests_that_exist() -> None:
    text = (ROOT / "docs" / "laws.md").read_text("utf-8")
    written = set(re.findall(r"^\| (L\d+) \|", text, re.MULTILINE))
    sources = "".join(path.read_text("utf-8") for path in sorted((ROOT / "src").rglob("*.py")))
    named = {
        law
        for found in re.findall(r"laws? (L\d+(?:(?:, | and | to )L\d+)*)", sources)
        for law in re.findall(r"L\d+", found)
    }
    assert named <= written
    for name in re.findall(r"`(test_\w+|cases/[\w/]+)`", text):
        here = ROOT / "tests" / name
        assert any(path.exists() for path in (here, here.with_suffix(".py"), here.with_suffix(".yaml"))), name


def schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "schemas" / f"{name}.schema.json").read_text("utf-8"))
    return found


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_valid(name: str) -> None:
    Draft7Validator.check_schema(schema(name))


def test_the_schema_of_suites_is_fresh() -> None:
    assert schema("suite") == suites.json_schema(), "run `python tools/write_schemas.py`"


def test_the_schemas_of_definitions_are_fresh() -> None:
    assert schema("programs") == definitions.programs_schema(), "run `python tools/write_schemas.py`"
    assert schema("tools") == definitions.tools_schema(), "run `python tools/write_schemas.py`"


def as_data(text: bytes) -> Any:
    return YAML(typ="safe", pure=True).load(text)


PACKS = sorted(path for path in (ROOT / "policies").rglob("*.yaml") if not path.name.endswith(suites.SUFFIX))
SUITES = sorted((ROOT / "policies").rglob(f"*{suites.SUFFIX}"))


@pytest.mark.parametrize("path", PACKS, ids=lambda path: path.stem)
def test_shipped_rule_files_fit_their_schema(path: Path) -> None:
    assert [error.message for error in Draft7Validator(schema("policy")).iter_errors(as_data(path.read_bytes()))] == []


@pytest.mark.parametrize("path", SUITES, ids=lambda path: path.stem)
def test_shipped_suites_fit_their_schema(path: Path) -> None:
    assert [error.message for error in Draft7Validator(schema("suite")).iter_errors(as_data(path.read_bytes()))] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["git status"],
        ["rm -rf / && cat .env > $X"],
        ["bash -c '"],
        [""],
        ["--on", "Stop"],
        ["--tool", "Read", "--input", '{"file_path": ".env"}'],
        ["--tool", "mcp__a__b", "--input", '{"url": "https://example.com/"}'],
        ["--prompt", "hello"],
    ],
    ids=str,
)
@pytest.mark.parametrize("verb", ["eval", "explain"])
def test_outcomes_fit_their_schema(
    verb: str, arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "version: 1\ninclude: [pack:baseline]\nallow: ['Bash(git status)']\nrules: [{id: c, context: x}]\n"
    (tmp_path / "policy.yaml").write_text(text, "utf-8")
    main.run([verb, "--json", "--config-dir", str(tmp_path), "--project", str(tmp_path), *arguments])
    outcome = json.loads(capsys.readouterr().out)
    assert [error.message for error in Draft7Validator(schema("outcome")).iter_errors(outcome)] == []


DATA = sorted((ROOT / "src/ostiary/programs/data").glob("[a-z]*.yaml"))


@pytest.mark.parametrize("path", DATA, ids=lambda path: path.stem)
def test_shipped_programs_fit_their_schema(path: Path) -> None:
    assert [
        error.message for error in Draft7Validator(schema("programs")).iter_errors(as_data(path.read_bytes()))
    ] == []


def test_the_page_on_definitions_names_every_role_and_trait() -> None:
    page = re.sub("```.*?```", "", (ROOT / "docs" / "definitions.md").read_text("utf-8"), flags=re.DOTALL)
    named = {word for text in re.findall("`([^`]+)`", page) for word in re.findall(r"[a-z-]+", text)}
    words = {*model.VALUE_ROLES, *model.OPTION_ROLES, *model.TRAITS, *get_args(Role), *definitions.Entry.model_fields}
    assert words - {"", "traits"} - named == set()


@pytest.mark.parametrize("text", [block for block in blocks("yaml") if "/ostiary/" in block.values[0].split("\n")[0]])
def test_definitions_in_documents_are_good(text: str) -> None:
    defined = "programs" if "/programs/" in text.split("\n")[0] else "tools"
    plan = compile_definitions(text.encode(), "x.yaml", defined)  # type: ignore[arg-type]
    assert plan.programs or plan.tools


# Packs.


@pytest.mark.parametrize("path", [path for path in PACKS if path.parent.name == "policies"], ids=lambda path: path.stem)
def test_packs_have_reasons_and_examples_and_no_warnings(path: Path) -> None:
    _, warnings = compile_file(path.read_bytes(), path.name)
    assert list(warnings) == list[Problem]()
    for rule in as_data(path.read_bytes())["rules"]:
        assert rule["reason"], rule["id"]
        assert rule["examples"]["match"], rule["id"]
        assert rule["examples"]["not_match"], rule["id"]
