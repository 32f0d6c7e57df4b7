"""Bridges: `tests/cases/bridges/*.yaml`, run under Node with stand-ins for the hosts and for the hook."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ostiary.commands.shared import shipped
from ostiary.dialects import DIALECTS, OnError, Unreadable, receive
from ostiary.install import plan_plugin
from processes import PROGRAM
from tables import read_table

HERE = Path(__file__).parent
NODE = shutil.which("node") or ""
TABLES = {path.stem: read_table(path)["cases"] for path in sorted((HERE / "cases" / "bridges").glob("*.yaml"))}
BRIDGED = [name for name, dialect in DIALECTS.items() if dialect.registration.shape == "plugin"]
ROWS = [
    pytest.param(agent, index, id=f"{agent}: {row['note']}")
    for agent in TABLES
    for index, row in enumerate(TABLES[agent])
]

needs_node = pytest.mark.skipif(not NODE, reason="there is no Node")


def assembled(
    agent: str,
    command: list[str],
    timeout: int = 60_000,
    events: list[str] | None = None,
    on_error: OnError = "deny",
) -> str:
    """The plugin of an agent, as it is installed."""
    dialect = DIALECTS[agent]
    sources = [shipped.plugin(name) for name in dialect.registration.sources]
    text = plan_plugin(dialect, None, command, sources, events, on_error=on_error).after
    return text.replace(f'"timeout": {dialect.timeouts.registered}', f'"timeout": {timeout}')


class Run:
    """What one host did with all rows of its table, and what the hook was sent."""

    def __init__(self, agent: str, folder: Path) -> None:
        self.log = folder / "log"
        self.log.mkdir()
        rows = folder / "rows.json"
        rows.write_text(json.dumps(TABLES[agent]))
        command = [sys.executable, "-I", str(HERE / "bridges" / "hook.py"), str(rows), str(self.log), "hook"]
        plugins = {"steady": assembled(agent, command), "hasty": assembled(agent, command, 300)}
        plugins["wide"] = assembled(agent, command, events=list(DIALECTS[agent].events))
        nowhere = [str(folder / "nowhere" / "python")]
        plugins["dead"] = assembled(agent, nowhere)
        plugins["asking"] = assembled(agent, nowhere, on_error="ask")
        plugins["passing"] = assembled(agent, nowhere, on_error="continue")
        plugins["older"] = assembled(agent, nowhere).replace('"onError": "deny"', '"other": 1')
        for name, text in plugins.items():
            (folder / f"{name}.mjs").write_text(text)
        wanted = {
            "plugins": {name: str(folder / f"{name}.mjs") for name in plugins},
            "rows": TABLES[agent],
            "directory": str(folder),
        }
        done = subprocess.run(
            [NODE, str(HERE / "bridges" / "drive.mjs")],
            input=json.dumps(wanted),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        self.did: list[dict[str, Any]] = json.loads(done.stdout.replace(str(folder), "<folder>"))
        self.folder = str(folder)

    def sent(self, index: int) -> dict[str, Any] | None:
        path = self.log / f"{index}.json"
        return json.loads(path.read_text()) if path.exists() else None


RUNS: dict[str, Run] = {}


@pytest.fixture
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    def of(agent: str) -> Run:
        if agent not in RUNS:
            RUNS[agent] = Run(agent, tmp_path_factory.mktemp(agent))
        return RUNS[agent]

    return of


def holds(found: Any, wanted: Any) -> bool:
    """Whether everything that is wanted is in what was found."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(key in found and holds(found[key], wanted[key]) for key in wanted)
    return bool(found == wanted)


@needs_node
@pytest.mark.parametrize(("agent", "index"), ROWS)
def test_what_a_bridge_makes_of_an_answer(agent: str, index: int, run: Any) -> None:
    row, found = TABLES[agent][index], run(agent)
    assert found.did[index] == json.loads(json.dumps(row["did"]).replace("<session>", str(index)))
    sent = found.sent(index)
    if "sent" in row and row["sent"] is None:
        assert sent is None
    elif "sent" in row:
        assert holds(sent["payload"], row["sent"]), sent


@needs_node
@pytest.mark.parametrize("agent", TABLES)
def test_what_a_bridge_sends_is_read(agent: str, run: Any) -> None:
    """The tables of dialects and the bridges are two halves of one thing."""
    dialect, sent = DIALECTS[agent], [run(agent).sent(index) for index in range(len(TABLES[agent]))]
    seen = [item for item in sent if item]
    assert len(seen) > len(sent) // 2
    for item in seen:
        assert item["arguments"][:1] == ["hook"]
        assert item["arguments"][1:] == ["--event", item["payload"]["type"]]
        assert item["folder"] == (run(agent).folder if agent != "amp" else item["folder"])
        event = receive(dialect, json.dumps(item["payload"]).encode(), item["payload"]["type"])
        assert not isinstance(event, Unreadable), event
        assert event.session
        assert event.cwd in (item["folder"], item["payload"].get("cwd")) or "workdir" in event.native_input


def test_every_bridge_has_a_table() -> None:
    assert set(TABLES) == set(BRIDGED)


@pytest.mark.parametrize("agent", BRIDGED)
def test_the_code_is_shipped_and_small(agent: str) -> None:
    for name in DIALECTS[agent].registration.sources:
        lines = shipped.plugin(name).splitlines()
        assert len(lines) < 200
        assert max(map(len, lines)) <= 120


POLICY = """\
version: 1
rules:
  - {id: press, when: {command: {program: press}}, decision: deny, reason: it is hot}
"""


@needs_node
def test_a_bridge_and_the_real_hook(tmp_path: Path) -> None:
    """From the host's hook through the real engine and back, with a policy in a folder of its own."""
    policy = tmp_path / "config"
    policy.mkdir(mode=0o700)
    (policy / "policy.yaml").write_text(POLICY)
    (tmp_path / "work").mkdir()
    for agent in BRIDGED:
        command = [*PROGRAM, "hook", "--agent", agent, "--config-dir", str(policy)]
        (tmp_path / f"{agent}.mjs").write_text(assembled(agent, command))
    rows = [
        {
            "host": "opencode-1",
            "on": "tool.execute.before",
            "tool": "bash",
            "output": {"args": {"command": "press -w 4"}},
        },
        {"host": "opencode-1", "on": "tool.execute.before", "tool": "bash", "output": {"args": {"command": "wash"}}},
    ]
    path = str(tmp_path / "opencode.mjs")
    wanted = {
        "plugins": dict.fromkeys(("steady", "hasty", "wide", "dead"), path),
        "rows": rows,
        "directory": str(tmp_path / "work"),
    }
    done = subprocess.run(
        [NODE, str(HERE / "bridges" / "drive.mjs")],
        input=json.dumps(wanted),
        capture_output=True,
        text=True,
        check=True,
    )
    denied, silent = json.loads(done.stdout)
    assert denied["thrown"].startswith("it is hot")
    assert silent == {"output": {"args": {"command": "wash"}}, "same": True}
