"""Examples of rules, tried: a rule that does not do what its author believes is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from ostiary.answers import MAYBE, NAMES, NO, YES, Answer
from ostiary.document import Flaw
from ostiary.event import Event
from ostiary.facts import FactRequest, Facts, Given
from ostiary.policy import RulePlan
from ostiary.records import dataclass, field
from ostiary.rules import Rule
from ostiary.rules.examples import ExampleCall
from ostiary.tools import ToolTable

Judge = Callable[[RulePlan, Event, Facts, ToolTable], Answer]
"""What one rule answers on one event, alone."""

WANTED: Final[Mapping[str, Answer]] = {"match": YES, "maybe": MAYBE, "not_match": NO}

_ROOT: Final = "/work"
# A day on which no rule has expired: whether a rule does what it says does not hang on when it is asked.
_MACHINE: Final = Given(
    now=datetime(2000, 1, 1, tzinfo=UTC), home="/home/dev", user="dev", start=_ROOT, roots=(_ROOT,), workdirs=(_ROOT,)
)
_LINKS: Final = 40
_EVENT_KEYS: Final = ("agent", "mode", "session", "subagent", "interactive", "prompt", "output")


@dataclass(frozen=True, slots=True)
class ExampleFacts:
    """The machine of an example: a home, a project, the branch and links it names."""

    branch: str | None = None
    links: Mapping[str, str] = field(default_factory=dict)

    def given(self, cwd: str | None) -> Given:  # noqa: ARG002 every example has the same machine
        """What is known beforehand."""
        return _MACHINE

    def answer(self, request: FactRequest) -> object:
        """The branch of the example everywhere, its links, and no more: no other file exists."""
        if request.name == "resolve":
            return self._resolved(request.argument)
        return {"branch": self.branch, "folds_case": False, "kind": "none"}.get(request.name)

    def _resolved(self, path: str) -> str | None:
        for _ in range(_LINKS):
            link = next((link for link in self.links if f"{path}/".startswith(f"{link}/")), None)
            if link is None:
                return path
            path = self.links[link] + path[len(link) :]
        return None


def failures(rule: Rule, plan: RulePlan, judge: Judge, tools: ToolTable) -> Iterator[Flaw]:
    """The examples on which a rule does not answer as it should; locations are relative to the rule."""
    for name, index, example in rule.examples.listed() if rule.examples else ():
        answer = judge(plan, event_of(example, plan, tools), facts_of(example), tools)
        if answer != WANTED[name]:
            message = f"the rule answers {NAMES[answer]} on this example, not {NAMES[WANTED[name]]}"
            yield Flaw(("examples", name, index), message, "mend the rule or the example")


def facts_of(example: str | ExampleCall) -> Facts:
    """The machine an example is judged on."""
    if isinstance(example, str):
        return ExampleFacts()
    return ExampleFacts(example.branch, {path: file.link for path, file in example.files.items()})


def event_of(example: str | ExampleCall, plan: RulePlan, tools: ToolTable) -> Event:
    """The event an example stands for."""
    name = "PreToolUse" if "PreToolUse" in plan.on else plan.on[0]
    if isinstance(example, str):
        return Event.from_call("bash", {"command": example}, cwd=_ROOT, name=name)
    given = {key: getattr(example, key) for key in _EVENT_KEYS}
    fields: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    fields |= {"name": example.on or name, "cwd": example.cwd or _ROOT}
    tool = example.tool or ("bash" if "command" in example.input else None)
    if tool is None:
        return Event(**fields)
    canonical = tool if tool in tools.tools else next(iter(tools.called(tool)), tool)
    return Event.from_call(canonical, example.input, **fields)
