"""Self-protection: what the built-in rules say of calls that would change Ostiary or switch it off."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from matrix import sent
from ostiary.build import compile_definitions, compile_file
from ostiary.decision import Outcome, Verdict
from ostiary.dialects import DIALECTS, Unreadable, receive, tool_table
from ostiary.dialects.base import Place
from ostiary.dialects.launches import HOMES, LAUNCHES, LOOSE
from ostiary.engine import Engine
from ostiary.evaluate import evaluate
from ostiary.event import Event
from ostiary.facts import FixedFacts, Given
from ostiary.guard import guard
from ostiary.perform import run
from ostiary.policy import Admitted, assemble
from ostiary.records import replace
from ostiary.suites import made
from ostiary.tools import TOOLS
from tables import read_table
from trees import plant

pytestmark = pytest.mark.no_cover

ROOT = Path(__file__).parent.parent
CASES = Path(__file__).parent / "cases" / "guard"
TABLE = tool_table(TOOLS)
SITE = "/opt/engine/lib/python3.11/site-packages"
OURS = guard(
    {
        "own": (
            "/home/dev/.config/ostiary",
            "/data/dev/.config/ostiary",
            "/home/dev/.local/state/ostiary",
            "/home/dev/.cache/ostiary",
            "/etc/ostiary",
        ),
        "above": ("/home/dev/.config", "/home/dev/.local", "/home/dev/.local/state", "/home/dev/.cache"),
        "engine": (f"{SITE}/ostiary", "/opt/engine"),
        "site": (SITE,),
        "bin": ("/opt/engine/bin",),
        "program": ("/opt/engine/bin/python",),
    }
)
FACTS = FixedFacts(Given(home="/home/dev", user="dev", start="/work", roots=("/work",), workdirs=("/work",)))

WINDOWS = FixedFacts(replace(FACTS.known, windows=True))


def event(call: Any) -> Event:
    if isinstance(call, str):
        return Event.from_call("bash", {"command": call}, cwd="/work")
    return made(call["tool"], call["input"], TABLE, cwd="/work", **{"agent": call["agent"]} if "agent" in call else {})


def outcome(call: Any, *others: Admitted, facts: FixedFacts = FACTS) -> Outcome:
    policy = assemble((OURS, *others), TABLE)
    return run(evaluate(policy, event(call), facts.known), facts)


def user(text: str, tier: Any = "user") -> Admitted:
    return Admitted(tier, True, compile_file(text, f"{tier}.yaml").plan)


def fired(found: Outcome) -> set[str]:
    return {step.rule.removeprefix("built-in/") for step in found.trail if step.state == "active" and step.decision}


def shown(call: Any) -> str:
    return call if isinstance(call, str) else f"{call['tool']} {next(iter(call['input'].values()))}"


ROWS = [
    pytest.param(row["rule"], verdict, call, id=f"{row['rule']}: {verdict}: {shown(call)}")
    for path in sorted(CASES.glob("*.yaml"))
    for row in read_table(path)["cases"]
    for verdict in ("deny", "ask", "none")
    for call in row.get(verdict, ())
]


@pytest.mark.parametrize(("rule", "verdict", "call"), ROWS)
def test_case(rule: str, verdict: str, call: Any) -> None:
    found = outcome(call)
    assert (str(found.verdict), rule in fired(found)) == (verdict, verdict != "none")


def test_no_row_is_about_a_rule_that_is_not_there() -> None:
    ids = {rule.id for rule in OURS.file.rules}
    assert {row.values[0] for row in ROWS} <= ids


# In every agent, as it sends calls

NATIVE = [
    ("bash", {"command": "ostiary trust"}),
    ("bash", {"command": "echo x > ~/.config/ostiary/policy.yaml"}),
    ("write_file", {"file_path": "/home/dev/.config/ostiary/policy.yaml", "content": "x"}),
    ("edit_file", {"file_path": "/home/dev/.config/ostiary/policy.yaml", "old_string": "a", "new_string": "b"}),
    ("delete_file", {"file_path": "/home/dev/.config/ostiary/policy.yaml"}),
    ("patch_apply", {"patch": "*** Begin Patch\n*** Delete File: /etc/ostiary/policy.yaml\n*** End Patch\n"}),
]


@pytest.mark.parametrize("agent", DIALECTS)
def test_every_agent_is_denied(agent: str) -> None:
    found = 0
    for name, arguments in NATIVE:
        for way in sent(DIALECTS[agent], {"tool": name, "input": arguments}):
            received = receive(DIALECTS[agent], way.raw, way.native)
            assert not isinstance(received, Unreadable)
            judged = run(evaluate(assemble((OURS,), TABLE), received, FACTS.given(received.cwd)), FACTS)
            assert (judged.verdict, way) == (Verdict.DENY, way)
            found += 1
    assert found >= 2, "no shell and no file tool of this agent carries a call"


# What the tables of agents name

PLACES = [(name, place) for name, dialect in DIALECTS.items() for place in dialect.registration.places]


@pytest.mark.parametrize(("agent", "place"), PLACES, ids=[f"{name}: {place.path}" for name, place in PLACES])
def test_every_file_that_registers_hooks_stays(agent: str, place: Place) -> None:
    base = {"home": "/home/dev/", "project": "/work/", "/": ""}[place.anchor]
    path = f"{base}{place.path}"
    quoted = f"'{path}'"
    there = WINDOWS if place.platform == "windows" else FACTS
    for command in ("rm -r {}", "mv {} /tmp/x", "cp x {}", "echo x > {}", "ln -s a {}"):
        assert "registrations" in fired(outcome(command.format(quoted), facts=there)), command
    for name, arguments in (
        ("write_file", {"file_path": path, "content": "x"}),
        ("edit_file", {"file_path": path, "old_string": "a", "new_string": "b"}),
        ("patch_apply", {"patch": f"*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n"}),
    ):
        for way in sent(DIALECTS[agent], {"tool": name, "input": arguments}):
            received = receive(DIALECTS[agent], way.raw, way.native)
            assert not isinstance(received, Unreadable)
            judged = run(evaluate(assemble((OURS,), TABLE), received, there.given(received.cwd)), there)
            assert (judged.verdict, way) == (Verdict.DENY, way)
    assert outcome(f"cat {quoted}", facts=there).verdict == Verdict.NONE


@pytest.mark.parametrize("agent", LAUNCHES)
def test_every_way_to_start_an_agent_loosely_is_denied(agent: str) -> None:
    launch = LAUNCHES[agent]
    values = {"": "x", "/bypass|dontAsk|auto/": "bypassPermissions", "/yolo|auto/": "yolo"}
    for program in (*launch.processes, *(f"npx {name}" for name in launch.packages)):
        for option in LOOSE:
            assert f"agents-loose-{agent}" in fired(outcome(f"{program} {option}")), option
        for option, value in launch.loose.items():
            given = "hooks=false" if value.startswith("/^") else values.get(value, value)
            assert f"agents-loose-{agent}" in fired(outcome(f"{program} {option} {given}")), option
        for variable in (*launch.homes, *HOMES):
            assert f"agents-loose-{agent}" in fired(outcome(f"{variable}=/tmp/x {program}")), variable
        for word in launch.prompts:
            assert "agents-alone" in fired(outcome(f"{program} {word} go")), word
        assert outcome(f"{program} --version").verdict == Verdict.NONE


def test_every_agent_is_in_the_table_of_launches() -> None:
    assert set(LAUNCHES) == set(DIALECTS)
    for agent, launch in LAUNCHES.items():
        assert set(launch.processes) >= set(DIALECTS[agent].programs), agent


# Who can lift a rule

EDIT = "echo x > ~/.config/ostiary/policy.d/team.yaml"
LIFT = """
version: 1
exceptions:
  - {rule: built-in/own-files, when: {writes: ["~/.config/ostiary/policy.d/team.yaml"]}}
  - {rule: built-in/perhaps-own-files, when: {writes: ["~/.config/ostiary/policy.d/team.yaml"]}}
