"""Files of definitions to plans: what programs do, what arguments of tools mean."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Literal

from ostiary import document
from ostiary.build.names import stem
from ostiary.definitions import Programs, Tools
from ostiary.digests import sha256
from ostiary.policy import FilePlan, ProgramPlan, ToolPlan

Defined = Literal["programs", "tools"]


def compile_definitions(raw: bytes, label: str, defined: Defined) -> FilePlan:
    """A file of definitions, compiled whole: a plan without rules. Raises `PolicyError` with every problem."""
    digest = sha256(f"{defined}\0".encode() + raw).hexdigest()
    plan = FilePlan(name=stem(label), label=label, digest=digest, combine="strictest", rules=())
    if defined == "programs":
        return plan._replace(programs=tuple(_programs(raw, label)))
    return plan._replace(tools=tuple(_tools(raw, label)))


def _programs(raw: bytes, label: str) -> Iterator[ProgramPlan]:
    model, where = document.load(raw, Programs, label)
    for names, entry in model.root.items():
        text = json.dumps(entry.model_dump(by_alias=True, exclude_unset=True))
        for name in names.split():
            yield ProgramPlan(name, where.place((names,), at_key=True)[0], text)


def _tools(raw: bytes, label: str) -> Iterator[ToolPlan]:
    model, where = document.load(raw, Tools, label)
    for index, item in enumerate(model.root):
        for tool in item.tool:
            yield ToolPlan(
                item.server or "",
                tool,
                where.line((index,)),
                tuple(item.arguments.items()),
                tuple(item.source or ()),
                item.complete,
            )
