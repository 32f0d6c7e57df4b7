"""Rule files to plans: order, includes, variables, warnings, examples, digests."""

from __future__ import annotations

import hashlib
import json
import marshal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ostiary.answers import MAYBE, NO, YES, Answer
from ostiary.build import Compiled, IncludeError, IncludeRef, Judge, compile_file
from ostiary.build.examples import ExampleFacts
from ostiary.event import GATES, Event
from ostiary.facts import FactRequest, Facts
from ostiary.policy import FilePlan, RulePlan, file_plan, plain
from ostiary.problems import PolicyError
from ostiary.tools import TOOLS, ToolTable
from tables import read_table

CASES = Path(__file__).parent / "cases" / "build"
WARNINGS = [pytest.param(row, id=row["note"]) for path in sorted(CASES.rglob("*.yaml")) for row in read_table(path)]


def build(text: str, files: Mapping[str, str] | None = None, judge: Judge | None = None) -> Compiled:
    def load_include(ref: IncludeRef) -> tuple[str, bytes]:
        if files is None or str(ref) not in files:
            raise IncludeError(f"`{ref}` does not exist")
        return str(ref), files[str(ref)].encode()

    return compile_file(text, "rules/policy.yaml", load_include, judge=judge)


def plan(rules: str, head: str = "version: 1") -> RulePlan:
    return build(f"{head}\nrules:\n  - {rules}\n").plan.rules[0]


@pytest.mark.parametrize("row", WARNINGS)
def test_warnings(row: dict[str, Any]) -> None:
    warnings = build(row["text"], row.get("files")).warnings
    assert {problem.severity for problem in warnings} <= {"warning"}
    assert "\n".join(map(str, warnings)) == row["warnings"].rstrip("\n")


def test_a_file_is_named_after_itself() -> None:
    assert build("version: 1\n").plan == FilePlan(
        "policy", "rules/policy.yaml", hashlib.sha256(b"version: 1\n").hexdigest(), "strictest", ()
    )
    assert build("version: 1\nname: team\ncombine: last\n").plan[:4:3] == ("team", "last")
    assert compile_file(b"version: 1\n", "C:\\x\\base.yml", judge=None).plan.name == "base"


def test_every_key_of_a_rule_reaches_its_plan() -> None:
    text = (
        "{id: a, on: [PostToolUse, PreToolUse, PostToolUse], tool: Bash, when: {mode: x}, unless: {mode: y}, "
        "decision: deny, reason: r, help: h, context: c, message: m, update_input: {a: null, b: [1, {c: d}]}, "
        "update_output: {redact: /x/, with: y}, halt: true, default: true, yields: project, uncertain: none, "
        "mode: observe, expires: 2027-01-31, description: about, tags: [t, u], owner: o, severity: high}"
    )
    assert plan(text) == RulePlan(
        id="a",
        line=3,
        on=("PostToolUse", "PreToolUse"),
        when=("all", (("tool", "exact", ("Bash",)), ("mode", (("eq", "x"),)))),
        unless=("mode", (("eq", "y"),)),
        decision="deny",
        reason="r",
        help="h",
        context="c",
        message="m",
        update_input=(("a", None), ("b", ("list", (1, ("mapping", (("c", "d"),)))))),
        update_output=("redact", (("re", "x", ""),), "y"),
        halt=True,
        default=True,
        yields=("project",),
        uncertain="none",
        observe=True,
        expires="2027-01-31",
        notes=(("description", "about"), ("tags", "t, u"), ("owner", "o"), ("severity", "high")),
    )


def test_what_a_rule_leaves_out() -> None:
    assert plan("{id: a, decision: allow, trailing: any}") == RulePlan(
        "a", 3, GATES, ("always",), decision="allow", trailing=True
    )
    assert plan("{id: a, on: PostToolUse, update_output: {set: x}}").update_output == ("set", "x")


def test_rules_stand_in_the_order_they_are_judged() -> None:
    file = build(
        "version: 1\ndefault: ask\nrules:\n  - {id: a, decision: deny}\nallow:\n  - Read\nask: [Bash]\n"
        "deny:\n  - Write\n  - Edit\n  - Write\n"
    ).plan
    assert [(rule.id, rule.line, rule.decision, rule.default) for rule in file.rules] == [
        ("deny:Write", 9, "deny", False),
        ("deny:Edit", 10, "deny", False),
        ("ask:Bash", 7, "ask", False),
        ("allow:Read", 6, "allow", False),
        ("a", 4, "deny", False),
        ("default", 2, "ask", True),
    ]


