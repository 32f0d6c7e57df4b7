"""The decision in a hook's own process: cached plans, admission, and what happens when something is broken."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ostiary import cold
from ostiary.cold import HookCall, Miss, decide
from ostiary.dialects import Answer
from ostiary.engine import Engine
from ostiary.event import Event
from ostiary.perform import repeats
from ostiary.policy import Gates
from ostiary.problems import Problem
from ostiary.sources import admit, store
from ostiary.sources.compiled import Compiled
from ostiary.sources.compiling import compile_source
from ostiary.sources.discover import Source
from ostiary.sources.ours import find_ours
from ostiary.sources.places import NoPlace, Places, find_places
from payloads import AGENT, bash, raw, stop
from trees import plant

if sys.platform == "win32":
    pytest.skip("paths of POSIX", allow_module_level=True)

DENY_RM = 'version: 1\ndeny: ["Bash(rm *)"]\n'
ALLOW_LS = 'version: 1\nallow: ["Bash(ls *)"]\n'
BROKEN = "version: 1\nrulez: []\n"


class Machine:
    """A user's policy folder and a project, and hooks that run there."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.compiled: list[str] = []
        plant(base, {"project/.git": None, "config": None})

    def compile(self, source: Source, places: Places) -> Compiled:
        self.compiled.append(source.label)
        return compile_source(source, places)

    def call(self, payload: Any, event: str | None = None) -> HookCall:
        data = payload if isinstance(payload, bytes) else raw(payload)
        return HookCall(data, AGENT, event, str(self.base / "config"), str(self.base / "project"))

    def hook(self, payload: Any, event: str | None = None) -> Answer:
        return decide(self.call(payload, event), self.compile)

    def said(self, command: str, **more: Any) -> str:
        """What the agent is told about a shell command: allow, ask, deny or nothing."""
        answer = self.hook(bash(command, str(self.base / "project"), **more))
        assert (answer.status, answer.stderr) == (0, "")
        body = json.loads(answer.stdout or "{}")
        return str(body.get("hookSpecificOutput", {}).get("permissionDecision", ""))

    def review_all(self) -> None:
        """Reviews every file of the project as it is."""
        engine = Engine.load(self.base / "config", self.base / "project")
        assert all(engine.accept(review, review.word) for review in engine.pending)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path.resolve())


@pytest.mark.parametrize("kind", ["gone", "file"])
def test_a_named_folder_that_is_not_there_asks(machine: Machine, kind: str) -> None:
    (machine.base / "config").rmdir()
    plant(machine.base, {"project/.ostiary/policy.yaml": DENY_RM})
    plant(machine.base, {"config": "text"} if kind == "file" else {})
    for _ in range(2):
        assert machine.said("rm x") == "deny"
        assert machine.said("make") == "ask"
        assert machine.said("pwd") == ""
    assert (machine.base / "config").exists() == (kind == "file")


def test_nothing_is_said_without_policy(machine: Machine) -> None:
    assert machine.said("rm -rf /") == ""


def test_a_user_policy(machine: Machine) -> None:
    plant(machine.base, {"config/policy.yaml": 'version: 1\ndeny: ["Bash(rm *)"]\nallow: ["Bash(ls *)"]\n'})
    assert machine.said("rm x") == "deny"
    assert machine.said("ls -l") == "allow"
    assert machine.said("make") == ""


def test_a_cached_plan_needs_no_compiler(machine: Machine) -> None:
    plant(machine.base, {"config/policy.yaml": DENY_RM, "project/.ostiary/policy.yaml": DENY_RM})
    call = machine.call(bash("rm x"))
    with pytest.raises(Miss):
        decide(call)
    answer = decide(call, machine.compile)
    assert machine.compiled == [str(machine.base / "config/policy.yaml"), ".ostiary/policy.yaml"]
    assert decide(call) == answer
    assert len(machine.compiled) == 2


def test_an_edit_acts_on_the_next_call(machine: Machine) -> None:
    plant(machine.base, {"config/policy.yaml": DENY_RM})
    assert machine.said("rm x") == "deny"
    plant(machine.base, {"config/policy.yaml": 'version: 1\nask: ["Bash(rm *)"]\n'})
    assert machine.said("rm x") == "ask"


def test_a_broken_file_is_compiled_once(machine: Machine) -> None:
    plant(machine.base, {"config/policy.yaml": BROKEN})
    assert machine.said("rm x") == "ask"
    assert machine.said("rm x") == "ask"
    assert len(machine.compiled) == 1


