"""The engine as embedders use it: loading, deciding, reloading, trust, and the tiers together."""

from __future__ import annotations

import asyncio
import os
import re
import stat
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import ostiary
from ostiary import Engine, Event, FixedFacts, Given, Outcome, Verdict
from ostiary.facts import FactRequest
from ostiary.policy import ModelPlan
from ostiary.sources import store
from ostiary.sources.files import Unreadable
from ostiary.sources.places import Managed
from payloads import AGENT, bash, raw
from trees import plant

if sys.platform == "win32":
    pytest.skip("owners and paths of POSIX", allow_module_level=True)


def deny(pattern: str) -> str:
    return f'version: 1\ndeny: ["{pattern}"]\n'


def allow(pattern: str) -> str:
    return f'version: 1\nallow: ["{pattern}"]\n'


BROKEN = "version: 1\nrulez: []\n"
BRANCH = """
version: 1
rules:
  - id: not-on-main
    when: {command: {program: git, subcommand: push}, branch: main}
    decision: deny
    reason: main is protected
"""


@pytest.fixture
def base(tmp_path: Path) -> Path:
    found = tmp_path.resolve()
    plant(found, {"project/.git/HEAD": "ref: refs/heads/main\n", "config": None, "managed": None})
    return found


def load(base: Path, **more: Any) -> Engine:
    return Engine.load(config_dir=base / "config", project=base / "project", managed=base / "managed", **more)


def call(base: Path, command: str, cwd: str = "project", **fields: Any) -> Event:
    return Event.from_call("bash", {"command": command}, cwd=str(base / cwd), **fields)


def verdict(engine: Engine, base: Path, command: str, cwd: str = "project", **fields: Any) -> str:
    return str(engine.decide(call(base, command, cwd, **fields)).verdict)


def test_the_tiers_together(base: Path) -> None:
    plant(
        base,
        {
            "managed/policy.yaml": deny("Bash(rm *)"),
            "config/policy.yaml": allow("Bash(rm *)"),
            "config/policy.d/a.yaml": allow("Bash(make *)"),
            "project/.ostiary/policy.yaml": deny("Bash(make clean*)"),
        },
    )
    engine = load(base)
    assert [(item.tier, item.state, item.reviewed) for item in engine.sources] == [
        ("managed", "current", True),
        ("user", "current", True),
        ("user", "current", True),
        ("project", "current", False),
    ]
    assert verdict(engine, base, "rm x") == "deny"
    assert verdict(engine, base, "make all") == "allow"
    assert verdict(engine, base, "make clean") == "deny"
    assert verdict(engine, base, "ls") == "none"
    assert engine.problems == ()
    assert [len(item.digest) for item in engine.sources] == [64] * 4
    assert engine.sources[3].label == ".ostiary/policy.yaml"


def test_a_managed_place_that_fails_its_checks_asks(base: Path) -> None:
    plant(base, {"managed/policy.yaml": deny("Bash(rm *)")})
    (base / "managed").chmod(0o777)
    engine = load(base)
    assert verdict(engine, base, "ls") == "ask"
    assert {problem.message for problem in engine.problems} == {
        f"`{base}/managed` can be written by users who are no administrators"
    }
    (base / "managed").chmod(0o755)
    assert engine.reload()
    assert verdict(engine, base, "ls") == "none"