def test_exceptions_and_aliases() -> None:
    file = build(
        "version: 1\naliases: {deploy: [mcp__ops__deploy, x], ship: y}\n"
        "exceptions:\n  - {rule: pack:git/a, reason: r}\n"
        "  - {rule: b, when: {mode: x}, reason: s, expires: 2027-01-31}\n"
    ).plan
    assert file.aliases == (("deploy", ("mcp__ops__deploy", "x")), ("ship", ("y",)))
    assert [tuple(item) for item in file.exceptions] == [
        ("pack:git/a", None, "r", "", 4),
        ("b", ("mode", (("eq", "x"),)), "s", "2027-01-31", 5),
    ]


def test_includes_come_with_their_options_and_files() -> None:
    file = build(
        "version: 1\ninclude: ['pack:git', {file: ./sub/a.yaml, mode: observe, except: [x]}]\n",
        {
            "pack:git": "version: 1\nname: other\ninclude: ['pack:base']\n",
            "pack:base": "version: 1\n",
            "sub/a.yaml": "version: 1\ninclude: [../b.yaml, c.yaml]\nrules: [{id: x, decision: deny}]\n",
            "b.yaml": "version: 1\n",
            "sub/c.yaml": "version: 1\n",
        },
    ).plan
    pack, sub = file.includes
    assert (pack.pack, pack.file.name, pack.file.label, pack.observe) == ("git", "git", "pack:git", False)
    assert [item.file.label for item in pack.file.includes] == ["pack:base"]
    assert (sub.pack, sub.file.name, sub.excluded, sub.observe) == ("", "a", ("x",), True)
    assert [item.file.label for item in sub.file.includes] == ["b.yaml", "sub/c.yaml"]


def test_a_file_may_be_included_by_two() -> None:
    files = {"a.yaml": "version: 1\ninclude: [c.yaml]\n", "b.yaml": "version: 1\ninclude: [c.yaml]\n"}
    file = build("version: 1\ninclude: [a.yaml, b.yaml]\n", {**files, "c.yaml": "version: 1\n"}).plan
    assert [item.file.includes[0].file.label for item in file.includes] == ["c.yaml", "c.yaml"]


def problems(text: str, files: Mapping[str, str] | None = None, judge: Judge | None = None) -> list[str]:
    with pytest.raises(PolicyError) as caught:
        build(text, files, judge)
    return [str(problem) for problem in caught.value.problems]


def test_a_file_alone_includes_nothing() -> None:
    with pytest.raises(PolicyError, match="`pack:git` cannot be included here"):
        compile_file("version: 1\ninclude: ['pack:git']\n", "x.yaml")


def test_includes_have_a_depth_and_a_number() -> None:
    chain = {f"{n}.yaml": f"version: 1\ninclude: [{n + 1}.yaml]\n" for n in range(9)}
    assert problems("version: 1\ninclude: [0.yaml]\n", {**chain, "9.yaml": "version: 1\n"}) == [
        "7.yaml:2:11: include[0]: includes are nested deeper than 8"
    ]
    wide = {f"{n}.yaml": "version: 1\n" for n in range(65)}
    assert problems(f"version: 1\ninclude: [{', '.join(wide)}]\n", wide)[0].endswith("more than 64 files are included")


def test_an_included_file_that_is_no_yaml_is_told_once_with_params_too() -> None:
    assert problems("version: 1\ninclude: [{file: a.yaml, params: {x: y}}]\n", {"a.yaml": "a: [\n"}) == [
        "a.yaml:2:1: the bracket is not closed\n"
        "  help: inside `[...]` and `{...}` a text that holds `{`, `}`, `[`, `]` or `,` needs quotes"
    ]


PACK = """\
version: 1
vars: {protected: [main, "release/*"], folder: src, none: x}
deny: ["Read(${folder}/**)", "Bash(echo $${x} ${none})"]
rules:
  - id: a
    decision: deny
    reason: "not ${folder}"
    when: {branch: ["x", "${protected}"], command: {refs: "${protected}"}}
    examples: {match: ["echo ${HOME}"]}
"""


def test_variables_are_filled_in() -> None:
    deny, echo, rule = build(PACK).plan.rules
    assert deny.id == "deny:Read(src/**)"
    assert echo.id == "deny:Bash(echo ${x} x)"
    assert rule.reason == "not src"
    protected = (("eq", "main"), ("glob", "release/*"))
    assert rule.when == ("all", (("command", ("refs", protected)), ("branch", (("eq", "x"), *protected))))


