"""Verdicts, what one rule says, and the outcome of an event: the fold of everything said (laws L4 and L6)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Literal

from ostiary.records import dataclass, field

State = Literal["active", "observe", "expired", "untrusted", "overruled", "not-run", "excepted", "gated", "remembered"]
AnswerName = Literal["no", "maybe", "yes"]


class Verdict(IntEnum):
    """What is said about a call, in the order of a rule's say: `none < allow < ask < defer < deny`."""

    NONE = 0
    ALLOW = 1
    ASK = 2
    DEFER = 3
    DENY = 4

    def __str__(self) -> str:
        return self.name.lower()

    @property
    def over_parts(self) -> int:
        """Rank among the parts of one call, where silence about a part is stricter than its allow:
        `allow < none < ask < defer < deny`."""
        return (1, 0, 2, 3, 4)[self]


def strictest(verdicts: tuple[Verdict, ...]) -> Verdict:
    """The verdict of a call from those of its parts."""
    return max(verdicts, key=lambda verdict: verdict.over_parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What one handler says of an event. `None` stands for nothing said about the field.

    `update_input` are the whole new arguments under canonical names, `update_output` the whole new tool output. `halt`
    asks the agent to stop the session. `failure` says how the handler failed, empty if it did not; of one that failed
    nothing else counts but a verdict that stops.
    """

    verdict: Verdict = Verdict.NONE
    reason: str | None = None
    help: str | None = None
    context: str | None = None
    message: str | None = None
    update_input: Mapping[str, Any] | None = None
    update_output: Any = None
    halt: bool = False
    failure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessReport:
    """One access of a part, for people and records."""

    kind: str
    target: str
    certain: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PartReport:
    """One part of the call with its own verdict. `source` is the file and line that it was read from, None for what
    stands in the call. `shape` are its programs with the names of their options, without values; it is no part of the
    JSON."""

    text: str
    program: str
    cwd: str | None
    verdict: Verdict
    accesses: tuple[AccessReport, ...]
    source: str | None = None
    shape: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one rule answered on one part. `rule` is `tier:source/id`, `part` the index of the part, `why` the shortest
    reason a person understands, `decision` what the rule or its handler said there (empty if nothing)."""

    rule: str
    line: int
    part: int
    answer: AnswerName
    why: str
    decision: str
    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class Degraded:
    """A verdict or field that an agent cannot be told as it is. `said` is what it is told instead."""

    wanted: str
    said: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The answer to an event, with the trail of which rules said what. `None` means that nobody wrote the field.

    `reason` is for the model and people, `help` for people only. `updated_input` are the whole new arguments under
    canonical names, `updated_output` the whole new tool output. `halt` asks the agent to stop the session. `message`
    is shown to people. `model_reason` replaces `reason` towards the model where the text comes from a source nobody
    reviewed (law L6). `generation` names the policy that answered. `writes` are the paths that the call could write if
    it is permitted, as `paths.spelled` writes them, and whether that is certain; `scripts` is a digest of the texts of
    the files that it runs, empty if none was read. `remember` is what the call is to be remembered by if a person
    permits it, empty if it is not. These three are no part of the JSON.
    """

    verdict: Verdict = Verdict.NONE
    reason: str | None = None
    model_reason: str | None = None
    help: str | None = None
    context: str | None = None
    updated_input: Mapping[str, Any] | None = None
    updated_output: Any = None
    halt: bool = False
    message: str | None = None
    generation: str = ""
    event: Mapping[str, str] = field(default_factory=dict)
    parts: tuple[PartReport, ...] = ()
    trail: tuple[Step, ...] = ()
    problems: tuple[str, ...] = ()
    degraded: tuple[Degraded, ...] = ()
    writes: tuple[tuple[str, bool], ...] = ()
    scripts: str = ""
    remember: str = ""

    def to_json(self) -> dict[str, Any]:
        """The outcome as JSON-able data, schema 1 (`schemas/outcome.schema.json`); absent keys are left out."""
        report: dict[str, Any] = {"schema": 1, "verdict": str(self.verdict)}
        for name in ("reason", "help", "context", "updated_input", "updated_output", "message"):
            value = getattr(self, name)
            if value is not None:
                report[name] = value
        if self.halt:
            report["halt"] = True
        report["generation"] = self.generation
        report["event"] = dict(self.event)
        report["parts"] = [
            {
                "text": part.text,
                "program": part.program,
                **({"cwd": part.cwd} if part.cwd is not None else {}),
                **({"source": part.source} if part.source is not None else {}),
                "verdict": str(part.verdict),
                "accesses": [
                    {"kind": access.kind, "target": access.target, "certain": access.certain}
                    for access in part.accesses
                ],
            }
            for part in self.parts
        ]
        report["trail"] = [
            {
                "rule": step.rule,
                "line": step.line,
                "part": step.part,
                "answer": step.answer,
                "why": step.why,
                **({"decision": step.decision} if step.decision else {}),
                "state": step.state,
            }
            for step in self.trail
        ]
        report["problems"] = list(self.problems)
        report["degraded"] = [{"from": item.wanted, "to": item.said, "why": item.why} for item in self.degraded]
        return report
