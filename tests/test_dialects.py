"""Dialects: tables of samples, payloads and answers, and what must hold for every one of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ostiary.decision import Outcome, Verdict
from ostiary.dialects import DIALECTS, Dialect, Unreadable, foreign, parse, read, receive, tool_table, unreadable, write
from ostiary.dialects.base import EventSpec, Form, Life, OutputPlace, Place, Slot, Switch, Timeouts, ToolSpec
from ostiary.dialects.conformance import CHECKS, findings
from ostiary.dialects.natives import NATIVES
from ostiary.dialects.outputs import fitted, same_shape
from ostiary.dialects.payload import MAX_BYTES, too_deep
from ostiary.event import EVENTS, Event
from ostiary.tools import TOOLS
from ostiary.visible import cut
from tables import read_table

pytestmark = pytest.mark.no_cover

HERE = Path(__file__).parent
TABLES = {path.stem: read_table(path) for path in (HERE / "cases/dialects").iterdir()}


def samples(agent: str) -> dict[str, dict[str, Any]]:
    return {path.stem: json.loads(path.read_text("utf-8")) for path in sorted((HERE / "dialects" / agent).iterdir())}


SAMPLES = {agent: samples(agent) for agent in DIALECTS}
CLAUDE_CODE = DIALECTS["claude-code"]


def rows(table: str, name: Callable[[dict[str, Any]], str] = lambda row: str(row["note"])) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", [pytest.param(row, id=name(row)) for row in TABLES[table]["cases"]])


def payload_of(table: str, row: dict[str, Any]) -> dict[str, Any]:
    payload = {**SAMPLES[TABLES[table]["agent"]][row["sample"]], **row.get("set", {})}
    return {key: value for key, value in payload.items() if key not in row.get("drop", ())}


def replace(value: Any, **changes: Any) -> Any:
    return value._replace(**changes)


def plain(value: Any) -> Any:
    """The value as YAML says it."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple | frozenset) else value


# --- bytes -----------------------------------------------------------------------------------------------------------


@rows("bytes")
def test_bytes(row: dict[str, Any]) -> None:
    text = row.get("text", "".join(part * times for part, times in row.get("repeat", [])))
    found = parse(bytes.fromhex(row["hex"]) if "hex" in row else text.encode())
    if "refused" in row:
        assert found == Unreadable(row["refused"])
    elif row.get("ok"):
        assert isinstance(found, dict)
    else:
        assert found == row["want"]


def test_a_payload_has_a_largest_size() -> None:
    assert parse(b" " * (MAX_BYTES - 2) + b"{}") == {}
    assert parse(b" " * MAX_BYTES + b"{}") == Unreadable(f"the hook's input is longer than {MAX_BYTES} bytes")


def test_halves_of_characters_can_be_repaired() -> None:
    assert parse(b'{"a": "x\\ud83d", "\\udE00": [1]}', repair=True) == {"a": "x?", "?": [1]}
    assert parse(b'{"a": "\\ud83d\\ude00"}', repair=True) == {"a": "\U0001f600"}
    assert parse(b'{"a": NaN}', repair=True) == Unreadable("the hook's input has a number that is not finite")


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=6), children, max_size=4),
    max_leaves=12,
)
json_objects = st.dictionaries(st.text(max_size=8), json_values, max_size=5)