def test_variables_make_no_bomb() -> None:
    values = ", ".join(f"v{n}" for n in range(500))
    uses = ", ".join(['"${a}"'] * 2000)
    found = problems(f"version: 1\nvars: {{a: [{values}]}}\nrules: [{{id: a, decision: deny, tags: [{uses}]}}]\n")
    assert found[0].endswith("the variables make too much text\n  help: use fewer of them, or shorter ones")
    long = problems(f'version: 1\nvars: {{a: {"x" * 9000}}}\nname: "{"${a}" * 200}"\n')
    assert "the variables make too much text" in long[0]


def test_warnings_have_a_limit() -> None:
    entries = ", ".join(f"t{n}" for n in range(300))
    assert len(build(f"version: 1\ndeny: [{entries}]\n").warnings) == 100


def test_params_stand_for_variables_and_count_in_the_digest() -> None:
    def included(params: str) -> FilePlan:
        text = f"version: 1\nvars: {{mine: lib}}\ninclude: [{{pack: p{params}}}]\n"
        return build(text, {"pack:p": PACK}).plan.includes[0].file

    own, same = included(""), included(", mode: observe")
    other = included(", params: {protected: stable, folder: '${mine}'}")
    assert other.rules[0].id == "deny:Read(lib/**)"
    assert other.rules[2].when == (
        "all",
        (("command", ("refs", (("eq", "stable"),))), ("branch", (("eq", "x"), ("eq", "stable")))),
    )
    assert own.digest == same.digest != other.digest
    assert own.digest == hashlib.sha256(PACK.encode()).hexdigest()


def test_the_digest_covers_what_is_included_however_deep() -> None:
    def digest(leaf: str) -> str:
        files = {"a.yaml": "version: 1\ninclude: [b.yaml]\n", "b.yaml": leaf}
        return build("version: 1\ninclude: [a.yaml]\n", files).plan.digest

    assert digest("version: 1\n") == digest("version: 1\n") != digest("version: 1\n# x\n")


def test_a_plan_survives_the_cache() -> None:
    file = build(f"{PACK}include: [a.yaml]\nexceptions: [{{rule: a, reason: r}}]\n", {"a.yaml": PACK}).plan
    assert file_plan(marshal.loads(marshal.dumps(plain(file)))) == file


# Examples. The judge is a fake that answers by the command's first word, and remembers what it was asked.

ANSWERS: dict[str, Answer] = {"yes": YES, "maybe": MAYBE, "no": NO}


class FakeJudge:
    def __init__(self) -> None:
        self.asked: list[tuple[str, Event, Facts]] = []

    def __call__(self, rule: RulePlan, event: Event, facts: Facts, tools: ToolTable) -> Answer:
        self.asked.append((rule.id, event, facts))
        return ANSWERS[str(event.input.get("command", event.input.get("x", "yes"))).split()[0]]


def judged(examples: str, rule: str = "decision: deny", head: str = "") -> list[tuple[str, Event, Facts]]:
    judge = FakeJudge()
    build(f"version: 1\n{head}rules:\n  - {{id: a, {rule}, examples: {{{examples}}}}}\n", judge=judge)
    return judge.asked


def test_examples_that_hold_are_fine() -> None:
    asked = judged("match: [yes], maybe: [maybe], not_match: [no, {input: {x: no}, tool: Read}]")
    assert [event.tool for _, event, _ in asked] == ["bash", "bash", "bash", "read_file"]


def test_examples_that_fail_refuse_the_rule() -> None:
    examples = "    examples:\n      match: [yes, no x]\n      not_match: [maybe]\n"
    text = f"version: 1\nrules:\n  - id: a\n    decision: deny\n{examples}"
    assert problems(text, judge=FakeJudge()) == [
        "rules/policy.yaml:6:20: rules[0].examples.match[1]: the rule answers no on this example, not yes\n"
        "  help: mend the rule or the example",
        "rules/policy.yaml:7:19: rules[0].examples.not_match[0]: the rule answers maybe on this example, not no\n"
        "  help: mend the rule or the example",
    ]


def test_a_text_is_shell_text_in_the_project() -> None:
    ((_, event, facts),) = judged("match: ['yes a']")
    assert event == Event.from_call("bash", {"command": "yes a"}, cwd="/work", name="PreToolUse")
    given = facts.given("/x")
    assert (given.home, given.start, given.roots, given.workdirs) == ("/home/dev", "/work", ("/work",), ("/work",))
    assert facts.answer(FactRequest("resolve", "/work/a")) == "/work/a"
    assert facts.answer(FactRequest("branch", "/work")) is None
    assert facts.answer(FactRequest("folds_case", "/work")) is False
    assert facts.answer(FactRequest("home_of", "eve")) is None