def test_a_managed_place_checked_to_the_root(base: Path) -> None:
    plant(base, {"managed/policy.yaml": deny("Bash(rm *)")})
    managed = Managed(str(base / "managed"), frozenset({os.geteuid() + 1}))
    engine = Engine.load(base / "config", base / "project", managed=managed)
    assert verdict(engine, base, "ls") == "ask"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"tool": 3}, "`tool` must be the name of a tool, such as `bash`"),
        ({"tool": ""}, "`tool` must be the name of a tool, such as `bash`"),
        ({"input": "ls"}, "`input` must be a mapping of argument names to values"),
        ({"input": {1: "ls"}}, "`input` must be a mapping of argument names to values"),
        ({"cwd": Path("/w")}, "`cwd` must be text"),
        ({"mode": 1}, "`mode` must be text"),
        ({"name": "PreToolUze"}, "unknown event `PreToolUze`; did you mean `PreToolUse`?"),
    ],
)
def test_what_is_no_call_is_refused(arguments: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        Event.from_call(**{"tool": "bash", "input": {}, **arguments})


@pytest.mark.parametrize(
    ("tool", "called"), [("Bash", "bash"), ("bash", "bash"), ("Read", "Read"), ("mcp__a__b", "mcp__a__b"), ("x", "x")]
)
def test_an_alias_of_one_tool_means_that_tool(tool: str, called: str) -> None:
    event = Event.from_call(tool, {})
    assert (event.tool, event.native_tool) == (called, tool)


@pytest.mark.parametrize("input", [{"cmd": "rm -rf /"}, {}, {"command": 3}])
def test_a_shell_without_its_command_asks(base: Path, input: dict[str, Any]) -> None:
    plant(base, {"config/policy.yaml": deny("Bash(rm *)")})
    sent = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/w", "tool_name": "Bash", "tool_input": input}
    asked = {load(base).decide(Event.from_call("Bash", input)).verdict, load(base).decide(sent, "claude-code").verdict}
    assert asked == {Verdict.ASK}


def test_a_broken_managed_file_keeps_its_last_good_rules(base: Path) -> None:
    plant(base, {"managed/policy.yaml": deny("Bash(rm *)")})
    engine = load(base)
    plant(base, {"managed/policy.yaml": BROKEN})
    engine.reload()
    assert verdict(engine, base, "rm x") == "deny"
    outcome = engine.decide(call(base, "ls"))
    assert outcome.verdict == Verdict.NONE
    assert outcome.problems == (f"{base}/managed/policy.yaml:2: unknown key `rulez`; its last good version acts",)
    assert engine.sources[0].state == "last good"


def test_a_broken_project_file_keeps_no_higher_rule_from_acting(base: Path) -> None:
    plant(base, {"project/.ostiary/policy.yaml": BROKEN})
    engine = load(base)
    assert engine.sources[0].state == "stand-in"
    assert verdict(engine, base, "touch x") == "ask"
    plant(base, {"managed/policy.yaml": deny("Bash(touch *)")})
    engine.reload()
    assert verdict(engine, base, "touch x") == "deny"


def test_payloads(base: Path) -> None:
    plant(base, {"config/policy.yaml": deny("Bash(rm *)")})
    engine = load(base)
    payload = bash("rm x", str(base / "project"))
    assert engine.decide(payload, AGENT).verdict == Verdict.DENY
    assert engine.decide(raw(payload), AGENT) == engine.decide(payload, AGENT)


@pytest.mark.parametrize(
    ("payload", "agent", "message"),
    [
        ({}, None, "a payload needs the agent that sent it, one of: claude-code"),
        ({}, "nobody", "a payload needs the agent that sent it, one of: claude-code"),
        (b"not json", AGENT, "the hook's input is not JSON"),
        ({"hook_event_name": "PreToolUse"}, AGENT, "the hook's input names no tool"),
    ],
)
def test_payloads_that_cannot_be_read(payload: Any, agent: str | None, message: str, base: Path) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        load(base).decide(payload, agent)


def test_explain_shows_every_rule(base: Path) -> None:
    plant(base, {"config/policy.yaml": 'version: 1\ndeny: ["Bash(rm *)"]\nask: ["Bash(mv *)"]\n'})
    engine = load(base)
    event = call(base, "rm x")
    assert len(engine.explain(event).trail) == 2
    assert engine.explain(event).verdict == engine.decide(event).verdict == Verdict.DENY


def test_adecide(base: Path) -> None:
    plant(base, {"config/policy.yaml": BRANCH})
    engine = load(base)
    event = call(base, "git push")
    assert asyncio.run(engine.adecide(event)) == engine.decide(event)
    assert engine.decide(event).reason == "main is protected"


def test_fixed_facts(base: Path) -> None:
    plant(base, {"config/policy.yaml": BRANCH})
    start = str(base / "project")
    given = Given(start=start, roots=(start,), workdirs=(start,))
    facts = FixedFacts(given, {FactRequest("branch", start): "side"})
    assert verdict(load(base, facts=facts), base, "git push") == "none"


# Reload


def test_reload(base: Path) -> None:
    plant(base, {"config/policy.yaml": deny("Bash(rm *)")})
    engine = load(base)
    first = engine.generation
    assert not engine.reload()
    plant(base, {"config/policy.yaml": deny("Bash(mv *)")})
    assert verdict(engine, base, "rm x") == "deny"
    assert engine.reload()
    assert (verdict(engine, base, "rm x"), verdict(engine, base, "mv x y")) == ("none", "deny")
    assert engine.generation != first
    plant(base, {"config/policy.yaml": deny("Bash(rm *)")})
    engine.reload()
    assert engine.generation == first


def test_unchanged_plans_are_used_again(base: Path) -> None:
    plant(base, {"config/policy.yaml": deny("Bash(rm *)"), "config/policy.d/a.yaml": deny("Bash(mv *)")})
    engine = load(base)
    before = [standing.plan for standing in engine.sources]
    plant(base, {"config/policy.yaml": deny("Bash(cp *)")})
    engine.reload()
    after = [standing.plan for standing in engine.sources]
    assert after[1] is before[1]
    assert after[0] is not before[0]


def test_an_event_in_flight_keeps_its_policy(base: Path) -> None:
    plant(base, {"config/policy.yaml": BRANCH})

    class Reloading(FixedFacts):
        def answer(self, request: FactRequest) -> object:
            if request.name == "branch":
                (base / "config/policy.yaml").unlink()
                engine.reload()
            return "main" if request.name == "branch" else super().answer(request)

    start = str(base / "project")
    engine = load(base, facts=Reloading(Given(start=start, roots=(start,), workdirs=(start,))))
    assert verdict(engine, base, "git push") == "deny"
    assert verdict(engine, base, "git push") == "none"


def test_a_reload_that_fails_leaves_everything(base: Path) -> None:
    plant(base, {"config/policy.yaml": deny("Bash(rm *)")})
    engine = load(base)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ostiary.sources.snapshot.discover_own", lambda places: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            engine.reload()
    assert verdict(engine, base, "rm x") == "deny"


# Projects


def test_a_session_never_loses_rules_by_moving(base: Path) -> None:
    plant(base, {"other/.ostiary/policy.yaml": deny("Bash(rm *)"), "third": None})
    engine = load(base)
    assert verdict(engine, base, "rm x", session="s") == "none"
    assert verdict(engine, base, "rm x", "other", session="s") == "deny"
    assert verdict(engine, base, "rm x", "third", session="s") == "deny"
    assert verdict(engine, base, "rm x", "third", session="t") == "none"
    assert verdict(engine, base, "rm x", "third") == "none"


def test_further_projects_are_read_once_between_reloads(base: Path) -> None:
    plant(base, {"other/.ostiary/policy.yaml": deny("Bash(rm *)")})
    engine = load(base)
    assert verdict(engine, base, "rm x", "other") == "deny"
    plant(base, {"other/.ostiary/policy.yaml": deny("Bash(mv *)")})
    assert verdict(engine, base, "rm x", "other") == "deny"
    engine.reload()
    assert verdict(engine, base, "rm x", "other") == "none"


def test_memory_is_bounded(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ostiary.sources.visited.MOST", 2)
    monkeypatch.setattr("ostiary.sources.snapshot._KEPT", 2)
    engine = load(base)
    for number in range(4):
        plant(base, {f"p{number}/.ostiary/policy.yaml": deny("Bash(rm *)")})
        assert verdict(engine, base, "rm x", f"p{number}", session=f"s{number}") == "deny"
    assert verdict(engine, base, "rm x", "p0") == "deny"


# Trust


def test_accept_and_revoke(base: Path) -> None:
    plant(base, {"project/.ostiary/policy.yaml": allow("Bash(make *)")})
    engine = load(base)
    (review,) = engine.pending
    assert [item.kind for item in review.permits] == ["allow"]
    assert review.root == str(base / "project")
    assert not engine.accept(review, None)
    assert not engine.accept(review, "yes")
    assert verdict(engine, base, "make all") == "none"
    assert engine.accept(review, review.word)
    assert verdict(engine, base, "make all") == "allow"
    assert engine.pending == ()
    engine.revoke()
    assert verdict(engine, base, "make all") == "none"
    assert len(engine.pending) == 1


def test_what_is_accepted_is_what_was_shown(base: Path) -> None:
    plant(base, {"project/.ostiary/policy.yaml": allow("Bash(make *)")})
    engine = load(base)
    (review,) = engine.pending
    plant(base, {"project/.ostiary/policy.yaml": allow("Bash(rm *)")})
    assert engine.accept(review, review.word)
    assert verdict(engine, base, "rm x") == "none"


def test_a_review_covers_included_files(base: Path) -> None:
    plant(
        base,
        {
            "project/.ostiary/policy.yaml": "version: 1\ninclude: [./more.yaml]\n",
            "project/.ostiary/more.yaml": allow("Bash(make *)"),
        },
    )
    engine = load(base)
    (review,) = engine.pending
    assert engine.accept(review, review.word)
    assert verdict(engine, base, "make all") == "allow"
    plant(base, {"project/.ostiary/more.yaml": allow("Bash(rm *)")})
    engine.reload()
    assert verdict(engine, base, "rm x") == "none"


def accepted(base: Path, **more: Any) -> Engine:
    """An engine whose project allows `make`, reviewed."""
    plant(base, {"project/.ostiary/policy.yaml": allow("Bash(make *)")})
    engine = load(base)
    (review,) = engine.pending
    assert engine.accept(review, review.word, **more)
    return engine


def test_what_is_taken_back_elsewhere_acts_on_the_next_event(base: Path) -> None:
    engine = accepted(base)
    assert verdict(engine, base, "make all") == "allow"
    assert store.remove(str(base / "config/state"), str(base / "project"))
    assert verdict(engine, base, "make all") == "none"


def test_settings_that_change_act_on_the_next_event(base: Path) -> None:
    engine = accepted(base)
    plant(base, {"managed/settings.yaml": "trust: managed-only\n"})
    assert verdict(engine, base, "make all") == "none"


def test_a_review_expires_between_two_events(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = accepted(base, lasts=60)
    assert verdict(engine, base, "make all") == "allow"
    later = time.time() + 61
    monkeypatch.setattr(time, "time", lambda: later)
    assert verdict(engine, base, "make all") == "none"
    (review,) = engine.pending
    assert review.earlier is not None
    assert (review.earlier.same, review.added, review.removed) == (True, (), ())
    assert engine.accept(review, review.word)
    assert verdict(engine, base, "make all") == "allow"


def test_what_was_accepted_before_is_compared(base: Path) -> None:
    engine = accepted(base)
    plant(base, {"project/.ostiary/policy.yaml": "# moved\n" + allow("Bash(make *)") + 'deny: ["Bash(rm *)"]\n'})
    engine.reload()
    (review,) = engine.pending
    assert (review.added, review.removed) == ((), ())
    plant(base, {"project/.ostiary/policy.yaml": allow("Bash(rm *)")})
    engine.reload()
    (review,) = engine.pending
    assert [permit.rule for permit in review.added] == ["allow:Bash(rm *)"]
    assert [permit.rule for permit in review.removed] == ["allow:Bash(make *)"]
    (kept,) = (base / "config/state/reviews").iterdir()
    kept.write_text("[")
    (review,) = engine.pending
    assert review.earlier is not None
    assert review.earlier.permits is None
    assert review.added == review.permits
    assert engine.accept(review, review.word)
    assert engine.revoke(".ostiary/policy.yaml")
    assert verdict(engine, base, "rm x") == "none"


def test_permits_are_kept_of_reviews_alone(base: Path) -> None:
    engine = accepted(base)
    folder = base / "config/state/reviews"
    (first,) = os.listdir(folder)
    engine.revoke()
    plant(base, {"project/.ostiary/policy.yaml": allow("Bash(rm *)")})
    engine.reload()
    (review,) = engine.pending
    assert engine.accept(review, review.word)
    assert os.listdir(folder) == [f"{review.digest}.json"] != [first]
    assert stat.S_IMODE((folder / f"{review.digest}.json").stat().st_mode) == 0o600


def test_managed_settings_may_count_no_reviews_of_users(base: Path) -> None:
    engine = accepted(base)
    plant(base, {"managed/settings.yaml": "trust: managed-only\n"})
    engine.reload()
    assert verdict(engine, base, "make all") == "none"
    (review,) = engine.pending
    assert not engine.accept(review, review.word)
    plant(base, {"managed/settings.yaml": f"trust: managed-only\ntrusted: [{review.digest}]\n"})
    engine.reload()
    assert engine.pending == ()
    assert verdict(engine, base, "make all") == "allow"
    plant(base, {"project/.ostiary/policy.yaml": allow("Bash(*)")})
    engine.reload()
    assert verdict(engine, base, "make all") == "none"


@pytest.mark.parametrize("said", ["trust: managed-only", "trust: user", "trusted: []"])
def test_only_managed_settings_say_whose_reviews_count(said: str, base: Path) -> None:
    engine = accepted(base)
    plant(base, {"config/settings.yaml": f"{said}\nenable_shell_hooks: true\n"})
    engine.reload()
    assert [problem.message for problem in engine.problems] == ["only managed settings may say this"]
    assert not engine.gates.enable_shell_hooks
    assert verdict(engine, base, "make all") == "allow"


@pytest.mark.parametrize("said", ["trust: nobody", "trusted: [1]", "trusted: [abc]", "trusted: x", "["])
def test_managed_settings_that_are_broken_count_no_reviews_of_users(said: str, base: Path) -> None:
    engine = accepted(base)
    plant(base, {"managed/settings.yaml": f"{said}\n"})
    engine.reload()
    assert [problem.severity for problem in engine.problems] == ["error"]
    assert verdict(engine, base, "make all") == "none"


def test_a_store_that_cannot_be_written(base: Path) -> None:
    plant(base, {"project/.ostiary/policy.yaml": allow("Bash(make *)")})
    engine = load(base)
    (review,) = engine.pending
    plant(base, {"config/state/trust.json": "damaged"})
    with pytest.raises(Unreadable):
        engine.accept(review, review.word)
    engine.reload()
    (problem,) = engine.problems
    assert problem.message == "nothing counts as reviewed, because it is damaged"
    assert len(engine.decide(call(base, "ls")).problems) == 1


# Settings


def test_gates_are_closed_unless_settings_open_them(base: Path) -> None:
    engine = load(base)
    assert not engine.gates.enable_shell_hooks
    plant(base, {"config/settings.yaml": "enable_shell_hooks: true\nallow_project_hooks: true\n"})
    engine.reload()
    assert engine.gates == type(engine.gates)(enable_shell_hooks=True, allow_project_hooks=True)
    plant(base, {"managed/settings.yaml": "allow_project_hooks: false\nenable_plugin_hooks: true\n"})
    engine.reload()
    assert engine.gates == type(engine.gates)(enable_shell_hooks=True, enable_plugin_hooks=True)


@pytest.mark.parametrize("text", ["enable_shell_hooks: 1", "enable_shell_hooks: yes", "enable_shel_hooks: true", "["])
def test_only_true_opens_a_gate(text: str, base: Path) -> None:
    plant(base, {"config/settings.yaml": text})
    engine = load(base)
    assert engine.gates == type(engine.gates)()
    assert [problem.severity for problem in engine.problems] == ["error"]


def test_models_of_both_settings(base: Path) -> None:
    one = "models: {default: {provider: openai, model: m-1, base_url: 'http://127.0.0.1:1/v1'}"
    plant(base, {"config/settings.yaml": one + ", fast: {provider: openai, model: m-2}}"})
    own = ModelPlan("default", "user", "openai", "m-1", "http://127.0.0.1:1/v1")
    fast = ModelPlan("fast", "user", "openai", "m-2")
    assert load(base).settings.models == (own, fast)
    two = "models: {default: {provider: anthropic, model: m-3, key_env: ACME_KEY}}"
    plant(base, {"managed/settings.yaml": two})
    assert load(base).settings.models == (ModelPlan("default", "managed", "anthropic", "m-3", "", "ACME_KEY"), fast)
    plant(base, {"config/settings.yaml": "models: {default: {provider: openai, model: m-1, base_url: h/v1}}"})
    engine = load(base)
    assert [(problem.where, problem.message) for problem in engine.problems] == [
        ("models.default.base_url", "expected the address of a server")
    ]
    assert [plan.tier for plan in engine.settings.models] == ["managed"]


@pytest.mark.parametrize("path", ["managed/settings.yaml", "config/settings.yaml"])
def test_settings_that_cannot_be_read(path: str, base: Path) -> None:
    plant(base, {path: {"fifo": True}, "config/policy.d": None})
    engine = load(base)
    (problem,) = engine.problems
    assert problem.message == "it is not a regular file"
    assert not engine.gates.enable_shell_hooks


def test_managed_settings_that_others_can_write_close_all_gates(base: Path) -> None:
    plant(
        base, {"managed/settings.yaml": "enable_shell_hooks: true", "config/settings.yaml": "enable_shell_hooks: true"}
    )
    (base / "managed/settings.yaml").chmod(0o666)
    engine = load(base)
    assert not engine.gates.enable_shell_hooks
    assert len(engine.problems) == 1


def test_a_project_cannot_set_gates(base: Path) -> None:
    plant(base, {"project/.ostiary/settings.yaml": "enable_shell_hooks: true"})
    engine = load(base)
    assert not engine.gates.enable_shell_hooks
    (problem,) = engine.problems
    assert (problem.message, problem.severity) == ("a project cannot set gates, and this file is not read", "warning")


# The package


def test_public_names() -> None:
    assert ostiary.__version__ in (Path(__file__).parent.parent / "pyproject.toml").read_text("utf-8")
    assert set(dir(ostiary)) >= {"Engine", "Event", "Outcome"}
    for name in ostiary.__all__:
        assert getattr(ostiary, name) is not None
    assert ostiary.Outcome is Outcome
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = ostiary.nothing


def test_an_engine_in_the_current_folder(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(base, {"project/.ostiary/policy.yaml": deny("Bash(rm *)")})
    monkeypatch.chdir(base / "project")
    engine = Engine.load(config_dir=base / "config")
    assert verdict(engine, base, "rm x") == "deny"
