"""`ostiary status`: what is in force, and what does not act with its reason."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from ostiary.engine import Engine
from ostiary.explain import REVIEWS, STATES, plain, status_json, status_lines
from ostiary.problems import Problem
from tables import read_table
from trees import plant

if os.name != "posix":
    pytest.skip("owners of POSIX", allow_module_level=True)

HERE = Path(__file__).parent
SCHEMA = json.loads((HERE.parent / "schemas" / "status.schema.json").read_text("utf-8"))
ROWS = read_table(HERE / "cases" / "explain" / "status.yaml")["cases"]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    found = tmp_path.resolve()
    plant(found, {"project/.git/HEAD": "ref: refs/heads/main\n", "config": None, "managed": None})
    return found


def load(base: Path) -> Engine:
    return Engine.load(config_dir=base / "config", project=base / "project", managed=base / "managed")


def told(base: Path) -> Any:
    """The status as JSON, which fits its schema."""
    found = json.loads(status_json(load(base).status()).replace(str(base), "BASE"))
    assert [error.message for error in Draft7Validator(SCHEMA).iter_errors(found)] == []
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["note"])
def test_what_is_in_force_and_what_is_not(row: dict[str, Any], base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(base, row["tree"])
    if "accepted" in row:
        monkeypatch.setattr(time, "time", lambda: 1_800_000_000)
        engine = load(base)
        for review in engine.pending:
            assert engine.accept(review, review.word, row["accepted"])
        monkeypatch.setattr(time, "time", lambda: 1_800_000_100)
    found = told(base)
    said = {
        "sources": [[source["tier"], source["file"], source["state"], source["review"]] for source in found["sources"]],
        "inactive": [[item["file"], item["line"], item["rule"], item["why"]] for item in found["inactive"]],
        "settings": [
            [setting[key] for key in ("key", "value", "by", "overruled") if key in setting]
            for setting in found["settings"]
            if setting["by"] != "default"
        ],
        "notes": found["notes"],
        "models": sorted([list(model.values()) for model in found["models"]], key=lambda model: model[1]),
        "problems": [str(Problem(**problem)) for problem in found["problems"]],
    }
    assert {key: said[key] for key in row["want"]} == row["want"]


def test_the_words_are_those_of_the_schema() -> None:
    definitions = SCHEMA["definitions"]
    assert set(definitions["source"]["properties"]["review"]["enum"]) == set(REVIEWS)
    assert set(definitions["inactive"]["properties"]["state"]["enum"]) <= set(STATES)


def test_how_it_looks(base: Path) -> None:
    project = "version: 1\nallow: ['Bash(make *)']\n"
    plant(
        base,
        {
            "config/policy.yaml": "version: 1\nrules: [{id: seen, decision: deny, reason: x, mode: observe}]\n",
            "config/settings.yaml": (
                "enable_shell_hooks: true\non_error: ask\n"
                "models: {default: {provider: openai, model: m-1, key_env: OSTIARY_NO_SUCH_KEY}}\n"
            ),
            "managed/settings.yaml": "enable_shell_hooks: false\n",
            "project/.ostiary/policy.yaml": project,
            "project/.ostiary/policy.d/broken.yaml": "version: 1\nrulez: []\n",
        },
    )
    engine = load(base)
    (review,) = engine.pending
    engine.accept(review, review.word, 86_400)
    mine, _, broken = (source.digest[:12] for source in engine.sources)
    text = plain(status_lines(engine.status())).replace(str(base), "BASE")
    shown = [line for line in text.splitlines() if not line.startswith(("generation", "mode  ", "  project current"))]
    assert shown == (
        "managed     BASE/managed\n"
        "user        BASE/config\n"
        "state       BASE/config/state\n"
        "project     BASE/project\n"
        "record      0 events, 0 stops, 0 verbs, 0 reloads\n"
        "service     none runs\n"
        "\n"
        "settings\n"
        "  enable_shell_hooks   false        managed settings; the user's `true` does not count\n"
        "  allow_project_hooks  false\n"
        "  enable_plugin_hooks  false\n"
        "  on_error             ask          the user's settings\n"
        "  on_unrecordable      continue\n"
        "  hooks_from           none\n"
        "  log.detail           redacted\n"
        "  log.days             90\n"
        "  http.listen          false\n"
        "  http.port            0\n"
        "  http.shared_host     false\n"
        "  trust                user\n"
        "\n"
        "models\n"
        "  default  m-1 of openai  key in OSTIARY_NO_SUCH_KEY  the user's settings\n"
        "    here the model `default` has no key: the variable `OSTIARY_NO_SUCH_KEY` is not set\n"
        "\n"
        "rule files\n"
        f"  user    current   BASE/config/policy.yaml  {mine}  1 rule\n"
        f"  project stand-in  .ostiary/policy.d/broken.yaml  {broken}  1 rule  waits for review\n"
        "                    .ostiary/policy.d/broken.yaml:2: unknown key `rulez`; it asks until it is mended\n"
        "\n"
        "what does not act\n"
        "  BASE/config/policy.yaml:2  user:policy/seen  it only observes\n"
        "\n"
        "to know\n"
        "  .ostiary/policy.d/broken.yaml:2: unknown key `rulez`; it asks until it is mended"
    ).split("\n")
    assert "user: rules, reviews, cache and program belong to the user" in text
    (current,) = (line for line in text.splitlines() if line.startswith("  project current"))
    assert current.split("  ")[-1].startswith("accepted until 2")
