"""Random policies, calls and facts for the property tests: small pools, so that rules and calls meet often."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from ostiary.event import EVENTS, GATES, Event
from ostiary.facts import FactRequest, FixedFacts, Given
from ostiary.paths import path_plan
from ostiary.policy import ExceptionPlan, FilePlan, RulePlan, stand_in

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)

FACTS = FixedFacts(
    Given(now=NOW, home="/home/dev", user="dev", start="/work", roots=("/work",), workdirs=("/work",)),
    {FactRequest("branch", "/work"): "main"},
)

EVERY = (*(name for name, kind in EVENTS.items() if kind.before_tool or kind.tool), "UserPromptSubmit", "Stop")

COMMANDS = (
    "rm -rf build",
    "rm -rf / && echo done",
    "$X -rf /",
    "git push --force",
    "git push --force $X",
    "git push && git push --force-with-lease",
    "cat .env .env.example",
    "cat notes.txt > out.txt",
    "frobnicate .env",
    "GIT_EXTERNAL_DIFF=x git diff",
    "if true; then",
    "# nothing",
)


def texts(*values: str) -> tuple[tuple[str, str], ...]:
    return tuple(("eq", value) for value in values)


def program(name: str, *more: Any) -> Any:
    return ("command", ("all", (("program", texts(name)), *more)))


LEAVES: tuple[Any, ...] = (
    ("always",),
    ("tool", "exact", ("Bash",)),
    ("tool", "exact", ("Read", "Write")),
    ("tool", "all"),
    program("rm"),
    program("rm", ("flag", (("-r", None), ("-f", None)))),
    program("git", ("subcommand", (("push",),)), ("flag", (("--force", None),))),
    program("git", ("not", ("flag", (("--force-with-lease", None),)))),
    program("cat"),
    program("no-such-program"),
    ("command", ("line", ("glob", "git *"), ())),
    ("reads", (path_plan("**/.env"),)),
    ("reads", (path_plan("**"),)),
    ("reads", (path_plan("**/.env.example"),)),
    ("writes", (path_plan("./**"),)),
    ("writes", ("outside", "project")),
    ("mode", texts("plan")),
    ("branch", texts("main")),
    ("prompt", (("glob", "*secret*"),)),
)

conditions = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.one_of(
        st.tuples(st.just("not"), inner),
        st.tuples(st.sampled_from(("all", "any")), st.lists(inner, min_size=1, max_size=3).map(tuple)),
    ),
    max_leaves=3,
)

DECISIONS = ("deny", "ask", "defer", "allow", "allow", "")
OUTPUTS = (None, None, ("redact", texts("token"), "[redacted]"), ("set", "nothing to see"))
INPUTS = (None, None, None, (("command", "git push --dry-run"),), (("command", "echo {{input.command}}"),))


@st.composite
def rules(draw: st.DrawFn, number: int = 0) -> RulePlan:
    """A rule with any of the fields a file can give one."""
    decision = draw(st.sampled_from(DECISIONS))
    default = bool(decision) and draw(st.integers(0, 4)) == 0
    return RulePlan(
        id=f"r{number}",
        line=number + 1,
        on=draw(st.sampled_from((GATES, GATES, EVERY))),
        when=draw(conditions),
        unless=draw(st.none() | conditions),
        decision=decision,
        reason=draw(st.sampled_from(("", f"reason {number}"))),
        context=draw(st.sampled_from(("", "", f"context {number}"))),
        message=draw(st.sampled_from(("", "", f"message {number}"))),
        update_input=draw(st.sampled_from(INPUTS)),
        update_output=draw(st.sampled_from(OUTPUTS)),
        halt=draw(st.integers(0, 5)) == 0,
        default=default,
        yields=draw(st.sampled_from(((), ("user",), ("user", "project")))) if default else (),
        uncertain="" if decision in ("allow", "") else draw(st.sampled_from(("", "", "ask", "deny", "none"))),
        observe=draw(st.integers(0, 5)) == 0,
        expires=draw(st.sampled_from(("", "", "", "2027-02-28", "2027-03-01"))),
        trailing=draw(st.booleans()),
    )


@st.composite
def files(draw: st.DrawFn, name: str, others: tuple[str, ...] = ()) -> FilePlan:
    """A rule file, whose exceptions name its own rules or those of `others` (rule references); now and then the plan
    that stands in for a broken one."""
    if draw(st.integers(0, 9)) == 0:
        return stand_in(f"{name}.yaml", 3, "it is broken", managed=name == "managed")
    count = draw(st.integers(0, 4))
    members = tuple(draw(rules(number)) for number in range(count))
    targets = (*(rule.id for rule in members), *others)
    exceptions = draw(
        st.lists(
            st.builds(
                ExceptionPlan,
                rule=st.sampled_from(targets),
                when=st.none() | conditions,
                reason=st.just("agreed"),
                expires=st.sampled_from(("", "2027-02-28", "2027-12-31")),
                line=st.just(1),
            ),
            max_size=2,
        )
        if targets
        else st.just([])
    )
    combine = draw(st.sampled_from(("strictest", "strictest", "first", "last")))
    return FilePlan(name, f"{name}.yaml", f"{name}-digest", combine, members, tuple(exceptions))


def _event(name: str, tool: str | None, arguments: dict[str, Any], **fields: Any) -> Event:
    return Event(
        agent="test",
        name=name,
        tool=tool,
        input=arguments,
        cwd="/work",
        session="s",
        output={"stdout": "a token here"} if name.startswith("Post") else None,
        **fields,
    )


events = st.one_of(
    st.builds(
        lambda name, text, mode: _event(name, "bash", {"command": text}, mode=mode),
        st.sampled_from(("PreToolUse", "PreToolUse", "PermissionRequest", "PostToolUse")),
        st.sampled_from(COMMANDS),
        st.sampled_from((None, "plan", "default")),
    ),
    st.sampled_from(
        (
            _event("PreToolUse", "read_file", {"file_path": "/work/.env"}),
            _event("PreToolUse", "write_file", {"file_path": "/etc/passwd", "content": "x"}),
            _event("PreToolUse", "edit_file", {"file_path": "/work/src/a.py", "new_string": "x"}),
            _event("PreToolUse", "mcp__fs__slurp", {"p": ".env"}, mcp=("fs", "slurp")),
            _event("UserPromptSubmit", None, {}, prompt="a secret thing"),
            _event("Stop", None, {}),
        )
    ),
)
