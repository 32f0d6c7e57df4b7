"""Test suites: what a file may say, and when a case holds."""

from __future__ import annotations

from typing import Any

import pytest

from ostiary import suites
from ostiary.build import compile_file
from ostiary.decision import Outcome, Step, Verdict
from ostiary.dialects import DIALECTS
from ostiary.facts import FactRequest
from ostiary.policy import Admitted, Policy, assemble
from ostiary.problems import PolicyError
from ostiary.suites.facts import facts_of
from ostiary.suites.judging import differences
from ostiary.suites.spec import ExpectSpec, FactsSpec, SuiteSpec

POLICY = """\
version: 1
name: mine
allow: ["Bash(git status:*)"]
rules:
  - {id: keys, when: {reads: ["~/.ssh/**"]}, decision: deny, reason: keys stay, help: ask}
  - {id: release, when: {all: [{branch: release}, {command: {program: git}}]}, decision: ask}
  - {id: note, tool: Write, context: a note, message: hello}
  - {id: rewrite, tool: web_search, decision: allow, update_input: {query: cats}}
  - {id: stop, tool: skill, halt: true, decision: deny}
  - {id: hide, on: PostToolUse, tool: Read, update_output: {redact: /k.y/}}
  - {id: wild, when: {mode: wild}, decision: deny}
  - {id: from-agent, when: {agent: somebody}, decision: ask}
  - {id: sub, when: {subagent: explorer}, decision: ask}
  - {id: alone, when: {interactive: false}, decision: ask}
  - {id: this-session, when: {session: s1}, decision: ask}
  - {id: prompts, on: UserPromptSubmit, when: {prompt: "*secret*"}, decision: deny}
  - {id: outside, when: {writes: {outside: project}}, decision: ask}
  - {id: old, when: {command: {program: old}}, decision: deny, expires: 2020-01-01}
"""


def policy() -> Policy:
    file, _ = compile_file(POLICY.encode(), "mine.yaml")
    return assemble([Admitted("user", True, file)])


MINE = policy()


def judged(case: str, facts: str = "{}") -> suites.Result:
    suite = suites.load(f"version: 1\nfacts: {facts}\ncases:\n  - {{name: x, {case}}}\n", "x.test.yaml")
    (result,) = suites.judge(suite, MINE)
    return result


@pytest.mark.parametrize(
    "case",
    [
        "call: git status, facts: {branch: main}, expect: {verdict: allow}",
        "call: ls, expect: {verdict: none, rules: []}",
        "call: cat ~/.ssh/id, expect: {verdict: deny, rules: [keys], reason~: keys, help~: ask}",
        "call: cat ~/.ssh/id, expect: {rules: ['user:mine/keys']}",
        "call: cat ~/.ssh/id, expect: {rules: [mine/keys]}",
        "call: {command: cat id, cwd: /home/dev/.ssh}, expect: {verdict: deny}",
        "call: cat link/id, facts: {links: {/work/link: /home/dev/.ssh}}, expect: {verdict: deny}",
        "call: cat a/id, facts: {links: {/work/a: /work/b, /work/b: /home/dev/.ssh}}, expect: {verdict: deny}",
        "call: cat /home/eve/.ssh/id, facts: {home: /home/eve}, expect: {verdict: deny}",
        "call: {command: git push, branch: release}, expect: {verdict: ask, rules: [release]}",
        "call: git push, facts: {branch: release}, expect: {verdict: ask}",
        "call: {command: git push, branch: main}, facts: {branch: release}, expect: {verdict: none}",
        "call: git push, expect: {verdict: ask, reason~: does not tell}",
        "call: {tool: Write, input: {file_path: x, content: y}}, expect: {context: a note, message: hello}",
        "call: ls, expect: {context: '', message: '', updated_input: {}, halt: false}",
        "call: {tool: web_search, input: {query: dogs}}, expect: {updated_input: {query: cats}}",
        "call: {tool: Skill, input: {skill: x}}, expect: {halt: true, verdict: deny}",
        "event: {on: PostToolUse, tool: Read, input: {file_path: x}, output: my key}, "
        "expect: {updated_output: 'my [redacted]'}",
        "call: {command: ls, mode: wild}, expect: {verdict: deny}",
        "call: {command: ls, agent: somebody}, expect: {verdict: ask}",
        "call: {command: ls, subagent: explorer}, expect: {verdict: ask}",
        "call: {command: ls, interactive: false}, expect: {verdict: ask}",
        "call: {command: ls, session: s1}, expect: {verdict: ask}",
        "event: {on: UserPromptSubmit, prompt: my secret}, expect: {verdict: deny}",
        "event: {on: Stop}, expect: {verdict: none}",
        "call: touch /elsewhere/x, expect: {verdict: ask}",
        "call: touch /elsewhere/x, facts: {roots: [/work, /elsewhere]}, expect: {verdict: ask}",
        "call: touch /elsewhere/x, facts: {start: /elsewhere}, expect: {verdict: none}",
        "call: touch /new/x, facts: {start: /new}, expect: {verdict: none}",
        "call: old, expect: {verdict: none}",
        "call: old, facts: {now: '2020-01-01T23:59:59Z'}, expect: {verdict: deny}",
        "call: {agent: claude-code, payload: {hook_event_name: PreToolUse, tool_name: Read, cwd: /work, "
        "tool_input: {file_path: /home/dev/.ssh/id}}}, expect: {verdict: deny}",
        "call: {agent: claude-code, command: ls}, expect: {verdict: ask, rules: [alone]}",
    ],
)
def test_cases_that_hold(case: str) -> None:
    result = judged(case)
    assert result.differences == ()
    assert result.holds
    assert (result.file, result.line, result.name) == ("x.test.yaml", 4, "x")