def test_a_damaged_cache_is_compiled_again(machine: Machine) -> None:
    plant(machine.base, {"config/policy.yaml": DENY_RM})
    assert machine.said("rm x") == "deny"
    for file in (machine.base / "config/state/cache").iterdir():
        file.write_bytes(file.read_bytes()[:-3])
    assert machine.said("rm x") == "deny"
    assert len(machine.compiled) == 2


def test_a_broken_file_keeps_its_last_good_rules(machine: Machine) -> None:
    plant(machine.base, {"config/policy.yaml": DENY_RM})
    assert machine.said("rm x") == "deny"
    plant(machine.base, {"config/policy.yaml": BROKEN})
    assert machine.said("rm x") == "deny"
    assert machine.said("make") == ""
    file = machine.base / "config/policy.yaml"
    told = f"{file}:2: unknown key `rulez`; its last good version acts"
    assert json.loads(machine.hook(bash("make")).stdout) == {"systemMessage": told}
    engine = Engine.load(machine.base / "config", machine.base / "project")
    assert engine.decide(Event.from_call("bash", {"command": "make"})).message == told


def test_a_last_good_version_is_told_only_if_nobody_else_says_something(machine: Machine) -> None:
    speaks = "version: 1\nrules: [{id: a, message: hello}]\n"
    plant(machine.base, {"config/policy.yaml": DENY_RM, "config/policy.d/b.yaml": speaks})
    machine.said("make")
    plant(machine.base, {"config/policy.yaml": BROKEN})
    assert json.loads(machine.hook(bash("make")).stdout) == {"systemMessage": "hello"}


def test_the_errors_of_an_unreviewed_file_are_told_to_nobody(machine: Machine) -> None:
    plant(machine.base, {"project/.ostiary/policy.yaml": DENY_RM})
    machine.said("make")
    plant(machine.base, {"project/.ostiary/policy.yaml": BROKEN})
    assert machine.hook(bash("make", str(machine.base / "project"))).stdout == ""


def test_a_hook_of_an_unknown_event_is_told_so(machine: Machine) -> None:
    answer = machine.hook(bash("make"), "Nope")
    assert "the hook is registered for the unknown event `Nope`" in answer.stdout + answer.stderr


def test_a_file_that_cannot_be_read_keeps_its_last_good_rules(machine: Machine) -> None:
    plant(machine.base, {"config/policy.yaml": DENY_RM})
    assert machine.said("rm x") == "deny"
    os.unlink(machine.base / "config/policy.yaml")
    plant(machine.base, {"config/policy.yaml": {"fifo": True}})
    assert machine.said("rm x") == "deny"


def test_a_file_that_was_never_good_asks(machine: Machine) -> None:
    plant(machine.base, {"config/policy.yaml": BROKEN})
    answer = json.loads(machine.hook(bash("rm x")).stdout)["hookSpecificOutput"]
    assert answer["permissionDecision"] == "ask"
    assert f"{machine.base}/config/policy.yaml:2 cannot be used" in answer["permissionDecisionReason"]
    assert machine.said("ls") == ""


def test_a_broken_file_is_told_by_its_first_error(machine: Machine) -> None:
    found = (
        Problem("p", 1, 0, "", "odd", severity="warning"),
        Problem("p", 9, 0, "", "b"),
        Problem("p", 4, 0, "", "a"),
    )
    plant(machine.base, {"config/policy.yaml": DENY_RM})
    answer = decide(machine.call(bash("touch x")), lambda source, places: Compiled(None, found, ()))
    assert "p:4 cannot be used: a" in answer.stdout


def test_a_broken_file_delays_no_other(machine: Machine) -> None:
    plant(machine.base, {"project/.ostiary/policy.yaml": BROKEN, "config/policy.yaml": DENY_RM})
    assert machine.said("rm x") == "deny"


def test_a_project_nobody_reviewed_only_stops(machine: Machine) -> None:
    text = 'version: 1\ndeny: ["Bash(rm *)"]\nallow: ["Bash(make *)"]\n'
    plant(machine.base, {"project/.ostiary/policy.yaml": text})
    assert machine.said("rm x") == "deny"
    assert machine.said("make all") == ""
    machine.review_all()
    assert machine.said("make all") == "allow"
    plant(machine.base, {"project/.ostiary/policy.yaml": text + "# changed\n"})
    assert machine.said("make all") == "", "another content was reviewed"


