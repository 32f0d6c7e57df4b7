"""The format of test suites, nothing else: YAML files of cases, each a call or event with what must come out."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from ostiary.dialects import DIALECTS
from ostiary.document import Flaw, unknown
from ostiary.event import EVENTS, unknown_event
from ostiary.rules.schema import portable

Mapped = dict[str, Any]

ORIGINS: Final = ("command", "tool", "on", "prompt", "payload")
"""Keys of which a call or event has at least one."""


class _Spec(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FactsSpec(_Spec):
    """What the machine of a case looks like."""

    home: str | None = Field(None, description="The user's home folder; `/home/dev` if absent.")
    user: str | None = Field(None, description="The user's name; `dev` if absent.")
    start: str | None = Field(None, description="The root of the project the agent was started in; `/work` if absent.")
    roots: list[str] | None = Field(None, description="All project roots; the start root if absent.")
    workdirs: list[str] | None = Field(None, description="The agent's working directories; the roots if absent.")
    links: dict[str, str] | None = Field(None, description="Symbolic links: path to where it leads (absolute).")
    files: list[str] | None = Field(None, description="Files that exist, by their absolute paths.")
    scripts: dict[str, str] | None = Field(None, description="Texts of files that calls run: absolute path to text.")
    written: list[str] | None = Field(None, description="Paths that the session wrote before, absolute.")
    branch: str | None = Field(None, description="The branch checked out everywhere; not known if absent.")
    now: str | None = Field(None, description="The time, `2027-01-31T12:00:00Z`; the current time if absent.")
    windows: bool | None = Field(None, description="Whether paths follow Windows' rules.")


class MomentSpec(_Spec):
    """A call or event: canonical, or as an agent sends it (`payload` with `agent`)."""

    on: str | None = Field(None, description="The event; `PreToolUse` if absent.")
    command: str | None = Field(None, description="Shell text: short for `tool: bash` with this command as its input.")
    tool: str | None = Field(None, description="A tool by its canonical name or an alias, or `mcp__server__tool`.")
    input: Mapped | None = Field(None, description="The arguments of the tool.")
    prompt: str | None = Field(None, description="The prompt, on prompt events.")
    output: Any = Field(None, description="What the tool gave, on events after a tool call.")
    cwd: str | None = Field(None, description="The working directory; the start root if absent.")
    branch: str | None = Field(None, description="The branch checked out there.")
    mode: str | None = Field(None, description="The agent's permission mode.")
    agent: str | None = Field(None, description="The agent; the one whose payload it is, with `payload`.")
    session: str | None = Field(None, description="The session's name.")
    subagent: str | None = Field(None, description="The type of the subagent that makes the call.")
    interactive: bool | None = Field(None, description="Whether a person is there to answer.")
    payload: Mapped | None = Field(None, description="A hook payload as `agent` sends it; replaces everything else.")


class ExpectSpec(_Spec):
    """What must come out. Keys that are absent are not looked at."""

    verdict: Literal["none", "allow", "ask", "defer", "deny"] | None = None
    rules: list[str] | None = Field(None, description="Exactly the rules that spoke, by id or whole identity.")
    reason: str | None = Field(None, description="Text that the reason contains.", alias="reason~")
    help: str | None = Field(None, description="Text that the help contains.", alias="help~")
    context: str | None = Field(None, description="The whole context; empty for none.")
    message: str | None = Field(None, description="The whole message; empty for none.")
    updated_input: Mapped | None = Field(None, description="The whole new arguments; empty for no rewrite.")
    updated_output: Any = Field(None, description="The new tool output.")
    halt: bool | None = Field(None, description="Whether the session is asked to stop.")


class CaseSpec(_Spec):
    """One case."""

    name: str = Field(description="What the case shows, in words.")
    call: str | MomentSpec | None = Field(None, description="The call: shell text, or a mapping.")
    event: MomentSpec | None = Field(None, description="The event, instead of a call.")
    facts: FactsSpec | None = Field(None, description="Facts of this case; those of the suite where absent.")
    expect: ExpectSpec | None = Field(None, description="What must come out; a case that expects nothing fails.")


class SuiteSpec(_Spec):
    """A file of test cases for the policy in force."""

    version: Literal[1]
    facts: FactsSpec | None = Field(None, description="Facts of all cases.")
    cases: list[CaseSpec] = Field(description="The cases.")

    @staticmethod
    def checks(data: Mapped) -> Iterator[Flaw]:
        """What the types cannot say about plain data of any shape."""
        yield from _flaws_of_facts(data.get("facts"), ("facts",))
        cases = data.get("cases")
        for index, case in enumerate(cases if isinstance(cases, list) else ()):
            if isinstance(case, dict):
                yield from _flaws_of_case(case, ("cases", index))


def _flaws_of_case(case: Mapped, at: tuple[str | int, ...]) -> Iterator[Flaw]:
    yield from _flaws_of_facts(case.get("facts"), (*at, "facts"))
    moments = [key for key in ("call", "event") if case.get(key) is not None]
    if len(moments) != 1:
        yield Flaw(at, "a case has either `call` or `event`", "add `call: git status`")
    for key in moments:
        if isinstance(case[key], dict):
            yield from _flaws_of_moment(case[key], (*at, key))


def _flaws_of_moment(moment: Mapped, at: tuple[str | int, ...]) -> Iterator[Flaw]:
    if not any(moment.get(key) is not None for key in ORIGINS):
        yield Flaw(at, "nothing happens here", "add `command`, `tool`, `on` or `payload`")
    if moment.get("command") is not None and moment.get("tool") is not None:
        yield Flaw((*at, "command"), "`command` and `tool` exclude each other", "put the command into `input`")
    event, agent = moment.get("on"), moment.get("agent")
    if isinstance(event, str) and event not in EVENTS:
        yield Flaw((*at, "on"), *unknown_event(event))
    if moment.get("payload") is not None and agent is None:
        yield Flaw(at, "a payload needs `agent`", f"agents: {', '.join(sorted(DIALECTS))}")
    elif moment.get("payload") is not None and isinstance(agent, str) and agent not in DIALECTS:
        yield Flaw((*at, "agent"), *unknown("agent", agent, DIALECTS))


def _flaws_of_facts(facts: Any, at: tuple[str | int, ...]) -> Iterator[Flaw]:
    now = facts.get("now") if isinstance(facts, dict) else None
    if isinstance(now, str) and not _is_time(now):
        yield Flaw((*at, "now"), "expected a time with its zone", "write it as `2027-01-31T12:00:00Z`")


def _is_time(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def json_schema() -> Mapped:
    """The JSON schema (draft 7) of suite files, for editors."""
    schema = SuiteSpec.model_json_schema(by_alias=True)
    return {**portable(schema), "title": "Ostiary test suite"}