def test_a_mapping_says_everything_else() -> None:
    example = (
        "{tool: mcp__a__b, input: {x: yes}, on: PostToolUse, cwd: /tmp, branch: main, agent: g, mode: m, session: s, "
        "subagent: u, interactive: false, prompt: p, output: {o: 1}, files: {/work/l: {link: /etc}}}"
    )
    ((_, event, facts),) = judged(f"match: [{example}]")
    assert event == Event.from_call(
        "mcp__a__b",
        {"x": "yes"},
        cwd="/tmp",
        name="PostToolUse",
        agent="g",
        mode="m",
        session="s",
        subagent="u",
        interactive=False,
        prompt="p",
        output={"o": 1},
    )
    assert event.mcp == ("a", "b")
    assert facts.answer(FactRequest("branch", "/x")) == "main"
    assert facts.answer(FactRequest("resolve", "/work/l/passwd")) == "/etc/passwd"
    assert facts.answer(FactRequest("resolve", "/work/ll")) == "/work/ll"


def test_an_example_has_the_event_and_the_tool_it_needs() -> None:
    ((_, event, _),) = judged("match: [{prompt: hi}]", "on: [UserPromptSubmit, Stop], decision: deny")
    assert (event.name, event.tool, event.prompt) == ("UserPromptSubmit", None, "hi")
    ((_, event, _),) = judged("match: [{input: {command: 'yes x'}}]")
    assert event.tool == "bash"
    ((_, event, _),) = judged("match: [{tool: deploy}]", head="aliases: {deploy: [web_request]}\n")
    assert event.tool == "web_request"
    ((_, event, _),) = judged("match: [{tool: unheard_of}]")
    assert event.tool == "unheard_of"


def test_links_in_a_circle_lead_nowhere() -> None:
    facts = ExampleFacts(links={"/a": "/b", "/b": "/a"})
    assert facts.answer(FactRequest("resolve", "/a/x")) is None


def test_examples_of_packs_and_of_files_with_other_values_were_tried_elsewhere() -> None:
    file = "version: 1\nvars: {v: x}\nrules: [{id: a, decision: deny, when: {mode: '${v}'}, examples: {match: [no]}}]\n"
    files = {"pack:p": file, "a.yaml": file}
    build("version: 1\ninclude: ['pack:p', {file: a.yaml, params: {v: y}}]\n", files, FakeJudge())
    assert len(problems("version: 1\ninclude: [a.yaml]\n", files, FakeJudge())) == 1


KEYS = st.sampled_from(["version", "rules", "deny", "vars", "include", "default", "id", "when", "decision", "on", "x"])
DATA = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-9, 9), st.floats(allow_nan=False), st.text("a$*{}/ \\", max_size=6)
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)


@given(DATA)
def test_any_data_is_a_plan_or_problems(data: Any) -> None:
    try:
        compiled = compile_file(json.dumps(data), "any.yaml", judge=None, tools=TOOLS)
    except PolicyError:
        return
    marshal.dumps(plain(compiled.plan))


# The real judge, on the rule everybody writes first.

FORCE_PUSH = """\
version: 1
rules:
  - id: no-force-push
    when:
      command:
        program: git
        subcommand: push
        any: [{flag: [--force, -f, --mirror]}, {arg: /^\\+/}]
        not: {flag: --force-with-lease}
    decision: deny
    examples:
      match: ["git push -uf origin x", "cd a && git -C b push origin +main", "sudo env A=1 git push --mirror"]
      maybe: ["git push $ARGS"]
      not_match: ["git push --force-with-lease", "git commit -m 'git push --force'", "echo 'git push -f'"]
"""


def test_the_examples_of_a_good_rule_hold() -> None:
    assert compile_file(FORCE_PUSH, "x.yaml").warnings == ()


def test_a_rule_that_misses_what_its_author_believed_is_refused() -> None:
    text = FORCE_PUSH.replace("any: [{flag: [--force, -f, --mirror]}, {arg: /^\\+/}]", "flag: --force")
    with pytest.raises(PolicyError) as caught:
        compile_file(text, "x.yaml")
    assert [(problem.line, problem.column) for problem in caught.value.problems] == [(12, 40), (12, 78)]
