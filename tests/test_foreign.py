"""Settings files of other agents: `tests/cases/foreign/**.yaml`.

`loading.yaml` and `options.yaml` hold files: `settings` (or `text`, as it is) of an `agent` in a `tier`, with what they
compile to: `rules`, each with what differs from a plain command, `warnings` in full, `gates`; or a `problem`.
`matching.yaml` holds groups and the events they run at.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ostiary.answers import NAMES
from ostiary.dialects import tool_table
from ostiary.evaluate import judge_alone
from ostiary.event import Event, mcp_pair
from ostiary.facts import FixedFacts, Given
from ostiary.foreign import AGENTS, Origin, Server
from ostiary.foreign import text as json_text
from ostiary.foreign.claude import CLAUDE
from ostiary.foreign.compiling import ForeignHooks, compile_hooks
from ostiary.foreign.cursor import MOST
from ostiary.foreign.switches import read
from ostiary.handlers import HANDLERS
from ostiary.policy import HandlerPlan, RulePlan
from ostiary.problems import PolicyError, Problem
from ostiary.tools import TOOLS
from tables import read_table

CASES = Path(__file__).parent / "cases" / "foreign"
TABLE = tool_table(TOOLS)
FACTS = FixedFacts(Given(home="/home/dev", start="/work", roots=("/work",), workdirs=("/work",)))


def rows(*names: str) -> list[Any]:
    return [
        pytest.param(row, id=f"{name}: {row['note']}") for name in names for row in read_table(CASES / f"{name}.yaml")
    ]


def compiled(row: dict[str, Any]) -> ForeignHooks:
    text = row["text"] if "text" in row else json.dumps(row["settings"], indent=1)
    given = {key: tuple(value) if isinstance(value, list) else value for key, value in row.get("origin", {}).items()}
    given["servers"] = tuple(
        Server(**{key: tuple(value) if isinstance(value, list) else value for key, value in server.items()})
        for server in given.get("servers", ())
    )
    origin = Origin(row.get("agent", "afk"), row.get("tier", "user"), **given)
    return compile_hooks(text.encode("utf-8", "surrogatepass"), "s.json", origin)


def said(problem: Problem) -> str:
    line = f"{problem.line}: {problem.where}: " if problem.where else f"{problem.line}: "
    return line + problem.message + (f" ({problem.help})" if problem.help else "")


def plain(value: Any) -> Any:
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def told(rule: RulePlan) -> dict[str, Any]:
    """What a rule says beside running a command."""
    assert isinstance(rule.handler, HandlerPlan)
    spec = dict(rule.handler.spec)
    if rule.handler.kind == "command":
        assert spec.pop("cwd") == "project"
    found = {"id": rule.id, "on": rule.on[0], "kind": rule.handler.kind, "folder": rule.handler.folder, **spec}
    for name in ("timeout", "background", "rewake"):
        found[name] = getattr(rule.handler, name)
    found["on_error"] = rule.on_error
    return {
        key: plain(value)
        for key, value in found.items()
        if not any(value is no for no in (None, False, "")) and (key == "args" or value != ())
    }


@pytest.mark.parametrize("row", rows("loading", "options"))
def test_file(row: dict[str, Any]) -> None:
    if "problem" in row:
        with pytest.raises(PolicyError) as caught:
            compiled(row)
        assert [str(problem) for problem in caught.value.problems] == [row["problem"]]
        return
    found = compiled(row)
    assert [said(warning) for warning in found.warnings] == row.get("warnings", [])
    assert [told(rule) for rule in found.plan.rules] == row["rules"]
    assert list(found.gates) == row.get("gates", [])
    assert found.plan.contract == ("claude" if row.get("agent") == "claude-code" else "afk")


@pytest.mark.parametrize("row", rows("matching"))
def test_matching(row: dict[str, Any]) -> None:
    hook = {"type": "command", "command": "x", **({"if": row["if"]} if "if" in row else {})}
    group = {"hooks": [hook], **({"matcher": row["matcher"]} if "matcher" in row else {})}
    found = compiled({**row, "settings": {"hooks": {row.get("on", "PreToolUse"): [group]}}})
    assert [said(warning) for warning in found.warnings] == row.get("warnings", [])
    expected = {str(call): answer for answer in NAMES for call in row.get(answer, ())}
    assert expected
    calls = [call for answer in NAMES for call in row.get(answer, ())]
    assert {str(call): answer(found, event(row, call)) for call in calls} == expected


def answer(found: ForeignHooks, moment: Event) -> str:
    """Whether the one hook of a file runs."""
    return NAMES[max((judge_alone(rule, moment, FACTS, TABLE) for rule in found.plan.rules), default=0)]


def event(row: dict[str, Any], call: Any) -> Event:
    """A call is a tool by any name, a command where the row is about `if`, or a mapping of what the event holds."""
    if isinstance(call, str):
        call = {"tool": "Bash", "input": {"command": call}} if "if" in row else {"tool": call}
    named = call.get("tool")
    tool = next(iter(TABLE.called(named)), named) if named is not None else None
    return Event(
        name=row.get("on", "PreToolUse"),
        agent=call.get("agent", ""),
        tool=tool,
        native_tool=named,
        mcp=mcp_pair(tool or ""),
        input=call.get("input", {}),
        subagent=call.get("subagent"),
        cwd="/work",
        data=call.get("data", {}),
    )


def test_nothing_in_a_name_of_an_agent_is_missing() -> None:
    from ostiary.dialects import DIALECTS

    assert set(AGENTS) <= set(DIALECTS)
    assert set(CLAUDE.events) == set(DIALECTS["claude-code"].events)


KEYS = {f"k{number}": 0 for number in range(500)}


@pytest.mark.parametrize(
    "hooks", [KEYS, {"Stop": [0] * 500}, {"Stop": [{"hooks": [{"type": "command", "command": "x", **KEYS}]}]}]
)
def test_no_more_is_told_than_people_read(hooks: Any) -> None:
    found = compiled({"agent": "claude-code", "settings": {"hooks": hooks}})
    assert len(set(found.warnings)) == MOST + 1
    assert found.warnings[0].message == "more may be wrong in it than is told here"


ENTRIES_OF: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "command": ({"command": "x"}, {"command": "x"}),
    "http": ({"url": "https://a"}, {"http": "https://a"}),
    "mcp_tool": ({"server": "s", "tool": "t"}, {"mcp_tool": "t", "server": {"command": "x"}}),
    "prompt": ({"prompt": "p"}, {"prompt": "p"}),
    "agent": ({"prompt": "p"}, {"agent": "p"}),
}


@pytest.mark.parametrize("kind", [kind for kind in ENTRIES_OF if kind in HANDLERS])
def test_handlers_are_given_what_rules_give_them(kind: str) -> None:
    """An entry that says no more than it must is the handler of a rule that does."""
    entry, run = ENTRIES_OF[kind]
    document = {"hooks": {"Stop": [{"hooks": [{"type": kind, **entry}]}]}}
    origin = {"servers": [{"name": "s", "command": ["x"]}]}
    found = compiled({"agent": "claude-code", "settings": document, "origin": origin})
    (rule,) = found.plan.rules
    wanted = HANDLERS[kind].model_validate(run).plan("")
    added = {"cwd": "project", "passed": ()} if kind == "command" else {}
    assert rule.handler
    assert dict(rule.handler.spec) == {**dict(wanted.spec), **added}
    assert rule.handler._replace(spec=()) == wanted._replace(spec=())


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["*", "(", "Bash(x)"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
OPTIONS = (
    *("command", "args", "shell", "url", "headers", "allowedEnvVars", "server", "tool", "input", "prompt", "model"),
    *("continueOnBlock", "if", "timeout", "timeout_ms", "async", "asyncRewake", "onFailure"),
)
KINDS = st.sampled_from(["command", "http", "mcp_tool", "prompt", "agent"])
ENTRIES = st.fixed_dictionaries({}, optional={"type": VALUES | KINDS, **dict.fromkeys(OPTIONS, VALUES)})
GROUPS = st.fixed_dictionaries(
    {}, optional={"matcher": VALUES, "hooks": VALUES | st.lists(ENTRIES | VALUES, max_size=3)}
)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "hooks": VALUES
        | st.dictionaries(
            st.sampled_from([*CLAUDE.events, "No"]), VALUES | st.lists(GROUPS | VALUES, max_size=3), max_size=3
        ),
        **dict.fromkeys(("disableAllHooks", "disabledPluginHooks", "pluginHookEnv", "enabledPlugins"), VALUES),
        **dict.fromkeys(("allowedHttpHookUrls", "enableShellHooks", "allowManagedHooksOnly"), VALUES),
    },
)


@given(SETTINGS | VALUES, st.sampled_from(AGENTS), st.sampled_from(["managed", "user", "project", "plugin"]))
def test_whatever_a_file_holds_is_a_plan_or_a_problem(value: Any, agent: Any, tier: Any) -> None:
    raw = json.dumps(value).encode()
    with contextlib.suppress(PolicyError):
        found = compile_hooks(raw, "s.json", Origin(agent, tier, disabled=("PreToolUse",), urls=("*",)))
        assert {warning.severity for warning in found.warnings} <= {"warning"}
        assert all(rule.handler and not rule.decision for rule in found.plan.rules)
        assert len({rule.id for rule in found.plan.rules}) == len(found.plan.rules)
    read(raw)


@given(st.binary(max_size=40) | st.text('{}[],:"\\ 01e.-+truefalsn\n', max_size=40).map(str.encode))
def test_the_reader_takes_no_more_than_json(raw: bytes) -> None:
    """What it takes, others take too, and for the same."""
    try:
        found = json_text.parse(raw, "s.json")
    except PolicyError:
        return
    assert found.value == json.loads(raw)
    assert set(found.lines.values()) <= set(range(1, raw.count(b"\n") + 2))


@given(VALUES)
def test_the_reader_takes_all_json_that_is_the_same_to_every_reader(value: Any) -> None:
    text = json.dumps(value, indent=1, ensure_ascii=False)
    if "NaN" not in text and "Infinity" not in text:
        assert json_text.parse(text.encode("utf-8"), "s.json").value == value
