"""What every handler is: what stands under `run:`, read from a rule file and compiled to a plan.

A handler kind is one module here with one model; its docstring is the user's documentation. Adding one takes the
module, a line of `handlers.Run`, and the performer of its plan in `ostiary.perform`.
"""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, ClassVar, Final

from pydantic import Field, PlainValidator, StrictBool, WithJsonSchema

from ostiary.matchers.base import Spec, described, refuse
from ostiary.policy import HandlerPlan

_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m)")
_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0}


def _duration(value: Any) -> float:
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    seconds = float(match[1]) * _SECONDS[match[2]] if match else 0.0
    if not seconds or not math.isfinite(seconds):
        raise refuse("expected a time", "write it with its unit: `500ms`, `10s` or `2m`")
    return seconds


Duration = Annotated[
    float, PlainValidator(_duration), WithJsonSchema({"type": "string", "pattern": f"^{_DURATION.pattern}$"})
]
"""A time in a rule file, as seconds."""


class HandlerSpec(Spec):
    """What all handlers have."""

    kind: ClassVar[str]

    timeout: Duration | None = described("how long it may take: `500ms`, `10s`, `2m`; what the event allows if absent")
    async_: StrictBool = Field(
        default=False,
        alias="async",
        description="`true`: nobody waits for it, and what it says has no effect on the call",
    )
    rewake: StrictBool = Field(
        default=False, description="`true`, with `async`: a deny that it says later is brought to the model"
    )
    pure: StrictBool = Field(
        default=False, description="`true`: it has no effects, so it also judges a call that a rule rewrote"
    )

    def plan(self, folder: str) -> HandlerPlan:
        """The plan of a handler in a rule file in this absolute folder."""
        return HandlerPlan(
            self.kind,
            self.options(),
            folder,
            timeout=self.timeout,
            background=self.async_,
            rewake=self.rewake,
            pure=self.pure,
        )

    def options(self) -> tuple[tuple[str, Any], ...]:
        """The kind's own options as plain values."""
        raise AssertionError(f"{type(self).__name__} has no options")