"""


def test_a_managed_file_lifts_single_rules() -> None:
    lifted = outcome(EDIT, user(LIFT, "managed"))
    assert (lifted.verdict, [step.state for step in lifted.trail]) == (Verdict.NONE, ["excepted", "excepted"])
    assert outcome(f"{EDIT}; ostiary trust", user(LIFT, "managed")).verdict == Verdict.DENY
    assert outcome("rm ~/.config/ostiary/policy.yaml", user(LIFT, "managed")).verdict == Verdict.DENY


@pytest.mark.parametrize("tier", ["user", "project", "plugin"])
@pytest.mark.parametrize(
    "text",
    [
        LIFT,
        LIFT.replace("built-in/own-files", "own-files"),
        LIFT.replace("built-in/own-files", "built-in:built-in/own-files"),
        'version: 1\nname: built-in\nallow: ["*", "Bash(*)", "Write(**)"]\n',
        'version: 1\nname: built-in\ncombine: first\nrules: [{id: x, when: {tool: "*"}, decision: allow}]\n',
        'version: 1\nrules: [{id: own-files, when: {command: "*"}, decision: allow}]\n',
        'version: 1\nrules: [{id: x, when: {tool: "*"}, decision: defer}]\n',
        'version: 1\nrules: [{id: x, when: {tool: "*"}, update_input: {command: "true"}}]\n',
    ],
)
def test_nobody_else_does(tier: str, text: str) -> None:
    assert outcome(EDIT, user(text, tier)).verdict == Verdict.DENY


def test_a_file_whose_exception_cannot_reach_says_so() -> None:
    warning, _ = assemble((OURS, user(LIFT))).warnings
    assert warning == "user.yaml:4: exception for `built-in/own-files` reaches no rule"
    assert assemble((OURS, user(LIFT, "managed"))).warnings == ()


def test_what_we_ask_silences_no_default() -> None:
    asking = "rm .ostiary/policy.yaml"
    assert outcome(asking).verdict == Verdict.ASK
    for tier in ("managed", "user"):
        assert outcome(asking, user("version: 1\ndefault: deny\n", tier)).verdict == Verdict.DENY
        assert outcome(asking, user("version: 1\ndefault: allow\n", tier)).verdict == Verdict.ASK


DEFINED = compile_definitions(
    b"frobnicate: {is: complete, operands: data...}\nfrob: {is: complete, operands: read...}", "own.yaml", "programs"
)


def test_definitions_count_for_us_where_people_of_the_machine_make_them() -> None:
    asks = user('version: 1\nask: ["Write(**)"]\n')
    assert outcome("frob a/b", Admitted("user", True, DEFINED), asks).verdict == Verdict.NONE
    hidden = "frobnicate ostiary trust"
    assert outcome(hidden, Admitted("user", True, DEFINED)).verdict == Verdict.NONE
    assert outcome(hidden, Admitted("project", True, DEFINED)).verdict == Verdict.DENY


# Texts, the compiled table, the whole way


def test_no_text_says_how_to_permit() -> None:
    for rule in OURS.file.rules:
        assert rule.reason
        assert (rule.help, rule.message, rule.context) == ("", "", "")
        assert not {"exception", "approve", "managed", "lift", "permit", "trust"} & set(rule.reason.split())


def test_the_table_is_compiled_from_the_rules() -> None:
    spec = importlib.util.spec_from_file_location("compile_guard", ROOT / "tools" / "compile_guard.py")
    assert spec
    assert spec.loader
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.text() == tool.FILE.read_text("utf-8")


def test_the_rules_act_without_any_file_of_rules(tmp_path: Path) -> None:
    plant(tmp_path, {"config/policy.yaml": 'version: 1\nallow: ["*"]\n', "app": None})
    engine = Engine.load(tmp_path / "config", tmp_path / "app", managed=tmp_path / "managed")
    for path in ("config/policy.yaml", "config/state/trust.json", "managed/policy.yaml"):
        writing = Event.from_call("write_file", {"file_path": str(tmp_path / path), "content": ""}, cwd=str(tmp_path))
        assert engine.decide(writing).verdict == Verdict.DENY
    own = Event.from_call("edit_file", {"file_path": engine_module(), "old_string": "a", "new_string": "b"}, cwd="/")
    assert fired(engine.decide(own)) >= {"own-engine"}
    other = Event.from_call("write_file", {"file_path": str(tmp_path / "app/src/ostiary/x.py"), "content": ""}, cwd="/")
    assert engine.decide(other).verdict == Verdict.ALLOW


def engine_module() -> str:
    found = importlib.util.find_spec("ostiary.decision")
    assert found
    assert found.origin
    return found.origin


def test_an_explanation_lists_only_those_that_speak(tmp_path: Path) -> None:
    plant(tmp_path, {"config/policy.yaml": 'version: 1\ndeny: ["Bash(rm *)"]\n'})
    engine = Engine.load(tmp_path / "config", tmp_path)
    trail = engine.explain(Event.from_call("bash", {"command": "ls"}, cwd="/")).trail
    assert [step.rule for step in trail] == ["user:policy/deny:Bash(rm *)"]


def test_every_place_in_the_rules_is_one_of_the_machine() -> None:
    assert "{" not in "".join(repr(rule.when) for rule in OURS.file.rules).replace("{0,", "")
