"""`run: {python: ...}`: a Python function."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, Final

from pydantic import Field, PlainValidator

from ostiary.handlers.base import HandlerSpec
from ostiary.matchers.base import refuse, text

_NAMED: Final = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)


def _named(value: Any) -> str:
    if not _NAMED.fullmatch(text(value)):
        raise refuse("expected a module and a function", "write `checks:judge` for the function `judge` in `checks.py`")
    return text(value)


FunctionName = Annotated[str, PlainValidator(_named, json_schema_input_type=str)]


class Python(HandlerSpec):
    """Calls a function of a Python file beside the rule file, in the process of Ostiary. Only the user's and managed
    rule files may.

    The function is given the event (`ostiary.event.Event`) and returns nothing for no opinion, a `Decision`, or a
    mapping like the JSON a command prints. One that raises blocks. It cannot be ended from outside: one that takes
    `cancel` is passed an object whose `cancelled` turns true when its time is over, and a late answer is a failure
    unless it stops the call.

        run: {python: "checks:judge"}
    """

    kind: ClassVar[str] = "python"

    python: FunctionName = Field(
        description="`MODULE:FUNCTION`; the module is a file beside the rule file, dots lead into folders"
    )

    def options(self) -> tuple[tuple[str, Any], ...]:
        """The kind's own options as plain values."""
        return (("python", self.python),)
