"""Matchers: what `when` and `unless` are made of. One module per kind; this is their registry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainValidator, WithJsonSchema, model_validator

from ostiary.matchers.agent import Agent
from ostiary.matchers.base import Lint, Plan, Spec, Value, both, described, filled, refuse
from ostiary.matchers.branch import Branch
from ostiary.matchers.command import AnyCommand
from ostiary.matchers.connects import Connects
from ostiary.matchers.content import Content
from ostiary.matchers.cwd import Cwd
from ostiary.matchers.deletes import Deletes
from ostiary.matchers.executes import Executes
from ostiary.matchers.input import Input
from ostiary.matchers.interactive import Interactive
from ostiary.matchers.mcp import Mcp
from ostiary.matchers.mode import Mode
from ostiary.matchers.output import Output
from ostiary.matchers.prompt import Prompt
from ostiary.matchers.pure import Pure
from ostiary.matchers.reads import Reads
from ostiary.matchers.script import Script
from ostiary.matchers.session import Session
from ostiary.matchers.subagent import Subagent
from ostiary.matchers.tool import ToolMatcher
from ostiary.matchers.writes import Writes


def _reserved(_: Any) -> Any:
    raise refuse("this key is reserved for a later version", "remove it")


Reserved = Annotated[Any, PlainValidator(_reserved), WithJsonSchema({"not": {}})]


class Condition(Spec):
    """What must hold of a part of the call, its accesses and the event. Several keys must all hold, of the same part.

    when: {command: {program: rm}, deletes: {outside: project}}
    """

    all: Annotated[tuple[Condition, ...], BeforeValidator(filled)] | None = described("conditions that all hold")
    any: Annotated[tuple[Condition, ...], BeforeValidator(filled)] | None = described("conditions of which one holds")
    not_: Condition | None = described("a condition that does not hold", "not")
    tool: ToolMatcher | None = None
    command: AnyCommand | None = None
    script: Script | None = None
    reads: Reads | None = None
    writes: Writes | None = None
    deletes: Deletes | None = None
    connects: Connects | None = None
    executes: Executes | None = None
    pure: Pure | None = None
    mcp: Mcp | None = None
    input: Input | None = None
    content: Content | None = None
    output: Output | None = None
    prompt: Prompt | None = None
    agent: Agent | None = None
    mode: Mode | None = None
    cwd: Cwd | None = None
    branch: Branch | None = None
    subagent: Subagent | None = None
    interactive: Interactive | None = None
    session: Session | None = None
    seen: Reserved = described("reserved: what happened earlier in the session", hidden=True)
    flow: Reserved = described("reserved: from where to where data flows", hidden=True)

    @model_validator(mode="before")
    @classmethod
    def _some_key(cls, value: Any) -> Any:
        if value == {}:
            raise refuse("the mapping is empty", "write a condition, or remove the key")
        return value

    def compile(self) -> Plan:
        """The plan of all keys."""
        return both([self._plan(name, value) for name, value in self._given()])

    def _plan(self, name: str, value: Any) -> Plan:
        if name in ("all", "any"):
            return (name, tuple(item.compile() for item in value))
        if name == "not_":
            return ("not", value.compile())
        plan: Plan = value.compile()
        return plan

    def _given(self) -> Iterator[tuple[str, Any]]:
        for name in type(self).model_fields:
            value = getattr(self, name)
            if value is not None:
                yield name, value

    def lints(self, names: frozenset[str]) -> Iterator[Lint]:
        """What deserves a warning, in all keys."""
        for name, value in self._given():
            key = name.removesuffix("_")
            for index, item in enumerate(value) if isinstance(value, tuple) else [(None, value)]:
                way = (key,) if index is None else (key, index)
                yield from (lint._replace(location=(*way, *lint.location)) for lint in item.lints(names))

    def used(self, *names: str) -> str:
        """The first of these matchers that stands anywhere in the condition, empty if none does."""
        for name, value in self._given():
            below = value if isinstance(value, tuple) else (value,)
            if name in names:
                return name
            if found := next(filter(None, (item.used(*names) for item in below if isinstance(item, Condition))), ""):
                return found
        return ""


Condition.model_rebuild()

__all__ = ["Condition", "Lint", "Plan", "Spec", "Value"]
