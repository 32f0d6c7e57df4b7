"""Where settings files of other agents are found, and what of their hooks runs: `tests/cases/foreign/finding.yaml` and
`trust.yaml`, trees of files below a home, a project and a managed place."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ostiary.cold import HookCall, decide
from ostiary.engine import Engine
from ostiary.evaluate import evaluate
from ostiary.event import Event
from ostiary.facts import FixedFacts
from ostiary.foreign import Origin
from ostiary.host import Host, Means
from ostiary.perform import run
from ostiary.perform.handlers import perform
from ostiary.perform.runtime import Runtime
from ostiary.policy import HandlerPlan
from ostiary.sources import plugins
from ostiary.sources.compiled import Compiled
from ostiary.sources.compiling import compile_source
from ostiary.sources.discover import Source
from ostiary.sources.foreign import Where, discover_foreign
from ostiary.sources.places import Managed, Places
from payloads import AGENT, bash, raw
from tables import read_table
from trees import plant, relative

CASES = Path(__file__).parent / "cases" / "foreign"
OURS = frozenset({os.geteuid()})


def rows(name: str) -> list[Any]:
    table = read_table(CASES / f"{name}.yaml")
    return [pytest.param(row, id=row["note"]) for row in table]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    found = tmp_path.resolve()
    for name in ("home", "project/.git", "managed", "config"):
        (found / name).mkdir(parents=True, mode=0o755)
    return found


def planted(base: Path, tree: dict[str, Any]) -> None:
    """Files of hooks are written as commands (`{Event: [command, ...]}` below `hooks`) or as they are."""
    plant(base, {name: _text(base, content) for name, content in tree.items()})


def _text(base: Path, content: Any) -> Any:
    if not isinstance(content, dict) or set(content) in ({"link"}, {"fifo"}):
        return content
    hooks = content.get("hooks")
    if isinstance(hooks, dict):
        entries = {
            event: [{"hooks": [{"type": "command", "command": name} for name in names]}]
            for event, names in hooks.items()
            if all(isinstance(name, str) for name in names)
        }
        content = {**content, "hooks": {**hooks, **entries}}
    return json.dumps(content).replace("BASE", str(base))


def placed(base: Path, row: dict[str, Any]) -> Where:
    root, start = str(base / "project"), str(base / row.get("start", "project"))
    project = tuple(dict.fromkeys((root, start)))
    return Where(str(base / "home"), project, Managed(str(base / "managed"), OURS, top=str(base)))


def shown(source: Source, base: Path) -> list[Any]:
    assert source.origin
    said = {
        name: value
        for name in ("plugin", "off", "disabled", "passed", "urls")
        if (value := getattr(source.origin, name)) != Origin._field_defaults[name]
    }
    if source.problem:
        said["problem"] = source.problem.message
    if source.origin.servers:
        said["servers"] = [
            f"{server.name}: {' '.join(server.command) or server.url}" for server in source.origin.servers
        ]
    plain = {key: list(value) if isinstance(value, tuple) else value for key, value in said.items()}
    return [source.tier, relative(base, source.label), *([plain] if plain else [])]


@pytest.mark.parametrize("row", rows("finding"))
def test_finding(row: dict[str, Any], base: Path) -> None:
    planted(base, row["tree"])
    found = discover_foreign(row["agents"], placed(base, row))
    text = json.dumps([shown(source, base) for source in found.sources]).replace(str(base), "BASE")
    assert json.loads(text) == row["want"]
    told = [str(problem).replace(str(base), "BASE") for problem in found.problems]
    assert told == row.get("problems", [])


def engine(base: Path, hooks_from: Any = None) -> Engine:
    places = Places(
        managed=Managed(str(base / "policy"), OURS, top=str(base)),
        user=str(base / "config"),
        state=str(base / "state"),
        cache=str(base / "cache"),
        packs=str(base / "packs"),
        home=str(base / "home"),
    )
    return Engine(places, str(base / "project"), None, Host("afk", None, None, Means(), hooks_from))


def states(engine: Engine) -> dict[str, str]:
    """What becomes of each hook, by its command."""
    found = {}
    for rule in engine.policy.rules:
        if isinstance(rule.plan.handler, HandlerPlan):
            found[dict(rule.plan.handler.spec)["command"]] = rule.state
    return found


@pytest.mark.parametrize("row", rows("trust"))
def test_trust(row: dict[str, Any], base: Path) -> None:
    planted(base, row["tree"])
    found = engine(base)
    for review in found.pending if row.get("reviewed") else ():
        assert found.accept(review, review.word)
    assert list(states(found).items()) == [(name, state) for item in row["want"] for name, state in item.items()]
    told = [str(problem).replace(str(base), "BASE") for problem in found.problems]
    assert told == row.get("problems", [])


HOOKS = {"hooks": {"PreToolUse": ["x"]}}


def test_without_the_setting_nothing_is_read(base: Path) -> None:
    planted(base, {"home/.claude/settings.json": HOOKS})
    assert states(engine(base)) == {}


def test_an_embedder_may_want_hooks_and_managed_settings_go_before(base: Path) -> None:
    planted(base, {"home/.claude/settings.json": HOOKS})
    assert states(engine(base, ("claude-code",))) == {"x": "gated"}
    planted(base, {"policy/settings.yaml": "hooks_from: []\n"})
    assert states(engine(base, ("claude-code",))) == {}


def test_a_file_that_was_good_and_breaks_keeps_its_hooks(base: Path) -> None:
    planted(base, {"home/.claude/settings.json": HOOKS})
    found = engine(base, ("claude-code",))
    (base / "home/.claude/settings.json").write_text("{", "utf-8")
    found.reload()
    assert states(found) == {"x": "gated"}
    assert [problem.line for problem in found.problems] == [1]


def test_a_file_that_was_never_good_asks(base: Path) -> None:
    planted(base, {"home/.claude/settings.json": "{"})
    outcome = engine(base, ("claude-code",)).judge(Event.from_call("bash", {"command": "rm x"}, cwd=str(base)))
    assert str(outcome.verdict) == "ask"


def test_a_review_holds_while_the_hooks_are_what_they_were(base: Path) -> None:
    planted(base, {"project/.claude/settings.json": HOOKS})
    found = engine(base, ("claude-code",))
    (review,) = found.pending
    assert found.accept(review, review.word)
    planted(base, {"project/.claude/settings.json": {**HOOKS, "permissions": {"allow": ["Bash(ls)"]}}})
    found.reload()
    assert found.pending == ()
    planted(base, {"project/.claude/settings.json": {"hooks": {"PreToolUse": ["y"]}}})
    found.reload()
    assert len(found.pending) == 1


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_a_managed_file_that_others_can_write_is_broken(base: Path) -> None:
    planted(base, {"managed/managed-settings.json": HOOKS})
    (base / "managed/managed-settings.json").chmod(0o666)
    (source,) = discover_foreign(["claude-code"], placed(base, {})).sources
    assert source.problem
    assert source.problem.message == (f"`{source.path}` can be written by users who are no administrators")


def test_what_cannot_be_looked_at_holds_no_plugins(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted(base, {"home/.afk/plugins/demo/.claude-plugin/plugin.json": {"name": "demo"}})

    def denied(folder: str) -> list[str]:
        raise PermissionError(folder)

    monkeypatch.setattr(os, "listdir", denied)
    assert discover_foreign(["afk", "claude-code"], placed(base, {})).sources == ()


def test_no_more_folders_than_some_are_looked_at(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "_FOLDERS", 2)
    manifests = {f"home/.afk/plugins/{name}/.claude-plugin/plugin.json": {"name": name} for name in "abcd"}
    planted(base, manifests | {f"home/.afk/plugins/{name}/hooks/hooks.json": HOOKS for name in "abcd"})
    found = discover_foreign(["afk"], placed(base, {})).sources
    assert [source.origin and source.origin.plugin for source in found] == ["a", "b"]


def test_without_a_home_only_the_project_is_read(base: Path) -> None:
    planted(
        base, {"home/.claude/settings.json": HOOKS, "project/afk.config.json": HOOKS, "home/.afk/settings.json": {}}
    )
    found = discover_foreign(["afk", "claude-code"], placed(base, {})._replace(home=None))
    assert [source.label for source in found.sources] == ["afk.config.json"]
    assert found.problems == ()


@pytest.mark.skipif(os.name == "nt", reason="programs of POSIX")
def test_a_set_up_runs_as_it_is(base: Path) -> None:
    """A guard of Claude Code's user settings and one of a plugin of afk, under another agent."""
    guard = {"type": "command", "command": "grep -q secret && { echo no secrets >&2; exit 2; } || exit 0"}
    plugin = {"type": "command", "command": 'sh "${CLAUDE_PLUGIN_ROOT}/check.sh"', "timeout": 10}
    files = {
        "config/settings.yaml": "hooks_from: [claude-code, afk]\nenable_shell_hooks: true\nenable_plugin_hooks: true\n",
        "home/.claude/settings.json": {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [guard]}]}},
        "home/.afk/plugins/demo/.claude-plugin/plugin.json": {"name": "demo"},
        "home/.afk/plugins/demo/hooks/hooks.json": {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [plugin]}]}},
        "home/.afk/plugins/demo/check.sh": 'test "$AFK_TOOL_NAME" = bash && echo "$(pwd) no" >&2; exit 2',
    }
    planted(base, files)
    runtime = Runtime(project=str(base / "project"))

    def said(command: str) -> tuple[str, str | None]:
        event = Event.from_call("Bash", {"command": command}, cwd=str(base), agent="cursor")
        facts = FixedFacts()
        asked = evaluate(engine(base).policy, event, facts.given(event.cwd))
        outcome = run(asked, facts, lambda requests: perform(requests, runtime))
        return str(outcome.verdict), outcome.reason

    assert said("cat secret") == ("deny", "no secrets")
    assert said("ls") == ("deny", f"{base}/project no")


def test_a_hook_finds_them_and_keeps_their_plans(base: Path) -> None:
    home = Path(os.path.expanduser("~"))
    plant(base, {"config/settings.yaml": "hooks_from: [claude-code]\n"})
    plant(home, {".claude/settings.json": json.dumps({"hooks": {}})})
    compiled = []

    def compile(source: Source, places: Places) -> Compiled:
        compiled.append(source.label)
        return compile_source(source, places)

    call = HookCall(raw(bash("ls", str(base))), AGENT, None, str(base / "config"), str(base / "project"))
    decide(call, compile)
    assert str(home / ".claude/settings.json") in compiled
    decide(call)