@pytest.mark.parametrize(
    ("case", "keys"),
    [
        ("call: git status, expect: {verdict: deny}", ["verdict"]),
        ("call: git status, expect: {}", ["expect"]),
        ("call: git status", ["expect"]),
        ("call: cat ~/.ssh/id, expect: {rules: []}", ["rules"]),
        ("call: cat ~/.ssh/id, expect: {rules: [keys, wild]}", ["rules"]),
        ("call: cat ~/.ssh/id, expect: {reason~: others, help~: others}", ["reason~", "help~"]),
        ("call: ls, expect: {reason~: x}", ["reason~"]),
        ("call: ls, expect: {halt: true, context: x, message: y}", ["context", "message", "halt"]),
        ("call: {tool: web_search, input: {query: dogs}}, expect: {updated_input: {}}", ["updated_input"]),
    ],
)
def test_cases_that_fail(case: str, keys: list[str]) -> None:
    result = judged(case)
    assert [difference.key for difference in result.differences] == keys
    assert not result.holds


def test_the_facts_of_a_case_come_before_the_suites() -> None:
    shared = "{branch: release, home: /home/eve}"
    assert judged("call: git push, expect: {verdict: ask}", shared).holds
    assert judged("call: git push, facts: {branch: main}, expect: {verdict: none}", shared).holds
    assert judged("call: cat /home/eve/.ssh/id, facts: {branch: main}, expect: {verdict: deny}", shared).holds


def test_a_circle_of_links_cannot_be_told() -> None:
    facts = facts_of(FactsSpec(links={"/a": "/b", "/b": "/a"}))
    assert facts.answer(FactRequest("resolve", "/a/x")) is None
    assert facts.answer(FactRequest("kind", "/a/x")) is None
    assert facts.answer(FactRequest("resolve", "/ab")) == "/ab"


def test_files_that_a_suite_names_exist() -> None:
    facts = facts_of(FactsSpec(files=["/srv/a/b"], links={"/l": "/srv"}))
    found = {path: facts.answer(FactRequest("kind", path)) for path in ("/srv/a/b", "/srv/a", "/l/a", "/srv/ab", "/c")}
    assert found == {"/srv/a/b": "file", "/srv/a": "folder", "/l/a": "folder", "/srv/ab": "none", "/c": "none"}


def test_scripts_of_a_suite_are_files() -> None:
    facts = facts_of(FactsSpec(scripts={"/srv/x.sh": "ls"}, links={"/l": "/srv"}))
    assert facts.answer(FactRequest("script", "/l/x.sh")) == "ls"
    assert facts.answer(FactRequest("script", "/l/y.sh")) is None
    assert facts.answer(FactRequest("kind", "/l/x.sh")) == "file"


def test_what_lies_below_a_folder_of_a_suite() -> None:
    facts = facts_of(FactsSpec(files=["/srv/a/b/c", "/srv/a/x", "/c"], links={"/l": "/srv", "/o": "/o"}))
    below = {"b": ("",), "c": ("b",), "x": ("",)}
    assert facts.answer(FactRequest("listing", "/l/a")) == facts.answer(FactRequest("listing", "/srv/a")) == below
    assert facts.answer(FactRequest("listing", "/srv/a/x")) == {}
    assert facts.answer(FactRequest("listing", "/o")) is None