def test_a_review_is_for_one_project(machine: Machine) -> None:
    plant(machine.base, {"project/.ostiary/policy.yaml": ALLOW_LS, "other/.git": None, "other/.ostiary": None})
    machine.review_all()
    assert machine.said("ls x") == "allow"
    plant(machine.base, {"other/.ostiary/policy.yaml": ALLOW_LS})
    call = machine.call(bash("ls x", str(machine.base / "other")))._replace(start=str(machine.base / "other"))
    assert decide(call, machine.compile).stdout == ""


def test_the_folder_a_call_names_can_not_loosen(machine: Machine) -> None:
    plant(machine.base, {"project/.ostiary/policy.yaml": ALLOW_LS, "other": None})
    machine.review_all()
    call = machine.call(bash("ls x", str(machine.base / "project")))._replace(start=str(machine.base / "other"))
    assert decide(call, machine.compile).stdout == ""


def test_the_folder_a_call_names_can_not_drop_a_deny(machine: Machine) -> None:
    plant(machine.base, {"project/.ostiary/policy.yaml": DENY_RM, "other/.git": None})
    answer = machine.hook(bash("rm x", str(machine.base / "other")))
    assert '"deny"' in answer.stdout


def test_last_good_rules_of_a_project_keep_their_review(machine: Machine) -> None:
    plant(machine.base, {"project/.ostiary/policy.yaml": ALLOW_LS})
    machine.review_all()
    assert machine.said("ls x") == "allow"
    plant(machine.base, {"project/.ostiary/policy.yaml": BROKEN})
    assert machine.said("ls x") == "allow"


MANY_RULES = "rules:\n" + "".join(f"  - {{id: r{n}, when: {{mode: x}}, decision: deny}}\n" for n in range(2001))
LONG_EXAMPLES = f"rules: [{{id: r, when: {{mode: x}}, decision: deny, examples: {{not_match: [{'ls, ' * 6000}]}}}}]\n"
LARGE_INCLUDES = "include: [./a.yaml, ./b.yaml]\n"


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("text", "why"),
    [
        (MANY_RULES, "it has 2001 rules, and may have 2000"),
        (LONG_EXAMPLES, "its examples are too long to be tried"),
        (LARGE_INCLUDES, "b.yaml is not included: it is larger than the 348576 bytes it may have"),
    ],
    ids=["rules", "examples", "includes"],
)
def test_a_foreign_source_has_a_budget(text: str, why: str, machine: Machine) -> None:
    large = f"version: 1\n# {'x' * (700_000 - 14)}\n"
    for place in ("config", "project/.ostiary"):
        files = {"policy.yaml": f"version: 1\n{text}", "a.yaml": large, "b.yaml": large}
        plant(machine.base, {f"{place}/{name}": content for name, content in files.items()})
    engine = Engine.load(machine.base / "config", machine.base / "project")
    assert [(item.tier, item.state) for item in engine.sources] == [("user", "current"), ("project", "stand-in")]
    assert [problem.message for problem in engine.problems] == [why]


def test_packs_come_from_the_package(machine: Machine) -> None:
    plant(machine.base, {"config/policy.yaml": "version: 1\ninclude: [pack:no-such-pack, ./no.yaml]\n"})
    reason = json.loads(machine.hook(bash("touch x")).stdout)["hookSpecificOutput"]["permissionDecisionReason"]
    assert "there is no pack:no-such-pack" in reason
    engine = Engine.load(machine.base / "config", machine.base / "project")
    assert [problem.message for problem in engine.problems] == ["there is no pack:no-such-pack", "there is no no.yaml"]


def test_included_files_are_read_each_time(machine: Machine) -> None:
    plant(machine.base, {"config/policy.yaml": "version: 1\ninclude: [./team.yaml]\n", "config/team.yaml": DENY_RM})
    assert machine.said("rm x") == "deny"
    plant(machine.base, {"config/team.yaml": 'version: 1\nask: ["Bash(rm *)"]\n'})
    assert machine.said("rm x") == "ask"
    os.unlink(machine.base / "config/team.yaml")
    assert machine.said("rm x") == "ask", "last good"


def test_included_files_of_a_project_stay_in_its_folder(machine: Machine) -> None:
    plant(
        machine.base,
        {
            "project/.ostiary/policy.yaml": "version: 1\ninclude: [../secret.yaml]\n",
            "project/secret.yaml": "token: hunter2\n",
        },
    )
    answer = machine.hook(bash("rm x"))
    assert '"ask"' in answer.stdout
    assert "hunter2" not in answer.stdout


