"""Handlers: rules whose decision comes from running something.

A handler kind is one module here with a pydantic model of what stands under `run:` and a `compile()` that gives its
plan; the driver that performs the plan lives in `ostiary.perform`. A handler runs on *yes* and *maybe*, on the original
input, one after the other; the allow of a handler that ran on *maybe* counts as none (laws L2 and L4). Its program and
relative paths are resolved against the folder of the rule file; what an event says reaches it on standard input, as an
argument or in its environment, and never inside shell text.

This version has no kinds: `run` in a rule is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol


class Handler(Protocol):
    """What stands under `run:`, as a model."""

    def compile(self) -> tuple[Any, ...]:
        """The plan, plain tuples only."""


HANDLERS: Final[Mapping[str, type[Handler]]] = {}