def test_scripts_and_what_was_written_are_facts() -> None:
    facts = facts_of(FactsSpec(written=["/work/x", "/work/d"]))
    asked = {path: facts.answer(FactRequest("written", path)) for path in ("/work/x", "/work/d/y", "/work/z")}
    assert asked == {"/work/x": "yes", "/work/d/y": "maybe", "/work/z": "no"}


def test_what_a_suite_does_not_say_cannot_be_told() -> None:
    facts = facts_of()
    assert facts.answer(FactRequest("branch", "/work")) is None
    assert facts.answer(FactRequest("home_of", "eve")) is None
    assert facts.answer(FactRequest("folds_case", "/work")) is False
    assert facts_of(FactsSpec(windows=True)).answer(FactRequest("folds_case", "C:/")) is True


def test_rules_that_do_not_act_have_not_spoken() -> None:
    steps = [
        Step(rule=f"user:a/{state}", line=1, part=0, answer="yes", why="", decision="deny", state=state)  # type: ignore[arg-type]
        for state in ("active", "observe", "expired", "untrusted", "overruled", "not-run", "excepted")
    ]
    outcome = Outcome(verdict=Verdict.DENY, trail=(*steps, steps[0]))
    assert suites.spoken(outcome) == ["user:a/active"]
    assert differences(ExpectSpec(rules=["active"]), outcome) == ()


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("cases: []\n", ["x:1:1: the key `version` is missing\n  help: add `version: ...`"]),
        (
            "version: 1\ncases: [{name: a, call: ls, event: {on: Stop}}]\n",
            ["x:2:9: cases[0]: a case has either `call` or `event`\n  help: add `call: git status`"],
        ),
        (
            "version: 1\ncases: [{name: a}]\n",
            ["x:2:9: cases[0]: a case has either `call` or `event`\n  help: add `call: git status`"],
        ),
        (
            "version: 1\ncases: [{name: a, call: {cwd: /}}]\n",
            ["x:2:25: cases[0].call: nothing happens here\n  help: add `command`, `tool`, `on` or `payload`"],
        ),
        (
            "version: 1\ncases: [{name: a, call: {command: ls, tool: Bash}}]\n",
            [
                "x:2:35: cases[0].call.command: `command` and `tool` exclude each other\n"
                "  help: put the command into `input`"
            ],
        ),
        (
            "version: 1\ncases: [{name: a, event: {on: Stopp}}]\n",
            ["x:2:31: cases[0].event.on: unknown event `Stopp`\n  help: did you mean `Stop`?"],
        ),
        (
            "version: 1\ncases: [{name: a, call: {payload: {}}}]\n",
            [f"x:2:25: cases[0].call: a payload needs `agent`\n  help: agents: {', '.join(sorted(DIALECTS))}"],
        ),
        (
            "version: 1\ncases: [{name: a, call: {payload: {}, agent: claude}}]\n",
            ["x:2:46: cases[0].call.agent: unknown agent `claude`\n  help: did you mean `claude-code`?"],
        ),
        (
            "version: 1\nfacts: {now: today}\ncases: [{name: a, call: ls, facts: {now: '2027-01-01'}}]\n",
            [
                "x:2:14: facts.now: expected a time with its zone\n  help: write it as `2027-01-31T12:00:00Z`",
                "x:3:42: cases[0].facts.now: expected a time with its zone\n  help: write it as `2027-01-31T12:00:00Z`",
            ],
        ),
        (
            "version: 1\ncases: [{name: a, call: ls, expect: {verdict: denied}}]\n",
            [
                "x:2:47: cases[0].expect.verdict: expected `none`, `allow`, `ask`, `defer` or `deny`, found `denied`\n"
                "  help: did you mean `deny`?"
            ],
        ),
        (
            "version: 1\ncases: [{name: a, call: ls, expect: {reason: x}}]\n",
            ["x:2:38: cases[0].expect.reason: unknown key `reason`\n  help: did you mean `reason~`?"],
        ),
    ],
)
def test_what_a_suite_may_not_say(text: str, problems: list[str]) -> None:
    with pytest.raises(PolicyError) as caught:
        suites.load(text, "x")
    assert list(map(str, caught.value.problems)) == problems


@pytest.mark.parametrize(
    "data", [{"cases": 1}, {"cases": [1, {"call": 1}]}, {"facts": 1}, {"cases": [{"call": {"on": 1}}]}]
)
def test_shapes_that_are_no_suite_are_told_and_not_raised(data: dict[str, Any]) -> None:
    list(SuiteSpec.checks(data))