@given(json_objects, st.booleans())
def test_every_json_object_is_read(value: dict[str, Any], ascii_only: bool) -> None:
    assert parse(json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")) == value


@given(st.binary(max_size=60) | st.text(alphabet='{}[]",:\\u0d8 \n', max_size=80).map(str.encode), st.booleans())
def test_no_bytes_raise(raw: bytes, repair: bool) -> None:
    assert isinstance(parse(raw, repair), Unreadable | dict)


def depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


@given(json_values, st.integers(90, 105))
def test_depth_is_seen_in_the_text(value: Any, layers: int) -> None:
    for _ in range(layers):
        value = [value, ']\\"[']
    assert too_deep(json.dumps(value)) == (depth(value) > 100)


# --- reading ---------------------------------------------------------------------------------------------------------


@rows("reading")
def test_reading(row: dict[str, Any]) -> None:
    dialect = DIALECTS[TABLES["reading"]["agent"]]
    payload = payload_of("reading", row)
    found = receive(dialect, json.dumps(payload).encode(), row.get("event"))
    if "refused" in row:
        assert found == Unreadable(row["refused"])
        return
    assert isinstance(found, Event)
    assert {name: plain(getattr(found, name)) for name in row["want"]} == row["want"]
    assert found.data == payload
    assert found == read(dialect, payload, row.get("event"))


@given(json_objects, st.sampled_from([None, "PreToolUse", "Stop", "x"]))
def test_no_json_object_makes_reading_raise(payload: dict[str, Any], event_name: str | None) -> None:
    for keys in ({}, {"hook_event_name": "PreToolUse"}, {"hook_event_name": "PostToolBatch", "tool_calls": payload}):
        event = read(CLAUDE_CODE, {**payload, **keys}, event_name)
        assert event.agent == "claude-code"
        write(CLAUDE_CODE, event, Outcome(verdict=Verdict.DENY))


def test_a_report_cut_in_a_character_is_still_read() -> None:
    raw = json.dumps({**SAMPLES["claude-code"]["PostToolUse-Bash"], "tool_response": "cut \ud83d"}).encode()
    event = receive(CLAUDE_CODE, raw, "PostToolUse")
    assert isinstance(event, Event)
    assert event.output == "cut ?"
    gate = json.dumps({**SAMPLES["claude-code"]["PreToolUse-Bash"], "cwd": "cut \ud83d"}).encode()
    assert isinstance(receive(CLAUDE_CODE, gate, "PreToolUse"), Unreadable)
    assert isinstance(receive(CLAUDE_CODE, raw), Unreadable)  # nobody said that it is a report


# Facts that no table uses yet, in a dialect made up for it.
INVENTED = replace(
    CLAUDE_CODE,
    name="invented",
    mcp_joint="_",
    mcp_prefix="srv_",
    allow_grants=False,
    fields=MappingProxyType(
        {
            **CLAUDE_CODE.fields,
            "project": (("roots", "0"),),
            "workdirs": (("roots",),),
            "server": (("mcp", "server"),),
            "server_tool": (("mcp", "tool"),),
            "truncated": (("cut",),),
        }
    ),
    events={
        "before": replace(
            CLAUDE_CODE.events["PreToolUse"], aliases=("BEFORE",), rewrite={"allow": {"input": Slot.INPUT}}
        ),
        "shell": EventSpec(
            canonical="PreToolUse",
            gate=True,
            tool="run",
            fields={"input": ((),)},
            answers={
                "none": Form(body={"go": True}),
                "ask": Form(body={"ask": Slot.REASON}, modes=frozenset(("careful",))),
                "deny": Form(body={"no": [Slot.EVENT, Slot.REASON]}, status=2, stderr=Slot.REASON),
            },
        ),
    },
    tools={
        "run": ToolSpec(canonical="bash", renames={"cmd": "command", "line": "command"}),
        "patch": ToolSpec(canonical="patch_apply", renames={"body": "patch"}, text="patch"),
    },
)


def invented(**payload: Any) -> Event:
    return read(INVENTED, {"hook_event_name": "before", "tool_name": "run", **payload})


def test_arguments_are_renamed_both_ways() -> None:
    event = invented(tool_input={"line": "make", "dir": "x"})
    assert (event.tool, event.input, event.native_input) == (
        "bash",
        {"command": "make", "dir": "x"},
        {"line": "make", "dir": "x"},
    )
    answer = write(INVENTED, event, Outcome(verdict=Verdict.ALLOW, updated_input={"command": "true", "dir": "x"}))
    assert json.loads(answer.stdout)["input"] == {"line": "true", "dir": "x"}
    fresh = write(INVENTED, invented(tool_input={}), Outcome(verdict=Verdict.ALLOW, updated_input={"command": "true"}))
    assert json.loads(fresh.stdout)["input"] == {"cmd": "true"}


def test_native_names_that_mean_the_same_must_agree() -> None:
    assert invented(tool_input={"cmd": "make", "command": "make"}).input_complete
    event = invented(tool_input={"cmd": "make", "line": "rm"})
    assert not event.input_complete
    assert event.input == {"command": "make"}


def test_a_raw_text_is_the_argument_it_stands_for() -> None:
    event = invented(tool_name="patch", tool_input="*** Begin Patch")
    assert (event.input, event.input_complete) == ({"patch": "*** Begin Patch"}, True)
    assert invented(tool_name="patch", tool_input='{"body": "x"}').input == {"patch": "x"}
    changed = write(INVENTED, event, Outcome(verdict=Verdict.ALLOW, updated_input={"patch": "other"}))
    assert json.loads(changed.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_arguments_that_the_agent_cut_are_not_complete() -> None:
    assert not invented(tool_input={"cmd": "make"}, cut=True).input_complete
    assert invented(tool_input={"cmd": "make"}, cut="true").input_complete


def test_roots_come_from_a_list() -> None:
    event = invented(tool_input={}, roots=["/a", 7, "", "/b"])
    assert (event.project, event.workdirs) == ("/a", ("/a", "/b"))
    assert invented(tool_input={}, roots={"0": "/a"}).workdirs == ()


def test_a_pair_shows_in_the_canonical_way() -> None:
    event = invented(tool_name="srv_fog_level", tool_input={})
    assert (event.tool, event.mcp) == ("mcp__fog__level", ("fog", "level"))
    named = invented(tool_name="level", tool_input={}, mcp={"server": "fog", "tool": "level"})
    assert (named.tool, named.native_tool, named.mcp) == ("mcp__fog__level", "level", ("fog", "level"))
    assert invented(tool_name="srv_", tool_input={}).mcp is None


def test_an_event_may_be_spelled_in_several_ways_and_imply_its_tool() -> None:
    assert read(INVENTED, {"hook_event_name": "BEFORE"}).native_name == "before"
    event = read(INVENTED, {"hook_event_name": "shell", "cmd": "make"})
    assert (event.tool, event.input["command"]) == ("bash", "make")


# --- answering -------------------------------------------------------------------------------------------------------


def outcome_of(row: dict[str, Any]) -> Outcome:
    told = dict(row["outcome"])
    return Outcome(verdict=Verdict[told.pop("verdict", "none").upper()], **told)


def said(answer: Any) -> dict[str, Any]:
    """An answer as the tables say it: absent keys are empty."""
    whole = {
        "stdout": json.loads(answer.stdout) if answer.stdout else None,
        "stderr": answer.stderr,
        "status": answer.status,
        "degraded": [[item.wanted, item.said] for item in answer.degraded],
    }
    return {key: value for key, value in whole.items() if value}


@rows("answers")
def test_answers(row: dict[str, Any]) -> None:
    dialect = DIALECTS[TABLES["answers"]["agent"]]
    answer = write(dialect, read(dialect, payload_of("answers", row)), outcome_of(row))
    assert said(answer) == {key: row[key] for key in ("stdout", "stderr", "status", "degraded") if key in row}
    assert answer.stdout == "" or (answer.stdout.isascii() and answer.stdout.count("\n") == 1)
    assert all(item.why and item.why[0].islower() for item in answer.degraded)


@rows("unreadable", lambda row: str(row["event"]))
def test_unreadable(row: dict[str, Any]) -> None:
    table = TABLES["unreadable"]
    answer = unreadable(DIALECTS[table["agent"]], row["event"], table["reason"])
    assert said(answer) == {key: row[key] for key in ("stdout", "stderr", "status") if key in row}


def test_the_reason_of_a_failure_stays_on_one_line() -> None:
    assert unreadable(CLAUDE_CODE, None, "a\nb\x1b[0m").stderr == "stopped, because policy could not judge it: a b[0m\n"


def test_an_event_of_an_embedder_is_found_by_its_canonical_name() -> None:
    answer = write(CLAUDE_CODE, Event.from_call("bash", {"command": "make"}), Outcome(verdict=Verdict.DENY, reason="r"))
    assert json.loads(answer.stdout)["hookSpecificOutput"]["hookEventName"] == "PreToolUse"


def test_long_reasons_are_cut_in_the_agents_measure() -> None:
    event = read(CLAUDE_CODE, SAMPLES["claude-code"]["PreToolUse-Bash"])
    for text in ("x" * 12_000, "\U0001f600" * 6_000):
        answer = write(CLAUDE_CODE, event, Outcome(verdict=Verdict.DENY, reason=text, message=text))
        body = json.loads(answer.stdout)
        for shown in (body["hookSpecificOutput"]["permissionDecisionReason"], body["systemMessage"]):
            assert len(shown.encode("utf-16-le")) <= 20_000
            assert shown.endswith(" [cut]")
            assert shown[:-6] == text[: len(shown) - 6]


@given(st.text(max_size=30), st.integers(0, 40))
def test_a_cut_text_is_never_longer(text: str, limit: int) -> None:
    short = cut(text, limit)
    assert len(short.encode("utf-16-le", "surrogatepass")) <= 2 * limit
    assert short == text or len(text.encode("utf-16-le", "surrogatepass")) > 2 * limit


def test_a_rewrite_goes_with_an_allow_that_grants_nothing() -> None:
    event = invented(tool_input={"cmd": "make"})
    answer = write(INVENTED, event, Outcome(updated_input={"command": "true"}))
    body = json.loads(answer.stdout)
    assert (body["hookSpecificOutput"]["permissionDecision"], body["input"]) == ("allow", {"cmd": "true"})
    asked = write(INVENTED, event, Outcome(verdict=Verdict.ASK, updated_input={"command": "true"}))
    assert json.loads(asked.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, object(), b"x"])
def test_a_change_that_json_cannot_say_is_a_deny(value: Any) -> None:
    event = read(CLAUDE_CODE, SAMPLES["claude-code"]["PreToolUse-Bash"])
    answer = write(CLAUDE_CODE, event, Outcome(verdict=Verdict.ALLOW, updated_input={"command": value}))
    assert json.loads(answer.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "The changed call" not in answer.stdout
    after = read(CLAUDE_CODE, SAMPLES["claude-code"]["PostToolUse-Bash"])
    assert json.loads(write(CLAUDE_CODE, after, Outcome(updated_output=value)).stdout)["decision"] == "block"


def test_a_question_is_asked_only_in_modes_that_are_known_to_stop() -> None:
    careful = read(INVENTED, {"hook_event_name": "shell", "cmd": "make", "permission_mode": "careful"})
    assert json.loads(write(INVENTED, careful, Outcome(verdict=Verdict.ASK, reason="r")).stdout) == {"ask": "r"}
    other = read(INVENTED, {"hook_event_name": "shell", "cmd": "make", "permission_mode": "fast"})
    answer = write(INVENTED, other, Outcome(verdict=Verdict.ASK, reason="r"))
    assert (answer.status, json.loads(answer.stdout)["no"][0]) == (2, "shell")
    assert answer.stderr.startswith("r\n")
    assert write(INVENTED, other, Outcome()).stdout == '{"go":true}\n'
    assert [(item.wanted, item.said) for item in write(INVENTED, other, Outcome(verdict=Verdict.ALLOW)).degraded] == [
        ("allow", "none")
    ]


texts = st.none() | st.text(max_size=20)
outcomes = st.builds(
    Outcome,
    verdict=st.sampled_from(Verdict),
    reason=texts,
    model_reason=texts,
    help=texts,
    context=texts,
    message=texts,
    halt=st.booleans(),
    updated_input=st.none() | json_objects,
    updated_output=st.none() | json_values,
)


@given(outcomes, st.sampled_from(sorted(SAMPLES["claude-code"].items())))
def test_answers_are_documents_and_never_looser(outcome: Outcome, sample: tuple[str, dict[str, Any]]) -> None:
    event = read(CLAUDE_CODE, sample[1])
    answer = write(CLAUDE_CODE, event, outcome)
    body = json.loads(answer.stdout or "{}")
    found = CLAUDE_CODE.of(event)
    assert found
    assert answer.stdout.isascii()
    decision = body.get("hookSpecificOutput", {}).get("permissionDecision")
    behaviour = body.get("hookSpecificOutput", {}).get("decision", {}).get("behavior")
    if "allow" in (decision, behaviour):
        assert outcome.verdict is Verdict.ALLOW
    if outcome.verdict is Verdict.DENY and found[1].gate and sample[0] != "ConfigChange-managed":
        assert (
            "deny" in (decision, behaviour) or body.get("decision") == "block" or "action" in body["hookSpecificOutput"]
        )
    if "updatedInput" in body.get("hookSpecificOutput", {}):
        assert body["hookSpecificOutput"]["updatedInput"] == outcome.updated_input
        assert decision in ("allow", "ask") or (decision is None and outcome.verdict is Verdict.NONE)


@given(st.text(max_size=20), st.sampled_from(["deny", "ask"]))
def test_help_never_reaches_a_reason_for_the_model(secret: str, verdict: str) -> None:
    event = read(CLAUDE_CODE, SAMPLES["claude-code"]["PreToolUse-Bash"])
    answer = write(CLAUDE_CODE, event, Outcome(verdict=Verdict[verdict.upper()], reason="r", help=f"<<{secret}>>"))
    assert json.loads(answer.stdout)["hookSpecificOutput"]["permissionDecisionReason"] == "r"


def test_shapes() -> None:
    assert same_shape({"a": [1, None, "x"], "b": True}, {"a": [2.5, None, "y"], "b": False})
    assert not same_shape({"a": 1}, {"a": True})
    assert not same_shape([1], [1, 2])
    assert not same_shape({"a": 1}, {"b": 1})
    assert not same_shape([], {})
    assert fitted(None, {"text": "a"}, "b") is None
    assert fitted(None, "a", "b") == "b"
    place = OutputPlace(("text",), (("gone",), ("more", "text")))
    assert fitted(place, {"text": "a", "more": {"text": "a"}}, "b") == {"text": "b", "more": {"text": ""}}


# --- every dialect ---------------------------------------------------------------------------------------------------


def test_the_registry_is_the_folder() -> None:
    shared = {"__init__", "base", "bodies", "conformance", "marks", "outputs", "payload", "reader", "texts", "writer"}
    shared |= {"calls", "spellings", "lifecycle", "vectors", "launches"}
    shared |= {"bridged", "several", "hearing", "hosted", "forms", "kin", "natives"}
    folder = Path(__file__).parents[1] / "src" / "ostiary" / "dialects"
    assert {path.stem for path in folder.glob("*.py")} - shared == {name.replace("-", "_") for name in DIALECTS}
    assert all(name == dialect.name for name, dialect in DIALECTS.items())


def test_every_native_tool_is_known_by_its_name() -> None:
    table = tool_table(TOOLS)
    for dialect in DIALECTS.values():
        assert {*dialect.tools, *dialect.own_tools} <= table.all_names
        for native, spec in dialect.tools.items():
            assert spec.canonical in table.called(native)
    assert set(TOOLS.tools) <= set(table.tools)


def test_every_tool_has_a_sample() -> None:
    named = {payload.get("tool_name") for payload in SAMPLES["claude-code"].values()}
    assert set(CLAUDE_CODE.tools) <= named


def test_all_events_of_the_agent_are_here() -> None:
    assert len(CLAUDE_CODE.events) == 34
    assert {spec.canonical for spec in CLAUDE_CODE.events.values()} == set(EVENTS) - {"PreModel", "PostModel"}


@pytest.mark.parametrize("agent", DIALECTS)
@pytest.mark.parametrize("check", CHECKS)
def test_conformance(agent: str, check: str) -> None:
    assert list(CHECKS[check](DIALECTS[agent], SAMPLES[agent])) == []


def test_marks_of_others_can_be_shared() -> None:
    payload = {**SAMPLES["claude-code"]["Stop"], "cursor_version": "3"}
    assert foreign(CLAUDE_CODE, payload) == "cursor"
    assert foreign(replace(CLAUDE_CODE, shares=frozenset(("cursor",))), payload) is None
    assert foreign(replace(CLAUDE_CODE, name="cursor"), payload) is None
    assert foreign(CLAUDE_CODE, {"hook_event_name": ["BeforeTool"]}) is None


GATE = CLAUDE_CODE.events["PreToolUse"]
BARE = EventSpec(canonical="Stop")


def with_event(name: str, spec: EventSpec) -> Dialect:
    return CLAUDE_CODE._replace(events={**CLAUDE_CODE.events, name: spec})


WRONG: list[tuple[str, Dialect, str]] = [
    ("names", replace(CLAUDE_CODE, name="Claude Code"), "`Claude Code` is no lowercase name with hyphens"),
    ("names", replace(CLAUDE_CODE, url="somewhere"), "the title, the vendor's page or the versions are missing"),
    ("events", with_event("Halt", EventSpec(canonical="Halt")), "Halt: `Halt` is no canonical event"),
    (
        "events",
        with_event("Stop", replace(BARE, aliases=("SubagentStop",))),
        "SubagentStop: two events have this spelling",
    ),
    ("events", replace(CLAUDE_CODE, events={"Stop": CLAUDE_CODE.events["Stop"]}), "no event comes before a tool call"),
    (
        "fields",
        replace(CLAUDE_CODE, fields={**CLAUDE_CODE.fields, "cwd": ()}),
        "no path leads to the cwd, and `lacks` does not say so",
    ),
    ("verdicts", with_event("Stop", BARE), "Stop: `deny` has neither a form nor a reason why not"),
    (
        "verdicts",
        with_event("PreToolUse", replace(GATE, rewrite={})),
        "PreToolUse: `updated_input` has neither a form nor a reason why not",
    ),
    (
        "verdicts",
        with_event("PreToolUse", replace(GATE, answers={}, cannot=dict.fromkeys(("allow", "ask", "deny"), "x"))),
        "PreToolUse: a gate cannot be closed",
    ),
    (
        "verdicts",
        with_event("PreToolUse", replace(GATE, rewrite={"none": {}}, answers={"deny": GATE.answers["deny"]})),
        "PreToolUse: a rewrite goes with `none`, which cannot be said",
    ),
    (
        "forms",
        with_event("PreToolUse", replace(GATE, extras={"message": {"note": Slot.MESSAGE}})),
        "PreToolUse: the agent does not read `note`",
    ),
    (
        "forms",
        with_event("PreToolUse", replace(GATE, extras={"message": {"systemMessage": "hi"}})),
        "PreToolUse: `message` does not carry its text",
    ),
    (
        "forms",
        with_event("PreToolUse", replace(GATE, rewrite={"ask": {"decision": Slot.REASON}})),
        "PreToolUse: a rewrite does not carry the arguments, or more than them",
    ),
    (
        "forms",
        with_event("Stop", replace(BARE, answers={"deny": Form(body={"decision": "block"})})),
        "Stop: a deny carries no reason",
    ),
    (
        "forms",
        with_event(
            "Stop",
            replace(
                BARE, answers={"deny": Form(body={"decision": "block"}, stderr=Slot.REASON)}, stdout_fields=frozenset()
            ),
        ),
        "Stop: the agent does not read `decision`",
    ),
    (
        "lives",
        with_event("Stop", replace(BARE, life=Life("finish", "session", "failed"))),
        "Stop: only the finish of a turn has an outcome",
    ),
    (
        "lives",
        with_event(
            "Stop", replace(BARE, life=Switch(("x",), {"y": Life("activity", blocker="question")}, Life("start")))
        ),
        "Stop: a blocker belongs to the phase `blocked`, and to no other",
    ),
    (
        "lives",
        with_event("Stop", replace(BARE, life=Life("blocked"))),
        "Stop: a blocker belongs to the phase `blocked`, and to no other",
    ),
    ("tools", replace(CLAUDE_CODE, tools={"Bash": ToolSpec(canonical="shell")}), "Bash: `shell` is no canonical tool"),
    (
        "tools",
        replace(CLAUDE_CODE, tools={"Bash": ToolSpec(canonical="bash", renames={"cmd": "cmdline"})}),
        "Bash: its renamed arguments mean nothing to `bash`",
    ),
    ("tools", replace(CLAUDE_CODE, own_tools=("Bash",)), "Bash: both a canonical tool and one of its own"),
    (
        "timeouts",
        replace(CLAUDE_CODE, timeouts=replace(CLAUDE_CODE.timeouts, events={"Halt": 1})),
        "Halt: a timeout of no known event",
    ),
    ("timeouts", replace(CLAUDE_CODE, timeouts=replace(CLAUDE_CODE.timeouts, ours=0)), "hooks get no time"),
    (
        "timeouts",
        replace(CLAUDE_CODE, timeouts=Timeouts(unit="milliseconds", default=60, ours=10)),
        "a default of less than a second; is the unit seconds?",
    ),
    (
        "registration",
        replace(
            CLAUDE_CODE,
            registration=replace(CLAUDE_CODE.registration, places=(Place("project", "any", "project", "x"),)),
        ),
        "no file registers hooks for the user",
    ),
    (
        "registration",
        replace(CLAUDE_CODE, registration=replace(CLAUDE_CODE.registration, entry={"type": "command"})),
        "an entry lacks its program and timeout",
    ),
    (
        "registration",
        replace(CLAUDE_CODE, events={"PreToolUse": replace(GATE, since="3")}),
        "no gate before tool calls is registered by default",
    ),
    ("samples", with_event("Halt", EventSpec(canonical="Notification")), "Halt: no sample"),
    (
        "samples",
        replace(CLAUDE_CODE, fields={**CLAUDE_CODE.fields, "input": (("arguments",),)}),
        "PreToolUse-Bash: the tool or its arguments are not read",
    ),
    (
        "samples",
        replace(CLAUDE_CODE, fields={**CLAUDE_CODE.fields, "session": (("session",),)}),
        "Stop: no session, and `lacks` does not say so",
    ),
    (
        "samples",
        replace(CLAUDE_CODE, fields={**CLAUDE_CODE.fields, "event": (("event_name",),)}),
        "Stop: the hook's input names no event",
    ),
    (
        "odd",
        with_event("Stop", replace(CLAUDE_CODE.events["Stop"], answers={"deny": Form(body={"reason": Slot.PROGRAM})})),
        "Stop: `cwd` as None raises KeyError",
    ),
    (
        "answers",
        with_event("PreToolUse", replace(GATE, answers={**GATE.answers, "deny": Form()})),
        "PreToolUse-Bash: a deny is said like silence or an allow",
    ),
    (
        "answers",
        with_event("PreToolUse", replace(GATE, answers={**GATE.answers, "deny": Form(status=2)})),
        "PreToolUse-Bash: a deny does not say why",
    ),
    (
        "answers",
        with_event("PreToolUse", replace(GATE, answers={**GATE.answers, "allow": GATE.answers["ask"]})),
        "PreToolUse-Bash: an allow is said like silence or a question",
    ),
    ("closing", with_event("PreToolUse", replace(GATE, gate=False)), "PreToolUse: comes before a tool and is no gate"),
    (
        "closing",
        with_event("PreToolUse", replace(GATE, answers={**GATE.answers, "deny": Form()})),
        "PreToolUse: is a gate and stays open",
    ),
    (
        "closing",
        with_event("Stop", replace(CLAUDE_CODE.events["Stop"], gate=True)),
        "Stop: the end of a turn is no gate",
    ),
    ("closing", replace(CLAUDE_CODE, blind=Form()), "an unknown event closes nothing"),
    (
        "closing",
        replace(CLAUDE_CODE, registration=replace(CLAUDE_CODE.registration, closing={})),
        "what closes and the ways in which it does belong together",
    ),
]


@pytest.mark.parametrize(
    ("check", "dialect", "message"), WRONG, ids=[f"{check}: {message}" for check, _, message in WRONG]
)
def test_the_kit_finds_what_is_wrong(check: str, dialect: Dialect, message: str) -> None:
    assert message in list(CHECKS[check](dialect, SAMPLES["claude-code"]))


def test_findings_name_their_check() -> None:
    found = findings(replace(CLAUDE_CODE, url=""), {"odd one": {"hook_event_name": "Halt"}})
    assert ("names", "the title, the vendor's page or the versions are missing") in found
    assert {finding.check for finding in found} == {"names", "samples"}


def test_the_native_names_are_those_of_the_tables() -> None:
    for agent, dialect in DIALECTS.items():
        natives, alone = NATIVES[agent]
        assert natives.split() == [f"{native}={spec.canonical}" for native, spec in dialect.tools.items()]
        assert alone.split() == list(dialect.own_tools)
    assert list(NATIVES) == list(DIALECTS)