def test_included_files_may_not_lead_out(machine: Machine) -> None:
    plant(
        machine.base,
        {
            "project/.ostiary/policy.yaml": "version: 1\ninclude: [./team.yaml, pack:Big]\n",
            "project/.ostiary/team.yaml": {"link": "/secret.yaml"},
            "secret.yaml": "token: hunter2\n",
        },
    )
    engine = Engine.load(machine.base / "config", machine.base / "project")
    assert [problem.message for problem in engine.problems] == [
        "team.yaml is not included: it is a link out of its folder",
        "pack:Big is not included: a pack's name is made of small letters, digits and hyphens",
    ]


def test_a_store_that_cannot_be_relied_on_is_told(machine: Machine) -> None:
    plant(machine.base, {"config/policy.yaml": ALLOW_LS, "config/state/trust.json": "damaged"})
    (machine.base / "config/state").chmod(0o700)
    found = store.load(str(machine.base / "config/state"), 0)
    (note,) = admit.policy_of((), find_ours(find_places("/ostiary")), found, Gates()).notes
    assert note.endswith("trust.json: nothing counts as reviewed, because it is damaged")


def test_state_that_cannot_be_written(machine: Machine) -> None:
    plant(machine.base, {"config/policy.yaml": DENY_RM, "config/state": "a file"})
    assert machine.said("rm x") == "deny"
    assert machine.said("rm x") == "deny"
    assert len(machine.compiled) == 2


def test_a_gone_start_folder(machine: Machine) -> None:
    plant(machine.base, {"config/policy.yaml": DENY_RM})
    call = machine.call(bash("rm x", "/nowhere"))._replace(start=None)
    assert '"deny"' in decide(call, machine.compile).stdout


# Failures


@pytest.mark.parametrize("payload", [b"", b"not json", b"[]", b'{"hook_event_name": "PreToolUse"}', b"\xff"])
def test_a_payload_that_cannot_be_read_closes_the_gate(payload: bytes, machine: Machine) -> None:
    answer = machine.hook(payload, "PreToolUse")
    assert json.loads(answer.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_payload_that_cannot_be_read_never_blocks_a_stop(machine: Machine) -> None:
    assert machine.hook(b"not json", "Stop") == Answer()


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("text of a payload")

    monkeypatch.setattr(repeats, "evaluate", fail)


def test_our_own_failure_closes_the_gate(failing: None, machine: Machine) -> None:
    answer = machine.hook(bash("make"))
    said = json.loads(answer.stdout)["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny"
    assert "Ostiary failed: RuntimeError at test_cold:" in said["permissionDecisionReason"]
    assert "text of a payload" not in answer.stdout
    assert answer.status == 0


def test_our_own_failure_never_blocks_a_stop(failing: None, machine: Machine) -> None:
    assert machine.hook(stop()) == Answer()


def test_a_source_that_cannot_be_compiled_is_broken_for_now(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(machine.base, {"config/policy.yaml": DENY_RM})
    with monkeypatch.context() as patch:
        patch.setattr(machine, "compile", lambda source, places: 1 // 0)
        assert machine.said("rm x") == "ask"
        assert "failed with a ZeroDivisionError" in machine.hook(bash("rm x")).stdout
    assert machine.said("rm x") == "deny"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=10,
)
fields = (
    "hook_event_name",
    "session_id",
    "cwd",
    "tool_name",
    "tool_input",
    "permission_mode",
    "prompt",
    "tool_response",
)


@given(payload=st.dictionaries(st.sampled_from(fields), json_values | st.sampled_from(["PreToolUse", "Bash", "Stop"])))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_any_payload_is_answered(payload: dict[str, Any], machine: Machine) -> None:
    plant(machine.base, {"config/policy.yaml": DENY_RM, "project/.ostiary/policy.yaml": BROKEN})
    for name in ("PreToolUse", "Stop", None):
        answer = machine.hook(payload, name)
        assert "Ostiary failed" not in answer.stdout + answer.stderr
        assert answer.stdout == "" or json.loads(answer.stdout)


def test_an_unknown_agent(machine: Machine) -> None:
    with pytest.raises(KeyError):
        decide(machine.call(bash("ls"))._replace(agent="nobody"))


def test_a_failure_without_a_trace() -> None:
    assert cold.failed(NoPlace("name a folder")) == "Ostiary failed: name a folder"
    assert cold.failed(ValueError("x")) == "Ostiary failed: ValueError"
